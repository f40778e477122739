/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Small functions that several rooms need. */

#ifndef __DCFG_UTIL_H
#define __DCFG_UTIL_H

#include "format/port.h"

/* Return the number of decimal digits of N. */
static inline UInt DCFG_(decimal_digits)(UInt n)
{
   UInt digits = 1;

   for (; n >= 10; n /= 10)
      digits++;
   return digits;
}

/* Sort the N elements of A by LESS(ARG, x, y).  Heap sort: in place, and never
   quadratic.  The compiler inlines it together with LESS. */
static inline void DCFG_(sort_uints)(UInt* a, UInt n,
                                     Bool (*less)(const void* arg, UInt x,
                                                  UInt y),
                                     const void* arg)
{
   for (UInt end = n, top = n / 2; end > 1; ) {
      UInt v, i, c;
      if (top > 0) {
         v = a[--top];
      } else {
         v = a[--end];
         a[end] = a[0];
      }
      for (i = top; (c = 2 * i + 1) < end; i = c) {
         if (c + 1 < end && less(arg, a[c], a[c + 1]))
            c++;
         if (!less(arg, v, a[c]))
            break;
         a[i] = a[c];
      }
      a[i] = v;
   }
}

#endif /* __DCFG_UTIL_H */
