/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of blocks and edges. */

/* The judge knows neither superblocks nor counters.  Random threads walk
   through a random program, and every step is recorded.  From these records the
   judge finds blocks and edges by their definition (docs/dev/algorithms.md,
   section 4).  A block is a maximal run of instructions that was only entered
   at its first and only left at its last.  The builder gets the same walks cut
   into runs of instructions, added up, and in any order. */

#include "unit_walk.h"

static Walks all;         // too large for the stack

/*--- The judge                                            ---*/

#define MAX_IDS (NodeFirstBlock + MAX_INSTRS)

static ULong expected[MAX_IDS][MAX_IDS][MAX_THREADS];
static UChar expected_type[MAX_IDS][MAX_IDS];   // 0: no edge

/* Return the better of two types for one edge.  Counted edges win over
   bypasses, and the code's own transfers win over events from outside. */
static EdgeType better(EdgeType a, EdgeType b)
{
   static const EdgeType worst_first[] = {
      EdgeContextChangeBypass, EdgeCallBypass, EdgeUnknown,
      EdgeContextChangeReturn, EdgeContextChange
   };
   for (UInt i = 0; i < 5; i++) {
      if (a == worst_first[i])
         return b;
      if (b == worst_first[i])
         return a;
   }
   require(a == b, "types %u and %u of one edge", a, b);
   return a;
}

static void expect(UInt source, UInt target, UInt thread, EdgeType type,
                   ULong count)
{
   UChar* t = &expected_type[source][target];
   *t = *t == 0 ? type : better((EdgeType)*t, type);
   expected[source][target][thread] += count;
}

static void judge(const Walks* c, const Graph* g)
{
   UInt  next[MAX_INSTRS], from[MAX_INSTRS];   // the only one, or MIXED
   UInt  node[MAX_INSTRS];                     // by instruction
   UInt  n_blocks = 0, n_edges = 0;
   enum { MIXED = 0xFFFFFFF0, FRESH };

   memset(expected, 0, sizeof(expected));
   memset(expected_type, 0, sizeof(expected_type));
   for (UInt i = 0; i < c->n_instrs; i++)
      next[i] = from[i] = FRESH;
   for (UInt i = 0; i < c->n_steps; i++) {
      const Step* s = &c->steps[i];
      if (s->source != INSTR_START)
         next[s->source] = s->falls && (next[s->source] == FRESH
                                        || next[s->source] == s->target)
                           ? s->target : MIXED;
      if (s->target != INSTR_END)
         from[s->target] = s->falls && (from[s->target] == FRESH
                                        || from[s->target] == s->source)
                           ? s->source : MIXED;
   }
   /* An instruction continues the block of the instruction before it if each of
      them is the other's only neighbour. */
#  define STARTS(i) (from[i] == MIXED || next[from[i]] != (i) \
      || c->instrs[i].kind == InsnRep \
      || c->instrs[from[i]].image != c->instrs[i].image)
   for (UInt i = 0; i < c->n_instrs; i++) {
      if (!STARTS(i))
         continue;
      Block b = { c->instrs[i].addr, c->instrs[i].image, 0, 0, 0, 0 };
      UInt  k = i, last;
      do {
         node[k]       = NodeFirstBlock + n_blocks;
         last          = k;
         b.last_offset = (UInt)(c->instrs[k].addr - b.addr);
         b.n_instrs++;
         b.size += c->instrs[k].len;
         k = next[k];
      } while (k < c->n_instrs && from[k] == last && !STARTS(k));
      for (UInt t = 0; t < c->n_trail; t++)
         b.count += c->trail[t] == i;
      require(n_blocks < g->n_blocks, "only %u blocks", g->n_blocks);
      const Block* is = &g->blocks[n_blocks++];
      require(is->addr == b.addr && is->image == b.image
              && is->size == b.size && is->n_instrs == b.n_instrs
              && is->last_offset == b.last_offset && is->count == b.count,
              "block at %llx of image %u (node %u): %llx of %u, size %u, "
              "%u instructions, last at %u, count %llu", b.addr, b.image,
              NodeFirstBlock + n_blocks - 1, is->addr, is->image, is->size,
              is->n_instrs, is->last_offset, is->count);
   }
   require(g->n_blocks == n_blocks, "%u blocks, not %u", g->n_blocks,
           n_blocks);

   for (UInt i = 0; i < c->n_steps; i++) {
      const Step* s = &c->steps[i];
      if (!s->falls || STARTS(s->target))
         expect(s->source == INSTR_START ? NodeStart : node[s->source],
                s->target == INSTR_END ? NodeEnd : node[s->target],
                s->thread, s->type, 1);
   }
   for (UInt i = 0; i < c->n_bypasses; i++)
      expect(node[c->bypasses[i].source], node[c->bypasses[i].target], 0,
             EdgeContextChangeBypass, 0);
   /* A call bypass leads from each call to the code right behind it, if a
      return arrived there. */
   for (UInt i = 0; i < c->n_steps; i++) {
      const Step* s = &c->steps[i];
      if (s->type != EdgeDirectCall && s->type != EdgeIndirectCall)
         continue;
      const Instr* call = &c->instrs[s->source];
      Int site = instr_of(c, call->image, call->addr + call->len);
      for (UInt k = 0; k < c->n_steps && site >= 0; k++)
         if (c->steps[k].type == EdgeReturn
             && c->steps[k].target == (UInt)site) {
            expect(node[s->source], node[site], 0, EdgeCallBypass, 0);
            break;
         }
   }
#  undef STARTS

   for (UInt a = 0; a < NodeFirstBlock + n_blocks; a++)
      for (UInt b = 0; b < NodeFirstBlock + n_blocks; b++) {
         if (expected_type[a][b] == 0)
            continue;
         require(n_edges < g->n_edges, "edge %u -> %u is missing", a, b);
         const Edge* e = &g->edges[n_edges++];
         UInt        k = 0;
         require(e->source == a && e->target == b,
                 "edge %u -> %u, not %u -> %u", e->source, e->target, a, b);
         require(e->type == expected_type[a][b], "edge %u -> %u: type %u, "
                 "not %u", a, b, e->type, expected_type[a][b]);
         for (UInt t = 0; t < c->n_threads; t++) {
            const EdgeCount* ec = &g->counts[e->first_count + k];
            Bool  listed = k < e->n_counts && ec->thread == t;
            ULong count  = listed ? ec->count : 0;
            require(count == expected[a][b][t] && (!listed || count > 0),
                    "edge %u -> %u, thread %u: %llu times, not %llu", a, b,
                    t, count, expected[a][b][t]);
            k += listed;
         }
         require(k == e->n_counts, "edge %u -> %u: counts not in order", a,
                 b);
      }
   require(g->n_edges == n_edges, "%u edges, not %u", g->n_edges, n_edges);
}

/* Check the rules that a reader can check without knowing the walks. */
static void check_conservation(const Walks* c, const Graph* g)
{
   ULong blocks = 0, threads = 0;

   for (UInt t = 0; t < g->n_threads; t++) {
      Long balance[MAX_IDS] = { 0 };
      for (UInt i = 0; i < g->n_edges; i++)
         for (UInt k = 0; k < g->edges[i].n_counts; k++) {
            const EdgeCount* ec = &g->counts[g->edges[i].first_count + k];
            if (ec->thread != t)
               continue;
            balance[g->edges[i].source] -= (Long)ec->count;
            balance[g->edges[i].target] += (Long)ec->count;
         }
      require(balance[NodeStart] == -1 && balance[NodeEnd] == 1,
              "thread %u: not one way in and one out", t);
      for (UInt b = 0; b < g->n_blocks; b++)
         require(balance[NodeFirstBlock + b] == 0,
                 "thread %u: node %u is not in balance", t,
                 NodeFirstBlock + b);
      threads += g->thread_instrs[t];
   }
   for (UInt b = 0; b < g->n_blocks; b++)
      blocks += g->blocks[b].count * g->blocks[b].n_instrs;
   require(blocks == threads && threads == c->n_trail,
           "%llu instructions in blocks, %llu in threads, %u ran", blocks,
           threads, c->n_trail);
}

START_TEST(test_against_definition)
{
   for (ULong seed = 1; seed <= 3000; seed++) {
      make_walks(&all, seed);
      Graph* g = build_walks(&all);
      judge(&all, g);
      check_conservation(&all, g);
      DCFG_(delete_graph)(g);
   }
}
END_TEST

/* The counters may be read in any order, added up or not, and superblocks may
   be cut anywhere. */
START_TEST(test_order_does_not_matter)
{
   for (ULong seed = 1; seed <= 400; seed++) {
      make_walks(&all, seed);
      Graph* g = build_walks(&all);
      for (UInt k = 0; k < 3; k++) {
         if (k == 1)
            cut_walks(&all);
         if (k == 2)
            add_up_flows(&all);
         Graph* h = build_walks(&all);
         require(same_graph(g, h), "another graph");
         DCFG_(delete_graph)(h);
      }
      DCFG_(delete_graph)(g);
   }
}
END_TEST

/*--- Cases that have a name                               ---*/

/* Make straight code, four bytes an instruction. */
static void straight(Instr* in, UInt n)
{
   for (UInt i = 0; i < n; i++) {
      in[i].addr  = 0x1000 + 4 * i;
      in[i].image = 0;
      in[i].len   = 4;
      in[i].kind  = InsnPlain;
   }
}

static const UInt numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

/* A fault in the middle splits the block behind the last completed instruction,
   and nowhere else. */
START_TEST(test_fault_splits)
{
   Instr in[7];
   straight(in, 7);
   in[6].kind = InsnSyscall;       // 5, 6: the handler and its sigreturn
   GraphBuilder* gb = DCFG_(new_graph)(in, 7, 1);
   for (Int pass = 0; pass < 2; pass++) {
      DCFG_(graph_edge)(gb, 0, INSTR_START, 0, EdgeEntry, 1);
      DCFG_(graph_run)(gb, 0, numbers, 2, 1);
      DCFG_(graph_edge)(gb, 0, 1, 5, EdgeContextChange, 1);
      DCFG_(graph_run)(gb, 0, numbers + 5, 2, 1);
      DCFG_(graph_edge)(gb, 0, 6, 2, EdgeContextChangeReturn, 1);
      DCFG_(graph_edge)(gb, 0, 1, 2, EdgeContextChangeBypass, 0);
      DCFG_(graph_run)(gb, 0, numbers + 2, 3, 1);
      DCFG_(graph_edge)(gb, 0, 4, INSTR_END, EdgeExit, 1);
      if (pass == 0)
         DCFG_(partition)(gb);
   }
   Graph* g = DCFG_(finish_graph)(gb);

   ck_assert_uint_eq(g->n_blocks, 3);
   ck_assert_uint_eq(g->blocks[0].n_instrs, 2);
   ck_assert_uint_eq(g->blocks[0].size, 8);
   ck_assert_uint_eq(g->blocks[1].addr, 0x1008);
   ck_assert_uint_eq(g->blocks[1].n_instrs, 3);
   ck_assert_uint_eq(g->n_edges, 5);
   Int bypass = edge_of(g, NodeFirstBlock, NodeFirstBlock + 1);
   ck_assert_int_ge(bypass, 0);
   ck_assert_uint_eq(g->edges[bypass].type, EdgeContextChangeBypass);
   ck_assert_uint_eq(g->edges[bypass].n_counts, 0);
   ck_assert_uint_eq(g->thread_instrs[0], 7);
   DCFG_(delete_graph)(g);
}
END_TEST

/* Flows with a count of 0 make nothing, wherever they would lead. */
START_TEST(test_no_times)
{
   Instr in[4];
   straight(in, 4);
   in[1].kind = InsnCond;          // always taken, to 3
   in[3].kind = InsnJump;          // to 2
   GraphBuilder* gb = DCFG_(new_graph)(in, 4, 1);
   for (Int pass = 0; pass < 2; pass++) {
      DCFG_(graph_edge)(gb, 0, INSTR_START, 0, EdgeEntry, 1);
      DCFG_(graph_run)(gb, 0, numbers, 2, 1);
      DCFG_(graph_edge)(gb, 0, 1, 3, EdgeDirectConditionalBranch, 1);
      DCFG_(graph_run)(gb, 0, numbers + 3, 1, 1);
      DCFG_(graph_edge)(gb, 0, 3, 2, EdgeDirectUnconditionalBranch, 1);
      DCFG_(graph_run)(gb, 0, numbers + 2, 2, 1);
      DCFG_(graph_edge)(gb, 0, 3, INSTR_END, EdgeExit, 1);
      /* Counters that stayed 0. */
      DCFG_(graph_run)(gb, 0, numbers, 4, 0);
      DCFG_(graph_onward)(gb, 0, 0, 2, 0);
      if (pass == 0)
         DCFG_(partition)(gb);
   }
   Graph* g = DCFG_(finish_graph)(gb);

   ck_assert_uint_eq(g->n_blocks, 3);
   ck_assert_uint_eq(g->n_edges, 5);
   for (UInt i = 0; i < g->n_edges; i++)
      ck_assert_uint_eq(g->edges[i].n_counts, 1);
   DCFG_(delete_graph)(g);
}
END_TEST

/* An instruction that falls through to code of two generations ends a block. */
START_TEST(test_generations)
{
   Instr in[3];
   straight(in, 3);
   in[2].addr  = in[1].addr;       // code that took the place of 1
   in[2].image = in[1].image + 1;
   GraphBuilder* gb = DCFG_(new_graph)(in, 3, 2);
   for (Int pass = 0; pass < 2; pass++) {
      DCFG_(graph_edge)(gb, 0, INSTR_START, 0, EdgeEntry, 1);
      DCFG_(graph_run)(gb, 0, numbers, 2, 1);
      DCFG_(graph_edge)(gb, 0, 1, INSTR_END, EdgeExit, 1);
      DCFG_(graph_edge)(gb, 1, INSTR_START, 0, EdgeEntry, 1);
      DCFG_(graph_run)(gb, 1, numbers, 1, 1);
      DCFG_(graph_onward)(gb, 1, 0, 2, 1);
      DCFG_(graph_run)(gb, 1, numbers + 2, 1, 1);
      DCFG_(graph_edge)(gb, 1, 2, INSTR_END, EdgeExit, 1);
      if (pass == 0)
         DCFG_(partition)(gb);
   }
   Graph* g = DCFG_(finish_graph)(gb);

   ck_assert_uint_eq(g->n_blocks, 3);
   for (UInt i = 1; i < 3; i++) {
      Int e = edge_of(g, NodeFirstBlock, NodeFirstBlock + i);
      ck_assert_int_ge(e, 0);
      ck_assert_uint_eq(g->edges[e].type, EdgeFallThrough);
   }
   DCFG_(delete_graph)(g);
}
END_TEST

/* A call at 0 that came back to 1; that did not; or to a block that a counted
   edge joins with it already. */
START_TEST(test_call_bypass)
{
   for (UInt how = 0; how < 3; how++) {
      Instr in[5];
      UInt  n = how == 1 ? 2 : 3;
      straight(in, n);
      in[0].kind = InsnCall;       // 0, 1; the last is the callee
      in[n - 1].kind = InsnReturn;
      GraphBuilder* gb = DCFG_(new_graph)(in, n, 1);
      for (Int pass = 0; pass < 2; pass++) {
         DCFG_(graph_edge)(gb, 0, INSTR_START, 0, EdgeEntry, 1);
         for (UInt i = 0; i < n; i++)
            DCFG_(graph_run)(gb, 0, &numbers[i], 1, 1);
         DCFG_(graph_edge)(gb, 0, 0, n - 1, EdgeDirectCall, 1);
         if (how == 1) {           // never comes back
            DCFG_(graph_edge)(gb, 0, 1, INSTR_END, EdgeExit, 1);
         } else {
            DCFG_(graph_edge)(gb, 0, 2, 1, EdgeReturn, 1);
            DCFG_(graph_edge)(gb, 0, 1, INSTR_END, EdgeExit, 1);
         }
         if (how == 2)             // a signal handler stands at the return site
            DCFG_(graph_edge)(gb, 0, 0, 1, EdgeContextChange, 5);
         if (pass == 0)
            DCFG_(partition)(gb);
      }
      Graph* g  = DCFG_(finish_graph)(gb);
      Int    to = edge_of(g, NodeFirstBlock, NodeFirstBlock + 1);
      ck_assert_int_ge(to, 0);
      ck_assert_uint_eq(g->edges[to].type,
                        how == 0 ? EdgeCallBypass
                        : how == 1 ? EdgeDirectCall : EdgeContextChange);
      ck_assert_uint_eq(g->edges[to].n_counts, how == 0 ? 0 : 1);
      ck_assert_uint_eq(g->n_edges, how == 1 ? 3 : 5);
      DCFG_(delete_graph)(g);
   }
}
END_TEST

/* Counts are 64 bits wide in every part. */
START_TEST(test_large_counts)
{
   ULong times = 1ULL << 40;
   Instr in[3];
   straight(in, 3);
   in[2].kind = InsnJump;
   GraphBuilder* gb = DCFG_(new_graph)(in, 3, 1);
   for (Int pass = 0; pass < 2; pass++) {
      DCFG_(graph_edge)(gb, 0, INSTR_START, 0, EdgeEntry, 1);
      DCFG_(graph_run)(gb, 0, numbers, 3, times);
      DCFG_(graph_edge)(gb, 0, 2, 0, EdgeDirectUnconditionalBranch,
                        times - 1);
      DCFG_(graph_edge)(gb, 0, 2, INSTR_END, EdgeExit, 1);
      if (pass == 0)
         DCFG_(partition)(gb);
   }
   Graph* g = DCFG_(finish_graph)(gb);

   ck_assert_uint_eq(g->n_blocks, 1);
   ck_assert(g->blocks[0].count == times);
   ck_assert(g->thread_instrs[0] == 3 * times);
   DCFG_(delete_graph)(g);
}
END_TEST

START_TEST(test_empty)
{
   GraphBuilder* gb = DCFG_(new_graph)(NULL, 0, 0);
   DCFG_(partition)(gb);
   Graph* g = DCFG_(finish_graph)(gb);
   ck_assert_uint_eq(g->n_blocks, 0);
   ck_assert_uint_eq(g->n_edges, 0);
   DCFG_(delete_graph)(g);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("graph");

   add_case(s, test_against_definition, test_order_does_not_matter,
            test_fault_splits, test_no_times, test_generations,
            test_call_bypass, test_large_counts, test_empty);
   return run_suite(s);
}
