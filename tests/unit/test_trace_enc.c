/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests: writing a DCFG-trace. */

/* Walks by hand and through random graphs are written and decoded again. */

#include <malloc.h>

#include "unit_trace.h"

/*--- By hand                                              ---*/

/* With little memory; and with much longer phrases than are useful. */
static const TraceEffort hasty  = { { 9, 110, 4000 }, 0, 5000, 0, 5000,
                                    100 };
static const TraceEffort greedy = { { 9, 3000, 400 }, 0, 5000, 0, 5000,
                                    1000 };

START_TEST(test_nothing)
{
   start_chance(1);
   new_graph(1);
   finish_walks();
   encode(1000, &DCFG_(trace_effort));
   judge(1000);
   delete_walks();

   /* Threads that have not begun, and one that has. */
   new_graph(2);
   new_walk();
   Walk* w = new_walk();
   new_walk();
   step(w, NodeStart, NodeFirstBlock + 1);
   step(w, NodeFirstBlock + 1, NodeEnd);
   finish_walks();
   for (ULong chunk = 1; chunk < 4; chunk++) {
      encode(chunk, &DCFG_(trace_effort));
      judge(chunk);
   }
   delete_walks();
}
END_TEST

/* A loop and the code behind it: only the loop's ends need code words, and not
   even these if the loop always ends alike. */
static void walk_loops(Walk* w, UInt times)
{
   UInt at = NodeStart;

   for (UInt i = 0; i < times; i++) {
      for (UInt k = 0; k < 7; k++) {
         step(w, at, NodeFirstBlock);
         step(w, NodeFirstBlock, NodeFirstBlock + 1);
         at = NodeFirstBlock + 1;
      }
      for (UInt b = 2; b < 9; b++) {
         step(w, at, NodeFirstBlock + b);
         at = NodeFirstBlock + b;
      }
   }
   step(w, at, NodeEnd);
}

START_TEST(test_loops)
{
   start_chance(1);
   new_graph(9);
   walk_loops(new_walk(), 3000);
   finish_walks();
   encode(1000000, &DCFG_(trace_effort));
   judge(1000000);
   ck_assert_uint_lt(text_len, 1000);
   ck_assert_uint_ge(longest_row, 2 * 7);
   delete_walks();

   /* Chunk borders at every edge of the loop, which has 21. */
   new_graph(9);
   walk_loops(new_walk(), 300);
   finish_walks();
   for (ULong chunk = 1; chunk < 150; chunk++) {
      encode(chunk, &DCFG_(trace_effort));
      judge(chunk);
   }
   delete_walks();
}
END_TEST

/* Two rows end before the long way from 1 to 15, which so gets a row of its
   own.  A third one joins at 15, where both continue alike. */
START_TEST(test_shared_tail)
{
   UInt  at = NodeStart;
   Walk* w;

   start_chance(1);
   new_graph(19);
   w = new_walk();
#  define TO(b) step(w, at, NodeFirstBlock + (b)), at = NodeFirstBlock + (b)
   TO(0);
   for (UInt i = 0, last = 17; i < 60; i++) {
      UInt way = last == 17 ? 1 + below(3) : 1 + 2 * below(2);
      TO(way);
      if (way == 1)
         for (UInt b = 4; b < 15; b++)
            TO(b);
      if (way != 3)
         TO(15);
      TO(16);
      last = way == 3 ? 18 : 17;
      TO(last);
      TO(0);
   }
#  undef TO
   step(w, at, NodeEnd);
   finish_walks();
   encode(1000000, &DCFG_(trace_effort));
   judge(1000000);
   delete_walks();
}
END_TEST

/* An edge with thousands of successors, some very rare. */
START_TEST(test_many_ways)
{
   enum { WAYS = 1500 };
   Walk* w;

   start_chance(1);
   new_graph(WAYS + 1);
   w = new_walk();
   step(w, NodeStart, NodeFirstBlock);
   for (UInt i = 0; i < 20000; i++) {
      UInt way = i < WAYS ? i : below(1 + below(WAYS));
      step(w, NodeFirstBlock, NodeFirstBlock + 1 + way);
      step(w, NodeFirstBlock + 1 + way, NodeFirstBlock);
   }
   step(w, NodeFirstBlock, NodeEnd);
   finish_walks();
   encode(1009, &DCFG_(trace_effort));
   judge(1009);
   delete_walks();
}
END_TEST

/*--- By chance                                            ---*/

/* Successors of a block, so that walks repeat themselves. */
static UInt successors[64][4];

static void random_walk(Walk* w, UInt n_blocks, UInt length)
{
   UInt at = NodeStart, loop_from = 0, loops = 0;

   for (UInt i = 0; i < length; i++) {
      UInt to = NodeFirstBlock + below(n_blocks);
      if (at != NodeStart && !chance(1))
         to = successors[at - NodeFirstBlock][chance(70) ? 0 : below(4)];
      /* From time to time, repeat the same steps exactly. */
      if (loops == 0 && chance(1) && i > 40) {
         loops     = 1 + below(100);
         loop_from = w->n - 2 * (1 + below(40));
         to        = w->edges[loop_from];
         if (to == NodeStart)
            loops = 0, to = NodeFirstBlock;
      }
      step(w, at, to);
      at = to;
      if (loops > 0) {
         UInt end = w->n - 2;
         for (UInt k = loop_from; k < end; k += 2) {
            step(w, w->edges[k], w->edges[k + 1]);
            at = w->edges[k + 1];
            i++;
         }
         loops = 0;
      }
   }
   if (at != NodeStart)
      step(w, at, NodeEnd);
}

START_TEST(test_random)
{
   static const ULong chunks[] = { 1, 2, 3, 4, 5, 7, 13, 64, 101, 997,
                                   1000000 };
   UInt long_rows = 0;

   for (ULong seed = 1; seed <= 200; seed++) {
      UInt  n_blocks, n_threads;
      ULong chunk;
      start_chance(seed);
      n_blocks  = 1 + below(chance(50) ? 6 : 60);
      n_threads = chance(80) ? 1 : 1 + below(MAX_THREADS);
      chunk     = chunks[below(sizeof(chunks) / sizeof(chunks[0]))];
      for (UInt b = 0; b < 64; b++)
         for (UInt i = 0; i < 4; i++)
            successors[b][i] = NodeFirstBlock + below(n_blocks);
      new_graph(n_blocks);
      for (UInt t = 0; t < n_threads; t++)
         random_walk(new_walk(), n_blocks,
                     below(chance(5) ? 10000 : 600));
      finish_walks();
      encode(chunk, chance(20) ? &hasty : chance(70) ? &greedy
                                   : &DCFG_(trace_effort));
      judge(chunk);
      long_rows += longest_row > 20;
      delete_walks();
   }
   ck_assert_uint_gt(long_rows, 20);
}
END_TEST

START_TEST(test_same_again)
{
   HChar* first;

   start_chance(7);
   for (UInt b = 0; b < 64; b++)
      for (UInt i = 0; i < 4; i++)
         successors[b][i] = NodeFirstBlock + below(40);
   new_graph(40);
   random_walk(new_walk(), 40, 100000);
   random_walk(new_walk(), 40, 5000);
   finish_walks();
   encode(1000, &DCFG_(trace_effort));
   first = strdup(text);
   encode(1000, &DCFG_(trace_effort));
   ck_assert_str_eq(first, text);
   free(first);
   delete_walks();
}
END_TEST

START_TEST(test_credit)
{
   static const TraceEffort some = { { 9, 150, 400 }, 300, 5000, 0, 5000, 1000 };
   static const TraceEffort none = { { 9, 90, 400 }, 300, 5000, 0, 5000, 1000 };

   ck_assert_uint_eq(DCFG_(credit_for)(&some, 0, 1000), 100);
   ck_assert_uint_eq(DCFG_(credit_for)(&some, 150000, 1000), 125);
   ck_assert_uint_eq(DCFG_(credit_for)(&some, 299999, 1000), 149);
   ck_assert_uint_eq(DCFG_(credit_for)(&some, 300000, 1000), 150);
   ck_assert_uint_eq(DCFG_(credit_for)(&some, 1ULL << 60, 0xFFFFFFFF), 150);
   ck_assert_uint_eq(DCFG_(credit_for)(&none, 10, 1000), 90);
}
END_TEST

/*--- Memory                                               ---*/

#define LONG_WALK 4000000

/* The C library knows nothing of the memory of the sanitizer's malloc. */
SizeT __sanitizer_get_current_allocated_bytes(void);

static ULong memory_before, memory_most;

static void watch_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
   ULong now = __sanitizer_get_current_allocated_bytes();
#else
   ULong now = mallinfo2().uordblks + mallinfo2().hblkhd;
#endif
   if (now > memory_before + memory_most)
      memory_most = now - memory_before;
}

/* Make decisions while they are read, in a graph with several out-edges for
   each block. */
static UInt read_long(Walk* w, UInt* ids, UInt room)
{
   UInt n = 0;

   watch_memory();
   for (; n < room && w->at < LONG_WALK; n++, w->at++) {
      UInt first = w->edges[w->n], last = w->edges[w->n + 1] - 1;
      UInt id    = first + (chance(60) ? 0 : below(last - first + 1));
      ids[n] = w->at == 0 ? w->decisions[0] : id;
      w->n   = graph->edges[ids[n] - 1].target;
   }
   return n;
}

static void start_long(void* arg)
{
   start_walk(arg);
   ((Walk*)arg)->n = NodeStart;
   start_chance(5);
}

static void append_watched(void* arg, UInt stream, const void* bytes, UInt n)
{
   watch_memory();
   append_stream(arg, stream, bytes, n);
}

static void forget(void* arg, const HChar* s, UInt n)
{
   (void)arg;
   (void)s;
   (void)n;
   watch_memory();
}

/* A walk of any length takes no more memory than promised. */
START_TEST(test_memory)
{
   enum { BLOCKS = 300 };
   UInt        first[NodeFirstBlock + BLOCKS + 1], entry = 1;
   Walk        w      = { .edges = first, .decisions = &entry,
                          .n_decisions = 1, .read = read_long };
   TraceThread thread = { 0, LONG_WALK, 0, &w, start_long, stop_walk, NULL,
                          read_on, parse_walk };
   TraceJob    job    = { 1, NULL, 1, &thread, 1000000,
                          { append_watched, read_stream, streams },
                          &DCFG_(trace_effort) };

   start_chance(3);
   new_graph(BLOCKS);
   add_edge(graph, NodeStart, NodeFirstBlock, EdgeEntry, 1);
   for (UInt b = 0; b < BLOCKS; b++)
      for (UInt n = 2 + below(5); n > 0; n--) {
         UInt to = NodeFirstBlock + below(BLOCKS);
         if (edge_of(graph, NodeFirstBlock + b, to) < 0)
            add_edge(graph, NodeFirstBlock + b, to, EdgeUnknown, 1);
      }
   for (UInt b = 0; b < BLOCKS; b++)
      if (edge_of(graph, NodeFirstBlock + b, NodeFirstBlock) < 0)
         add_edge(graph, NodeFirstBlock + b, NodeFirstBlock, EdgeUnknown, 1);
   put_in_order(graph);
   for (UInt i = 0, node = 0; node <= NodeFirstBlock + BLOCKS; node++) {
      while (i < graph->n_edges && graph->edges[i].source < node)
         i++;
      first[node] = i + 1;
   }
   job.graph = graph;
   clear_streams();
   start_text();
   out.write = forget;
   memory_most = memory_before = 0;
   watch_memory();
   memory_before = memory_most;
   memory_most   = 0;
   DCFG_(write_trace)(&out, &job);
   watch_memory();
   require(memory_most < 40 << 20, "%llu bytes", memory_most);
   ck_assert_uint_gt(streams[StreamText].size, 1000000);
   delete_walks();
}
END_TEST

int main(void)
{
   Suite* s = suite_create("trace_enc");

   add_case(s, test_nothing, test_loops, test_shared_tail, test_many_ways,
            test_random, test_same_again, test_credit, test_memory);
   return run_suite(s);
}
