/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   x86 instructions. */

/* Private to arch/. */

#ifndef __DCFG_X86_H
#define __DCFG_X86_H

#include "tool/arch/guest.h"

/* Arguments of these functions: the instruction is BYTES[0 .. LEN-1]; LEN,
   at least 1, is the length that the disassembler found; IS64 selects 64-bit
   mode. */

/* Return the kind of the instruction. */
InsnKind DCFG_(classify_x86)(const UChar* bytes, UInt len, Bool is64);

/* Return the target of a conditional branch or direct jump at ADDR. */
Addr DCFG_(target_x86)(const UChar* bytes, UInt len, Bool is64, Addr addr);

/* Functions of Guest. */
UInt DCFG_(loads_x86)(const UChar* bytes, UInt len, Bool is64);
UInt DCFG_(quirks_x86)(const UChar* bytes, UInt len, Bool is64);
void DCFG_(correct_usage_x86)(Usage* usage, const UChar* bytes, UInt len,
                              Bool is64);
void DCFG_(find_besides_x86)(const UChar* bytes, UInt len, Bool is64,
                             Besides* to);

/* In calls_guest.c. */
extern const CallLayout DCFG_(x86_calls);

/* The rest is in identity_guest.c. */
void DCFG_(answer_x86)(void* call, const FalseAnswers* a);
ULong DCFG_(ticks_x86)(void);
ULong DCFG_(random_x86)(void);
Bool DCFG_(can_be_x86)(UInt level, UInt hwcaps);
#define N_X86_PROCESSORS 2
extern const Processor DCFG_(x86_processors)[N_X86_PROCESSORS];
extern const AuxAnswer DCFG_(x86_aux_answers)[];

#endif /* __DCFG_X86_H */
