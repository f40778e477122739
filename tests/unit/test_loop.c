/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of natural loops. */

/* Loops are compared with a second implementation of the definition.  An edge
   is a back edge if its source cannot be reached from the routine's entry
   without passing the edge's target.  The loop of a head is the head and all
   nodes that reach the source of one of its back edges without passing the
   head. */

#include "unit_common.h"
#include "tool/graph/routine.h"

/* Make one function in one image: only ENTRY and calls make routines. */
static Routines* routines_of(const Graph* g)
{
   BlockSymbol* s = DCFG_CALLOC("unit", BlockSymbol, g->n_blocks + 1);
   Routines*    r = DCFG_(find_routines)(g, s);
   free(s);
   return r;
}

static ULong members(const UInt* ids, UInt n)
{
   ULong set = 0;
   for (UInt i = 0; i < n; i++) {
      require(i == 0 || ids[i - 1] < ids[i], "ids not in order");
      set |= BIT(ids[i] - NodeFirstBlock);
   }
   return set;
}

/* Return the members of a loop, until the next call. */
static const UInt* nodes_of(const Loops* ls, const Routines* r, const Loop* l)
{
   static UInt* nodes;

   free(nodes);
   nodes = malloc((SizeT)l->n_nodes * sizeof(UInt));
   DCFG_(loop_nodes)(ls, r, l, nodes);
   return nodes;
}

static UInt count_bits(ULong set)
{
   return (UInt)__builtin_popcountll(set);
}

static void judge(const Graph* g, const Routines* r, const Loops* ls)
{
   UInt  n = g->n_blocks, found = 0;
   ULong backs[MAX_NODES], nodes[MAX_NODES];
   UInt  k;

   /* Compute the expected loop of each block as head. */
   for (UInt h = 0; h < n; h++) {
      UInt  entry = r->routines[r->routine_of[h]].entry - NodeFirstBlock;
      ULong avoid = reached(g, BIT(entry), BIT(h));
      backs[h] = nodes[h] = 0;
      for (UInt b = 0; b < n; b++) {
         Int e = edge_of(g, NodeFirstBlock + b, NodeFirstBlock + h);
         if (e >= 0 && DCFG_(is_intra_routine)(g->edges[e].type)
             && r->routine_of[b] == r->routine_of[h]
             && !(avoid & BIT(b)))
            backs[h] |= BIT(b);
      }
      if (backs[h] == 0)
         continue;
      found++;
      nodes[h] = BIT(h);
      for (UInt b = 0; b < n; b++)
         if (b != h && (reached(g, BIT(b), BIT(h)) & backs[h]))
            nodes[h] |= BIT(b);
   }
   require(ls->n_loops == found, "%u loops, not %u", ls->n_loops, found);
   for (k = 0; k < ls->n_loops; k++) {
      const Loop* l = &ls->loops[k];
      UInt h = l->head - NodeFirstBlock;
      UInt parent = 0, smallest = MAX_NODES + 1;
      if (k > 0)
         require(l[-1].routine < l->routine
                 || (l[-1].routine == l->routine && l[-1].head < l->head),
                 "loop %u is out of order, or has a head again", k);
      require(l->routine == r->routine_of[h], "loop %u: routine", k);
      require(members(ls->ids + l->first_back, l->n_backs) == backs[h],
              "loop of %u: back edges", l->head);
      require(members(nodes_of(ls, r, l), l->n_nodes) == nodes[h],
              "loop of %u: nodes", l->head);
      for (UInt o = 0; o < n; o++) {
         ULong both = nodes[o] & nodes[h];
         if (o == h || both == 0)
            continue;
         /* Nesting relies on this theorem. */
         require(both == nodes[o] || both == nodes[h], "loops overlap");
         if (both == nodes[h] && count_bits(nodes[o]) < smallest) {
            smallest = count_bits(nodes[o]);
            parent   = NodeFirstBlock + o;
         }
      }
      require(l->parent == parent, "loop of %u: parent %u, not %u", l->head,
              l->parent, parent);
   }
}

START_TEST(test_against_definition)
{
   UInt nested = 0, several_backs = 0;

   for (ULong seed = 1; seed <= 3000; seed++) {
      start_chance(seed);
      Graph*    g  = random_graph(seed % 3 ? 12 : 40, chance(50));
      Routines* r  = routines_of(g);
      Loops*    ls = DCFG_(find_loops)(g, r);
      judge(g, r, ls);
      for (UInt k = 0; k < ls->n_loops; k++) {
         nested        += ls->loops[k].parent != 0;
         several_backs += ls->loops[k].n_backs > 1;
      }
      DCFG_(delete_loops)(ls);
      DCFG_(delete_routines)(r);
      DCFG_(delete_graph)(g);
   }
   /* Otherwise the test tests nothing. */
   ck_assert_uint_gt(nested, 500);
   ck_assert_uint_gt(several_backs, 500);
}
END_TEST

/*--- Cases that have a name                               ---*/

enum { A = NodeFirstBlock, B, C, D };

START_TEST(test_self_loop)
{
   Graph* g = plain_graph(2);
   add_edge(g, NodeStart, A, EdgeEntry, 1);
   add_edge(g, A, B, EdgeFallThrough, 1);
   add_edge(g, B, B, EdgeRep, 9);
   put_in_order(g);
   Routines* r  = routines_of(g);
   Loops*    ls = DCFG_(find_loops)(g, r);

   ck_assert_uint_eq(ls->n_loops, 1);
   ck_assert_uint_eq(ls->loops[0].head, B);
   ck_assert_uint_eq(ls->loops[0].parent, 0);
   ck_assert_uint_eq(ls->loops[0].n_backs, 1);
   ck_assert_uint_eq(ls->ids[ls->loops[0].first_back], B);
   ck_assert_uint_eq(ls->loops[0].n_nodes, 1);
   ck_assert_uint_eq(nodes_of(ls, r, &ls->loops[0])[0], B);
   DCFG_(delete_loops)(ls);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

/* B and C are a cycle, but neither dominates the other. */
START_TEST(test_irreducible)
{
   Graph* g = plain_graph(4);
   add_edge(g, NodeStart, A, EdgeEntry, 1);
   add_edge(g, A, B, EdgeFallThrough, 1);
   add_edge(g, A, C, EdgeDirectConditionalBranch, 1);
   add_edge(g, B, C, EdgeFallThrough, 1);
   add_edge(g, C, B, EdgeDirectConditionalBranch, 1);
   add_edge(g, C, D, EdgeFallThrough, 1);
   put_in_order(g);
   Routines* r  = routines_of(g);
   Loops*    ls = DCFG_(find_loops)(g, r);

   ck_assert_uint_eq(ls->n_loops, 0);
   DCFG_(delete_loops)(ls);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

/* A recursive call goes back to the entry, but is no edge within the
   routine. */
START_TEST(test_recursion_is_no_loop)
{
   Graph* g = plain_graph(3);
   add_edge(g, NodeStart, A, EdgeEntry, 1);
   add_edge(g, A, B, EdgeFallThrough, 1);
   add_edge(g, B, A, EdgeDirectCall, 1);
   add_edge(g, B, C, EdgeCallBypass, 0);
   add_edge(g, C, C, EdgeReturn, 1);
   put_in_order(g);
   Routines* r  = routines_of(g);
   Loops*    ls = DCFG_(find_loops)(g, r);

   ck_assert_uint_eq(r->n_routines, 1);
   ck_assert_uint_eq(ls->n_loops, 0);
   DCFG_(delete_loops)(ls);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

START_TEST(test_empty)
{
   Graph*    g  = plain_graph(0);
   Routines* r  = routines_of(g);
   Loops*    ls = DCFG_(find_loops)(g, r);
   ck_assert_uint_eq(ls->n_loops, 0);
   DCFG_(delete_loops)(ls);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

/* A large test takes a fraction of a second, unless something is quadratic. */
#define MOST_SECONDS 40

/* Heads 0 to N-1, a body, and latches behind it: the loop of head I holds all
   between I and its latch.  Lists of all members would take 40 GB. */
START_TEST(test_deep_nest)
{
   UInt   n    = 100000;
   UInt   last = 2 * n;
   Graph* g    = plain_graph(last + 1);

   forbid_deep_recursion();
   limit_processor_time(MOST_SECONDS);
   add_edge(g, NodeStart, NodeFirstBlock, EdgeEntry, 1);
   for (UInt b = 0; b < last; b++)
      add_edge(g, NodeFirstBlock + b, NodeFirstBlock + b + 1,
               EdgeFallThrough, 1);
   for (UInt h = 0; h < n; h++)
      add_edge(g, NodeFirstBlock + last - h, NodeFirstBlock + h,
               EdgeDirectConditionalBranch, 1);
   put_in_order(g);
   Routines* r  = routines_of(g);
   Loops*    ls = DCFG_(find_loops)(g, r);

   ck_assert_uint_eq(ls->n_loops, n);
   for (UInt h = 0; h < n; h++) {
      const Loop* l = &ls->loops[h];
      require(l->head == NodeFirstBlock + h
              && l->parent == (h == 0 ? 0 : l->head - 1) && l->n_backs == 1
              && ls->ids[l->first_back] == NodeFirstBlock + last - h
              && l->n_nodes == last - 2 * h + 1, "loop %u", h);
      if (h % 10000 > 0 && h < n - 10)
         continue;
      const UInt* nodes = nodes_of(ls, r, l);
      for (UInt i = 0; i < l->n_nodes; i++)
         require(nodes[i] == l->head + i, "loop %u: node %u", h, i);
   }
   DCFG_(delete_loops)(ls);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

/* A loop of N blocks, in which each block but the first is a loop of its
   own. */
START_TEST(test_long_chain)
{
   UInt   n = 100000;
   Graph* g = plain_graph(n);

   forbid_deep_recursion();
   limit_processor_time(MOST_SECONDS);
   add_edge(g, NodeStart, NodeFirstBlock, EdgeEntry, 1);
   for (UInt b = 0; b < n; b++) {
      add_edge(g, NodeFirstBlock + b, NodeFirstBlock + (b + 1) % n,
               EdgeDirectUnconditionalBranch, 1);
      if (b > 0)
         add_edge(g, NodeFirstBlock + b, NodeFirstBlock + b, EdgeRep, 1);
   }
   put_in_order(g);
   Routines* r  = routines_of(g);
   Loops*    ls = DCFG_(find_loops)(g, r);

   ck_assert_uint_eq(ls->n_loops, n);
   ck_assert_uint_eq(ls->loops[0].parent, 0);
   ck_assert_uint_eq(ls->loops[0].n_nodes, n);
   const UInt* nodes = nodes_of(ls, r, &ls->loops[0]);
   for (UInt b = 0; b < n; b++)
      require(nodes[b] == NodeFirstBlock + b, "node %u", b);
   for (UInt b = 1; b < n; b++)
      require(ls->loops[b].parent == NodeFirstBlock
              && ls->loops[b].n_nodes == 1, "loop %u", b);
   DCFG_(delete_loops)(ls);
   DCFG_(delete_routines)(r);
   DCFG_(delete_graph)(g);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("loop");

   add_case(s, test_against_definition, test_self_loop, test_irreducible,
            test_recursion_is_no_loop, test_empty);
   add_case(s, test_deep_nest, test_long_chain);
   return run_suite(s);
}
