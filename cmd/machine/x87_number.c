/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of 80 bits, and the doubles with which Valgrind computes. */

/* Owns: how one becomes the other.  Handed: nothing.  Taken by:
   machine_x86_fpu.c, cmd/state/. */

#include "cmd/machine/x87_number.h"

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

StateValue x87_double(StateValue v)
{
   StateValue to = { .known = 0xFF };
   uint64_t   mantissa, d = 0;
   uint16_t   exponent;
   int        n;

   memcpy(&mantissa, v.bytes, 8);
   memcpy(&exponent, v.bytes + 8, 2);
   n = (exponent & 0x7FFF) - 16383 + 1023;
   if ((v.known & 0x3FF) != 0x3FF)
      return (StateValue){ .known = 0 };
   if (mantissa != 0 || (exponent & 0x7FFF) != 0) {
      if ((exponent & 0x7FFF) == 0x7FFF && mantissa == UINT64_C(1) << 63)
         n = 0x7FF;
      else if (n <= 0 || n >= 0x7FF || !(mantissa >> 63)
               || (mantissa & 0x7FF) != 0)
         return (StateValue){ .known = 0 };
      d = (uint64_t)n << 52 | (mantissa << 1 >> 12);
   }
   d |= (uint64_t)(exponent >> 15) << 63;
   memcpy(to.bytes, &d, 8);
   return to;
}
