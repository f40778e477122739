/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Uses and definitions of an instruction. */

/* Private to wet/. */

#ifndef __DCFG_USAGE_H
#define __DCFG_USAGE_H

#include "pub_tool_basics.h"

#include "format/port.h"
#include "tool/arch/locations.h"

/* Find the uses and definitions of the instruction of LEN bytes at CODE, which
   ran at ADDR.  Not while anything is being translated. */
void DCFG_(find_usage)(const UChar* code, UInt len, Addr addr,
                       /*OUT*/Usage* u);

#endif /* __DCFG_USAGE_H */
