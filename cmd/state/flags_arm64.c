/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The flags of arm64 behind instructions. */

/* Owns: how instructions set N, Z, C and V.  Handed: instances and what was
   before them. */

#include "cmd/state/arm64_rules.h"

#include <string.h>

/* Flags in the order of the register, of which they are bits 31 to 28. */
enum { BIT_V = 1, BIT_C = 2, BIT_Z = 4, BIT_N = 8 };

const uint64_t arm64_flag_groups[ARM64_FLAG_GROUPS] = {
   [ARM64_CARRY]  = (uint64_t)BIT_C << 28,
   [ARM64_OTHERS] = (uint64_t)(BIT_N | BIT_Z | BIT_V) << 28
};

/*--- Operands                                             ---*/

static uint64_t mask_of(unsigned size)
{
   return size == 8 ? UINT64_MAX : UINT32_MAX;
}

/* Return A, a number of SIZE bytes, shifted by N as KIND says: LSL, LSR, ASR or
   ROR. */
static uint64_t shifted(uint64_t a, unsigned size, unsigned kind, unsigned n)
{
   unsigned width = 8 * size;
   uint64_t fill = a >> (width - 1) & 1 ? UINT64_MAX << (width - 1) : 0;

   n %= width;
   if (n == 0)
      return a;
   switch (kind) {
      case 0:  return a << n & mask_of(size);
      case 1:  return a >> n;
      case 2:  return ((a >> n) | fill >> n | fill) & mask_of(size);
      default: return (a >> n | a << (width - n)) & mask_of(size);
   }
}

/* Return the number of SIZE bytes that the fields of a logical instruction
   encode: ones, repeated in elements. */
static uint64_t bit_mask(uint32_t word, unsigned size)
{
   unsigned fields = bits(word, 22, 22) << 6 | (~bits(word, 15, 10) & 63);
   unsigned width, ones, turn;
   uint64_t element;

   if (fields < 2)
      return 0;
   width   = 1u << (31 - __builtin_clz(fields));
   ones    = (bits(word, 15, 10) & (width - 1)) + 1;
   turn    = bits(word, 21, 16) & (width - 1);
   element = ones == 64 ? UINT64_MAX : (UINT64_C(1) << ones) - 1;
   if (turn > 0)
      element = element >> turn | element << (width - turn);
   if (width < 64)
      element &= (UINT64_C(1) << width) - 1;
   for (; width < 64; width *= 2)
      element |= element << width;
   return element & mask_of(size);
}

/* Return the lowest bytes of A that an extended register has, extended. */
static uint64_t extended(uint64_t a, unsigned option)
{
   unsigned width = 8u << (option & 3);

   return option & 4 ? sign_extended(a, width) : a & UINT64_MAX >> (64 - width);
}

/* Set *NUMBER to register N before the instance; 31 is SP. */
static bool register_or_sp(const StateView* v, unsigned n, unsigned size,
                           uint64_t* number)
{
   StateValue r = v->general(v->arg, n);

   return state_number_in(&r, 0, size, number);
}

/*--- Flags of results                                     ---*/

static unsigned of_result(uint64_t r, unsigned size)
{
   return (r >> (8 * size - 1) & 1 ? BIT_N : 0) | (r == 0 ? BIT_Z : 0);
}

/* The flags of A + B + C, or if MINUS of A - B - 1 + C. */
static unsigned of_sum(uint64_t a, uint64_t b, uint64_t c, unsigned size,
                       bool minus)
{
   uint64_t m = mask_of(size), r;

   a &= m;
   b  = (minus ? ~b : b) & m;
   r  = (a + b + c) & m;
   return of_result(r, size) | (r < a || (c && r == a) ? BIT_C : 0)
          | ((a ^ r) & (b ^ r) & (m ^ m >> 1) ? BIT_V : 0);
}

static unsigned of_comparison(double a, double b)
{
   return a == b ? BIT_Z | BIT_C : a < b ? BIT_N : a > b ? BIT_C
          : BIT_C | BIT_V;
}

/*--- Instructions                                         ---*/

/* Set *HOLDS to whether condition CODE holds before the instance. */
static bool condition(const StateView* v, unsigned code, bool* holds)
{
   unsigned test = code >> 1;
   uint64_t carry = 0, others = 0;
   bool     n, z, c, o;

   if (((test == 1 || test == 4) && !v->flags(v->arg, ARM64_CARRY, &carry))
       || (test != 1 && test != 7 && !v->flags(v->arg, ARM64_OTHERS, &others)))
      return false;
   c = carry >> 28 & BIT_C;
   n = others >> 28 & BIT_N;
   z = others >> 28 & BIT_Z;
   o = others >> 28 & BIT_V;
   switch (test) {
      case 0:  *holds = z; break;
      case 1:  *holds = c; break;
      case 2:  *holds = n; break;
      case 3:  *holds = o; break;
      case 4:  *holds = c && !z; break;
      case 5:  *holds = n == o; break;
      case 6:  *holds = n == o && !z; break;
      default: *holds = true; return true;
   }
   *holds ^= code & 1;
   return true;
}

/* Set *FLAGS to those of ADDS, SUBS, ADCS and SBCS. */
static bool sum_flags(const StateView* v, uint32_t word, unsigned* flags)
{
   unsigned size = bits(word, 31, 31) ? 8 : 4, rn = bits(word, 9, 5);
   bool     minus = bits(word, 30, 30) == 1, known;
   uint64_t a, b = 0, c = minus;

   if ((word & 0x1F800000) == 0x11000000) {              // a number
      known = register_or_sp(v, rn, size, &a);
      b     = (uint64_t)bits(word, 21, 10) << 12 * bits(word, 22, 22);
   } else {
      known = arm64_register(v, bits(word, 20, 16), size, &b);
      if ((word & 0x1FE00000) == 0x0B200000) {
         known = known && register_or_sp(v, rn, size, &a);
         b     = extended(b, bits(word, 15, 13)) << bits(word, 12, 10);
      } else {
         known = known && arm64_register(v, rn, size, &a);
         if ((word & 0x1F000000) == 0x0B000000)
            b = shifted(b, size, bits(word, 23, 22), bits(word, 15, 10));
         else {
            known = known && v->flags(v->arg, ARM64_CARRY, &c);
            c     = c != 0;
         }
      }
   }
   if (known)
      *flags = of_sum(a, b, c, size, minus);
   return known;
}

/* Set *FLAGS to those of ANDS and BICS. */
static bool logic_flags(const StateView* v, uint32_t word, unsigned* flags)
{
   unsigned size = bits(word, 31, 31) ? 8 : 4;
   uint64_t a, b;

   if (!arm64_register(v, bits(word, 9, 5), size, &a))
      return false;
   if ((word & 0x1F800000) == 0x12000000) {
      b = bit_mask(word, size);
   } else {
      if (!arm64_register(v, bits(word, 20, 16), size, &b))
         return false;
      b = shifted(b, size, bits(word, 23, 22), bits(word, 15, 10));
      if (bits(word, 21, 21) == 1)
         b = ~b;
   }
   *flags = of_result(a & b & mask_of(size), size);
   return true;
}

/* Set *NUMBER to the float or double in vector register N. */
static bool vector_number(const StateView* v, unsigned n, bool wide,
                          double* number)
{
   StateValue r = v->vector(v->arg, n);
   uint64_t   all;
   uint32_t   half;
   float      single;

   if (!state_number_in(&r, 0, wide ? 8 : 4, &all))
      return false;
   half = (uint32_t)all;
   memcpy(&single, &half, sizeof(single));
   memcpy(number, &all, sizeof(*number));
   if (!wide)
      *number = (double)single;
   return true;
}

/* Set *FLAGS to those of FCMP and FCCMP. */
static bool float_flags(const StateView* v, uint32_t word, bool zero,
                        unsigned* flags)
{
   bool   wide = bits(word, 23, 22) == 1;
   double a, b = 0;

   if (bits(word, 23, 22) > 1
       || !vector_number(v, bits(word, 9, 5), wide, &a)
       || (!zero && !vector_number(v, bits(word, 20, 16), wide, &b)))
      return false;
   *flags = of_comparison(a, b);
   return true;
}

/* Set *FLAGS to those of an instruction that sets them always. */
static bool plain_flags(const StateView* v, uint32_t word, unsigned* flags)
{
   uint64_t number;

   if ((word & 0x3F800000) == 0x31000000                 // ADDS, SUBS
       || (word & 0x3F200000) == 0x2B000000
       || (word & 0x3FE00000) == 0x2B200000
       || (word & 0x3FE0FC00) == 0x3A000000)             // ADCS, SBCS
      return sum_flags(v, word, flags);
   if ((word & 0x7F800000) == 0x72000000 || (word & 0x7F000000) == 0x6A000000)
      return logic_flags(v, word, flags);
   if ((word & 0xFF20FC07) == 0x1E202000)                // FCMP, FCMPE
      return float_flags(v, word, bits(word, 3, 3) == 1, flags);
   if ((word & ~UINT32_C(31)) == 0xD51B4200) {           // MSR NZCV
      if (!arm64_register(v, bits(word, 4, 0), 4, &number))
         return false;
      *flags = (unsigned)(number >> 28);
      return true;
   }
   return false;
}

/* Set *FLAGS to those of an instruction that compares on a condition. */
static bool conditional_flags(const StateView* v, uint32_t word, bool floats,
                              unsigned* flags)
{
   unsigned size = bits(word, 31, 31) ? 8 : 4;
   bool     holds, minus = bits(word, 30, 30) == 1;
   uint64_t a, b;

   if (!condition(v, bits(word, 15, 12), &holds))
      return false;
   *flags = bits(word, 3, 0);
   if (!holds)
      return true;
   if (floats)
      return float_flags(v, word, false, flags);
   b = bits(word, 20, 16);
   if (!arm64_register(v, bits(word, 9, 5), size, &a)
       || (bits(word, 11, 11) == 0
           && !arm64_register(v, bits(word, 20, 16), size, &b)))
      return false;
   *flags = of_sum(a, b, minus, size, minus);
   return true;
}

bool arm64_flags_behind(const StateView* v, unsigned group, uint64_t* bits_of)
{
   uint32_t word = word_of(v->in);
   bool     floats = (word & 0xFF200C00) == 0x1E200400;  // FCCMP
   unsigned flags = 0;
   bool     known = floats || (word & 0x3FE00410) == 0x3A400000
                    ? conditional_flags(v, word, floats, &flags)
                    : plain_flags(v, word, &flags);

   *bits_of = (uint64_t)flags << 28 & arm64_flag_groups[group];
   return known;
}
