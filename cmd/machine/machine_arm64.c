/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What registers of arm64 instructions are. */

/* Owns: which registers of an arm64 instruction are addresses only, or lengths,
   and which instructions are copies.  Handed: its code, and for lengths what
   is behind it.  Taken by: machine_x86.c.

   All that get at memory are in one group of the encoding, where the base is
   in bits 9 to 5, and what is stored in bits 4 to 0; an index, the other
   register of a pair and others have places by the form. */

#include "cmd/machine/roles_arm64.h"

#include "cmd/machine/processor.h"

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
   return word >> low & (UINT32_MAX >> (31 - high + low));
}

/* The register in bits 4 + LOW to LOW, as a bit; 31 is none. */
static uint32_t reg(uint32_t word, unsigned low)
{
   return UINT32_C(1) << bits(word, low + 4, low) & ~(UINT32_C(1) << 31);
}

/* Forms of loads and stores, by bits 29 and 28. */
enum { OTHERS, LITERAL, PAIR, ONE };

static bool gets_at_memory(uint32_t word)
{
   return bits(word, 27, 27) == 1 && bits(word, 25, 25) == 0
          && bits(word, 29, 28) != LITERAL;
}

/* It computes in memory: LDADD and others, SWP. */
static bool is_atomic(uint32_t word)
{
   return bits(word, 29, 28) == ONE && bits(word, 26, 26) == 0
          && bits(word, 24, 24) == 0 && bits(word, 21, 21) == 1
          && bits(word, 11, 10) == 0;
}

/* CAS, CASP. */
static bool is_swap(uint32_t word)
{
   return bits(word, 29, 28) == OTHERS && bits(word, 26, 26) == 0
          && bits(word, 21, 21) == 1
          && (bits(word, 23, 23) == 1 || bits(word, 31, 31) == 0);
}

/* Does it store what is in registers? */
static bool stores(uint32_t word)
{
   if (is_atomic(word) || is_swap(word))
      return true;
   if (bits(word, 29, 28) == ONE && bits(word, 26, 26) == 0)
      return bits(word, 23, 22) == 0;
   return bits(word, 22, 22) == 0;
}

static bool has_index(uint32_t word)
{
   return bits(word, 29, 28) == ONE && bits(word, 24, 24) == 0
          && bits(word, 21, 21) == 1 && bits(word, 11, 10) == 2;
}

/* General registers whose values it uses. */
static uint32_t values_of(uint32_t word)
{
   uint32_t all = 0;

   if (bits(word, 26, 26) == 1 || !stores(word))
      return 0;
   if (is_atomic(word))
      return reg(word, 16);
   all = reg(word, 0);
   if (is_swap(word)) {
      all |= reg(word, 16);
      if (bits(word, 23, 23) == 0)               // registers behind them
         all |= reg(word, 0) << 1 | reg(word, 16) << 1;
   } else if (bits(word, 29, 28) == PAIR
              || (bits(word, 29, 28) == OTHERS && bits(word, 21, 21) == 1)) {
      all |= reg(word, 10);
   }
   return all;
}

uint32_t arm64_addresses(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in), all;

   if (!gets_at_memory(word))
      return 0;
   all = UINT32_C(1) << bits(word, 9, 5);
   if (has_index(word))
      all |= reg(word, 16);
   return all & ~values_of(word);
}

uint32_t arm64_targets(const DcfgWetInstr* in)
{
   return stores(word_of(in)) ? arm64_addresses(in) : 0;
}

uint32_t arm64_saves(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in), base = bits(word, 9, 5);

   if (!gets_at_memory(word) || is_atomic(word) || is_swap(word)
       || (base != 31 && base != 29))
      return 0;
   /* STP and STR of 64 bits. */
   return (bits(word, 29, 28) == PAIR && bits(word, 31, 30) == 2)
          || (bits(word, 29, 28) == ONE && bits(word, 31, 30) == 3)
          ? values_of(word) : 0;
}

bool arm64_is_lookup(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   return gets_at_memory(word) && bits(word, 29, 28) == ONE && !is_atomic(word)
          && bits(word, 26, 26) == 0 && !stores(word)
          && bits(word, 31, 30) < 3 && bits(word, 9, 5) != 31;
}

bool arm64_is_copy(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   if (gets_at_memory(word)) {
      if (bits(word, 29, 28) != ONE || is_atomic(word))
         return false;
      /* Not those that make a number longer than it was. */
      return bits(word, 26, 26) == 1 || bits(word, 23, 22) == 0
             || (bits(word, 23, 22) == 1 && bits(word, 31, 30) >= 2);
   }
   return (word & 0x7FE0FFE0) == 0x2A0003E0      // MOV of registers
          || (word & 0x7FFFFC00) == 0x11000000   // to or from SP
          || ((word & 0xBFE0FC00) == 0x0EA01C00  // of vector registers
              && bits(word, 20, 16) == bits(word, 9, 5))
          || (word & 0xFF3FFC00) == 0x1E204000   // FMOV
          || (word & 0x7F36FC00) == 0x1E260000;
}

/* The base, by pre-indexed and post-indexed forms. */
uint32_t arm64_moved(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   return gets_at_memory(word) && bits(word, 29, 28) == ONE
          && bits(word, 24, 24) == 0 && bits(word, 21, 21) == 0
          && bits(word, 10, 10) == 1
          ? UINT32_C(1) << bits(word, 9, 5) : 0;
}

/*------------------------------------------------------------*/
/*--- Lengths                                              ---*/
/*------------------------------------------------------------*/

/* So far behind what makes an address it is looked for what uses that. */
#define REACH 512

/* Does it write general register R?  In doubt, no. */
static bool writes(uint32_t word, unsigned r)
{
   if (gets_at_memory(word))
      return bits(word, 26, 26) == 0 && !stores(word) && bits(word, 4, 0) == r;
   return (bits(word, 28, 26) == 4 || bits(word, 27, 25) == 5)
          && bits(word, 4, 0) == r;
}

/* Is it an access to so many bytes before register R, which stays? */
static bool counts_back(uint32_t word, unsigned r)
{
   if (!gets_at_memory(word) || bits(word, 9, 5) != r)
      return false;
   if (bits(word, 29, 28) == ONE)       // LDUR and STUR
      return bits(word, 24, 24) == 0 && bits(word, 21, 20) == 1
             && bits(word, 11, 10) == 0;
   return bits(word, 29, 28) == PAIR && bits(word, 24, 23) == 2
          && bits(word, 21, 21) == 1;
}

static bool is_index(uint32_t word, unsigned r)
{
   return gets_at_memory(word) && has_index(word) && bits(word, 20, 16) == r;
}

/* Is register R, which instruction K makes, used so before it is another?  USE
   says how. */
static bool is_used(DcfgWet* w, uint32_t k, unsigned r,
                    bool (*use)(uint32_t word, unsigned r))
{
   uint32_t n = dcfg_wet_instrs(w);
   uint64_t addr = dcfg_wet_instr(w, k)->addr;

   for (uint32_t i = k + 1; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      uint32_t            word = word_of(in);
      if (in->addr - addr > REACH)
         return false;
      if (use(word, r))
         return true;
      if (writes(word, r))
         return false;
   }
   return false;
}

/* Where something ends is made of where it begins and how long it is, and what
   is before it is got at from there.  Or, the same in another order: an index
   is made of the length less a number. */
void arm64_lengths(DcfgWet* w, uint32_t* lengths)
{
   uint32_t n = dcfg_wet_instrs(w), length = 0;
   uint64_t end = 0;

   for (uint32_t k = 0; k < n; k++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, k);
      uint64_t            addr = in->addr;
      uint32_t            word = word_of(in);
      if ((word & 0xFFE0FC00) == 0x8B000000             // ADD X, X, X
          && is_used(w, k, bits(word, 4, 0), counts_back)) {
         length     = reg(word, 16);
         end        = addr + REACH;
         lengths[k] = length;
      } else if ((word & 0xFF800000) == 0xD1000000      // SUB X, X, number
                 && is_used(w, k, bits(word, 4, 0), is_index)) {
         lengths[k] = reg(word, 5);
      } else if ((word & 0xFFC0FC00) == 0xD340FC00      // half of that length
                 && addr < end && reg(word, 5) == length) {
         lengths[k] = length;
      }
   }
}
