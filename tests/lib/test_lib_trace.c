
/*--------------------------------------------------------------------*/
/*--- Tests of reading traces.                    test_lib_trace.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Sequences by hand, from the specification and against a slow decoder; what
   is broken; and moving about in a trace. */

#include "trace_model.h"

#include <pthread.h>

/* With these rows, the edges are the bits: 1 for 0 and 2 for 1. */
#define BITS "[1,\"0\",[1]],[1,\"1\",[2]],[2,\"0\",[1]],[2,\"1\",[2]]"

/* The specification's table, closed with rows of our own. */
#define SPEC "[123,\"0\",[124]],[123,\"1\",[125]],[124,\"\",[456]]," \
             "[125,\"0\",[543]],[125,\"10\",[542,549]]," \
             "[125,\"11\",[540,541]]"

static void are_edges(const char* dictionary, const char* rows,
                      uint64_t edges, uint32_t first, const char* sequence,
                      const char* want)
{
   char* trace = one_chunk(dictionary, rows, edges, first, sequence);

   ck_assert_str_eq(edges_of(trace, 10000), want);
   ck_assert_str_eq(edges_by_trace(trace, 10000), want);
   free(trace);
}

/*------------------------------------------------------------*/
/*--- Sequences                                            ---*/
/*------------------------------------------------------------*/

START_TEST(specification_table)
{
   /* 110 and 0, as its two examples have them. */
   are_edges("", SPEC, 4, 123, "w", "123 125 542 549");
   are_edges("", SPEC, 3, 123, "A", "123 124 456");
   /* Fewer edges than the phrase has. */
   are_edges("", SPEC, 3, 123, "w", "123 125 542");
   are_edges("", SPEC, 1, 123, "", "123");
   are_edges("", SPEC, 0, 0, "", "");
   are_edges("", "", 1, 77, "", "77");
}
END_TEST

/* 4 * 6 bits for edges 1 and 2. */
static const char* bits_of(const char* chars)
{
   static Text t;
   Model       m = { .n_rows = 0 };
   uint32_t    ids[1000];
   size_t      n;

   m.n_rows = 4;
   for (int i = 0; i < 4; i++)
      m.rows[i] = (ModelRow){ 1 + (uint32_t)i / 2, { "01"[i % 2] },
                              { 1 + (uint32_t)i % 2 }, 1 };
   n = model_decode(&m, chars, 1, ids, strlen(chars) * 6 + 1);
   t.n = 0;
   text_add(&t, "1");
   for (size_t i = 1; i < n; i++)
      text_add(&t, " %" PRIu32, ids[i]);
   return t.s;
}

static void expands(const char* dictionary, const char* sequence,
                    const char* chars)
{
   are_edges(dictionary, BITS, strlen(chars) * 6 + 1, 1, sequence,
             bits_of(chars));
}

START_TEST(alphabet)
{
   /* The specification's 0b000010111110, of which the last bit is not used. */
   are_edges("", BITS, 12, 1, "C+", "1 1 1 1 1 2 1 2 2 2 2 2");
   are_edges("", BITS, 7, 1, "-", "1 2 2 2 2 2 2");
   are_edges("", BITS, 7, 1, ".", "1 2 2 2 2 2 2");
   are_edges("", BITS, 7, 1, "A", "1 1 1 1 1 1 1");
   are_edges("", BITS, 13, 1, "Za", "1 1 2 2 1 1 2 1 2 2 1 2 1");
   are_edges("", BITS, 13, 1, "z0", "1 2 2 1 1 2 2 2 2 1 2 1 1");
   are_edges("", BITS, 13, 1, "9+", "1 2 2 2 2 1 2 2 2 2 2 2 1");
}
END_TEST

#define SPEC_A "bks2hD7kB+KDk87(6*AB)Aw3ABD9"
#define SPEC_A_LONG "bks2hD7kB+KDk87ABABABABABABAw3ABD9"
#define SPEC_DICTIONARY "\"a\":\"" SPEC_A "\"," \
   "\"b\":\"KkDk123(42*(25*a))45690D<a>7Fjdkpm\""

START_TEST(specification_text)
{
   char  want[3000];
   char* as;

   expands("", "A(4*BC)D", "ABCBCBCBCD");
   expands("", "123(2*(6*a)b)456", "123aaaaaabaaaaaab456");
   expands(SPEC_DICTIONARY, "A<a>B", "A" SPEC_A_LONG "B");
   expands(SPEC_DICTIONARY, "(2*A<a>B)", "A" SPEC_A_LONG "BA" SPEC_A_LONG
           "B");
   strcpy(want, "KkDk123");
   as = want + strlen(want);
   memset(as, 'a', 42 * 25);
   strcpy(as + 42 * 25, "45690D" SPEC_A_LONG "7Fjdkpm");
   /* bits_of() has room for 1000: the start and the end. */
   char* trace = one_chunk(SPEC_DICTIONARY, BITS, strlen(want) * 6 + 1, 1,
                           "<b>");
   Model m = { .n_rows = 4 };
   uint32_t* ids = malloc((strlen(want) * 6 + 1) * sizeof(*ids));
   Text t = { 0 };
   for (int i = 0; i < 4; i++)
      m.rows[i] = (ModelRow){ 1 + (uint32_t)i / 2, { "01"[i % 2] },
                              { 1 + (uint32_t)i % 2 }, 1 };
   size_t n = model_decode(&m, want, 1, ids, strlen(want) * 6 + 1);
   for (size_t i = 0; i < n; i++)
      text_add(&t, "%s%" PRIu32, i > 0 ? " " : "", ids[i]);
   ck_assert_str_eq(edges_of(trace, 100000), t.s);
   free(trace);
   free(ids);
   free(t.s);
}
END_TEST

START_TEST(repetitions)
{
   expands("", "(1*A)", "A");
   expands("", "(0*A)B", "B");
   expands("", "A(3*)B", "AB");
   expands("", "A(3*(4*))B", "AB");
   expands("", "A(3*(0*CD)(2*e))B", "AeeeeeeB");
   expands("", "(2*(2*(2*(2*x))))", "xxxxxxxxxxxxxxxx");
   expands("", "(0002*x)", "xx");
   expands("\"\":\"xy\"", "<>-", "xy-");
   expands("\"e\":\"\",\"f\":\"(5*<e>)\",\"g\":\"<f><e>Q\"", "<f>A<g>", "AQ");
   /* An entry may refer to one that comes later. */
   expands("\"a\":\"<b><c>\",\"b\":\"(2*<c>)\",\"c\":\"x\"", "<a>", "xxx");
   expands("\"Az09+-\":\"x\"", "<Az09+->", "x");
}
END_TEST

/* Ten edges of a sequence that stands for more than there are atoms. */
START_TEST(explosive)
{
   Text        dictionary = { 0 };
   const char* first = "1 1 1 1 1 1 2 1 1 1";

   are_edges("", BITS, 10, 1, "(99999999999999999999999*(99999999999*B))",
             first);
   /* 2 to the 64, not 0. */
   are_edges("", BITS, 7, 1, "(18446744073709551616*B)", "1 1 1 1 1 1 2");
   are_edges("", BITS, 10, 1, "(9999999999*(9999999999*(9999999999*)))B",
             "1 1 1 1 1 1 2 [after 7 edges: the sequence ends too early]");
   text_add(&dictionary, "\"0\":\"B\"");
   for (int i = 1; i < 200; i++)
      text_add(&dictionary, ",\"%d\":\"<%d><%d>\"", i, i - 1, i - 1);
   are_edges(dictionary.s, BITS, 10, 1, "<199>", first);
   /* The same with nothing in it. */
   dictionary.n = 0;
   text_add(&dictionary, "\"0\":\"\"");
   for (int i = 1; i < 200; i++)
      text_add(&dictionary, ",\"%d\":\"<%d>(9*<%d>)\"", i, i - 1, i - 1);
   are_edges(dictionary.s, BITS, 7, 1, "<199>B", "1 1 1 1 1 1 2");
   /* As many edges as anybody wants, for no bits at all. */
   char* trace = one_chunk("", "[5,\"\",[6]],[6,\"\",[5]]",
                           UINT64_MAX, 5, "");
   ck_assert_str_eq(edges_of(trace, 4), "5 6 5 6");
   free(trace);
   free(dictionary.s);
}
END_TEST

/*------------------------------------------------------------*/
/*--- Codes                                                ---*/
/*------------------------------------------------------------*/

/* One code of each length from 1 to 32. */
START_TEST(long_codes)
{
   Text rows = { 0 };
   char chars[20] = "";

   for (int i = 1; i <= 32; i++)
      text_add(&rows, "%s[1,\"%.*s%s\",[1,%d,1]]", i > 1 ? "," : "", i - 1,
               "1111111111111111111111111111111", i < 32 ? "0" : "1",
               100 + i);
   text_add(&rows, ",[1,\"11111111111111111111111111111110\",[1,99,1]]");
   are_edges("", rows.s, 10, 1, "(5*-)2", "1 1 132 1 1 101 1 1 103 1");
   are_edges("", rows.s, 4, 1, "(5*-)v", "1 1 99 1");
   memset(chars, '-', 5);
   /* Edges that are far apart: no array by edge. */
   are_edges("", "[2147483647,\"0\",[2147483647]],"
             "[2147483647,\"1\",[1]],[1,\"\",[2147483647]]", 8, 1,
             "S", "1 2147483647 2147483647 1 2147483647 2147483647 "
             "2147483647 1");
   free(rows.s);
}
END_TEST

START_TEST(no_such_code)
{
   /* Not every code is there. */
   are_edges("", "[1,\"00\",[1]],[1,\"111\",[1]]", 99, 1, "BBBBBBBBBBBB",
             "1 1 1 [after 3 edges: the transition table has no row for the "
             "next bits]");
   are_edges("", "[1,\"000000000000000000000000001\",[1]],[1,\"11\",[1]]",
             99, 1, "AAAAAAAAAAAA",
             "1 [after 1 edges: the transition table has no row for the next "
             "bits]");
   /* After a code that is smaller than the bits, and another. */
   are_edges("", "[1,\"000000000000000000000000001\",[1]],[1,\"11\",[1]]",
             99, 1, "DAAAAAAAAAAA",
             "1 [after 1 edges: the transition table has no row for the next "
             "bits]");
   are_edges("", "[1,\"0\",[2]]", 99, 1, "A",
             "1 2 [after 2 edges: the transition table has no row for the "
             "edge]");
   are_edges("", "[1,\"\",[2]]", 99, 3, "A",
             "3 [after 1 edges: the transition table has no row for the "
             "edge]");
   are_edges("", BITS, 8, 1, "A",
             "1 1 1 1 1 1 1 [after 7 edges: the sequence ends too early]");
   are_edges("", "[1,\"0000000\",[1]],[1,\"1\",[2]]", 2, 1, "A",
             "1 [after 1 edges: the sequence ends too early]");
}
END_TEST

/* What can only follow comes without bits, in rows of any length, and edges
   that lead back to themselves. */
START_TEST(chains)
{
   are_edges("", "[1,\"\",[2]],[2,\"\",[3]],[3,\"0\",[1]],[3,\"1\",[3]]",
             11, 1, "v", "1 2 3 3 1 2 3 3 3 3 3");
   are_edges("", "[1,\"\",[1]]", 40, 1, "", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
             " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1");
   are_edges("", "[1,\"\",[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]],"
             "[2,\"\",[1]]", 24, 2, "",
             "2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 1");
}
END_TEST

/*------------------------------------------------------------*/
/*--- Against the slow decoder                             ---*/
/*------------------------------------------------------------*/

static uint32_t chance_seed;

static uint32_t below(uint32_t n)
{
   chance_seed = chance_seed * 1664525 + 1013904223;
   return (uint32_t)((uint64_t)(chance_seed >> 8) * n >> 24);
}

/* Rows for EDGE with codes that begin with CODE. */
static void random_rows(Model* m, uint32_t edge, const char* code,
                        uint32_t edges)
{
   size_t len = strlen(code);

   if (len < 32 && m->n_rows < 150 && below(100) < (len < 3 ? 60 : 45)) {
      char longer[34];
      for (char c = '0'; c <= '1'; c++) {
         snprintf(longer, sizeof(longer), "%s%c", code, c);
         random_rows(m, edge, longer, edges);
      }
   } else {
      ModelRow* r = &m->rows[m->n_rows++];
      r->edge = edge;
      strcpy(r->code, code);
      r->n = 1 + (below(3) == 0 ? below(22) : 0);
      for (uint32_t k = 0; k < r->n; k++)
         r->nexts[k] = 1 + below(edges);
   }
}

static void random_sequence(Text* t, int entries, int depth)
{
   for (uint32_t i = below(12); i > 0; i--) {
      uint32_t what = below(10);
      if (what == 0 && depth < 4) {
         text_add(t, "(%u*", (unsigned)below(5));
         random_sequence(t, entries, depth + 1);
         text_char(t, ')');
      } else if (what == 1 && entries > 0) {
         text_add(t, "<k%u>", (unsigned)below((uint32_t)entries));
      } else {
         text_char(t, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                      "0123456789+-."[below(65)]);
      }
   }
}

START_TEST(random_traces)
{
   Model     m = { .n_rows = 0 };
   uint32_t  edges, first;
   Text      rows = { 0 }, dictionary = { 0 }, sequence = { 0 };
   Text      chars = { 0 }, want = { 0 };
   uint32_t* ids = malloc(20000 * sizeof(*ids));

   chance_seed = (uint32_t)_i * 2654435761U + 12345;
   edges = 1 + below(6);
   for (uint32_t e = 1; e <= edges; e++)
      random_rows(&m, e, "", edges);
   for (int i = m.n_rows - 1; i >= 0; i--) {
      text_add(&rows, "%s[%" PRIu32 ",\"%s\",[", rows.n > 0 ? "," : "",
               m.rows[i].edge, m.rows[i].code);
      for (uint32_t k = 0; k < m.rows[i].n; k++)
         text_add(&rows, "%s%" PRIu32, k > 0 ? "," : "", m.rows[i].nexts[k]);
      text_add(&rows, "]]");
   }
   text_add(&dictionary, "%s", "");
   for (int k = 0; k < (int)below(8); k++) {
      Text value = { 0 };
      char key[16];
      text_add(&value, "%s", "");
      random_sequence(&value, k, 0);
      snprintf(key, sizeof(key), "k%d", k);
      m.keys[k] = strdup(key);
      m.values[k] = value.s;
      m.n_entries = k + 1;
      text_add(&dictionary, "%s\"%s\":\"%s\"", k > 0 ? "," : "", key,
               value.s);
   }
   text_add(&sequence, "%s", "");
   random_sequence(&sequence, m.n_entries, 0);
   if (!model_expand(&m, sequence.s, &chars, 30000))
      goto done;                        // too long to compare
   first = 1 + below(edges);
   size_t most = model_decode(&m, chars.s, first, ids, 2000);
   size_t n = most == 0 ? 0 : 1 + below((uint32_t)most);
   if (below(4) == 0)
      n = most;
   text_add(&want, "%s", "");
   for (size_t i = 0; i < n; i++)
      text_add(&want, "%s%" PRIu32, i > 0 ? " " : "", ids[i]);
   char* trace = one_chunk(dictionary.s, rows.s, n, first, sequence.s);
   ck_assert_str_eq(edges_of(trace, 100000), want.s);
   ck_assert_str_eq(edges_by_trace(trace, 100000), want.s);
   free(trace);
done:
   for (int k = 0; k < m.n_entries; k++) {
      free(m.keys[k]);
      free(m.values[k]);
   }
   free(rows.s);
   free(dictionary.s);
   free(sequence.s);
   free(chars.s);
   free(want.s);
   free(ids);
}
END_TEST

/*------------------------------------------------------------*/
/*--- What is broken                                       ---*/
/*------------------------------------------------------------*/

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
   /* One less is not too deep. */
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
      /* What is whole is there. */
      ck_assert_uint_eq(total, n >= strlen(trace) - 6 ? 100 : 0);
      ck_assert_uint_eq(dcfg_trace_next(t, ids, 200, &err), 0);
      ck_assert_int_eq(err.status, DCFG_ERROR_JSON);
      dcfg_trace_close(t);
      free(part);
   }
   free(trace);
}
END_TEST

/* After a broken chunk the next one can be read. */
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

/* Rows that cannot be used are told, left out, and the rest is there. */
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

/*------------------------------------------------------------*/
/*--- Moving about                                         ---*/
/*------------------------------------------------------------*/

/* Two processes; threads 0 and 2 of the first have three chunks and one, the
   second has thread 0.  Of the sample's edges: a chunk is 1 2 3 4 6 7 3 4 8 9
   in parts, with instructions 0 2 3 1 4 4 3 1 4 1. */
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

/* And by edge: the source of the next edge has the instruction. */
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
   /* Back is not possible, nor to what the trace leaves out. */
   ck_assert(!dcfg_trace_skip(tr, 7, p, &err));
   ck_assert_int_eq(err.status, DCFG_OK);
   ck_assert(!dcfg_trace_skip(tr, 50, p, &err));
   ck_assert_uint_eq(dcfg_trace_next(tr, ids, 1, &err), 1);
   ck_assert_uint_eq(dcfg_trace_chunk_info(tr)->thread, 2);
   ck_assert(dcfg_trace_skip(tr, 101, p, &err));
   /* A chunk that was found is the next chunk too. */
   dcfg_trace_select(tr, 9, 0);
   ck_assert(dcfg_trace_skip(tr, 0, NULL, &err));
   DcfgChunk* c = dcfg_trace_next_chunk(tr, &err);
   ck_assert_uint_eq(dcfg_chunk_info(c)->process_id, 9);
   dcfg_chunk_free(c);
   ck_assert(!dcfg_trace_skip(tr, 0, NULL, NULL));
}
END_TEST

/* A gap, without decoding; and in the middle of a chunk, uncounted. */
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

/*------------------------------------------------------------*/
/*--- In parallel, and at length                           ---*/
/*------------------------------------------------------------*/

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

/* Some 20 MB of chunks in 2 MB of memory. */
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
   /* Every fourth chunk only: those that are passed over take none either. */
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

START_TEST(trace_file)
{
   ck_assert_ptr_null(dcfg_trace_open("/nonexistent/trace", NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_FILE);
   ck_assert_ptr_null(dcfg_trace_open(NULL, NULL, &err));
   ck_assert_int_eq(err.status, DCFG_ERROR_ARGUMENT);
   /* The sample is no trace. */
   DcfgTrace* t = dcfg_trace_open_memory(sample, strlen(sample), "sample",
                                         NULL, &err);
   ck_assert_ptr_null(dcfg_trace_next_chunk(t, &err));
   ck_assert_int_eq(err.status, DCFG_OK);
   dcfg_trace_close(t);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: traces");
   TCase* c = tcase_create("sequences");

   tcase_set_timeout(c, 60);
   tcase_add_test(c, specification_table);
   tcase_add_test(c, alphabet);
   tcase_add_test(c, specification_text);
   tcase_add_test(c, repetitions);
   tcase_add_test(c, explosive);
   tcase_add_test(c, long_codes);
   tcase_add_test(c, no_such_code);
   tcase_add_test(c, chains);
   tcase_add_loop_test(c, random_traces, 0, 500);
   suite_add_tcase(s, c);
   c = tcase_create("broken");
   tcase_add_test(c, broken_sequences);
   tcase_add_test(c, broken_dictionary);
   tcase_add_test(c, broken_table);
   tcase_add_test(c, broken_traces);
   tcase_add_test(c, truncated);
   tcase_add_test(c, goes_on);
   tcase_add_test(c, problems);
   suite_add_tcase(s, c);
   c = tcase_create("moving");
   tcase_add_checked_fixture(c, open_long, close_long);
   tcase_add_test(c, chunks_in_order);
   tcase_add_test(c, select_thread);
   tcase_add_test(c, select_process);
   tcase_add_test(c, select_later);
   tcase_add_test(c, select_other);
   tcase_add_loop_test(c, skip_to_chunk, 0, 25);
   tcase_add_loop_test(c, skip_to_edge, 0, 25);
   tcase_add_test(c, skip_twice);
   tcase_add_test(c, skip_in_vain);
   tcase_add_test(c, count_with);
   tcase_add_test(c, strange_edges);
   suite_add_tcase(s, c);
   c = tcase_create("large");
   tcase_set_timeout(c, 120);
   tcase_add_test(c, in_parallel);
   tcase_add_loop_test(c, used_all, 0, 5);
   tcase_add_loop_test(c, used_nothing, 0, 2);
   tcase_add_test(c, bounded_memory);
   tcase_add_test(c, trace_file);
   suite_add_tcase(s, c);
   return run_suite(s);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
