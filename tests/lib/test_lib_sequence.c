/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of decoding sequences. */

/* The meaning of characters and bits: by hand, from the specification, and
   against a slow decoder. */

#include "trace_model.h"

/* The specification's table, completed with rows of our own. */
#define SPEC "[123,\"0\",[124]],[123,\"1\",[125]],[124,\"\",[456]]," \
             "[125,\"0\",[543]],[125,\"10\",[542,549]]," \
             "[125,\"11\",[540,541]]"

START_TEST(specification_table)
{
   /* 110 and 0, as in the specification's two examples. */
   are_edges("", SPEC, 4, 123, "w", "123 125 542 549");
   are_edges("", SPEC, 3, 123, "A", "123 124 456");
   /* Fewer edges than the phrase has. */
   are_edges("", SPEC, 3, 123, "w", "123 125 542");
   are_edges("", SPEC, 1, 123, "", "123");
   are_edges("", SPEC, 0, 0, "", "");
   are_edges("", "", 1, 77, "", "77");
}
END_TEST

/* Return the edges for characters with the table BITS: edge 1 or 2 for each
   bit. */
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
   /* The specification's 0b000010111110, whose last bit is not used. */
   are_edges("", BITS, 12, 1, "C+", "1 1 1 1 1 2 1 2 2 2 2 2");
   are_edges("", BITS, 7, 1, "-", "1 2 2 2 2 2 2");
   are_edges("", BITS, 7, 1, ".", "1 2 2 2 2 2 2");
   are_edges("", BITS, 7, 1, "A", "1 1 1 1 1 1 1");
   are_edges("", BITS, 13, 1, "Za", "1 1 2 2 1 1 2 1 2 2 1 2 1");
   are_edges("", BITS, 13, 1, "z0", "1 2 2 1 1 2 2 2 2 1 2 1 1");
   are_edges("", BITS, 13, 1, "9+", "1 2 2 2 2 1 2 2 2 2 2 2 1");
}
END_TEST

#define SPEC_A_LONG "bks2hD7kB+KDk87ABABABABABABAw3ABD9"

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
   /* bits_of() has room for 1000: the begin and the end. */
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
   /* An entry may refer to a later one. */
   expands("\"a\":\"<b><c>\",\"b\":\"(2*<c>)\",\"c\":\"x\"", "<a>", "xxx");
   expands("\"Az09+-\":\"x\"", "<Az09+->", "x");
}
END_TEST

/* Ten edges of a sequence that stands for more edges than there are atoms. */
START_TEST(explosive)
{
   Text        dictionary = { 0 };
   const char* first = "1 1 1 1 1 1 2 1 1 1";

   are_edges("", BITS, 10, 1, "(99999999999999999999999*(99999999999*B))",
             first);
   /* A count of 2 to the 64 is not 0. */
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
   /* Any number of edges, for no bits at all. */
   char* trace = one_chunk("", "[5,\"\",[6]],[6,\"\",[5]]",
                           UINT64_MAX, 5, "");
   ck_assert_str_eq(edges_of(trace, 4), "5 6 5 6");
   free(trace);
   free(dictionary.s);
}
END_TEST

/*--- Codes                                                ---*/

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
   /* Edge ids far apart: no array by id would do. */
   are_edges("", "[2147483647,\"0\",[2147483647]],"
             "[2147483647,\"1\",[1]],[1,\"\",[2147483647]]", 8, 1,
             "S", "1 2147483647 2147483647 1 2147483647 2147483647 "
             "2147483647 1");
   free(rows.s);
}
END_TEST

START_TEST(no_such_code)
{
   /* The table lacks a code. */
   are_edges("", "[1,\"00\",[1]],[1,\"111\",[1]]", 99, 1, "BBBBBBBBBBBB",
             "1 1 1 [after 3 edges: the transition table has no row for the "
             "next bits]");
   are_edges("", "[1,\"000000000000000000000000001\",[1]],[1,\"11\",[1]]",
             99, 1, "AAAAAAAAAAAA",
             "1 [after 1 edges: the transition table has no row for the next "
             "bits]");
   /* After a code that is smaller than the bits, and after another one. */
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

/* Edges that must follow need no bits, in rows of any length, even edges that
   lead back to themselves. */
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

/*--- Against the slow decoder                             ---*/

static uint32_t chance_seed;

static uint32_t below(uint32_t n)
{
   chance_seed = chance_seed * 1664525 + 1013904223;
   return (uint32_t)((uint64_t)(chance_seed >> 8) * n >> 24);
}

/* Make rows for EDGE with codes that begin with CODE. */
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

static void random_trace(uint32_t number)
{
   Model     m = { .n_rows = 0 };
   uint32_t  edges, first;
   Text      rows = { 0 }, dictionary = { 0 }, sequence = { 0 };
   Text      chars = { 0 }, want = { 0 };
   uint32_t* ids = malloc(20000 * sizeof(*ids));

   chance_seed = number * 2654435761U + 12345;
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

/* Some traces in a process: a process of its own costs more than a trace. */
#define TRACES 50

START_TEST(random_traces)
{
   for (uint32_t i = 0; i < TRACES; i++)
      random_trace((uint32_t)_i * TRACES + i);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: sequences");

   TCase* c = add_case(s, specification_table, alphabet,
                       specification_text, repetitions, explosive, long_codes,
                       no_such_code, chains);
   tcase_add_loop_test(c, random_traces, 0, 10);
   return run_suite(s);
}
