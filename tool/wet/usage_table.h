/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Uses and definitions of all instructions, as the file has them. */

/* Private to wet/. */

#ifndef __DCFG_USAGE_TABLE_H
#define __DCFG_USAGE_TABLE_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/wet/packed.h"

/* Add to B what the instruction of LEN bytes at CODE, which ran at ADDR, uses
   and defines.  Not while anything is being translated. */
void DCFG_(add_usage_of)(Bytes* b, const UChar* code, UInt len, Addr addr);

#endif /* __DCFG_USAGE_TABLE_H */
