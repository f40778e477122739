/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of loading what is broken. */

/* Each error of a file is reported with its place, and does no harm: sanitizers
   watch. */

#include "lib_common.h"



/*--- Not JSON, not a DCFG                                 ---*/

START_TEST(truncated)
{
   /* The file cut off before each byte but the last line feed. */
   for (size_t n = 0; n < strlen(sample) - 1; n++) {
      char* text = malloc(n + 1);
      DcfgError err;
      memcpy(text, sample, n);
      ck_assert_ptr_null(dcfg_load_memory(text, n, "test", NULL, &err));
      ck_assert_int_eq(err.status, DCFG_ERROR_JSON);
      ck_assert_uint_eq(err.offset, n);
      must_say(&err, "test: |not JSON");
      /* Within an escape, the parser has other words for it. */
      if (text[n > 0 ? n - 1 : 0] == ' ')
         must_say(&err, "too early");
      free(text);
   }
}
END_TEST

/* Every byte replaced by some others: any result will do, without harm. */
START_TEST(changed)
{
   static const char others[] = "\"[]{},:0-\\ \x80\xff\x01" "9";
   char* text = strdup(sample);
   char  c = others[_i];

   for (size_t i = 0; i < strlen(sample); i++) {
      DcfgError err;
      Dcfg*     d;
      text[i] = c;
      d = dcfg_load_memory(text, strlen(sample), "test", NULL, &err);
      ck_assert_int_eq(d == NULL, err.status != DCFG_OK);
      dcfg_free(d);
      text[i] = sample[i];
   }
   free(text);
}
END_TEST

START_TEST(no_dcfg)
{
   DcfgError err;

   must_not_load("", DCFG_ERROR_JSON, "too early");
   ck_assert_ptr_null(dcfg_load_memory(NULL, 0, "test", NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_JSON);
   must_say(&err, "too early");
   must_not_load("hello", DCFG_ERROR_JSON, "not JSON");
   must_not_load("[ 1 ]", DCFG_ERROR_FORMAT, "an object|an array");
   must_not_load("7", DCFG_ERROR_FORMAT, "an object|a number");
   must_not_load("null", DCFG_ERROR_FORMAT, "an object|null");
   must_not_load("\"x\"", DCFG_ERROR_FORMAT, "an object|a string");
   must_not_load("{}", DCFG_ERROR_FORMAT, "MAJOR_VERSION|missing");
   must_not_load("{\"MAJOR_VERSION\":1}", DCFG_ERROR_FORMAT,
                 "PROCESSES|missing");
   /* The version is checked before anything else. */
   must_not_load("{\"MAJOR_VERSION\":2,\"PROCESSES\":7}",
                 DCFG_ERROR_FORMAT, "MAJOR_VERSION: format 2.xx|reads 1");
   must_not_load("{\"MAJOR_VERSION\":2,\"MINOR_VERSION\":3,\"PROCESSES\":"
                 "[[\"PROCESS_ID\",\"PROCESS_DATA\"]]}",
                 DCFG_ERROR_FORMAT, "format 2.xx|reads 1");
   must_not_load("{\"MAJOR_VERSION\":1,\"PROCESSES\":[[\"PROCESS_ID\","
                 "\"PROCESS_DATA\"]]} x", DCFG_ERROR_JSON, "not JSON");
   must_not_load("{\"MAJOR_VERSION\":1,\"PROCESSES\":[]}",
                 DCFG_ERROR_FORMAT, "PROCESSES|header");
}
END_TEST

START_TEST(deep)
{
   size_t n = 1000000;
   char*  text = malloc(n + 200);
   int    k = sprintf(text, "{\"MAJOR_VERSION\":1,\"NEW\":");

   memset(text + k, '[', n);
   text[(size_t)k + n] = 0;
   must_not_load(text, DCFG_ERROR_LIMIT, "nested too deep");
   /* A depth that can still be skipped. */
   memset(text + k + 40, ']', 40);
   strcpy(text + k + 80, ",\"PROCESSES\":[[\"PROCESS_ID\","
                         "\"PROCESS_DATA\"]]}");
   dcfg_free(must_load(text));
   free(text);
}
END_TEST

/*--- Wrong values                                         ---*/

START_TEST(wrong_types)
{
   must_break("\"MAJOR_VERSION\" : 1", "\"MAJOR_VERSION\" : true",
              DCFG_ERROR_FORMAT, "MAJOR_VERSION|an integer|true");
   must_break("[ 1, \"/bin/prog\" ]", "[ 1, 2 ]", DCFG_ERROR_FORMAT,
              "FILE_NAMES[0].FILE_NAME:|a string|a number");
   must_break("[ 3, \"prog.c\" ]", "{ \"a\" : 3 }", DCFG_ERROR_FORMAT,
              "FILE_NAMES[1]|a row|an object");
   must_break("[ 3, \"prog.c\" ]", "[ null, \"prog.c\" ]",
              DCFG_ERROR_FORMAT, "FILE_NAMES[1].FILE_NAME_ID|null");
   must_break("[ \"FILE_NAME_ID\", \"FILE_NAME\" ]", "[ 1, \"FILE_NAME\" ]",
              DCFG_ERROR_FORMAT, "FILE_NAMES[header]|a string|a number");
   must_break("\"SPECIAL_NODES\" : [", "\"SPECIAL_NODES\" : 7, \"X\" : [",
              DCFG_ERROR_FORMAT, "SPECIAL_NODES|a table|a number");
   must_break("[ 5, 0, 1 ]", "5", DCFG_ERROR_FORMAT,
              "PROCESSES[0].EDGES[2].COUNT_PER_THREAD|array of integers");
   must_break("[ 5, 0, 1 ]", "[ 5, [ 0 ], 1 ]", DCFG_ERROR_FORMAT,
              "EDGES[2].COUNT_PER_THREAD[1]|an integer|an array");
   must_break("[ 5, 0, 1 ]", "[ 5, null, 1 ]", DCFG_ERROR_FORMAT,
              "COUNT_PER_THREAD[1]|an integer|null");
   must_break("{ \"FILE_NAME_ID\" : 1,", "[ 1 ], { \"FILE_NAME_ID\" : 1,",
              DCFG_ERROR_FORMAT, "IMAGES[0].IMAGE_DATA|an object|an array");
   must_break("[ 7, [ 7 ], [ 7 ], 5 ]", "[ 7, [ 7 ], 7, 5 ]",
              DCFG_ERROR_FORMAT, "PROCESSES[0].IMAGES[0].ROUTINES[0]"
              ".LOOPS[0].LOOP_NODE_IDS");
}
END_TEST

START_TEST(wrong_numbers)
{
   static const char* const bad[] = {
      "-1", "0", "2147483648", "1.5", "1e3", "18446744073709551616",
      "18446744073709551619", "\"0x10000000000000003\"",
      "99999999999999999999999999", "\"0x\"", "\"0xg\"", "\"\"", "\"-1\"",
      "\"0x80000000\"", "\"09\"", "\"1 \"", "\"0x10000000000000000\""
   };

   for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
      char row[100];
      snprintf(row, sizeof(row), "[ %s, \"prog.c\" ]", bad[i]);
      must_break("[ 3, \"prog.c\" ]", row, DCFG_ERROR_FORMAT,
                 "FILE_NAMES[1].FILE_NAME_ID");
   }
   must_break("\"0x14\", 4, 3,", "\"0x14\", 4294967296, 3,",
              DCFG_ERROR_FORMAT, "BASIC_BLOCKS[1].SIZE|out of range");
   must_break("\"0x14\", 4, 3, 3, 6",
              "\"0x14\", 4, 3, 3, 18446744073709551615",
              DCFG_ERROR_FORMAT, "BASIC_BLOCKS[1].COUNT|out of range");
   must_break("[ 5, 0, 1 ]", "[ 5, -1, 1 ]", DCFG_ERROR_FORMAT,
              "COUNT_PER_THREAD[1]|-1");
   must_break("[ 7, [ 7 ], [ 7 ], 5 ]", "[ 7, [ 7 ], [ 0 ], 5 ]",
              DCFG_ERROR_FORMAT, "LOOP_NODE_IDS[0]|out of range");
}
END_TEST

START_TEST(addresses)
{
   must_break("\"0x400000\", 4096", "\"0xffffffffffffff00\", 257",
              DCFG_ERROR_FORMAT, "IMAGES[0]|64 bits");
   must_break("\"0x14\", 4, 3,", "\"0xffffffffffffffff\", 4, 3,",
              DCFG_ERROR_FORMAT, "IMAGES[0]|block|64 bits");
   must_break("\"0x7f0000000000\", 65536",
              "\"0x7f0000000000\", 18446744073709551615",
              DCFG_ERROR_FORMAT, "IMAGES[1]|64 bits");
   must_break("[ \"main\", \"0x10\", 32 ]",
              "[ \"main\", \"0xfffffffffffffff0\", 32 ]",
              DCFG_ERROR_FORMAT, "IMAGES[0]|symbol");
   must_break("[ 3, 7, \"0x10\", 16, 4 ]",
              "[ 3, 7, \"0x10\", 18446744073709551615, 4 ]",
              DCFG_ERROR_FORMAT, "IMAGES[0]|source row");
}
END_TEST

START_TEST(missing)
{
   must_break("[ 3, \"prog.c\" ]", "[ 3 ]", DCFG_ERROR_FORMAT,
              "FILE_NAMES[1].FILE_NAME|missing");
   must_break("[ 3, \"prog.c\" ]", "[ ]", DCFG_ERROR_FORMAT,
              "FILE_NAMES[1].FILE_NAME_ID|missing");
   must_break("\"FILE_NAME_ID\", \"FILE_NAME\" ]",
              "\"FILE_NAME_ID\", \"NAME\" ]", DCFG_ERROR_FORMAT,
              "FILE_NAMES[header]|no column FILE_NAME");
   must_break("\"EDGE_ID\", \"SOURCE_NODE_ID\"",
              "\"EDGE_ID\", \"SOURCE\"", DCFG_ERROR_FORMAT,
              "EDGES[header]|SOURCE_NODE_ID");
   must_break("[ 0, \"0x7f0000000000\", 65536,", "[ 0, [], 65536,",
              DCFG_ERROR_FORMAT, "IMAGES[1].LOAD_ADDR|an array");
}
END_TEST

START_TEST(twice)
{
   must_break("[ 3, \"prog.c\" ]", "[ 1, \"prog.c\" ]", DCFG_ERROR_FORMAT,
              "FILE_NAMES|FILE_NAME_ID 1|twice");
   must_break("[ 4, \"DIRECT_CALL\" ]", "[ 2, \"DIRECT_CALL\" ]",
              DCFG_ERROR_FORMAT, "EDGE_TYPES|EDGE_TYPE_ID 2|twice");
   must_break("[ 2, \"END\" ]", "[ 1, \"END\" ]", DCFG_ERROR_FORMAT,
              "SPECIAL_NODES|NODE_ID 1|twice");
   must_break("[ 2, \"END\" ]", "[ 4, \"END\" ]", DCFG_ERROR_FORMAT,
              "BASIC_BLOCKS|NODE_ID 4|twice");
   must_break("[ 8, \"0x20\"", "[ 7, \"0x20\"", DCFG_ERROR_FORMAT,
              "PROCESSES[0].BASIC_BLOCKS|NODE_ID 7|twice");
   must_break("[ 4, 6, 7, 6,", "[ 3, 6, 7, 6,", DCFG_ERROR_FORMAT,
              "PROCESSES[0].EDGES|EDGE_ID 3|twice");
   must_break("[ 0, \"0x7f", "[ 1, \"0x7f", DCFG_ERROR_FORMAT,
              "IMAGES|IMAGE_ID 1|twice");
   must_break("[ 4, 4 ], [ 5, 4 ]", "[ 4, 4 ], [ 4, 4 ]", DCFG_ERROR_FORMAT,
              "node 4|a routine twice");
   must_break("[ 6, 6 ]", "[ 6, 6 ], [ 5, 6 ]", DCFG_ERROR_FORMAT,
              "node 5|two routines");
   must_break("[ 5, [ 7 ], [ 7, 5 ] ]", "[ 5, [ 7 ], [ 7, 7 ] ]",
              DCFG_ERROR_FORMAT, "node 7|a loop twice");
   must_break("[ 5, [ 7 ], [ 7, 5 ] ]", "[ 7, [ 7 ], [ 7, 5 ] ]",
              DCFG_ERROR_FORMAT, "node 7|two loops");
   must_break("\"MINOR_VERSION\" : 0", "\"MAJOR_VERSION\" : 1",
              DCFG_ERROR_FORMAT, "MAJOR_VERSION|twice");
   must_break("\"INSTR_COUNT\" : 130", "\"INSTR_COUNT_PER_THREAD\" : []",
              DCFG_ERROR_FORMAT, "INSTR_COUNT_PER_THREAD|twice");
   must_break("\"NODE_ID\", \"NODE_NAME\" ]", "\"NODE_ID\", \"NODE_ID\","
              " \"NODE_NAME\" ]", DCFG_ERROR_FORMAT,
              "SPECIAL_NODES[header]|column|twice");
}
END_TEST

START_TEST(unknown)
{
   must_break("{ \"FILE_NAME_ID\" : 9", "{ \"FILE_NAME_ID\" : 8",
              DCFG_ERROR_FORMAT, "IMAGES[IMAGE_ID=0]|no FILE_NAME_ID 8");
   must_break("[ 3, 8, \"0x14\"", "[ 4, 8, \"0x14\"", DCFG_ERROR_FORMAT,
              "SOURCE_DATA|IMAGE_ID=1|no FILE_NAME_ID 4");
   must_break("[ 4, 6, 7, 6,", "[ 4, 66, 7, 6,", DCFG_ERROR_FORMAT,
              "PROCESSES[0].EDGES[EDGE_ID=4]|no NODE_ID 66");
   must_break("[ 4, 6, 7, 6,", "[ 4, 6, 77, 6,", DCFG_ERROR_FORMAT,
              "PROCESSES[0].EDGES[EDGE_ID=4]|no NODE_ID 77");
   must_break("[ 4, 6, 7, 6,", "[ 4, 6, 7, 66,", DCFG_ERROR_FORMAT,
              "PROCESSES[0].EDGES[EDGE_ID=4]|no EDGE_TYPE_ID 66");
   must_break("[ 6, [ 6 ], [", "[ 9, [ 6 ], [", DCFG_ERROR_FORMAT,
              "ROUTINES[ENTRY_NODE_ID=9]|no NODE_ID 9");
   must_break("[ 6, [ 6 ], [", "[ 6, [ 9 ], [", DCFG_ERROR_FORMAT,
              "ROUTINES[ENTRY_NODE_ID=6]|no NODE_ID 9");
   must_break("[ 8, 7 ], [ 4, 4 ]", "[ 9, 7 ], [ 4, 4 ]", DCFG_ERROR_FORMAT,
              "ROUTINES[ENTRY_NODE_ID=4]|no NODE_ID 9");
   must_break("[ 8, 7 ], [ 4, 4 ]", "[ 8, 9 ], [ 4, 4 ]", DCFG_ERROR_FORMAT,
              "ROUTINES[ENTRY_NODE_ID=4]|no NODE_ID 9");
   must_break("[ 7, [ 7 ], [ 7 ], 5 ]", "[ 9, [ 7 ], [ 7 ], 5 ]",
              DCFG_ERROR_FORMAT, "LOOPS[LOOP_HEAD_NODE_ID=9]|no NODE_ID 9");
   must_break("[ 7, [ 7 ], [ 7 ], 5 ]", "[ 7, [ 9 ], [ 7 ], 5 ]",
              DCFG_ERROR_FORMAT, "LOOPS[LOOP_HEAD_NODE_ID=7]|no NODE_ID 9");
   must_break("[ 7, [ 7 ], [ 7 ], 5 ]", "[ 7, [ 7 ], [ 9 ], 5 ]",
              DCFG_ERROR_FORMAT, "LOOPS[LOOP_HEAD_NODE_ID=7]|no NODE_ID 9");
   must_break("[ 7, [ 7 ], [ 7 ], 5 ]", "[ 7, [ 7 ], [ 7 ], 9 ]",
              DCFG_ERROR_FORMAT, "LOOPS[LOOP_HEAD_NODE_ID=7]|no NODE_ID 9");
   must_break("[ 7, [ 7 ], [ 7 ], 5 ]", "[ 7, [ 7 ], [ 7 ], 8 ]",
              DCFG_ERROR_FORMAT, "no loop with the head 8");
   must_break("[ 7, [ 7 ], [ 7 ], 5 ]", "[ 7, [ 7 ], [ 7 ], 7 ]",
              DCFG_ERROR_FORMAT, "loop of node 7|inside itself");
   must_break("[ 5, [ 7 ], [ 7, 5 ] ]", "[ 5, [ 7 ], [ 7, 5 ], 7 ]",
              DCFG_ERROR_FORMAT, "inside itself");
}
END_TEST

/*--- Going on after problems                              ---*/

static void told(const char* from, const char* to, const char* rules,
                 const char* place)
{
   char*       text = replaced(sample, from, to);
   const char* got = problems_of(text);

   ck_assert_msg(strcmp(got, rules) == 0, "\"%s\", not \"%s\", for %s", got,
                 rules, to);
   ck_assert_msg(strstr(first_place, place) != NULL,
                 "\"%s\" is not in \"%s\"", place, first_place);
   free(text);
}

START_TEST(told_of)
{
   told("INSTR", "INSTR", "", "");
   told("[ 3, \"prog.c\" ]", "[ 3, 4 ]", "type unknown-id unknown-id ",
        "FILE_NAMES[1].FILE_NAME");
   told("[ 4, 6, 7, 6,", "[ 0, 6, 7, 6,", "number ", "EDGES[3].EDGE_ID");
   told("[ 4, 6, 7, 6,", "[ 4, 6, 99, 98,", "unknown-id unknown-id ",
        "EDGES[EDGE_ID=4]");
   told("[ 1, \"/bin/prog\" ]", "[ 1, \"/bin/prog\", 5 ]", "row-length ",
        "FILE_NAMES[0]");
   told("\"MINOR_VERSION\" : 0", "\"MINOR\" : 0", "key missing ", "");
   told("\"SIZE\", \"NUM_INSTRS\" ]", "\"SIZE\", \"NUM_INSTRS\", \"NEW\" ]",
        "column ", "SOURCE_DATA[header]");
   told("\"NODE_ID\", \"NODE_NAME\" ],\n  [ 1, \"START\" ], [ 2, \"END\" ]",
        "\"NODE_NAME\", \"NODE_ID\" ],\n  [ \"START\", 1 ], [ \"END\", 2 ]",
        "column-order type number ",
        "SPECIAL_NODES[header]");
   told("[ 1, \"0x400000\", 4096", "[ 1, 4194304, 4096", "number-style ",
        "IMAGES[0].LOAD_ADDR");
   told("[ 5, 0, 1 ]", "[ 5, \"0x0\", 1 ]", "number-style ",
        "COUNT_PER_THREAD[1]");
   told("\"prog.c\"", "\"prog\xff.c\"", "string ", "FILE_NAMES[1]");
   told("[ 7, 7, 5, 13, [ 4 ] ]", "[ 7, 7, 7, 13, [ 4 ] ]",
        "duplicate-edge ", "PROCESSES[0].EDGES");
   told("[ 5, 0, 1 ]", "[ 5, -1, 1 ]", "number ", "COUNT_PER_THREAD[1]");
   told("\"INSTR_COUNT\" : 130,", "", "missing ", "INSTR_COUNT");
   told("[ 5, [ 7 ], [ 7, 5 ] ]", "[ 5, [ 7 ], [ 7, 5 ], 7 ]",
        "loop-parent ", "LOOPS");
   told("[ 6, 6 ]", "[ 6, 6 ], [ 5, 6 ]", "duplicate-node ", "ROUTINES");
   told("\"0x400000\", 4096", "[], 4096", "type ", "LOAD_ADDR");
}
END_TEST

/* The rest can be used: references that cannot be resolved are DCFG_NONE. */
static void ignore(void* arg, const DcfgProblem* problem)
{
   (void)arg;
   (void)problem;
}

START_TEST(usable)
{
   char* a = replaced(sample, "[ 4, 6, 7, 6,", "[ 4, 6, 99, 98,");
   char* b = replaced(a, "{ \"FILE_NAME_ID\" : 9", "{ \"FILE_NAME_ID\" : 8");
   char* c = replaced(b, "[ 8, 7 ], [ 4, 4 ]", "[ 99, 7 ], [ 4, 99 ]");
   DcfgOptions options = { .problem = ignore };
   DcfgError   err;
   Dcfg*       d = dcfg_load_memory(c, strlen(c), "test", &options, &err);
   const DcfgProcess* p;
   uint32_t    n;

   ck_assert_ptr_nonnull(d);
   p = dcfg_process(d, 0);
   ck_assert_uint_eq(p->images[1].file, DCFG_NONE);
   ck_assert_uint_eq(p->edges[3].target, DCFG_NONE);
   ck_assert_uint_eq(p->edges[3].type, DCFG_EDGE_OTHER);
   ck_assert_uint_eq(p->edges[3].type_name, DCFG_NONE);
   dcfg_out_edges(p, node(p, 6), &n);
   ck_assert_uint_eq(n, 0);
   ck_assert_uint_eq(p->routines[0].n_nodes, 3);
   ck_assert_uint_eq(p->nodes[node(p, 4)].idom, DCFG_NONE);
   ck_assert_uint_eq(p->nodes[node(p, 8)].routine, DCFG_NONE);
   dcfg_free(d);
   free(a);
   free(b);
   free(c);
}
END_TEST

/*--- Too much                                             ---*/

START_TEST(limit)
{
   /* With any limit, the file loads, or the error says so. */
   DcfgError err;
   bool      loaded = false;

   for (uint64_t max = 1; max < 1000000; max += max / 7 + 1) {
      DcfgOptions options = { .max_memory = max };
      Dcfg* d = dcfg_load_memory(sample, strlen(sample), "test", &options,
                                 &err);
      if (d == NULL) {
         ck_assert_int_eq(err.status, DCFG_ERROR_LIMIT);
         must_say(&err, "memory");
         ck_assert(!loaded);
      } else {
         loaded = true;
      }
      dcfg_free(d);
   }
   ck_assert(loaded);
}
END_TEST

/* One string of some megabytes, which the parser would keep. */
START_TEST(long_string)
{
   size_t      n = 8 << 20;
   char*       text = malloc(n + 100);
   DcfgOptions options = { .max_memory = 1 << 20 };
   DcfgError   err;
   int         k = sprintf(text, "{\"NEW\":\"");

   memset(text + k, 'x', n);
   ck_assert_ptr_null(dcfg_load_memory(text, n, "test", &options, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_LIMIT);
   free(text);
}
END_TEST

START_TEST(no_error_wanted)
{
   ck_assert_ptr_null(dcfg_load_memory("{", 1, "test", NULL, NULL));
   ck_assert_ptr_null(dcfg_load("/nonexistent/file", NULL, NULL));
   ck_assert_ptr_null(dcfg_load(NULL, NULL, NULL));
   dcfg_free(NULL);
}
END_TEST

START_TEST(error_text)
{
   DcfgError err;
   char      text[DCFG_ERROR_TEXT_SIZE];
   char      path[600];

   ck_assert_ptr_null(dcfg_load(NULL, NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_ARGUMENT);
   memset(path, 'p', sizeof(path));
   strcpy(path + sizeof(path) - 10, "/the.json");
   ck_assert_ptr_null(dcfg_load(path, NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_FILE);
   must_say(&err, "...p|pp/the.json: cannot open: ");
   /* Control characters of a file do not reach the terminal. */
   ck_assert_ptr_null(dcfg_load_memory("{\"MAJOR_VERSION\":\"\\u001b[1m\"}",
                                       29, "test", NULL, &err));
   must_say(&err, "?[1m");
   ck_assert_ptr_null(strchr(dcfg_error_text(&err, text), 27));
   dcfg_free(must_load(sample));
   memset(&err, 0, sizeof(err));
   ck_assert_str_eq(dcfg_error_text(&err, text), "no error");
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: broken files");

   TCase* c = add_case(s, truncated, no_dcfg, deep, wrong_types,
                       wrong_numbers, addresses, missing, twice, unknown,
                       told_of, usable, limit, long_string, no_error_wanted,
                       error_text);
   tcase_add_loop_test(c, changed, 0, 15);
   return run_suite(s);
}
