/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of moving about in traces. */

/* Reading chunks one by one, going to threads and instructions, decoding in
   parallel and for long. */

#include "trace_model.h"

#include <pthread.h>

/*--- Moving about                                         ---*/

/* Return a trace of two processes.  Thread 0 of the first has three chunks,
   thread 2 has one; the second process has thread 0.  A chunk is part of the
   sample's edges 1 2 3 4 6 7 3 4 8 9, with instructions 0 2 3 1 4 4 3 1 4 1. */
static char* long_trace(void)
{
   Text t = { 0 };

   text_add(&t, "{\"MAJOR_VERSION\":1,\"MINOR_VERSION\":0,\"PROCESSES\":"
            "[[\"PROCESS_ID\",\"STRING_DICTIONARY\",\"TRANSITION_TABLE\","
            "\"THREAD_DATA\"],[4711,{},[[\"CURRENT_EDGE_ID\","
            "\"TRANSITION_CODE\",\"NEXT_EDGE_IDS\"],[1,\"\",[2]],"
            "[2,\"\",[3]],[3,\"\",[4]],[4,\"0\",[6]],[4,\"1\",[8]],"
            "[6,\"\",[7]],[7,\"\",[3]],[8,\"\",[2000000000]]],"
            "[[\"THREAD_ID\",\"TRACE_DATA\"],[0,"
            "[[\"PRECEDING_INSTR_COUNT\",\"INSTR_COUNT\",\"EDGE_COUNT\","
            "\"FIRST_EDGE_ID\",\"EDGE_ID_SEQUENCE\"],"
            "[0,6,4,1,\"\"],[6,12,4,6,\"\"],[18,5,2,8,\"\"]]],"
            "[2,[[\"PRECEDING_INSTR_COUNT\",\"INSTR_COUNT\",\"EDGE_COUNT\","
            "\"FIRST_EDGE_ID\",\"EDGE_ID_SEQUENCE\"],"
            "[100,11,6,1,\"g\"]]]]],"
            "[9,{},[[\"CURRENT_EDGE_ID\",\"TRANSITION_CODE\","
            "\"NEXT_EDGE_IDS\"],[1,\"\",[1]]],[[\"THREAD_ID\","
            "\"TRACE_DATA\"],[0,[[\"PRECEDING_INSTR_COUNT\","
            "\"INSTR_COUNT\",\"EDGE_COUNT\",\"FIRST_EDGE_ID\","
            "\"EDGE_ID_SEQUENCE\"],[0,3,3,1,\"\"]]]]]]}");
   return t.s;
}

static char*              trace_text;
static DcfgTrace*         tr;
static Dcfg*              d;
static const DcfgProcess* p;
static DcfgError          err;
static uint32_t           ids[100];

static void open_long(void)
{
   trace_text = long_trace();
   tr = dcfg_trace_open_memory(trace_text, strlen(trace_text), "long", NULL,
                               &err);
   ck_assert_ptr_nonnull(tr);
   d = must_load(sample);
   p = dcfg_process(d, 0);
}

static void close_long(void)
{
   dcfg_trace_close(tr);
   dcfg_free(d);
   free(trace_text);
}

START_TEST(chunks_in_order)
{
   static const uint64_t want[][7] = {
      /* process, thread, number, preceding, instrs, edges, first */
      { 4711, 0, 0, 0, 6, 4, 1 }, { 4711, 0, 1, 6, 12, 4, 6 },
      { 4711, 0, 2, 18, 5, 2, 8 }, { 4711, 2, 0, 100, 11, 6, 1 },
      { 9, 0, 0, 0, 3, 3, 1 }
   };
   DcfgChunk* c;
   size_t     n = 0;

   ck_assert_ptr_null(dcfg_trace_chunk_info(tr));
   while ((c = dcfg_trace_next_chunk(tr, &err)) != NULL) {
      const DcfgChunkInfo* i = dcfg_chunk_info(c);
      ck_assert_uint_lt(n, 5);
      ck_assert_uint_eq(i->process_id, want[n][0]);
      ck_assert_uint_eq(i->process, n == 4);
      ck_assert_uint_eq(i->thread, want[n][1]);
      ck_assert_uint_eq(i->number, want[n][2]);
      ck_assert_uint_eq(i->preceding_instrs, want[n][3]);
      ck_assert_uint_eq(i->instrs, want[n][4]);
      ck_assert_uint_eq(i->n_edges, want[n][5]);
      ck_assert_uint_eq(i->first_edge, want[n][6]);
      ck_assert_uint_eq(i->size, n == 3);
      ck_assert_str_eq(dcfg_chunk_text(c), n == 3 ? "g" : "");
      ck_assert_uint_lt(i->offset, strlen(trace_text));
      dcfg_chunk_free(c);
      n++;
   }
   ck_assert_uint_eq(n, 5);
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert_uint_eq(dcfg_trace_offset(tr), strlen(trace_text));
   ck_assert_ptr_null(dcfg_trace_next_chunk(tr, &err));
   dcfg_chunk_free(NULL);
   dcfg_decoder_free(NULL);
   dcfg_trace_close(NULL);
}
END_TEST

static void next_are(const char* want)
{
   Text   t = { 0 };
   size_t n;

   text_add(&t, "%s", "");
   while ((n = dcfg_trace_next(tr, ids, 3, &err)) > 0)
      for (size_t i = 0; i < n; i++)
         text_add(&t, "%" PRIu32 " ", ids[i]);
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert_str_eq(t.s, want);
   free(t.s);
}

START_TEST(select_thread)
{
   dcfg_trace_select(tr, 4711, 2);
   next_are("1 2 3 4 8 2000000000 ");
}
END_TEST

START_TEST(select_process)
{
   dcfg_trace_select(tr, 9, DCFG_ALL_THREADS);
   next_are("1 1 1 ");
}
END_TEST

START_TEST(select_later)
{
   ck_assert_uint_eq(dcfg_trace_next(tr, ids, 3, &err), 3);
   dcfg_trace_select(tr, UINT64_MAX, 0);
   next_are("4 6 7 3 4 8 2000000000 1 1 1 ");
}
END_TEST

START_TEST(select_other)
{
   ck_assert_uint_eq(dcfg_trace_next(tr, ids, 3, &err), 3);
   dcfg_trace_select(tr, UINT64_MAX, 2);
   next_are("1 2 3 4 8 2000000000 ");
   ck_assert_uint_eq(dcfg_trace_next(tr, ids, 0, &err), 0);
}
END_TEST

/* Every instruction of thread 0, by chunk. */
START_TEST(skip_to_chunk)
{
   uint64_t instr = (uint64_t)_i;

   dcfg_trace_select(tr, 4711, 0);
   if (instr < 23) {
      ck_assert(dcfg_trace_skip(tr, instr, NULL, &err));
      ck_assert_uint_eq(dcfg_trace_next(tr, ids, 100, &err),
                        instr < 18 ? 4 : 2);
      ck_assert_uint_eq(ids[0], instr < 6 ? 1 : instr < 18 ? 6 : 8);
      ck_assert_uint_eq(dcfg_trace_position(tr), UINT64_MAX);
   } else {
      ck_assert(!dcfg_trace_skip(tr, instr, NULL, &err));
      ck_assert_uint_eq(dcfg_trace_next(tr, ids, 100, &err), 0);
   }
   ck_assert_int_eq(err.status, DCFG_OK);
}
END_TEST

/* By edge: the next edge's source has the instruction. */
START_TEST(skip_to_edge)
{
   static const uint32_t edges[] = { 1, 2, 3, 4, 6, 7, 3, 4, 8, 2000000000 };
   static const uint64_t instrs[] = { 0, 2, 3, 1, 4, 4, 3, 1, 4, 1 };
   uint64_t instr = (uint64_t)_i, position = 0;
   size_t   k = 0;

   while (k < 10 && position + instrs[k] <= instr)
      position += instrs[k++];
   dcfg_trace_select(tr, 4711, 0);
   if (k == 10) {
      ck_assert(!dcfg_trace_skip(tr, instr, p, &err));
      return;
   }
   ck_assert(dcfg_trace_skip(tr, instr, p, &err));
   ck_assert_uint_eq(dcfg_trace_position(tr), position);
   for (; k < 10; k++) {
      ck_assert_uint_eq(dcfg_trace_next(tr, ids, 1, &err), 1);
      ck_assert_uint_eq(ids[0], edges[k]);
      position += instrs[k];
      ck_assert_uint_eq(dcfg_trace_position(tr), position);
   }
   ck_assert_uint_eq(dcfg_trace_next(tr, ids, 1, &err), 0);
}
END_TEST

START_TEST(skip_twice)
{
   dcfg_trace_select(tr, 4711, DCFG_ALL_THREADS);
   ck_assert(dcfg_trace_skip(tr, 1, p, &err));
   ck_assert_uint_eq(dcfg_trace_position(tr), 0);
   ck_assert_uint_eq(dcfg_trace_next(tr, ids, 1, &err), 1);
   ck_assert_uint_eq(ids[0], 2);
   ck_assert(dcfg_trace_skip(tr, 12, p, &err));
   ck_assert_uint_eq(dcfg_trace_position(tr), 10);
   /* Going back is not possible, nor is going to what the trace leaves out. */
   ck_assert(!dcfg_trace_skip(tr, 7, p, &err));
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert(!dcfg_trace_skip(tr, 50, p, &err));
   ck_assert_uint_eq(dcfg_trace_next(tr, ids, 1, &err), 1);
   ck_assert_uint_eq(dcfg_trace_chunk_info(tr)->thread, 2);
   ck_assert(dcfg_trace_skip(tr, 101, p, &err));
   /* A chunk that was found is the next chunk, too. */
   dcfg_trace_select(tr, 9, 0);
   ck_assert(dcfg_trace_skip(tr, 0, NULL, &err));
   DcfgChunk* c = dcfg_trace_next_chunk(tr, &err);
   ck_assert_uint_eq(dcfg_chunk_info(c)->process_id, 9);
   dcfg_chunk_free(c);
   ck_assert(!dcfg_trace_skip(tr, 0, NULL, NULL));
}
END_TEST

/* A gap, without decoding; the middle of a chunk, without counts. */
START_TEST(skip_in_vain)
{
   dcfg_trace_select(tr, 4711, 2);
   ck_assert(!dcfg_trace_skip(tr, 50, NULL, &err));
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert_uint_eq(dcfg_trace_next(tr, ids, 1, &err), 1);
   ck_assert(!dcfg_trace_skip(tr, 105, p, &err));
   ck_assert_int_eq(err.status, DCFG_OK);
   next_are("2 3 4 8 2000000000 ");
}
END_TEST

START_TEST(count_with)
{
   uint64_t total = 0;
   size_t   n;

   dcfg_trace_count_with(tr, p);
   dcfg_trace_select(tr, 4711, 0);
   while ((n = dcfg_trace_next(tr, ids, 3, &err)) > 0) {
      total = dcfg_trace_position(tr);
      ck_assert_uint_ge(total, dcfg_trace_chunk_info(tr)->preceding_instrs);
   }
   ck_assert_uint_eq(total, 23);
}
END_TEST

/* A trace of another program. */
START_TEST(strange_edges)
{
   char* other = one_chunk("", "[1,\"\",[77]],[77,\"\",[1]]", 5, 1, "");
   DcfgTrace* t = dcfg_trace_open_memory(other, strlen(other), "other", NULL,
                                         &err);

   ck_assert(!dcfg_trace_skip(t, 20, p, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_FORMAT);
   must_say(&err, "edge 77 is not in the DCFG");
   dcfg_trace_close(t);
   t = dcfg_trace_open_memory(other, strlen(other), "other", NULL, &err);
   dcfg_trace_count_with(t, p);
   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 0);
   must_say(&err, "edge 77 is not in the DCFG");
   dcfg_trace_close(t);
   free(other);
}
END_TEST

/*--- In parallel, and at length                           ---*/

static void* decode_all(void* arg)
{
   const DcfgChunk* c = arg;
   uint32_t         some[64];
   uint64_t         sum = 0;
   size_t           n;

   for (int i = 0; i < 20; i++) {
      DcfgDecoder* x = dcfg_decoder_new(c, NULL);
      while ((n = dcfg_decoder_next(x, some, 64, NULL)) > 0)
         for (size_t k = 0; k < n; k++)
            sum += some[k];
      dcfg_decoder_free(x);
   }
   return (void*)(uintptr_t)sum;
}

START_TEST(in_parallel)
{
   char*      text = one_chunk(SPEC_DICTIONARY, BITS, 30001, 1,
                               "(50*<b>)");
   DcfgTrace* t = dcfg_trace_open_memory(text, strlen(text), "test", NULL,
                                         &err);
   DcfgChunk* c = dcfg_trace_next_chunk(t, &err);
   pthread_t  threads[4];
   void*      sums[4];

   ck_assert_ptr_nonnull(c);
   /* A chunk does not need its trace. */
   dcfg_trace_close(t);
   free(text);
   for (int i = 0; i < 4; i++)
      pthread_create(&threads[i], NULL, decode_all, c);
   for (int i = 0; i < 4; i++)
      pthread_join(threads[i], &sums[i]);
   ck_assert_ptr_eq(sums[0], decode_all(c));
   for (int i = 1; i < 4; i++)
      ck_assert_ptr_eq(sums[0], sums[i]);
   dcfg_chunk_free(c);
}
END_TEST

START_TEST(used_all)
{
   static const char* const sequences[] = { "g", "gA", "(1*g)", "g(0*A)",
                                            "(2*g)" };
   static const bool want[] = { true, false, true, true, false };
   char*        text = one_chunk("", BITS, 6, 1, sequences[_i]);
   DcfgTrace*   t = dcfg_trace_open_memory(text, strlen(text), "test", NULL,
                                           &err);
   DcfgChunk*   c = dcfg_trace_next_chunk(t, &err);
   DcfgDecoder* x = dcfg_decoder_new(c, &err);

   ck_assert(!dcfg_decoder_used_all(x));
   ck_assert_uint_eq(dcfg_decoder_next(x, ids, 3, &err), 3);
   ck_assert(!dcfg_decoder_used_all(x));
   ck_assert_uint_eq(dcfg_decoder_next(x, ids, 100, &err), 3);
   ck_assert_int_eq(dcfg_decoder_used_all(x), want[_i]);
   ck_assert_uint_eq(dcfg_decoder_next(x, ids, 100, &err), 0);
   ck_assert_int_eq(err.status, DCFG_OK);
   dcfg_decoder_free(x);
   dcfg_chunk_free(c);
   dcfg_trace_close(t);
   free(text);
}
END_TEST

START_TEST(used_nothing)
{
   char*        text = one_chunk("", BITS, 1, 1, _i ? "A" : "");
   DcfgTrace*   t = dcfg_trace_open_memory(text, strlen(text), "test", NULL,
                                           &err);
   DcfgChunk*   c = dcfg_trace_next_chunk(t, &err);
   DcfgDecoder* x = dcfg_decoder_new(c, &err);

   ck_assert_uint_eq(dcfg_decoder_next(x, ids, 100, &err), 1);
   ck_assert_int_eq(dcfg_decoder_used_all(x), _i == 0);
   dcfg_decoder_free(x);
   dcfg_chunk_free(c);
   dcfg_trace_close(t);
   free(text);
}
END_TEST

/* About 20 MB of chunks in 2 MB of memory. */
START_TEST(bounded_memory)
{
   Text        text = { 0 };
   char        body[10001];
   DcfgOptions options = { .max_memory = 2 << 20 };
   DcfgTrace*  t;
   uint64_t    edges = 0;
   size_t      n;
   char*       one = one_chunk("", BITS, 1, 1, "");
   char*       start = replaced(one, "[0,1000,", "[0,0,");

   memset(body, 'x', 10000);
   body[10000] = 0;
   text_add(&text, "%.*s", (int)strlen(start) - 7, start);
   for (int i = 0; i < 2000; i++)
      text_add(&text, "],[%d,1,60001,1,\"%s\"", i, body);
   text_add(&text, "]]]]]]}");
   t = dcfg_trace_open_memory(text.s, text.n, "test", &options, &err);
   ck_assert_ptr_nonnull(t);
   /* Every fourth chunk only: skipped chunks take no memory, either. */
   for (uint64_t i = 0; dcfg_trace_skip(t, i, NULL, &err); i += 4)
      while ((n = dcfg_trace_next(t, ids, 100, &err)) == 100)
         edges += n;
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert_uint_eq(edges, 500 * 60000);
   dcfg_trace_close(t);
   free(text.s);
   free(one);
   free(start);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: moving about in traces");

   TCase* c = add_case(s, chunks_in_order, select_thread, select_process,
                       select_later, select_other, skip_twice, skip_in_vain,
                       count_with, strange_edges);
   tcase_add_checked_fixture(c, open_long, close_long);
   tcase_add_loop_test(c, skip_to_chunk, 0, 25);
   tcase_add_loop_test(c, skip_to_edge, 0, 25);
   c = add_case(s, in_parallel, bounded_memory);
   tcase_add_loop_test(c, used_all, 0, 5);
   tcase_add_loop_test(c, used_nothing, 0, 2);
   return run_suite(s);
}
