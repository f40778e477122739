/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sorting numbers. */

/* Owns: sorting what a file lists: rows, edges, blocks, by one number each.
   Handed: keys, each with an index of what it is of.

   Files list nearly everything in sorted order.  So sorting first looks for
   sorted runs, and does nothing if there is only one.  It is merge sort, so
   nobody can write a file whose sorting takes quadratic time.  Records that the
   library makes itself, and that several numbers order, go to qsort() with a
   comparison of format/order.h. */

#include "lib/base/sort.h"

#include <string.h>

/* Merge the NA keys of A and the NB keys of B into TO. */
static void merge(const SortKey* a, uint32_t na, const SortKey* b,
                  uint32_t nb, SortKey* to)
{
   while (na > 0 && nb > 0)
      if (b->key < a->key) {
         *to++ = *b++;
         nb--;
      } else {
         *to++ = *a++;
         na--;
      }
   if (na > 0)
      memcpy(to, a, na * sizeof(*to));
   else if (nb > 0)
      memcpy(to, b, nb * sizeof(*to));
}

/* Return the end of the sorted run that begins at I. */
static uint32_t run_end(const SortKey* keys, uint32_t i, uint32_t n)
{
   do
      i++;
   while (i < n && keys[i - 1].key <= keys[i].key);
   return i;
}

/* Each pass merges pairs of neighbouring runs. */
bool sort_keys(Job* job, SortKey* keys, uint32_t n)
{
   SortKey* from = keys;
   SortKey* to;

   if (n < 2 || run_end(keys, 0, n) == n)
      return true;
   to = job_realloc(job, NULL, 0, n * sizeof(*to));
   if (to == NULL)
      return false;
   while (run_end(from, 0, n) < n) {
      SortKey* swap = from;
      for (uint32_t i = 0; i < n; ) {
         uint32_t middle = run_end(from, i, n);
         uint32_t end = middle < n ? run_end(from, middle, n) : n;
         merge(from + i, middle - i, from + middle, end - middle, to + i);
         i = end;
      }
      from = to;
      to = swap;
   }
   if (from != keys) {
      memcpy(keys, from, n * sizeof(*keys));
      to = from;
   }
   job_free(job, to, n * sizeof(*to));
   return true;
}
