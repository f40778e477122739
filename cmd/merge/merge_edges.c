/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Edges and their counts, added to a sum. */

/* Owns: sums of counts, and which type an edge gets.  Handed: lists of edges,
   with ids of the sum, by merge_unite.c and merge_parts.c.

   A list is put in order, and goes into the sum from the end, where that has
   room: so each count is moved once. */

#include "cmd/merge/merge.h"

#include "cmd/base/cmd.h"
#include "tool/graph/graph.h"

#include <stdlib.h>
#include <string.h>

void add_exact(uint64_t* sum, uint64_t n, const char* what)
{
   if (!add_count(sum, n))
      die("these runs have more than 18,446,744,073,709,551,615 (2^64 - 1) %s "
          "together, the most that a file can have: merge fewer runs", what);
}

/* Add two counts of one thread. */
static MergedCount add_up(MergedCount a, MergedCount b)
{
   uint64_t sum = count_of(a);

   add_exact(&sum, count_of(b), "traversals of an edge");
   return merged_count(a.thread, sum);
}

/*--- Types of edges                                       ---*/

uint16_t passing_of(uint32_t edge_type)
{
   return edge_type == DCFG_EDGE_FALL_THROUGH ? PASSES : TRANSFERS;
}

/* Give E the better one of its type and TYPE, of equal ranks the first in the
   format, and the stronger passing. */
static void take_type(MergedEdge* e, uint16_t type, uint16_t passing)
{
   UInt mine = DCFG_(edge_rank)(EdgeEntry + e->type);
   UInt other = DCFG_(edge_rank)(EdgeEntry + type);

   if (other < mine || (other == mine && type < e->type))
      e->type = type;
   if (passing > e->passing)
      e->passing = passing;
}

/*--- Lists of edges                                       ---*/

void put_edge(MergedEdges* edges, MergedEdge e)
{
   GROW(edges->all, edges->n, edges->room);
   edges->all[edges->n++] = e;
}

void keep_count(MergedEdges* edges, MergedCount c)
{
   GROW(edges->counts, edges->n_counts, edges->counts_room);
   edges->counts[edges->n_counts++] = c;
}

void put_edge_with(MergedEdges* edges, MergedEdge e, const MergedCount* counts,
                   uint32_t n)
{
   e.first = (uint32_t)edges->n_counts;
   e.n_counts = n;
   for (uint32_t i = 0; i < n; i++)
      keep_count(edges, counts[i]);
   put_edge(edges, e);
}

void drop_empty(MergedEdges* edges)
{
   size_t n = 0, from = 0, to = 0;

   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge e = edges->all[i];
      size_t     end = from + e.n_counts;
      bool       bypass = e.n_counts == 0;
      for (e.n_counts = 0; from < end; from++)
         if (e.source != NO_ID && count_of(edges->counts[from]) > 0) {
            edges->counts[to++] = edges->counts[from];
            e.n_counts++;
         }
      if (e.source != NO_ID && (bypass || e.n_counts > 0))
         edges->all[n++] = e;
   }
   edges->n = n;
   edges->n_counts = to;
}

COMPARE(by_ends, MergedEdge, UP(source) ?: UP(target))

COMPARE(by_thread, MergedCount, UP(thread))

/* Make one edge of N with the same ends, E and those behind it. */
static MergedEdge gather(MergedEdges* edges, const MergedEdge* e, size_t n)
{
   size_t       first = edges->n_counts, end;
   MergedCount* to;
   MergedEdge   sum = { e->source, e->target, e->type, PASSES, 0,
                        (uint32_t)first };

   for (size_t i = 0; i < n; i++) {
      take_type(&sum, e[i].type, e[i].n_counts > 0 ? e[i].passing : PASSES);
      for (uint32_t k = 0; k < e[i].n_counts; k++)
         keep_count(edges, edges->counts[e[i].first + k]);
   }
   end = edges->n_counts;
   to = edges->counts + first;
   if (end > first)
      qsort(to, end - first, sizeof(*to), by_thread);
   for (size_t i = first; i < end; i++) {
      MergedCount c = edges->counts[i];
      if (sum.n_counts > 0 && to[sum.n_counts - 1].thread == c.thread)
         to[sum.n_counts - 1] = add_up(to[sum.n_counts - 1], c);
      else
         to[sum.n_counts++] = c;
   }
   return sum;
}

/* Put edges in order, and make one of those with the same ends. */
static void order_edges(MergedEdges* edges)
{
   size_t n = 0;

   SORT(edges->all, edges->n, by_ends);
   for (size_t i = 0, end; i < edges->n; i = end) {
      for (end = i + 1; end < edges->n
           && by_ends(&edges->all[i], &edges->all[end]) == 0; )
         end++;
      edges->all[n++] = end - i == 1 ? edges->all[i]
                        : gather(edges, &edges->all[i], end - i);
   }
   edges->n = n;
}

/*--- Edges into the sum                                   ---*/

/* Unite the N_A counts before A with the N_B before B, to the place that ends
   before TO, which may be A.  Return the begin of the result. */
static MergedCount* unite_counts(MergedCount* to, const MergedCount* a,
                                 uint32_t n_a, const MergedCount* b,
                                 uint32_t n_b)
{
   while (n_a > 0 || n_b > 0) {
      bool        mine = n_b == 0 || (n_a > 0 && a[-1].thread >= b[-1].thread);
      bool        theirs = n_a == 0 || (n_b > 0
                                        && b[-1].thread >= a[-1].thread);
      MergedCount next = mine ? a[-1] : b[-1];
      if (mine && theirs)
         next = add_up(next, b[-1]);
      *--to = next;
      a -= mine;
      n_a -= mine;
      b -= theirs;
      n_b -= theirs;
   }
   return to;
}

/* Add the edges of B, in order and no two of the same ends, to A.  B's counts
   are where .first says.  Going from the end, A needs no copy. */
static void unite_edges(MergedEdges* a, const MergedEdges* b)
{
   size_t       i = a->n, j = b->n, most = i + j, k = most;
   size_t       n_mine = a->n_counts, most_counts = n_mine;
   MergedCount* to;
   MergedCount* mine;

   for (size_t e = 0; e < b->n; e++)
      most_counts += b->all[e].n_counts;
   a->all = need(realloc(a->all, (most + 1) * sizeof(*a->all)));
   a->counts = need(realloc(a->counts,
                            (most_counts + 1) * sizeof(*a->counts)));
   mine = a->counts + n_mine;
   to = a->counts + most_counts;
   while (j > 0) {
      int                order = i == 0 ? -1 : by_ends(&a->all[i - 1],
                                                       &b->all[j - 1]);
      const MergedEdge*  theirs = &b->all[j - 1];
      MergedEdge         e = order > 0 ? a->all[i - 1] : *theirs;
      uint32_t           n_a = order >= 0 ? a->all[i - 1].n_counts : 0;
      uint32_t           n_b = order <= 0 ? theirs->n_counts : 0;
      const MergedCount* end_b = n_b == 0 ? NULL
                                 : b->counts + theirs->first + n_b;
      MergedCount*       begin = unite_counts(to, mine, n_a, end_b, n_b);
      if (order == 0)
         take_type(&e, a->all[i - 1].type, a->all[i - 1].passing);
      e.n_counts = (uint32_t)(to - begin);
      a->all[--k] = e;
      to = begin;
      mine -= n_a;
      i -= order >= 0;
      j -= order <= 0;
   }
   /* The edges before these did not move. */
   memmove(a->all + i, a->all + k, (most - k) * sizeof(*a->all));
   a->n = i + (most - k);
   n_mine = (size_t)(a->counts + most_counts - to);
   memmove(mine, to, n_mine * sizeof(*mine));
   a->n_counts = (size_t)(mine - a->counts) + n_mine;
   a->all = need(realloc(a->all, (a->n + 1) * sizeof(*a->all)));
   a->counts = need(realloc(a->counts,
                            (a->n_counts + 1) * sizeof(*a->counts)));
}

void add_edges(Merged* m, MergedEdges* from)
{
   order_edges(from);
   if (from->n_counts >= UINT32_MAX)
      die("there would be too many counts of edges");
   if (from->n > 0)
      unite_edges(&m->edges, from);
   FREE_ALL(from->all, from->counts);
   *from = (MergedEdges){ 0 };
}
