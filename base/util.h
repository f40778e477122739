
/*--------------------------------------------------------------------*/
/*--- Small things that several modules need.          base/util.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

#ifndef __DCFG_UTIL_H
#define __DCFG_UTIL_H

#include "base/port.h"

/* How many characters N takes as text. */
static inline UInt DCFG_(decimal_digits)(UInt n)
{
   UInt digits = 1;

   for (; n >= 10; n /= 10)
      digits++;
   return digits;
}

/* Sort the N elements of A, of which LESS, given ARG, tells the lesser: heap
   sort, in place and never slow.  To be inlined with its LESS. */
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
