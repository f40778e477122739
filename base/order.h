/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Orders, and searching in what is in order: for the tool and the command. */

#ifndef __DCFG_ORDER_H
#define __DCFG_ORDER_H

/* Move I, where a search by halves begins, to the first index below N for
   which BEFORE, which is about MIDDLE, does not hold; to N if there is
   none. */
#define BISECT(i, n, middle, before)                           \
   for (__typeof__(i) end_ = (n), middle; (i) < end_; ) {      \
      middle = (i) + (end_ - (i)) / 2;                         \
      if (before)                                              \
         (i) = middle + 1;                                     \
      else                                                     \
         end_ = middle;                                        \
   }

/* Define the function NAME for qsort(), bsearch() and VG_(ssort).  It compares
   two of TYPE, *X and *Y.  KEYS: orders by one thing each, the first before
   the others, with ?: between. */
#define COMPARE(name, type, keys)                              \
   static int name(const void* a, const void* b)               \
   {                                                           \
      const type* x = a;                                       \
      const type* y = b;                                       \
      return keys;                                             \
   }
#define ORDER(m, n)  (((m) > (n)) - ((m) < (n)))
#define UP(member)   ORDER(x->member, y->member)
#define DOWN(member) ORDER(y->member, x->member)

#endif /* __DCFG_ORDER_H */
