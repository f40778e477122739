/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lengths of instructions. */

/* Private to wet/. */

#ifndef __DCFG_LENGTHS_H
#define __DCFG_LENGTHS_H

#include "pub_tool_basics.h"
#include "format/port.h"

#define MAX_INSTR_BYTES 16

/* Return the length of the instruction at CODE, with N readable bytes; 0: there
   is none.  N is at most MAX_INSTR_BYTES.  Not while anything is being
   translated. */
UInt DCFG_(length_of_instr)(const UChar* code, UInt n, Addr addr);

#endif /* __DCFG_LENGTHS_H */
