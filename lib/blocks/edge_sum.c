/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Static blocks from a DCFG alone. */

/* Owns: finding static blocks from the edges of a DCFG without a trace. Handed:
   a DCFG by blocks.c.  Taken by: edge_stream.c, as passages from the end of
   each block.

   All counts are known, with one exception.  If a signal interrupted after an
   instruction that can go on in several ways, the edges lead to the handler and
   from it, and the way is unknown.  With one way only, that is the way. */

#include "lib/blocks/edge_sum.h"

typedef
   struct {
      EdgeStream* s;
      uint32_t    thread;
      uint64_t*   interrupted;  // for each node: interruptions after it
      uint64_t*   resumed;      // for each node: returns of handlers to it
      uint64_t    unknown;
   }
   Sum;

static uint64_t traversals(const Sum* sum, uint32_t edge)
{
   return dcfg_edge_count(sum->s->p, edge, sum->thread);
}

static bool many(EdgeStream* s, uint32_t from, uint32_t at, uint32_t to,
                 uint64_t n)
{
   return n == 0 || passage_count(s->job, &s->passages, from, at, to, n);
}

static bool end_many(EdgeStream* s, uint32_t at, uint64_t n)
{
   return many(s, at, at, DCFG_NONE, n);
}

static bool begin_many(EdgeStream* s, uint32_t to, uint64_t n)
{
   return many(s, DCFG_NONE, DCFG_NONE, to, n);
}

/* Find the blocks that jump, and the successors of the others. */
static void find_jumps(Sum* sum)
{
   EdgeStream*        s = sum->s;
   const DcfgProcess* p = s->p;

   for (uint32_t i = 0; i < p->n_edges; i++) {
      uint64_t n = traversals(sum, i);
      uint32_t arc = arc_of(s, i), kind = s->kinds[arc];
      const BlockArc* a = &s->arcs[arc];
      if (n > 0 && kind == LEAP)
         s->jumps[a->source] = 1;
      else if (kind == INTERRUPT)
         sum->interrupted[a->source] += n;
      else if (kind == RESUME)
         sum->resumed[a->target] += n;
   }
   /* A bypass tells where an interrupted block went on. */
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const BlockArc* a = &s->arcs[arc_of(s, i)];
      if (p->edges[i].type == DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          && s->kinds[arc_of(s, i)] == GAP && sum->interrupted[a->source] > 0
          && edges_can_jump(p, a->source))
         s->jumps[a->source] = 1;
   }
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const BlockArc* a = &s->arcs[arc_of(s, i)];
      if (s->kinds[arc_of(s, i)] == STRAIGHT
          && (traversals(sum, i) > 0
              || (p->edges[i].type == DCFG_EDGE_CONTEXT_CHANGE_BYPASS
                  && sum->interrupted[a->source] > 0))
          && !edges_go_straight(s, a->source, a->target))
         s->jumps[a->source] = 1;
   }
   for (uint32_t i = 0; i < p->n_nodes; i++)
      if (s->jumps[i])
         edges_set_jumps(s, i);
}

/* Return the node that followed NODE each time it was interrupted; DCFG_NONE if
   there are several. */
static uint32_t way_on(const Sum* sum, uint32_t node)
{
   const EdgeStream* s = sum->s;
   uint32_t          n, to = DCFG_NONE;
   const uint32_t*   out = dcfg_out_edges(s->p, node, &n);

   if (!s->jumps[node])
      return s->next[node];
   for (uint32_t i = 0; i < n; i++) {
      const BlockArc* a = &s->arcs[arc_of(s, out[i])];
      if (s->p->edges[out[i]].type != DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          && (s->kinds[arc_of(s, out[i])] != CUT
              || traversals(sum, out[i]) == 0))
         continue;
      if (to != DCFG_NONE && to != a->target)
         return DCFG_NONE;
      to = a->target;
   }
   return to;
}

static bool add_interrupts(Sum* sum)
{
   EdgeStream* s = sum->s;

   for (uint32_t i = 0; i < s->p->n_nodes; i++) {
      uint64_t n = sum->interrupted[i], back = 0;
      uint32_t to;
      if (n == 0)
         continue;
      to = way_on(sum, i);
      if (to != DCFG_NONE) {
         back = n < sum->resumed[to] ? n : sum->resumed[to];
         sum->resumed[to] -= back;
         if (s->jumps[i] && !many(s, i, i, to, back))
            return false;
      } else if (s->jumps[i]) {
         sum->unknown += n;
      }
      if (!end_many(s, i, n - back))
         return false;
   }
   for (uint32_t i = 0; i < s->p->n_nodes; i++)
      if (!begin_many(s, i, sum->resumed[i]))
         return false;
   return true;
}

static bool add_edge(Sum* sum, uint32_t edge)
{
   EdgeStream* s = sum->s;
   uint32_t    arc = arc_of(s, edge);
   const BlockArc* a = &s->arcs[arc];
   uint64_t    n = traversals(sum, edge);
   bool        from_block;

   if (n == 0 || s->kinds[arc] == NO_EDGE)
      return true;
   from_block = s->p->nodes[a->source].kind == DCFG_NODE_BLOCK;
   switch (s->kinds[arc]) {
      case CUT:
         return many(s, a->source, a->source, a->target, n);
      case INTERRUPT:
      case BEGIN:
         return begin_many(s, a->target, n);
      case RESUME:
         return end_many(s, a->source, n);
      case END:
         return !from_block || end_many(s, a->source, n);
      case GAP:
         return end_many(s, a->source, n) && begin_many(s, a->target, n);
      default:
         return true;
   }
}

bool edges_sum(EdgeStream* s, uint32_t thread, uint64_t* unknown)
{
   uint32_t n = s->p->n_nodes;
   Sum      sum = { s, thread, job_calloc(s->job, n, sizeof(uint64_t)),
                    job_calloc(s->job, n, sizeof(uint64_t)), 0 };
   bool     ok = sum.interrupted != NULL && sum.resumed != NULL;

   if (ok) {
      find_jumps(&sum);
      ok = add_interrupts(&sum);
   }
   for (uint32_t i = 0; ok && i < s->p->n_edges; i++)
      ok = add_edge(&sum, i);
   job_free(s->job, sum.interrupted, n * sizeof(uint64_t));
   job_free(s->job, sum.resumed, n * sizeof(uint64_t));
   *unknown = sum.unknown;
   return ok;
}
