/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Shared by the unit tests. */

#include <sys/resource.h>

#include "unit_common.h"

/*--- Chance                                               ---*/

ULong seed_in_work = 0;
static ULong chance_state = 0;

void start_chance(ULong seed)
{
   seed_in_work = seed;
   chance_state = seed;
}

/* SplitMix64: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom
   Number Generators", OOPSLA 2014. */
ULong any_number(void)
{
   ULong z = chance_state += 0x9E3779B97F4A7C15ULL;
   z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
   z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
   return z ^ (z >> 31);
}

UInt below(UInt n)
{
   return (UInt)((any_number() >> 32) % n);
}

Bool chance(UInt percent)
{
   return below(100) < percent;
}

void shuffle(UInt* order, UInt n)
{
   for (UInt i = 0; i < n; i++) {
      UInt k   = below(i + 1);
      order[i] = order[k];
      order[k] = i;
   }
}

/*--- Graphs made by hand                                  ---*/

Graph* plain_graph(UInt n)
{
   Graph* g = DCFG_CALLOC("unit", Graph, 1);

   g->n_blocks = n;
   g->blocks   = DCFG_CALLOC("unit", Block, n + 1);
   for (UInt b = 0; b < n; b++) {
      g->blocks[b].addr     = 0x1000 + b;
      g->blocks[b].size     = 1;
      g->blocks[b].n_instrs = 1;
   }
   g->n_threads     = 1;
   g->thread_instrs = DCFG_CALLOC("unit", ULong, 1);
   return g;
}

void add_edge(Graph* g, UInt source, UInt target, EdgeType type,
              ULong count)
{
   UInt n = g->n_edges;

   if ((n & (n - 1)) == 0) {      // full: double it
      g->edges  = dcfg_realloc("unit", g->edges, 2 * (n + 1) * sizeof(Edge));
      g->counts = dcfg_realloc("unit", g->counts,
                               2 * (n + 1) * sizeof(EdgeCount));
   }
   /* Each edge has its own index in .counts, used or not. */
   g->edges[n].source      = source;
   g->edges[n].target      = target;
   g->edges[n].type        = type;
   g->edges[n].first_count = n;
   g->edges[n].n_counts    = count != 0;
   g->counts[n].thread     = 0;
   g->counts[n].count      = count;
   g->n_edges++;
}

static int cmp_edges(const void* va, const void* vb)
{
   const Edge* a = va;
   const Edge* b = vb;
   if (a->source != b->source)
      return a->source < b->source ? -1 : 1;
   return a->target < b->target ? -1 : a->target > b->target;
}

void put_in_order(Graph* g)
{
   if (g->n_edges > 0)
      qsort(g->edges, g->n_edges, sizeof(Edge), cmp_edges);
}

Int edge_of(const Graph* g, UInt source, UInt target)
{
   for (UInt i = 0; i < g->n_edges; i++)
      if (g->edges[i].source == source && g->edges[i].target == target)
         return (Int)i;
   return -1;
}

static EdgeType random_type(Bool all_types)
{
   static const UChar intra[] = {
      EdgeDirectConditionalBranch, EdgeDirectUnconditionalBranch,
      EdgeIndirectUnconditionalBranch, EdgeFallThrough, EdgeRep,
      EdgeSystemCallBypass, EdgeCallBypass, EdgeContextChangeBypass,
      EdgeUnknown
   };
   static const UChar inter[] = {
      EdgeDirectCall, EdgeIndirectCall, EdgeReturn, EdgeReturn,
      EdgeContextChange, EdgeContextChangeReturn
   };
   if (all_types && chance(20))
      return inter[below(sizeof(inter))];
   return intra[below(sizeof(intra))];
}

Graph* random_graph(UInt max_blocks, Bool all_types)
{
   UInt   n     = 1 + below(max_blocks);
   UInt   tries = below(3 * n + 1);
   Bool   local = chance(50);
   Graph* g     = plain_graph(n);

   add_edge(g, NodeStart, NodeFirstBlock, EdgeEntry, 1);
   for (UInt i = 0; i < tries; i++) {
      /* Edges to near blocks make deep dominator trees; other edges make flat
         ones. */
      UInt     source = below(n);
      UInt     target = local ? (source + n + below(5) - 2) % n : below(n);
      EdgeType type   = random_type(all_types);
      Bool     bypass = type == EdgeCallBypass
                        || type == EdgeContextChangeBypass;
      if (edge_of(g, NodeFirstBlock + source, NodeFirstBlock + target) < 0)
         add_edge(g, NodeFirstBlock + source, NodeFirstBlock + target, type,
                  bypass ? 0 : 1 + below(9));
   }
   if (chance(80))
      add_edge(g, NodeFirstBlock + below(n), NodeEnd, EdgeExit, 1);
   put_in_order(g);
   return g;
}

Bool same_graph(const Graph* a, const Graph* b)
{
   if (a->n_blocks != b->n_blocks || a->n_edges != b->n_edges
       || a->n_threads != b->n_threads)
      return False;
   for (UInt i = 0; i < a->n_blocks; i++) {
      const Block* p = &a->blocks[i];
      const Block* q = &b->blocks[i];
      if (p->addr != q->addr || p->image != q->image || p->size != q->size
          || p->n_instrs != q->n_instrs || p->count != q->count
          || p->last_offset != q->last_offset)
         return False;
   }
   for (UInt i = 0; i < a->n_edges; i++) {
      const Edge* p = &a->edges[i];
      const Edge* q = &b->edges[i];
      if (p->source != q->source || p->target != q->target
          || p->type != q->type || p->n_counts != q->n_counts)
         return False;
      for (UInt c = 0; c < p->n_counts; c++) {
         const EdgeCount* r = &a->counts[p->first_count + c];
         const EdgeCount* s = &b->counts[q->first_count + c];
         if (r->thread != s->thread || r->count != s->count)
            return False;
      }
   }
   for (UInt t = 0; t < a->n_threads; t++)
      if (a->thread_instrs[t] != b->thread_instrs[t])
         return False;
   return True;
}

/*--- Reachability by definition                           ---*/

ULong reached(const Graph* g, ULong from, ULong without)
{
   ULong now = from & ~without, before;

   do {
      before = now;
      for (UInt i = 0; i < g->n_edges; i++) {
         const Edge* e = &g->edges[i];
         if (DCFG_(is_intra_routine)(e->type)
             && e->source >= NodeFirstBlock && e->target >= NodeFirstBlock
             && (now & BIT(e->source - NodeFirstBlock)))
            now |= BIT(e->target - NodeFirstBlock) & ~without;
      }
   } while (now != before);
   return now;
}

/*--- Running                                              ---*/

void forbid_deep_recursion(void)
{
   struct rlimit limit;

   ck_assert_int_eq(getrlimit(RLIMIT_STACK, &limit), 0);
   limit.rlim_cur = 1 << 20;
   ck_assert_int_eq(setrlimit(RLIMIT_STACK, &limit), 0);
}

void limit_processor_time(UInt seconds)
{
   struct rlimit limit = { seconds, seconds };

   ck_assert_int_eq(setrlimit(RLIMIT_CPU, &limit), 0);
}
