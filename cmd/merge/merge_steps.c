/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Traversals of edges, added up. */

/* Owns: adding up the traversals of an edge, and the edges of a sum.
   Handed: steps by merge_runs.c; edges with new ends by merge_runs.c and
   merge_parts.c. */

#include "cmd/merge/merge.h"

#include "cmd/base/sums.h"

#include "lib/dcfg.h"

#include <stdlib.h>
#include <string.h>

uint16_t passing_of(uint32_t edge_type)
{
   return edge_type == DCFG_EDGE_FALL_THROUGH ? PASSES : TRANSFERS;
}

/* Return the rank of TYPE, for a pair of nodes that several runs give different
   types.  The pair gets one edge, of the type with the lowest rank; of equal
   ones, the first in the format.  A type of the source's last instruction comes
   before a signal that happened to follow it.  A type that is counted comes
   before a bypass. */
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

MergedCount merged_count(uint32_t thread, uint64_t count)
{
   return (MergedCount){ thread, (uint32_t)count, (uint32_t)(count >> 32) };
}

uint64_t count_of(MergedCount c)
{
   return (uint64_t)c.high << 32 | c.low;
}

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

/*--- Steps to edges                                       ---*/

COMPARE(by_place, MergedStep, UP(source) ?: UP(target) ?: UP(thread))

static void sort_steps(MergedStep* steps, size_t n)
{
   for (size_t i = 1; i < n; i++)
      if (by_place(&steps[i - 1], &steps[i]) > 0) {
         qsort(steps, n, sizeof(*steps), by_place);
         return;
      }
}

/* Add S to the edge E, whose counts are at TO. */
static void add_to_edge(MergedEdge* e, MergedCount* to, const MergedStep* s)
{
   e->type = (uint16_t)better_type(e->type, s->type);
   if (s->count == 0)
      return;
   if (s->passing > e->passing)
      e->passing = s->passing;
   to[e->n_counts] = merged_count(s->thread, s->count);
   if (e->n_counts > 0 && to[e->n_counts - 1].thread == s->thread)
      to[e->n_counts - 1] = add_up(to[e->n_counts - 1], to[e->n_counts]);
   else
      e->n_counts++;
}

/* Make edges of steps, which are sorted. */
static MergedEdges gather(const MergedStep* steps, size_t n)
{
   MergedEdges to = { .all = zalloc(n, sizeof(*to.all)),
                      .counts = zalloc(n, sizeof(*to.counts)) };

   for (size_t i = 0; i < n; i++) {
      const MergedStep* s = &steps[i];
      MergedEdge*       e = to.n > 0 ? &to.all[to.n - 1] : NULL;
      if (e == NULL || e->source != s->source || e->target != s->target) {
         to.n_counts += e != NULL ? e->n_counts : 0;
         e = &to.all[to.n++];
         *e = (MergedEdge){ s->source, s->target, s->type, PASSES, 0 };
      }
      add_to_edge(e, to.counts + to.n_counts, s);
   }
   to.n_counts += to.n > 0 ? to.all[to.n - 1].n_counts : 0;
   return to;
}

/*--- Edges to edges                                       ---*/

static int by_pair(const MergedEdge* x, const MergedEdge* y)
{
   return x->source != y->source ? (x->source < y->source ? -1 : 1)
          : x->target < y->target ? -1 : x->target > y->target;
}

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

/* Add the edges of B to A.  Going from the end, A needs no copy. */
static void unite(MergedEdges* a, const MergedEdges* b)
{
   size_t       i = a->n, j = b->n, most = i + j, k = most;
   size_t       n_mine = a->n_counts, most_counts = n_mine + b->n_counts;
   MergedCount* to;
   MergedCount* mine;
   MergedCount* theirs = b->counts + b->n_counts;

   a->all = need(realloc(a->all, (most + 1) * sizeof(*a->all)));
   a->counts = need(realloc(a->counts,
                            (most_counts + 1) * sizeof(*a->counts)));
   mine = a->counts + n_mine;
   to = a->counts + most_counts;
   while (j > 0) {
      int          order = i == 0 ? -1 : by_pair(&a->all[i - 1],
                                                 &b->all[j - 1]);
      MergedEdge   e = order > 0 ? a->all[i - 1] : b->all[j - 1];
      uint32_t     n_a = order >= 0 ? a->all[i - 1].n_counts : 0;
      uint32_t     n_b = order <= 0 ? e.n_counts : 0;
      MergedCount* begin = unite_counts(to, mine, n_a, theirs, n_b);
      if (order == 0) {
         const MergedEdge* other = &a->all[i - 1];
         e.type = (uint16_t)better_type(e.type, other->type);
         if (other->passing > e.passing)
            e.passing = other->passing;
      }
      e.n_counts = (uint32_t)(to - begin);
      a->all[--k] = e;
      to = begin;
      mine -= n_a;
      theirs -= n_b;
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

void add_steps(MergedEdges* edges, MergedStep* steps, size_t n)
{
   MergedEdges more;

   sort_steps(steps, n);
   more = gather(steps, n);
   unite(edges, &more);
   free_edges(&more);
}

/*--- Edges in order                                       ---*/

/* Only a few are out of order, because blocks keep their order unless
   instructions overlap.  These become steps. */
void order_edges(MergedEdges* edges)
{
   MergedStep* loose = NULL;
   size_t      n_loose = 0, room = 0, n = 0, from = 0, to = 0;

   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge e = edges->all[i];
      bool       stays = n == 0 || by_pair(&edges->all[n - 1], &e) < 0;
      bool       bypass = e.n_counts == 0;
      size_t     end = from + e.n_counts;
      e.n_counts = 0;
      if (bypass && !stays) {
         GROW(loose, n_loose, room);
         loose[n_loose++] = (MergedStep){ e.source, e.target, 0, e.type,
                                          e.passing, 0 };
      }
      for (; from < end; from++) {
         MergedCount c = edges->counts[from];
         if (count_of(c) == 0)
            continue;
         if (stays) {
            edges->counts[to++] = c;
            e.n_counts++;
         } else {
            GROW(loose, n_loose, room);
            loose[n_loose++] = (MergedStep){ e.source, e.target, c.thread,
                                             e.type, e.passing,
                                             count_of(c) };
         }
      }
      if (stays && (bypass || e.n_counts > 0))
         edges->all[n++] = e;
   }
   edges->n = n;
   edges->n_counts = to;
   if (n_loose > 0)
      add_steps(edges, loose, n_loose);
   free(loose);
}

void free_edges(MergedEdges* edges)
{
   free(edges->all);
   free(edges->counts);
   *edges = (MergedEdges){ 0 };
}
