/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   arm64 instructions. */

/* Private to arch/. */

#ifndef __DCFG_ARM64_H
#define __DCFG_ARM64_H

#include "tool/arch/guest.h"

/* Return the instruction at CODE, or 0, which is not an instruction.
   Instructions are little-endian even if data are not. */
static inline UInt arm64_word(const UChar* code, UInt len)
{
   return len < 4 ? 0 : code[0] | code[1] << 8 | code[2] << 16
                        | (UInt)code[3] << 24;
}

/* Return the bits HIGH to LOW of WORD. */
static inline UInt bits(UInt word, UInt high, UInt low)
{
   return word >> low & (0xFFFFFFFFu >> (31 - high + low));
}

/* Functions of Guest. */
InsnKind DCFG_(classify_arm64)(const UChar* bytes, UInt len);
Addr DCFG_(target_arm64)(const UChar* bytes, UInt len, Addr addr);
UInt DCFG_(loads_arm64)(const UChar* bytes, UInt len);
UInt DCFG_(quirks_arm64)(const UChar* bytes, UInt len);
void DCFG_(correct_usage_arm64)(Usage* usage, const UChar* bytes, UInt len);
void DCFG_(find_besides_arm64)(const UChar* bytes, UInt len, Besides* to);

/* In calls_arm64_guest.c. */
extern const CallLayout DCFG_(arm64_calls);

/* In identity_arm64_guest.c. */
void DCFG_(answer_arm64)(void* call, const FalseAnswers* a);
void DCFG_(tell_lines_arm64)(const void* host, HChar* to, SizeT n);

/* Return the base register that a load or store writes its address back to, or
   32 if there is none. */
UInt DCFG_(written_back_arm64)(const UChar* bytes, UInt len);

#endif /* __DCFG_ARM64_H */
