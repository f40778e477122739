/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of routines and dominators. */

/* The judge is the definition: D dominates B if B cannot be reached from the
   routine entries once D is removed.  That is tried for every pair, on graphs
   of all shapes.  The definition does not say which unreachable blocks become
   entries; there the judge follows the comment in tool/graph/routine.c. */

#include "unit_common.h"
#include "tool/graph/routine.h"

/* Make random images and symbols for G's blocks, by address.  A function may
   continue elsewhere, as functions with a cold part do. */
static BlockSymbol* random_symbols(Graph* g)
{
   BlockSymbol* s = DCFG_CALLOC("unit", BlockSymbol, g->n_blocks + 1);
   UInt image = 0, function = 0;

   for (UInt b = 0; b < g->n_blocks; b++) {
      Bool starts = chance(25);
      if (chance(10))
         image++;
      if (starts)
         function++;
      else if (chance(10))
         function = chance(50) ? 0 : 1 + below(function + 1);
      s[b].starts   = starts;
      s[b].function = function;
      g->blocks[b].image = image;
   }
   return s;
}

/*--- The judge                                            ---*/

/* Return the entries of routines by their definition (docs/dev/algorithms.md,
   section 6).  These are targets of calls and of context changes, first blocks
   of threads, targets of edges between images, and first blocks of functions
   to which another function jumps. */
static ULong entries_by_definition(const Graph* g, const BlockSymbol* s)
{
   ULong entries = 0;

   for (UInt i = 0; i < g->n_edges; i++) {
      UInt type = g->edges[i].type;
      UInt from = g->edges[i].source - NodeFirstBlock;
      UInt to   = g->edges[i].target - NodeFirstBlock;
      Bool jump = type == EdgeDirectConditionalBranch
                  || type == EdgeDirectUnconditionalBranch
                  || type == EdgeIndirectUnconditionalBranch;
      if (g->edges[i].target == NodeEnd)
         continue;
      if (type == EdgeEntry || type == EdgeDirectCall
          || type == EdgeIndirectCall || type == EdgeContextChange)
         entries |= BIT(to);
      /* A return goes back into the routine that made the call. */
      else if (type != EdgeReturn && type != EdgeContextChangeReturn
               && g->blocks[from].image != g->blocks[to].image)
         entries |= BIT(to);
      else if (jump && s[to].starts && s[from].function != s[to].function)
         entries |= BIT(to);
   }
   return entries;
}

/* Return the CANDIDATES that no other one reaches; of several that reach each
   other, the first. */
static ULong first_of(const Graph* g, ULong candidates)
{
   ULong first = candidates;

   for (UInt b = 0; b < g->n_blocks; b++)
      for (UInt c = 0; c < g->n_blocks; c++)
         if ((candidates & BIT(b)) && (candidates & BIT(c)) && b != c
             && (reached(g, BIT(c), 0) & BIT(b))
             && (c < b || !(reached(g, BIT(b), 0) & BIT(c))))
            first &= ~BIT(b);
   return first;
}

/* Return the children of the virtual root: the entries; and of the blocks that
   these do not reach, first those that a return or the like led to. */
static ULong roots_by_definition(const Graph* g, const BlockSymbol* s)
{
   ULong roots  = entries_by_definition(g, s);
   ULong landed = 0, all = 0;

   for (UInt i = 0; i < g->n_edges; i++)
      if (g->edges[i].target >= NodeFirstBlock
          && !DCFG_(is_intra_routine)(g->edges[i].type))
         landed |= BIT(g->edges[i].target - NodeFirstBlock);
   for (UInt b = 0; b < g->n_blocks; b++)
      all |= BIT(b);
   roots |= first_of(g, landed & ~reached(g, roots, 0));
   roots |= first_of(g, all & ~reached(g, roots, 0));
   return roots;
}

/* Compare R with the definition. */
static void judge(const Graph* g, const BlockSymbol* s, const Routines* r)
{
   UInt  n     = g->n_blocks;
   ULong roots = roots_by_definition(g, s);
   ULong dominated[MAX_NODES];   // strictly, by each block
   UInt  entry[MAX_NODES];       // by block: its routine's entry
   ULong exits = 0;

   for (UInt d = 0; d < n; d++)
      dominated[d] = reached(g, roots, 0) & ~reached(g, roots, BIT(d))
                     & ~BIT(d);
   for (UInt b = 0; b < n; b++) {
      UInt idom = b;
      entry[b] = b;
      /* All other dominators dominate the nearest one; the entry dominates all
         others. */
      for (UInt d = 0; d < n; d++)
         if (dominated[d] & BIT(b)) {
            if (idom == b || (dominated[idom] & BIT(d)))
               idom = d;
            if (dominated[d] & BIT(entry[b]) || entry[b] == b)
               entry[b] = d;
         }
      require(r->idom[b] == idom, "block %u: idom %u, not %u", b,
              r->idom[b], idom);
      require(r->routines[r->routine_of[b]].entry
              == NodeFirstBlock + entry[b],
              "block %u: entry %u, not %u", b,
              r->routines[r->routine_of[b]].entry - NodeFirstBlock,
              entry[b]);
   }
   for (UInt i = 0; i < g->n_edges; i++) {
      const Edge* e = &g->edges[i];
      if (e->source >= NodeFirstBlock && e->n_counts > 0
          && (e->target == NodeEnd
              || entry[e->source - NodeFirstBlock]
                 != entry[e->target - NodeFirstBlock]))
         exits |= BIT(e->source - NodeFirstBlock);
   }
   for (UInt k = 0; k < r->n_routines; k++) {
      const Routine* rt = &r->routines[k];
      for (UInt i = 0; i < rt->n_exits; i++) {
         UInt b = r->exits[rt->first_exit + i] - NodeFirstBlock;
         require(exits & BIT(b), "block %u is no exit", b);
         exits &= ~BIT(b);
      }
   }
   require(exits == 0, "exits %#llx are missing", exits);
}

/* Check rules for routines of any graph: the tables agree with each other and
   are sorted. */
static void check_tables(const Graph* g, const Routines* r)
{
   Bool* seen = DCFG_CALLOC("unit", Bool, g->n_blocks + 1);
   UInt  nodes = 0, exits = 0;

   for (UInt k = 0; k < r->n_routines; k++) {
      const Routine* rt = &r->routines[k];
      require(k == 0 || r->routines[k - 1].entry < rt->entry,
              "routine %u is out of order", k);
      require(rt->first_node == nodes && rt->first_exit == exits,
              "routine %u: lists are not one behind the other", k);
      for (UInt i = 0; i < rt->n_nodes; i++) {
         const RoutineNode* rn = &r->nodes[rt->first_node + i];
         UInt b = rn->node - NodeFirstBlock;
         require(b < g->n_blocks && !seen[b], "block %u: listed twice", b);
         require(i == 0 || rn[-1].node < rn->node, "nodes not in order");
         require(r->routine_of[b] == k, "block %u: in two routines", b);
         require(rn->idom == NodeFirstBlock + r->idom[b],
                 "block %u: two idoms", b);
         require(r->routine_of[r->idom[b]] == k,
                 "block %u: idom in another routine", b);
         require((rn->idom == rn->node) == (rn->node == rt->entry),
                 "block %u: only the entry is its own idom", b);
         seen[b] = True;
      }
      for (UInt i = 1; i < rt->n_exits; i++)
         require(r->exits[rt->first_exit + i - 1]
                 < r->exits[rt->first_exit + i], "exits not in order");
      nodes += rt->n_nodes;
      exits += rt->n_exits;
   }
   require(nodes == g->n_blocks, "%u of %u blocks are in a routine", nodes,
           g->n_blocks);
   /* Edges enter a routine only at its entry. */
   for (UInt i = 0; i < g->n_edges; i++) {
      const Edge* e = &g->edges[i];
      if (!DCFG_(is_intra_routine)(e->type) || e->target < NodeFirstBlock)
         continue;
      UInt to = r->routine_of[e->target - NodeFirstBlock];
      require(to == r->routine_of[e->source - NodeFirstBlock]
              || r->routines[to].entry == e->target,
              "edge %u -> %u enters a routine", e->source, e->target);
   }
   free(seen);
}

/*--- Random graphs                                        ---*/

START_TEST(test_against_definition)
{
   for (ULong seed = 1; seed <= 6000; seed++) {
      start_chance(seed);
      Graph*       g = random_graph(seed % 3 ? 12 : 40, chance(60));
      BlockSymbol* s = random_symbols(g);
      Routines*    r = DCFG_(find_routines)(g, s);
      judge(g, s, r);
      check_tables(g, r);
      DCFG_(delete_routines)(r);
      DCFG_(delete_graph)(g);
      free(s);
   }
}
END_TEST

/* Every block must be reachable from its routine's entry by edges of the
   routine alone. */
START_TEST(test_reachable_inside)
{
   for (ULong seed = 1; seed <= 2000; seed++) {
      start_chance(seed);
      Graph*       g = random_graph(MAX_NODES, True);
      BlockSymbol* s = random_symbols(g);
      Routines*    r = DCFG_(find_routines)(g, s);
      for (UInt k = 0; k < r->n_routines; k++) {
         ULong inside = 0;
         for (UInt b = 0; b < g->n_blocks; b++)
            if (r->routine_of[b] == k)
               inside |= BIT(b);
         require(reached(g, BIT(r->routines[k].entry - NodeFirstBlock),
                         ~inside) == inside,
                 "routine %u is not connected", k);
      }
      DCFG_(delete_routines)(r);
      DCFG_(delete_graph)(g);
      free(s);
   }
}
END_TEST

/* The search visits blocks by number.  Another numbering gives the same result,
   but for the numbers. */
START_TEST(test_numbering_does_not_matter)
{
   UInt tried = 0;

   for (ULong seed = 1; tried < 1500; seed++) {
      start_chance(seed);
      Graph*       g = random_graph(40, chance(60));
      BlockSymbol* s = random_symbols(g);
      UInt         n = g->n_blocks;
      /* The choice of entries among unreached blocks depends on the
         numbering. */
      if (roots_by_definition(g, s) == entries_by_definition(g, s)) {
         UInt         to[MAX_NODES];
         Graph*       h  = plain_graph(n);
         BlockSymbol* sh = DCFG_CALLOC("unit", BlockSymbol, n + 1);
         shuffle(to, n);
         for (UInt b = 0; b < n; b++) {
            h->blocks[to[b]] = g->blocks[b];
            sh[to[b]]        = s[b];
         }
#        define MOVED(node) ((node) < NodeFirstBlock ? (node) \
            : NodeFirstBlock + to[(node) - NodeFirstBlock])
         for (UInt i = 0; i < g->n_edges; i++) {
            const Edge* e = &g->edges[i];
            add_edge(h, MOVED(e->source), MOVED(e->target), e->type,
                     e->n_counts);
         }
         put_in_order(h);
         Routines* r  = DCFG_(find_routines)(g, s);
         Routines* rh = DCFG_(find_routines)(h, sh);
         require(r->n_routines == rh->n_routines, "routines differ");
         for (UInt b = 0; b < n; b++) {
            require(rh->idom[to[b]] == to[r->idom[b]], "block %u: idom", b);
            require(rh->routines[rh->routine_of[to[b]]].entry
                    == MOVED(r->routines[r->routine_of[b]].entry),
                    "block %u: routine", b);
         }
#        undef MOVED
         DCFG_(delete_routines)(r);
         DCFG_(delete_routines)(rh);
         DCFG_(delete_graph)(h);
         free(sh);
         tried++;
      }
      DCFG_(delete_graph)(g);
      free(s);
   }
}
END_TEST

/*--- Cases that have a name                               ---*/

/* Blocks A, B, ... of a graph made by hand. */
enum { A = NodeFirstBlock, B, C, D, E, F };

/* Return the routines of G, which has 6 blocks, each a function of its own in
   one image. */
static Routines* routines_of(Graph* g)
{
   BlockSymbol s[6];

   put_in_order(g);
   for (UInt b = 0; b < 6; b++) {
      s[b].function = b + 1;
      s[b].starts   = False;
   }
   return DCFG_(find_routines)(g, s);
}

static UInt entry_of(const Routines* r, UInt node)
{
   return r->routines[r->routine_of[node - NodeFirstBlock]].entry;
}

/* Two routines share their end: it becomes a routine of its own, and its
   predecessors exits. */
START_TEST(test_shared_tail)
{
   Graph* g = plain_graph(6);
   add_edge(g, NodeStart, A, EdgeEntry, 1);
   add_edge(g, A, B, EdgeDirectCall, 1);
   add_edge(g, A, C, EdgeDirectCall, 1);
   add_edge(g, B, D, EdgeDirectUnconditionalBranch, 1);
   add_edge(g, C, D, EdgeDirectUnconditionalBranch, 1);
   add_edge(g, D, E, EdgeFallThrough, 2);
   add_edge(g, E, F, EdgeReturn, 2);
   add_edge(g, A, F, EdgeCallBypass, 0);
   Routines* r = routines_of(g);

   ck_assert_uint_eq(r->n_routines, 4);
   ck_assert_uint_eq(entry_of(r, F), A);
   ck_assert_uint_eq(entry_of(r, B), B);
   ck_assert_uint_eq(entry_of(r, C), C);
   ck_assert_uint_eq(entry_of(r, D), D);
   ck_assert_uint_eq(entry_of(r, E), D);
   ck_assert_uint_eq(r->idom[E - A], D - A);
   ck_assert_uint_eq(r->routines[0].n_exits, 1);
   ck_assert_uint_eq(r->exits[r->routines[0].first_exit], A);
   ck_assert_uint_eq(r->routines[3].n_exits, 1);
   ck_assert_uint_eq(r->exits[r->routines[3].first_exit], E);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

/* A jump into the middle of a loop leaves it without a head: neither block
   dominates the other. */
START_TEST(test_irreducible)
{
   Graph* g = plain_graph(6);
   add_edge(g, NodeStart, A, EdgeEntry, 1);
   add_edge(g, A, B, EdgeFallThrough, 1);
   add_edge(g, A, C, EdgeDirectConditionalBranch, 1);
   add_edge(g, B, C, EdgeFallThrough, 1);
   add_edge(g, C, B, EdgeDirectConditionalBranch, 1);
   add_edge(g, B, D, EdgeDirectConditionalBranch, 1);
   add_edge(g, C, D, EdgeFallThrough, 1);
   add_edge(g, D, E, EdgeSystemCallBypass, 1);
   add_edge(g, E, F, EdgeFallThrough, 1);
   Routines* r = routines_of(g);

   ck_assert_uint_eq(r->n_routines, 1);
   ck_assert_uint_eq(r->idom[B - A], 0);
   ck_assert_uint_eq(r->idom[C - A], 0);
   ck_assert_uint_eq(r->idom[D - A], 0);
   ck_assert_uint_eq(r->idom[E - A], D - A);
   ck_assert_uint_eq(r->idom[F - A], E - A);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

/* A jump to a function's first block from another function is a tail call;
   falling into it, or a jump behind its first block, is not. */
START_TEST(test_tail_call)
{
   static const EdgeType types[] = {
      EdgeDirectUnconditionalBranch, EdgeDirectConditionalBranch,
      EdgeIndirectUnconditionalBranch, EdgeFallThrough
   };
   for (UInt k = 0; k < 4; k++)
      for (UInt starts = 0; starts < 2; starts++)
         for (UInt other = 0; other < 2; other++) {
            Graph*      g    = plain_graph(2);
            BlockSymbol s[2] = { { 1, True }, { 1 + other, starts } };
            add_edge(g, NodeStart, A, EdgeEntry, 1);
            add_edge(g, A, B, types[k], 1);
            Routines* r = DCFG_(find_routines)(g, s);
            ck_assert_uint_eq(entry_of(r, B),
                              starts && other && k < 3 ? B : A);
            DCFG_(delete_routines)(r);
            DCFG_(delete_graph)(g);
         }
}
END_TEST

START_TEST(test_empty)
{
   Graph*      g = plain_graph(0);
   BlockSymbol s[1];
   Routines*   r = DCFG_(find_routines)(g, s);
   ck_assert_uint_eq(r->n_routines, 0);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

/* A large test takes a fraction of a second, unless something is quadratic. */
#define MOST_SECONDS 8

/* A routine as long as in any program: the search must not recurse, and the
   paths of eval() must not be walked again and again. */
START_TEST(test_long_chain)
{
   UInt         n = 100000;
   Graph*       g = plain_graph(n);
   BlockSymbol* s = DCFG_CALLOC("unit", BlockSymbol, n);

   forbid_deep_recursion();
   limit_processor_time(MOST_SECONDS);
   add_edge(g, NodeStart, NodeFirstBlock, EdgeEntry, 1);
   for (UInt b = 0; b + 1 < n; b++)
      add_edge(g, NodeFirstBlock + b, NodeFirstBlock + b + 1,
               EdgeFallThrough, 1);
   /* All of it is big loops, with several back edges from each block. */
   for (UInt b = 12; b < n; b++)
      for (UInt k = 2; k <= 4; k++)
         add_edge(g, NodeFirstBlock + b, NodeFirstBlock + b / k,
                  EdgeDirectConditionalBranch, 1);
   put_in_order(g);
   Routines* r = DCFG_(find_routines)(g, s);
   ck_assert_uint_eq(r->n_routines, 1);
   for (UInt b = 1; b < n; b++)
      require(r->idom[b] == b - 1, "dominator of %u", b);
   check_tables(g, r);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
   free(s);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("routine");

   add_case(s, test_against_definition, test_reachable_inside,
            test_numbering_does_not_matter, test_shared_tail, test_irreducible,
            test_tail_call, test_empty);
   add_case(s, test_long_chain);
   return run_suite(s);
}
