/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Uses and definitions that VEX does not tell. */

#ifndef __DCFG_CORRECTIONS_H
#define __DCFG_CORRECTIONS_H

#include "base/port.h"
#include "arch/locations.h"

/* Correct what U has from VEX's IR of the instruction of LEN bytes at CODE. */
void DCFG_(correct_usage_x86)(Usage* u, const UChar* code, UInt len);
void DCFG_(correct_usage_arm64)(Usage* u, const UChar* code, UInt len);

#endif /* __DCFG_CORRECTIONS_H */
