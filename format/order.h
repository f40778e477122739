/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sorting orders, binary search, and freeing, for all three programs. */

#ifndef __DCFG_ORDER_H
#define __DCFG_ORDER_H

/* Move I, the lower end of a binary search, to the first index below N for
   which BEFORE does not hold, or to N if there is none.  BEFORE is an
   expression about MIDDLE. */
#define BISECT(i, n, middle, before)                           \
   for (__typeof__(i) end_ = (n), middle; (i) < end_; ) {      \
      middle = (i) + (end_ - (i)) / 2;                         \
      if (before)                                              \
         (i) = middle + 1;                                     \
      else                                                     \
         end_ = middle;                                        \
   }

/* Define the comparison NAME for qsort(), bsearch() and VG_(ssort).  It
   compares *X and *Y of type TYPE.  KEYS: one ORDER for each key, most
   significant first, joined with ?:. */
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

/* Sort an array of N elements, which may be NULL for none, by a comparison. */
#define SORT(all, n, order)                                    \
   do {                                                        \
      if ((n) > 0)                                             \
         qsort((all), (n), sizeof *(all), (order));            \
   } while (0)

/* Call FREE_ONE, such as free(), for each of the pointers behind it. */
#define FREE_EACH(free_one, ...)                               \
   do {                                                        \
      const void* const all_[] = { __VA_ARGS__ };              \
      for (unsigned i_ = 0; i_ < sizeof all_ / sizeof *all_; ) \
         free_one((void*)(__UINTPTR_TYPE__)all_[i_++]);        \
   } while (0)

#endif /* __DCFG_ORDER_H */
