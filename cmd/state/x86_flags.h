/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to state/: the flags of x86 and amd64. */

#ifndef DCFG_CMD_X86_FLAGS_H
#define DCFG_CMD_X86_FLAGS_H

#include "cmd/state/x86_rules.h"

#define BIT_C (UINT64_C(1) << 0)
#define BIT_P (UINT64_C(1) << 2)
#define BIT_A (UINT64_C(1) << 4)
#define BIT_Z (UINT64_C(1) << 6)
#define BIT_S (UINT64_C(1) << 7)
#define BIT_D (UINT64_C(1) << 10)
#define BIT_O (UINT64_C(1) << 11)
#define OTHERS (BIT_P | BIT_A | BIT_Z | BIT_S | BIT_O)

static inline uint64_t sign_extended(uint64_t n, unsigned size)
{
   uint64_t sign = UINT64_C(1) << (8 * size - 1);

   return size >= 8 ? n : ((n & (2 * sign - 1)) ^ sign) - sign;
}

static inline uint64_t mask_of(unsigned size)
{
   return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static inline uint64_t of_result(uint64_t r, unsigned size)
{
   r &= mask_of(size);
   return (__builtin_parity((unsigned)(r & 0xFF)) ? 0 : BIT_P)
          | (r == 0 ? BIT_Z : 0) | (r >> (8 * size - 1) ? BIT_S : 0);
}

/* Set *BITS to the flags of GROUP behind I, a shift or a rotation.  Return false
   if they are not known. */
bool x86_shift_flags(const StateView* v, const cs_insn* i, unsigned group,
                     uint64_t* bits);

/* Set *BITS to the flags behind I, PCMPISTRI or one like it.  Return false if they
   are not known. */
bool x86_text_flags(const StateView* v, const cs_insn* i, uint64_t* bits);

#endif /* DCFG_CMD_X86_FLAGS_H */
