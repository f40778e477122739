/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How instructions of arm64 change registers that no recorded value has. */

/* Owns: bases of addresses that are written back, results of atomic
   instructions, registers that few instructions write.  Handed: instances
   and what was before them. */

#include "cmd/state/arm64_rules.h"

static const StateValue nothing = { .known = 0 };

/*--- Numbers                                              ---*/

bool arm64_register(const StateView* v, unsigned n, unsigned size,
                    uint64_t* number)
{
   StateValue r;

   *number = 0;
   if (n == 31)
      return true;
   r = v->general(v->arg, n);
   return state_number_in(&r, 0, size, number);
}

/*--- Accesses                                             ---*/

/* Match STXR, STXP and others. */
static bool is_store_exclusive(uint32_t word)
{
   return bits(word, 29, 24) == 0x08 && bits(word, 23, 22) == 0
          && (bits(word, 21, 21) == 0 || bits(word, 31, 31) == 1);
}

static bool is_structure(uint32_t word)
{
   return bits(word, 29, 28) == OTHERS && bits(word, 26, 26) == 1;
}

static bool writes_back(uint32_t word)
{
   if (!gets_at_memory(word))
      return false;
   switch (bits(word, 29, 28)) {
      case OTHERS:
         return is_structure(word) && bits(word, 23, 23) == 1;
      case PAIR:
         return bits(word, 23, 23) == 1;
      default:
         return bits(word, 24, 24) == 0 && bits(word, 21, 21) == 0
                && bits(word, 10, 10) == 1;
   }
}

/* Return the bytes that LD1 to LD4 or ST1 to ST4 access. */
static uint64_t structure_size(uint32_t word)
{
   static const uint8_t registers[16] = {
      [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2
   };
   unsigned scale = bits(word, 15, 14);

   if (bits(word, 24, 24) == 0)
      return registers[bits(word, 15, 12)]
             * (UINT64_C(8) << bits(word, 30, 30));
   if (scale == 3)                      // one element for all places
      scale = bits(word, 11, 10);
   else if (scale == 2 && bits(word, 10, 10) == 1)
      scale = 3;
   return (2 * bits(word, 13, 13) + bits(word, 21, 21) + UINT64_C(1)) << scale;
}

/* Set *TO to how far behind the access the base goes.  Return false if that is
   not known. */
static bool distance_behind(const StateView* v, uint32_t word, uint64_t* to)
{
   bool     vector = bits(word, 26, 26) == 1;
   unsigned opc = bits(word, 31, 30);

   switch (bits(word, 29, 28)) {
      case OTHERS:
         *to = structure_size(word);
         return bits(word, 20, 16) == 31
                || arm64_register(v, bits(word, 20, 16), 8, to);
      case PAIR:
         *to = bits(word, 24, 24) == 1 ? 0
               : sign_extended(bits(word, 21, 15), 7)
                 << (vector ? 2 + opc : opc == 2 ? 3 : 2);
         return true;
      default:
         *to = bits(word, 11, 11) == 1 ? 0
               : sign_extended(bits(word, 20, 12), 9);
         return true;
   }
}

/* Return the base of an address that is written back. */
static StateValue base_behind(const StateView* v, uint32_t word)
{
   uint64_t low = state_lowest(v, DCFG_CURSOR_LOAD | DCFG_CURSOR_STORE);
   uint64_t distance;

   return v->at->n_accesses > 0 && distance_behind(v, word, &distance)
          ? state_number(low + distance) : nothing;
}

/*--- General registers                                    ---*/

uint32_t arm64_besides(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   return UINT32_C(1) << ARM64_SP
          | (writes_back(word) ? UINT32_C(1) << bits(word, 9, 5) : 0);
}

bool arm64_general_behind(const StateView* v, unsigned n, StateValue* to)
{
   uint32_t word = word_of(v->in);
   bool     stores = state_access(v, DCFG_CURSOR_STORE) != NULL;
   uint64_t result;

   *to = nothing;
   if (word == 0xD4000001) {                             // SVC
      if (v->result(v->arg, &result))
         *to = state_number(result);
      return true;
   }
   if (writes_back(word) && n == bits(word, 9, 5)) {
      *to = base_behind(v, word);
      return true;
   }
   if (!gets_at_memory(word))
      return false;
   /* The value of an instruction that stores is what it stores. */
   if (is_store_exclusive(word)) {
      *to = state_number(!stores);
      return true;
   }
   if (is_atomic(word) && stores) {
      *to = state_found(v, 1u << bits(word, 31, 30), 0);
      return true;
   }
   if (is_swap(word)) {
      unsigned size = bits(word, 23, 23) == 1 ? 1u << bits(word, 31, 30)
                      : 4u << bits(word, 30, 30);
      *to = state_found(v, size, n == bits(word, 20, 16) ? 0 : size);
      return true;
   }
   return false;
}

/*--- Other registers                                      ---*/

/* MSR: registers that it writes, without the bits of the source. */
#define MSR_TPIDR 0xD51BD040
#define MSR_FPCR  0xD51B4400
#define MSR_FPSR  0xD51B4420

#define BIT_QC (UINT64_C(1) << 27)

/* Match instructions that set FPSR.QC when a result does not fit. */
static bool saturates(uint32_t word)
{
   /* Bit 28 is set in instructions for scalars, of which bit 30 is set, too. */
   uint32_t form = bits(word, 28, 28) == 1 && bits(word, 30, 30) == 1
                   ? word & ~(UINT32_C(5) << 28) : word;
   unsigned op;

   if ((form & 0x9F200400) == 0x0E200400) {              // three registers
      op = bits(word, 15, 11);
      return op == 0x01 || op == 0x05 || op == 0x09 || op == 0x0B
             || op == 0x16;
   }
   if ((form & 0x9F208400) == 0x0E008400)                // SQRDMLAH
      return bits(word, 14, 12) < 2 && bits(word, 29, 29) == 1;
   if ((form & 0x9F3E0C00) == 0x0E200800) {              // two registers
      op = bits(word, 16, 12);
      return op == 0x03 || op == 0x07 || op == 0x14
             || (op == 0x12 && bits(word, 29, 29) == 1);
   }
   if ((form & 0x9F200C00) == 0x0E200000) {              // two sizes
      op = bits(word, 15, 12);
      return op == 0x9 || op == 0xB || op == 0xD;
   }
   if ((form & 0x9F800400) == 0x0F000400 && bits(word, 22, 19) != 0) {
      op = bits(word, 15, 11);                           // shifts
      return op == 0x0C || op == 0x0E || op == 0x12 || op == 0x13
             || (bits(word, 29, 29) == 1 && (op == 0x10 || op == 0x11));
   }
   if ((form & 0x9F000400) == 0x0F000000) {              // by an element
      op = bits(word, 15, 12);
      return op == 0x3 || op == 0x7 || op == 0xB || op == 0xC || op == 0xD
             || (bits(word, 29, 29) == 1 && op == 0xF);
   }
   return false;
}

uint32_t arm64_others(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   switch (word & ~UINT32_C(31)) {
      case MSR_TPIDR: return 1u << OTHER_THREAD_BASE;
      case MSR_FPCR:  return 1u << OTHER_VECTOR_CONTROL;
      case MSR_FPSR:  return 1u << OTHER_VECTOR_STATUS;
      default:        break;
   }
   return saturates(word) ? 1u << OTHER_VECTOR_STATUS : 0;
}

bool arm64_other_behind(const StateView* v, StateOther other, StateValue* to)
{
   uint32_t word = word_of(v->in);
   uint64_t number;

   *to = nothing;
   /* The trace does not tell whether a result was saturated. */
   if (saturates(word)
       || !arm64_register(v, bits(word, 4, 0),
                          other == OTHER_THREAD_BASE ? 8 : 4, &number))
      return true;
   *to = state_number(other == OTHER_VECTOR_STATUS ? number & BIT_QC : number);
   return true;
}
