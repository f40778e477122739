/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lengths, uses and definitions of instructions. */

/* Private to wet/. */

#ifndef __DCFG_USAGE_H
#define __DCFG_USAGE_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/wet/coding.h"

/* Return the location of the byte at OFFSET of the guest state, or N_LOCS if it
   has none. */
UInt DCFG_(location_at)(UInt offset);

#define MAX_INSTR_BYTES 16

/* Return the length of the instruction at CODE, with N readable bytes; 0: there
   is none.  N is at most MAX_INSTR_BYTES.  Not while anything is being
   translated. */
UInt DCFG_(length_of_instr)(const UChar* code, UInt n, Addr addr);

/* Add to B what the instruction of LEN bytes at CODE, which ran at ADDR, uses
   and defines.  Not while anything is being translated. */
void DCFG_(add_usage_of)(Bytes* b, const UChar* code, UInt len, Addr addr);

#endif /* __DCFG_USAGE_H */
