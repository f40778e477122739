/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of 80 bits, and the doubles with which Valgrind computes. */

/* Owns: how one becomes the other.  Handed: nothing. */

#include "cmd/state/x87_number.h"

#include <string.h>

StateValue x87_extended(StateValue v)
{
   StateValue to = { .known = 0x3FF };
   uint64_t   d, mantissa, sign;
   uint32_t   exponent;

   if ((v.known & 0xFF) != 0xFF)
      return (StateValue){ .known = 0 };
   memcpy(&d, v.bytes, 8);
   sign     = d >> 63;
   exponent = (uint32_t)(d >> 52) & 0x7FF;
   mantissa = d << 11;
   if (exponent == 0x7FF) {
      exponent = 0x7FFF;
      if (d << 12 == 0)
         mantissa = UINT64_C(1) << 63;
      else if (d >> 51 & 1)
         mantissa = UINT64_C(3) << 62;
      else
         mantissa = UINT64_C(0xBFFFFFFFFFFFFFFF);
   } else if (exponent != 0) {
      mantissa |= UINT64_C(1) << 63;
      exponent += 16383 - 1023;
   } else if (mantissa != 0) {
      unsigned shift = (unsigned)__builtin_clzll(mantissa);
      mantissa <<= shift;
      exponent   = 16383 - 1022 - shift;
   }
   exponent |= (uint32_t)sign << 15;
   memcpy(to.bytes, &mantissa, 8);
   memcpy(to.bytes + 8, &exponent, 2);
   return to;
}

/* Return the bits of the double that is SIGN, 0 or 1, above the number E. */
static uint64_t signed_bits(unsigned sign, uint64_t e)
{
   return (uint64_t)sign << 63 | e;
}

/* Return the bits of a double, rounded up as Valgrind does it: not at all if that
   carries beyond three bytes. */
static uint64_t rounded_up(uint64_t d)
{
   return (d & 0xFFFFFF) == 0xFFFFFF ? d : d + 1;
}

/* Return the bits of the double that Valgrind makes of a number of 80 bits. */
static uint64_t double_of(uint64_t mantissa, unsigned exponent, unsigned sign)
{
   const uint64_t infinity = UINT64_C(0x7FF) << 52, quiet = UINT64_C(1) << 51;
   int            n = (int)exponent - 16383 + 1023;
   unsigned       shift;
   uint64_t       d;

   if (exponent == 0)
      return signed_bits(sign, 0);
   if (!(mantissa >> 63) && (exponent != 0x7FFF || mantissa == 0))
      return signed_bits(1, infinity | quiet);
   if (exponent == 0x7FFF)
      return signed_bits(sign, mantissa << 1 == 0 ? infinity
                         : mantissa >> 62 & 1 ? infinity | quiet
                         : infinity | (quiet - 1));
   if (n >= 0x7FF)
      return signed_bits(sign, infinity);
   if (n < -52)
      return signed_bits(sign, 0);
   if (n <= 0) {
      shift = (unsigned)(12 - n);
      d     = signed_bits(sign, shift < 64 ? mantissa >> shift : 0);
      return mantissa >> (shift - 1) & 1 ? rounded_up(d) : d;
   }
   d = signed_bits(sign, (uint64_t)n << 52 | mantissa << 1 >> 12);
   return (mantissa & 0x400) && (mantissa & 0xFFF) != 0x400 ? rounded_up(d) : d;
}

StateValue x87_double(StateValue v)
{
   uint64_t mantissa;
   uint16_t exponent;

   memcpy(&mantissa, v.bytes, 8);
   memcpy(&exponent, v.bytes + 8, 2);
   return (v.known & 0x3FF) != 0x3FF ? (StateValue){ .known = 0 }
          : state_number(double_of(mantissa, exponent & 0x7FFF,
                                   exponent >> 15));
}
