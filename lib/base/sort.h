/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sorting, and searching in what is sorted. */

#ifndef DCFG_SORT_H
#define DCFG_SORT_H

#include "lib/base/job.h"

typedef
   struct {
      uint64_t key;
      uint32_t index;
   }
   SortKey;

/* Stable, and in linear time for keys in order.  False without memory. */
bool sort_keys(Job* job, SortKey* keys, uint32_t n);

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

/* Define the function NAME for qsort() and bsearch().  It compares two of TYPE,
   *X and *Y.  KEYS: orders by one thing each, the first before the others,
   with ?: between. */
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

#endif /* DCFG_SORT_H */
