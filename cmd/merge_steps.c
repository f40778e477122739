
/*--------------------------------------------------------------------*/
/*--- Traversals of edges, added up.               merge_steps.c ---*/
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

/* Owns: what becomes of several runs' traversals of one edge.  Handed: steps by
   merge_runs.c and merge_parts.c.  Taken by: these. */

#include "merge.h"

#include "../lib/dcfg.h"

#include <stdlib.h>

uint16_t passing_of(uint32_t edge_type)
{
   return edge_type == DCFG_EDGE_FALL_THROUGH ? PASSES : TRANSFERS;
}

/* One edge for a pair: what the source's last instruction does of itself says
   more than a signal that happened to follow it, and what is counted more than
   a bypass; then it is the first kind in the format's order. */
static uint32_t type_rank(uint32_t type)
{
   switch (type) {
      case DCFG_EDGE_CONTEXT_CHANGE:        return 1;
      case DCFG_EDGE_CONTEXT_CHANGE_RETURN: return 2;
      case DCFG_EDGE_EXCLUDED_CODE_BYPASS:  return 3;
      case DCFG_EDGE_UNKNOWN:               return 4;
      case DCFG_EDGE_CALL_BYPASS:           return 5;
      case DCFG_EDGE_CONTEXT_CHANGE_BYPASS: return 6;
      default:                              return 0;
   }
}

static uint32_t better_type(uint32_t a, uint32_t b)
{
   if (type_rank(a) != type_rank(b))
      return type_rank(a) < type_rank(b) ? a : b;
   return a < b ? a : b;
}

static int by_pair(const MergedStep* x, const MergedStep* y)
{
   return x->source != y->source ? (x->source < y->source ? -1 : 1)
          : x->target < y->target ? -1 : x->target > y->target;
}

static int by_place(const void* a, const void* b)
{
   const MergedStep* x = a;
   const MergedStep* y = b;
   int               d = by_pair(x, y);

   return d != 0 ? d : x->thread < y->thread ? -1 : x->thread > y->thread;
}

void sort_steps(MergedStep* steps, size_t n)
{
   for (size_t i = 1; i < n; i++)
      if (by_place(&steps[i - 1], &steps[i]) > 0) {
         qsort(steps, n, sizeof(*steps), by_place);
         return;
      }
}

/* A pair's steps, N of them, to *TO: one type, a thread once, none without a
   count unless all are.  Returns how many are left. */
static size_t unite_pair(const MergedStep* steps, size_t n, MergedStep* to)
{
   uint32_t type = steps[0].type;
   Passing  passing = PASSES;
   size_t   kept = 0;

   for (size_t i = 0; i < n; i++) {
      type = better_type(type, steps[i].type);
      if (steps[i].count > 0 && steps[i].passing > passing)
         passing = steps[i].passing;
   }
   for (size_t i = 0; i < n; i++) {
      MergedStep s = steps[i];
      s.type = (uint16_t)type;
      s.passing = (uint16_t)passing;
      if (kept > 0 && (s.count == 0 || to[kept - 1].count == 0)) {
         if (s.count > 0)
            to[kept - 1] = s;
      } else if (kept > 0 && to[kept - 1].thread == s.thread) {
         to[kept - 1].count = s.count > UINT64_MAX - to[kept - 1].count
                              ? UINT64_MAX : to[kept - 1].count + s.count;
      } else {
         to[kept++] = s;
      }
   }
   if (to[0].count == 0)
      to[0].thread = 0;
   return kept;
}

MergedStep* unite_steps(MergedStep* a, size_t n_a, const MergedStep* b,
                        size_t n_b, size_t* n)
{
   size_t      all = n_a + n_b, i = 0, j = 0, k = 0, kept = 0;
   MergedStep* to = need(malloc((all + 1) * sizeof(*to)));

   while (i < n_a || j < n_b)
      to[k++] = j == n_b || (i < n_a && by_place(&a[i], &b[j]) <= 0)
                ? a[i++] : b[j++];
   free(a);
   for (size_t first = 0, end; first < all; first = end) {
      for (end = first; end < all && by_pair(&to[first], &to[end]) == 0; )
         end++;
      kept += unite_pair(to + first, end - first, to + kept);
   }
   *n = kept;
   return need(realloc(to, (kept + 1) * sizeof(*to)));
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
