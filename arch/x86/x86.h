/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   x86 instructions. */

/* Private to arch/. */

#ifndef __DCFG_X86_H
#define __DCFG_X86_H

#include "arch/guest.h"

/* All of these are about the instruction in BYTES[0 .. LEN-1]; IS64 selects
   64-bit mode.  LEN is the instruction's length as the disassembler found it,
   at least 1. */

/* Decodes just enough of it to tell its kind. */
InsnKind DCFG_(classify_x86)(const UChar* bytes, UInt len, Bool is64);

/* The place of the opcode. */
UInt DCFG_(x86_opcode)(const UChar* bytes, UInt len, Bool is64);

/* Does VEX lead its operand, which has registers only, through memory that the
   program does not have (BT and its like)? */
Bool DCFG_(has_false_memory_x86)(const UChar* bytes, UInt len, Bool is64);

/* Where the direct branch, which stands at ADDR, leads: one that is
   conditional, or a jump. */
Addr DCFG_(target_x86)(const UChar* bytes, UInt len, Bool is64, Addr addr);

/* As those of Guest. */
UInt DCFG_(loads_x86)(const UChar* bytes, UInt len, Bool is64);
UInt DCFG_(quirks_x86)(const UChar* bytes, UInt len, Bool is64);
void DCFG_(correct_usage_x86)(Usage* u, const UChar* bytes, UInt len,
                              Bool is64);
void DCFG_(find_besides_x86)(const UChar* bytes, UInt len, Bool is64,
                             Besides* to);

#endif /* __DCFG_X86_H */
