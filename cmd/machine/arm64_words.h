/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The encoding of arm64's instructions. */

#ifndef DCFG_CMD_ARM64_WORDS_H
#define DCFG_CMD_ARM64_WORDS_H

#include "format/numbers.h"
#include "lib/dcfg_wet.h"

#include <stdbool.h>
#include <stdint.h>

/* Return the word of an instruction; 0 if its size is wrong. */
static inline uint32_t word_of(const DcfgWetInstr* in)
{
   return in->size != 4 ? 0 : number_at(in->code);
}

static inline uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
   return word >> low & (UINT32_MAX >> (31 - high + low));
}

/* Return NUMBER's lowest N bits, as a signed number. */
static inline uint64_t sign_extended(uint64_t number, unsigned n)
{
   uint64_t sign = UINT64_C(1) << (n - 1);

   return ((number & (2 * sign - 1)) ^ sign) - sign;
}

/* Forms of loads and stores, by bits 29 and 28. */
enum { OTHERS, LITERAL, PAIR, ONE };

static inline bool gets_at_memory(uint32_t word)
{
   return bits(word, 27, 27) == 1 && bits(word, 25, 25) == 0
          && bits(word, 29, 28) != LITERAL;
}

/* Match LDADD and others, SWP: they compute in memory. */
static inline bool is_atomic_word(uint32_t word)
{
   return bits(word, 29, 28) == ONE && bits(word, 26, 26) == 0
          && bits(word, 24, 24) == 0 && bits(word, 21, 21) == 1
          && bits(word, 11, 10) == 0;
}

/* Match CAS, CASP. */
static inline bool is_swap(uint32_t word)
{
   return bits(word, 29, 28) == OTHERS && bits(word, 26, 26) == 0
          && bits(word, 21, 21) == 1
          && (bits(word, 23, 23) == 1 || bits(word, 31, 31) == 0);
}

/* The base of addresses, and the register with the return address. */
enum { ARM64_SP = 31, ARM64_LINK = 30 };

#endif /* DCFG_CMD_ARM64_WORDS_H */
