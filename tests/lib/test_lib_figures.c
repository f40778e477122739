/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of derived figures. */

/* The sample's counts are small enough to follow by hand: thread 0 goes 4 5 6 7
   7 ..., and calls 6 from block 5 each time. */

#include "lib_common.h"

static Dcfg*              d;
static const DcfgProcess* p;

static void load_sample(void)
{
   d = must_load(sample);
   p = dcfg_process(d, 0);
}

static void free_sample(void)
{
   dcfg_free(d);
}

#define ALL DCFG_ALL_THREADS

START_TEST(edge_counts)
{
   ck_assert_uint_eq(dcfg_edge_count(p, 2, 0), 5);
   ck_assert_uint_eq(dcfg_edge_count(p, 2, 1), 0);
   ck_assert_uint_eq(dcfg_edge_count(p, 2, 2), 1);
   ck_assert_uint_eq(dcfg_edge_count(p, 2, 3), 0);
   ck_assert_uint_eq(dcfg_edge_count(p, 2, ALL), 6);
   /* A list shorter than the number of threads. */
   ck_assert_uint_eq(dcfg_edge_count(p, 6, 0), 4);
   ck_assert_uint_eq(dcfg_edge_count(p, 6, 1), 0);
   ck_assert_uint_eq(dcfg_edge_count(p, 9, 0), 0);
   ck_assert_uint_eq(dcfg_edge_count(p, DCFG_NONE, ALL), 0);
}
END_TEST

START_TEST(blocks)
{
   uint32_t n7 = node(p, 7), n8 = node(p, 8), start = node(p, 1);

   ck_assert_uint_eq(dcfg_node_inflow(p, n7, 0), 12);
   ck_assert_uint_eq(dcfg_node_outflow(p, n7, 0), 12);
   ck_assert_uint_eq(dcfg_node_executions(p, n7, 2), 1);
   ck_assert_uint_eq(dcfg_node_executions(p, n7, ALL), 13);
   ck_assert_uint_eq(dcfg_node_instrs(p, n7, 0), 48);
   ck_assert_uint_eq(dcfg_node_instrs(p, n7, ALL), 52);
   /* Without COUNT, the edges give it. */
   ck_assert_uint_eq(dcfg_node_executions(p, n8, ALL), 2);
   ck_assert_uint_eq(dcfg_node_executions(p, start, ALL), 2);
   ck_assert_uint_eq(dcfg_node_executions(p, node(p, 2), 0), 1);
   ck_assert_uint_eq(dcfg_node_executions(p, DCFG_NONE, 0), 0);
   ck_assert_uint_eq(dcfg_node_instrs(p, DCFG_NONE, 0), 0);
}
END_TEST

/* COUNT is for all threads, even if the edges disagree. */
START_TEST(count_column)
{
   char* a = replaced(sample, "4, 6, 13 ]", "4, 6, 99 ]");
   Dcfg* e = must_load(a);
   const DcfgProcess* q = dcfg_process(e, 0);

   ck_assert_uint_eq(dcfg_node_executions(q, node(q, 7), ALL), 99);
   ck_assert_uint_eq(dcfg_node_inflow(q, node(q, 7), ALL), 13);
   ck_assert_uint_eq(dcfg_node_executions(q, node(q, 7), 0), 12);
   dcfg_free(e);
   free(a);
}
END_TEST

START_TEST(routines)
{
   /* 4: 2 * 2, 5: 6 * 3, 7: 13 * 4, 8: 2 */
   ck_assert_uint_eq(dcfg_routine_instrs(p, 0, ALL), 4 + 18 + 52 + 2);
   ck_assert_uint_eq(dcfg_routine_instrs(p, 0, 0), 2 + 15 + 48 + 1);
   ck_assert_uint_eq(dcfg_routine_instrs(p, 2, ALL), 0);
   ck_assert_uint_eq(dcfg_routine_calls(p, 1, ALL), 6);
   ck_assert_uint_eq(dcfg_routine_calls(p, 1, 0), 5);
   ck_assert_uint_eq(dcfg_routine_entries(p, 1, 0), 5);
   /* A thread's first block is an entry, but no call. */
   ck_assert_uint_eq(dcfg_routine_calls(p, 0, ALL), 0);
   ck_assert_uint_eq(dcfg_routine_entries(p, 0, ALL), 2);
   ck_assert_uint_eq(dcfg_routine_calls(p, DCFG_NONE, ALL), 0);
   ck_assert_uint_eq(dcfg_process_instrs(p, ALL), 130);
   ck_assert_uint_eq(dcfg_process_instrs(p, 2), 30);
   ck_assert_uint_eq(dcfg_process_instrs(p, 3), 0);
}
END_TEST

/* A branch to the entry from within is no entry.  One from elsewhere is: a tail
   call. */
START_TEST(tail_calls)
{
   char* a = replaced(sample, "[ 7, 7, 5, 13, [ 4 ] ]",
                      "[ 7, 7, 5, 13, [ 4 ] ], [ 50, 8, 6, 13, [ 3 ] ],"
                      " [ 51, 6, 6, 18, [ 9 ] ], [ 52, 8, 6, 6, [ 20 ] ],"
                      " [ 53, 8, 6, 7, [ 30 ] ], [ 54, 6, 6, 4, [ 2 ] ]");
   char* inner;
   Dcfg* e = must_load(a);

   ck_assert_uint_eq(dcfg_routine_calls(dcfg_process(e, 0), 1, 0), 10);
   ck_assert_uint_eq(dcfg_routine_entries(dcfg_process(e, 0), 1, 0), 10);
   dcfg_free(e);
   /* A jump within a function is no call; a jump to code without a symbol
      is. */
   inner = replaced(a, "[ \"f\", \"0x40\", 4 ]", "[ \"f\", \"0x3c\", 8 ]");
   e = must_load(inner);
   ck_assert_uint_eq(dcfg_routine_calls(dcfg_process(e, 0), 1, 0), 7);
   ck_assert_uint_eq(dcfg_routine_entries(dcfg_process(e, 0), 1, 0), 10);
   dcfg_free(e);
   free(inner);
   inner = replaced(a, "[ \"f\", \"0x40\", 4 ]", "[ \"f\", \"0x80\", 8 ]");
   e = must_load(inner);
   ck_assert_uint_eq(dcfg_routine_calls(dcfg_process(e, 0), 1, 0), 10);
   dcfg_free(e);
   free(inner);
   free(a);
}
END_TEST

START_TEST(loops)
{
   uint32_t inner = 0, outer = 1;

   ck_assert_uint_eq(dcfg_loop_iterations(p, outer, 0), 5);
   ck_assert_uint_eq(dcfg_loop_iterations(p, outer, ALL), 6);
   ck_assert_uint_eq(dcfg_loop_entries(p, outer, 0), 1);
   ck_assert_uint_eq(dcfg_loop_entries(p, outer, ALL), 2);
   ck_assert_uint_eq(dcfg_loop_instrs(p, outer, 0), 15 + 48);
   ck_assert_uint_eq(dcfg_loop_instrs(p, inner, 0), 48);
   ck_assert_uint_eq(dcfg_loop_iterations(p, inner, 0), 12);
   /* The return to 7 comes from a call in 5, which is not in the loop of 7. */
   ck_assert_uint_eq(dcfg_loop_entries(p, inner, 0), 5);
   ck_assert_uint_eq(dcfg_loop_entries(p, inner, ALL), 6);
   ck_assert_uint_eq(dcfg_loop_entries(p, 2, 0), 0);
   ck_assert_uint_eq(dcfg_loop_iterations(p, 2, 0), 0);
}
END_TEST

/* The same graph, but 5 belongs to the inner loop.  Then the call that returns
   to its head is made within, and nothing enters the loop from outside. */
START_TEST(return_to_head)
{
   char* a = replaced(sample, "[ 7, [ 7 ], [ 7 ], 5 ]",
                      "[ 7, [ 5, 7 ], [ 5, 7 ], 0 ]");
   Dcfg* e = must_load(a);

   ck_assert_uint_eq(dcfg_loop_entries(dcfg_process(e, 0), 0, 0), 0);
   ck_assert_uint_eq(dcfg_loop_entries(dcfg_process(e, 0), 0, ALL), 0);
   dcfg_free(e);
   free(a);
}
END_TEST

/* Sums that do not fit stay at the largest number. */
START_TEST(huge_counts)
{
   char* a = replaced(sample, "[ 6, 7, 7, 13, [ 7, 0, 0 ] ]",
                      "[ 6, 7, 7, 13, [ 18446744073709551615, "
                      "\"0xffffffffffffffff\", 2 ] ]");
   Dcfg* e = must_load(a);
   const DcfgProcess* q = dcfg_process(e, 0);

   ck_assert(dcfg_edge_count(q, 5, 1) == UINT64_MAX);
   ck_assert(dcfg_edge_count(q, 5, ALL) == UINT64_MAX);
   ck_assert(dcfg_node_inflow(q, node(q, 7), 0) == UINT64_MAX);
   ck_assert(dcfg_node_instrs(q, node(q, 7), 1) == UINT64_MAX);
   ck_assert(dcfg_routine_instrs(q, 0, 0) == UINT64_MAX);
   ck_assert(dcfg_loop_instrs(q, 0, 0) == UINT64_MAX);
   dcfg_free(e);
   free(a);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: figures");

   TCase* c = add_case(s, edge_counts, blocks, count_column, routines,
                       tail_calls, loops, return_to_head, huge_counts);
   tcase_add_checked_fixture(c, load_sample, free_sample);
   return run_suite(s);
}
