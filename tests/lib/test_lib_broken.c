/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of reading broken traces. */

/* Errors of a trace are reported with their places, and the readable parts are
   read. */

#include "trace_model.h"

static void fails(char* trace, DcfgStatus status, const char* want)
{
   DcfgError  err;
   DcfgTrace* t = dcfg_trace_open_memory(trace, strlen(trace), "test", NULL,
                                         &err);
   uint32_t   ids[1000];
   size_t     n = 1;

   ck_assert_ptr_nonnull(t);
   while (n > 0)
      n = dcfg_trace_next(t, ids, 1000, &err);
   ck_assert_msg(err.status == status, "status %d, for %s", err.status,
                 want);
   must_say(&err, want);
   dcfg_trace_close(t);
   free(trace);
}

static void sequence_fails(const char* sequence, const char* want)
{
   fails(one_chunk("\"a\":\"x\"", BITS, 99, 1, sequence),
         DCFG_ERROR_FORMAT, want);
}

START_TEST(broken_sequences)
{
   char deep[6000];

   sequence_fails("AB!", "TRACE_DATA[0]|character 3: a character that no");
   sequence_fails("A/", "a character that no");
   sequence_fails("A B", "a character that no");
   sequence_fails("A*B", "a character that no");
   sequence_fails("A>B", "a character that no");
   sequence_fails("(AB)", "'(' without a count");
   sequence_fails("(12AB)", "a count without '*'");
   sequence_fails("(12", "a count without '*'");
   sequence_fails("(", "'(' without a count");
   sequence_fails("(2*A", "'(' without ')'");
   sequence_fails("A)", "')' without '('");
   sequence_fails("<a", "'<' without '>'");
   sequence_fails("<b>", "a key that is not in the dictionary");
   sequence_fails("<>", "a key that is not in the dictionary");
   sequence_fails("<A>", "a key that is not in the dictionary");
   deep[0] = 0;
   for (int i = 0; i < 501; i++)
      strcat(deep, "(2*");
   strcat(deep, "A");
   for (int i = 0; i < 501; i++)
      strcat(deep, ")");
   sequence_fails(deep, "nested too deep");
   /* One level less is allowed. */
   deep[strlen(deep) - 1] = 0;
   are_edges("", BITS, 8, 1, deep + 3, "1 1 1 1 1 1 1 1");
}
END_TEST

static void dictionary_fails(const char* dictionary, const char* want)
{
   fails(one_chunk(dictionary, BITS, 1, 1, ""), DCFG_ERROR_FORMAT, want);
}

START_TEST(broken_dictionary)
{
   Text deep = { 0 };

   dictionary_fails("\"a\":\"<a>\"", "entry \"a\"|refers to itself");
   dictionary_fails("\"a\":\"x<b>\",\"b\":\"(2*<c>)\",\"c\":\"<a>\"",
                    "refers to itself");
   dictionary_fails("\"a\":\"<b>\"", "entry \"a\"|not in the dictionary");
   dictionary_fails("\"a\":\"(2*\"", "entry \"a\"|'(' without ')'");
   dictionary_fails("\"a\":\"x\",\"a\":\"y\"", "\"a\" is there twice");
   dictionary_fails("\"a b\":\"x\"", "\"a b\"|other characters");
   dictionary_fails("\"a.b\":\"x\"", "other characters");
   dictionary_fails("\"a\":7", "STRING_DICTIONARY|a string|a number");
   dictionary_fails("\"a\":[7]", "STRING_DICTIONARY|a string|an array");
   text_add(&deep, "\"0\":\"x\"");
   for (int i = 1; i < 600; i++)
      text_add(&deep, ",\"%d\":\"<%d>x\"", i, i - 1);
   dictionary_fails(deep.s, "nested too deep");
   free(deep.s);
}
END_TEST

static void rows_fail(const char* rows, const char* want)
{
   fails(one_chunk("", rows, 1, 1, ""), DCFG_ERROR_FORMAT, want);
}

START_TEST(broken_table)
{
   rows_fail("[1,\"0\",[1]],[1,\"0\",[2]]", "edge 1|begins with");
   rows_fail("[1,\"1\",[1]],[1,\"10\",[2]]", "edge 1|begins with");
   rows_fail("[1,\"1\",[1]],[1,\"11\",[2]]", "edge 1|begins with");
   rows_fail("[1,\"\",[1]],[1,\"11\",[2]]", "edge 1|begins with");
   rows_fail("[7,\"0110\",[1]],[7,\"011\",[2]],[7,\"00\",[2]]",
             "edge 7|begins with");
   rows_fail("[1,\"02\",[1]]", "TRANSITION_TABLE[0]|0 and 1");
   rows_fail("[1,\"000000000000000000000000000000000\",[1]]", "32 bits");
   rows_fail("[1,\"0\",[]]", "no edge follows");
   rows_fail("[0,\"0\",[1]]", "CURRENT_EDGE_ID|out of range");
   rows_fail("[1,\"0\",[1,0]]", "NEXT_EDGE_IDS[1]|out of range");
   rows_fail("[1,\"0\",[2147483648]]", "NEXT_EDGE_IDS[0]|out of range");
   rows_fail("[1,0,[1]]", "TRANSITION_CODE|a string|a number");
   rows_fail("[1,\"0\"]", "NEXT_EDGE_IDS|missing");
}
END_TEST

static void change_fails(const char* from, const char* to, DcfgStatus status,
                         const char* want)
{
   char* a = one_chunk("", BITS, 1, 1, "");
   char* b = replaced(a, from, to);

   free(a);
   fails(b, status, want);
}

/* A trace in place of a DCFG is reported as such, and the reverse.  A column of
   the other kind beside the file's own does not matter. */
START_TEST(other_kind)
{
   char* trace = one_chunk("", BITS, 1, 1, "");
   char* both = replaced(sample, "\"PROCESS_DATA\" ]",
                         "\"PROCESS_DATA\", \"THREAD_DATA\" ]");

   must_not_load(trace, DCFG_ERROR_KIND,
                 "PROCESSES|this is a DCFG-trace, not a DCFG");
   ck_assert_str_eq(problems_of(both), "column ");
   dcfg_free(must_load(both));
   free(trace);
   free(both);
   fails(strdup(sample), DCFG_ERROR_KIND,
         "PROCESSES|this is a DCFG, not a DCFG-trace");
}
END_TEST

START_TEST(broken_traces)
{
   change_fails("\"MAJOR_VERSION\":1", "\"MAJOR_VERSION\":2",
                DCFG_ERROR_FORMAT, "MAJOR_VERSION");
   change_fails("\"MAJOR_VERSION\":1,", "", DCFG_ERROR_FORMAT,
                "MAJOR_VERSION|missing");
   change_fails("\"PROCESSES\"", "\"X\"", DCFG_ERROR_FORMAT,
                "PROCESSES|missing");
   change_fails("[0,1000,1,1,", "[0,1000,1,0,", DCFG_ERROR_FORMAT,
                "FIRST_EDGE_ID|out of range");
   change_fails("[0,1000,1,1,", "[0,-1000,1,1,", DCFG_ERROR_FORMAT,
                "PROCESSES[0].THREAD_DATA[0].TRACE_DATA[0].INSTR_COUNT");
   change_fails("[0,1000,1,1,", "[0,1000,1,", DCFG_ERROR_FORMAT,
                "FIRST_EDGE_ID");
   change_fails("\"THREAD_ID\",\"TRACE_DATA\"],[0,",
                "\"THREAD_ID\",\"TRACE_DATA\"],[4294967295,",
                DCFG_ERROR_FORMAT, "THREAD_ID|out of range");
   change_fails("\"EDGE_COUNT\"", "\"EDGES\"", DCFG_ERROR_FORMAT,
                "no column EDGE_COUNT");
   /* Reading in one pass needs the order of the specification. */
   change_fails("\"THREAD_ID\",\"TRACE_DATA\"],[0,",
                "\"X\",\"TRACE_DATA\"],[0,", DCFG_ERROR_FORMAT,
                "no column THREAD_ID");
   fails(strdup("{\"MAJOR_VERSION\":1,\"PROCESSES\":[[\"THREAD_DATA\","
                "\"TRANSITION_TABLE\"],[[[\"THREAD_ID\",\"TRACE_DATA\"],"
                "[0,[[\"PRECEDING_INSTR_COUNT\",\"INSTR_COUNT\","
                "\"EDGE_COUNT\",\"FIRST_EDGE_ID\",\"EDGE_ID_SEQUENCE\"]]]],"
                "[[\"CURRENT_EDGE_ID\",\"TRANSITION_CODE\","
                "\"NEXT_EDGE_IDS\"],[1,\"\",[1]]]]]}"), DCFG_ERROR_FORMAT,
         "TRANSITION_TABLE must come before");
   fails(strdup("{\"MAJOR_VERSION\":1,\"PROCESSES\":[[\"THREAD_DATA\"],"
                "[[[\"TRACE_DATA\",\"THREAD_ID\"],"
                "[[[\"PRECEDING_INSTR_COUNT\",\"INSTR_COUNT\","
                "\"EDGE_COUNT\",\"FIRST_EDGE_ID\",\"EDGE_ID_SEQUENCE\"],"
                "[0,1,1,1,\"\"]],0]]]]}"), DCFG_ERROR_FORMAT,
         "THREAD_ID must come before");
   change_fails("}", "", DCFG_ERROR_JSON, "not JSON");
}
END_TEST

START_TEST(truncated)
{
   char* trace = one_chunk(SPEC_DICTIONARY, BITS, 100, 1, "(9*<a>)");

   for (size_t n = 0; n < strlen(trace); n++) {
      char*      part = malloc(n + 1);
      DcfgError  err;
      DcfgTrace* t;
      uint32_t   ids[200];
      size_t     total = 0, got;
      memcpy(part, trace, n);
      t = dcfg_trace_open_memory(part, n, "test", NULL, &err);
      ck_assert_ptr_nonnull(t);
      while ((got = dcfg_trace_next(t, ids, 200, &err)) > 0)
         total += got;
      ck_assert_int_eq(err.status, DCFG_ERROR_JSON);
      ck_assert_uint_eq(err.offset, n);
      /* Complete chunks can be read. */
      ck_assert_uint_eq(total, n >= strlen(trace) - 6 ? 100 : 0);
      ck_assert_uint_eq(dcfg_trace_next(t, ids, 200, &err), 0);
      ck_assert_int_eq(err.status, DCFG_ERROR_JSON);
      dcfg_trace_close(t);
      free(part);
   }
   free(trace);
}
END_TEST

/* After a broken chunk, the next one can be read. */
START_TEST(goes_on)
{
   char* a = one_chunk("", BITS, 7, 1, "A!");
   char* b = replaced(a, "\"A!\"]", "\"A!\"],[9,1,7,2,\"B\"],[9,1,99,2,\"B\"]"
                      ",[9,1,2,2,\"-\"]");
   DcfgError  err;
   DcfgTrace* t = dcfg_trace_open_memory(b, strlen(b), "test", NULL, &err);
   uint32_t   ids[100];

   ck_assert_ptr_nonnull(t);
   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 0);
   ck_assert_int_eq(err.status, DCFG_ERROR_FORMAT);
   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 7);
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 7);
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 0);
   ck_assert_int_eq(err.status, DCFG_ERROR_FORMAT);
   must_say(&err, "TRACE_DATA[2]|after 7 edges");
   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 2);
   ck_assert_uint_eq(dcfg_trace_chunk_info(t)->number, 3);
   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 0);
   ck_assert_int_eq(err.status, DCFG_OK);
   dcfg_trace_close(t);
   free(a);
   free(b);
}
END_TEST

/* Rows that cannot be used are reported and left out, and the others are
   read. */
static Text told;

static void tell(void* arg, const DcfgProblem* problem)
{
   (void)arg;
   text_add(&told, "%s ", problem->rule);
}

START_TEST(problems)
{
   char* a = one_chunk("\"a\":\"<a>\",\"b\":\"B\",\"b\":\"C\"",
                       BITS ",[2,\"10\",[5]],[3,\"x\",[1]],[4,\"\",[0]]", 7,
                       1, "<b>");
   char* trace = replaced(a, "[0,1000", "[0,1000,1,0,\"A\"],[0,1000");
   DcfgOptions options = { .problem = tell };
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open_memory(trace, strlen(trace), "test",
                                          &options, &err);
   uint32_t    ids[100];

   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 7);
   ck_assert_uint_eq(ids[6], 2);
   ck_assert_uint_eq(dcfg_trace_next(t, ids, 100, &err), 0);
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert_str_eq(told.s, "duplicate-key transition number transition "
                    "dictionary number ");
   dcfg_trace_close(t);
   free(a);
   free(trace);
}
END_TEST

START_TEST(trace_file)
{
   DcfgError err;

   ck_assert_ptr_null(dcfg_trace_open("/nonexistent/trace", NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_FILE);
   ck_assert_ptr_null(dcfg_trace_open(NULL, NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_ARGUMENT);
   /* The sample is a DCFG, not a trace. */
   DcfgTrace* t = dcfg_trace_open_memory(sample, strlen(sample), "sample",
                                         NULL, &err);
   ck_assert_ptr_null(dcfg_trace_next_chunk(t, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_KIND);
   dcfg_trace_close(t);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: broken traces");

   add_case(s, broken_sequences, broken_dictionary, broken_table,
            other_kind, broken_traces, truncated, goes_on, problems,
            trace_file);
   return run_suite(s);
}
