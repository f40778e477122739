/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The kinds of a superblock's instructions. */

/* Private to run/. */

#ifndef __DCFG_KINDS_H
#define __DCFG_KINDS_H

#include "tool/run/ir.h"

/* Set the kinds of all instructions of SB, which W describes. */
void DCFG_(find_kinds)(Work* w, const IRSB* sb);

#endif /* __DCFG_KINDS_H */
