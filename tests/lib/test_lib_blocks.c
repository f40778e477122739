/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of blocks of address streams. */

/* Ten thousand random streams are compared with a model that has the whole
   stream in memory and shares nothing with the library.  Then come calls that
   the functions refuse. */

#include "lib_common.h"
#include "dcfg_blocks.h"

#include <unistd.h>

#define N_STREAMS 10000
#define MAX_LEN   60
#define MAX_SEQS  3

/*--- Streams                                              ---*/

typedef
   struct {
      uint64_t addr;
      uint32_t size;
   }
   Instr;

/* Sequences take turns, as threads do. */
static Instr    seqs[MAX_SEQS][MAX_LEN];
static unsigned lens[MAX_SEQS], n_seqs;

static uint64_t seed;

static unsigned rnd(unsigned n)
{
   seed = seed * 6364136223846793005u + 1442695040888963407u;
   return (unsigned)(seed >> 33) % n;
}

/* Addresses in use, at most. */
#define N_ADDRS 200

static void make_streams(void)
{
   static const uint32_t strange[] = { 1, 2, 3, 7, 126, 127, 128, 255, 300 };
   uint32_t size_of[N_ADDRS] = { 0 };
   unsigned space = 4 + rnd(rnd(4) == 0 ? 150 : 30), jump = rnd(60);
   unsigned change = rnd(3) == 0 ? rnd(10) : 0, far = rnd(3) == 0;

   n_seqs = 1 + (rnd(4) == 0 ? rnd(MAX_SEQS) : 0);
   for (unsigned s = 0; s < n_seqs; s++) {
      unsigned at = rnd(space);
      lens[s] = 1 + rnd(rnd(3) == 0 ? 5 : MAX_LEN - 1);
      for (unsigned i = 0; i < lens[s]; i++) {
         if (size_of[at] == 0 || rnd(100) < change)
            size_of[at] = rnd(50) == 0 ? strange[rnd(9)] : 1 + rnd(5);
         /* The last addresses of all are used, too. */
         seqs[s][i].addr = at + (far ? UINT64_MAX - 4 * N_ADDRS : 0);
         seqs[s][i].size = size_of[at];
         at = rnd(100) >= jump ? at + size_of[at]
              : rnd(3) == 0 ? at : rnd(space);
         if (at >= N_ADDRS)
            at = rnd(space);
      }
   }
}

/*--- The model                                            ---*/

#define MAX_DISTINCT (MAX_SEQS * MAX_LEN)

static Instr    all[MAX_DISTINCT];      // by address and size
static unsigned n_all;
static int      numbers[MAX_SEQS][MAX_LEN];     // the streams, as indices of
                                                // ALL
static int      next[MAX_DISTINCT], prev[MAX_DISTINCT]; // -1: none
static bool     jumps[MAX_DISTINCT], leader[MAX_DISTINCT];
static bool     shared[MAX_DISTINCT];
static uint64_t counts[2][MAX_DISTINCT];        // static, dynamic
static uint64_t edges[2][MAX_DISTINCT][MAX_DISTINCT];
static uint64_t n_instrs;

static int by_address(const void* a, const void* b)
{
   const Instr* x = a;
   const Instr* y = b;

   if (x->addr != y->addr)
      return x->addr < y->addr ? -1 : 1;
   return x->size < y->size ? -1 : x->size > y->size;
}

static bool falls(int a, int b)
{
   return all[a].addr + all[a].size == all[b].addr;
}

static void number(void)
{
   unsigned n = 0;

   n_all = 0;
   for (unsigned s = 0; s < n_seqs; s++)
      for (unsigned i = 0; i < lens[s]; i++)
         all[n++] = seqs[s][i];
   qsort(all, n, sizeof(*all), by_address);
   for (unsigned i = 0; i < n; i++)
      if (i == 0 || by_address(&all[i], &all[n_all - 1]) != 0)
         all[n_all++] = all[i];
   for (unsigned s = 0; s < n_seqs; s++)
      for (unsigned i = 0; i < lens[s]; i++)
         numbers[s][i] = (int)((Instr*)bsearch(&seqs[s][i], all, n_all,
                                               sizeof(*all), by_address)
                               - all);
}

/* Learn first which instructions jump, then which are leaders. */
static void learn(void)
{
   for (unsigned i = 0; i < n_all; i++) {
      next[i] = prev[i] = -1;
      jumps[i] = leader[i] = shared[i] = false;
   }
   for (int pass = 0; pass < 2; pass++)
      for (unsigned s = 0; s < n_seqs; s++)
         for (unsigned i = 0; i < lens[s]; i++) {
            int b = numbers[s][i], a = i == 0 ? -1 : numbers[s][i - 1];
            if (a < 0) {
               leader[b] = true;
               continue;
            }
            jumps[a] |= !falls(a, b) || (next[a] >= 0 && next[a] != b);
            shared[b] |= prev[b] >= 0 && prev[b] != a;
            leader[b] |= jumps[a];
            next[a] = b;
            prev[b] = a;
         }
}

static bool begins(bool dynamic, int a, int b)
{
   return a < 0 || jumps[a] || (!dynamic && (leader[b] || shared[b]));
}

static void count(void)
{
   memset(counts, 0, sizeof(counts));
   for (unsigned i = 0; i < n_all; i++)
      for (unsigned k = 0; k < n_all; k++)
         edges[0][i][k] = edges[1][i][k] = 0;
   n_instrs = 0;
   for (unsigned s = 0; s < n_seqs; s++)
      for (int dynamic = 0; dynamic < 2; dynamic++) {
         int from = -1;
         for (unsigned i = 0; i < lens[s]; i++) {
            int b = numbers[s][i], a = i == 0 ? -1 : numbers[s][i - 1];
            n_instrs += dynamic;
            if (!begins(dynamic, a, b))
               continue;
            if (from >= 0)
               edges[dynamic][from][b]++;
            counts[dynamic][b]++;
            from = b;
         }
      }
}

/*--- Comparison                                           ---*/

/* Check's own assertions send a message each time, and there are millions
   here. */
#define IS(what)                                                     \
   do {                                                              \
      if (!(what))                                                   \
         ck_abort_msg("stream %" PRIu64 ": %s", stream, #what);      \
   } while (0)

static uint64_t stream;

static void check_edges(const DcfgBlockTable* t, const DcfgStreamBlock* b,
                        const int* starts, bool dynamic, int start, int end)
{
   unsigned n = 0, n_falls = 0;
   uint32_t kind;
   uint64_t sum = 0;

   for (unsigned k = 0; k < n_all; k++)
      n += edges[dynamic][start][k] > 0;
   IS(b->n_edges == n);
   for (unsigned k = 0; k < n; k++) {
      const DcfgStreamEdge* e = &t->edges[b->first_edge + k];
      IS(e->target < t->n_blocks);
      IS(e->count == edges[dynamic][start][starts[e->target]]);
      IS(e->falls == falls(end, starts[e->target]));
      IS(k == 0 || e[-1].count > e->count
         || (e[-1].count == e->count && e[-1].target < e->target));
      n_falls += e->falls;
      sum += e->count;
   }
   IS(b->departures == sum);
   kind = n_falls == n ? DCFG_END_NB : n - n_falls > 1 ? DCFG_END_IJ
          : n_falls > 0 ? DCFG_END_CB : DCFG_END_UB;
   IS(b->kind == kind);
}

static void check_table(const DcfgBlockTable* t, bool dynamic)
{
   int      starts[MAX_DISTINCT];
   uint32_t n = 0;

   for (unsigned i = 0; i < n_all; i++)
      if (counts[dynamic][i] > 0)
         starts[n++] = (int)i;
   IS(t->n_blocks == n);
   for (uint32_t i = 0; i < n; i++) {
      const DcfgStreamBlock* b = &t->blocks[i];
      int                    end = starts[i];
      uint32_t               size = 1;
      while (!jumps[end] && next[end] >= 0
             && !begins(dynamic, end, next[end])) {
         end = next[end];
         size++;
      }
      IS(b->first == all[starts[i]].addr);
      IS(b->last == all[end].addr);
      IS(b->n_instrs == size);
      IS(b->count == counts[dynamic][starts[i]]);
      check_edges(t, b, starts, dynamic, starts[i], end);
   }
}

/* Add sequences in turns, a portion at a time. */
static void add_streams(DcfgBlocks* b)
{
   unsigned at[MAX_SEQS] = { 0 }, left = n_seqs;

   while (left > 0) {
      unsigned s = rnd(n_seqs), portion = 1 + rnd(9);
      if (at[s] == lens[s])
         continue;
      if (n_seqs > 1)
         IS(dcfg_blocks_sequence(b, 7 * s, NULL));
      for (; portion > 0 && at[s] < lens[s]; portion--, at[s]++)
         IS(dcfg_blocks_add(b, seqs[s][at[s]].addr, seqs[s][at[s]].size,
                            NULL));
      left -= at[s] == lens[s];
   }
}

/* How many instructions of stream 0 are in the blocks that the second pass has
   visited. */
static unsigned visited;

static void visit(void* arg, uint32_t block)
{
   const DcfgBlockTable* t = arg;
   unsigned              i = visited;

   if (block == DCFG_NONE) {
      IS(visited == lens[0]);
      return;
   }
   /* The next instruction that begins a dynamic block. */
   IS(i < lens[0]);
   IS(t->blocks[block].first == seqs[0][i].addr);
   IS(i == 0 || jumps[numbers[0][i - 1]]);
   do
      i++;
   while (i < lens[0] && !jumps[numbers[0][i - 1]]);
   visited = i;
}

START_TEST(random_streams)
{
   for (unsigned i = 0; i < N_STREAMS; i++) {
      DcfgBlocks* b = dcfg_blocks_new("stream", NULL, NULL);
      DcfgError   err;
      seed = stream = i;
      make_streams();
      number();
      learn();
      count();
      add_streams(b);
      IS(dcfg_blocks_static(b) == NULL);
      IS(dcfg_blocks_finish(b, &err));
      IS(dcfg_blocks_instrs(b) == n_instrs);
      check_table(dcfg_blocks_static(b), false);
      check_table(dcfg_blocks_dynamic(b), true);
      if (n_seqs == 1) {
         visited = 0;
         dcfg_blocks_visit(b, visit,
                           (void*)(uintptr_t)dcfg_blocks_dynamic(b));
         add_streams(b);
         IS(dcfg_blocks_stop(b, &err));
         IS(visited == lens[0]);
      }
      dcfg_blocks_free(b);
   }
}
END_TEST

/*--- What is refused                                      ---*/

START_TEST(wrong_use)
{
   DcfgBlocks* b = dcfg_blocks_new("stream", NULL, NULL);
   DcfgError   err;

   ck_assert(dcfg_blocks_add(b, UINT64_MAX - 3, 4, &err));
   ck_assert(!dcfg_blocks_add(b, UINT64_MAX - 3, 5, &err));
   must_say(&err, "stream|beyond the last address");
   ck_assert(!dcfg_blocks_finish(b, &err));
   must_say(&err, "beyond the last address");
   dcfg_blocks_free(b);

   b = dcfg_blocks_new("stream", NULL, NULL);
   ck_assert(!dcfg_blocks_add(b, 0, 0, &err));
   must_say(&err, "an instruction of no bytes");
   dcfg_blocks_free(b);

   /* After the end, another stream is refused. */
   b = dcfg_blocks_new("stream", NULL, NULL);
   ck_assert(dcfg_blocks_add(b, 16, 4, &err));
   ck_assert(dcfg_blocks_add(b, 20, 4, &err));
   ck_assert(dcfg_blocks_finish(b, &err));
   ck_assert(dcfg_blocks_finish(b, &err));
   dcfg_blocks_visit(b, visit, NULL);
   ck_assert(!dcfg_blocks_add(b, 17, 4, &err));
   must_say(&err, "differs from the one that was read first");
   dcfg_blocks_free(b);

   b = dcfg_blocks_new("stream", NULL, NULL);
   ck_assert(dcfg_blocks_add(b, 16, 4, &err));
   ck_assert(dcfg_blocks_finish(b, &err));
   ck_assert(!dcfg_blocks_add(b, 20, 4, &err));
   must_say(&err, "finished");
   dcfg_blocks_free(b);
   dcfg_blocks_free(NULL);
}
END_TEST

/* A stream that takes more memory than allowed. */
START_TEST(limit)
{
   const DcfgOptions options = { .max_memory = 1 << 20 };
   DcfgBlocks*       b = dcfg_blocks_new("stream", &options, NULL);
   DcfgError         err;
   uint64_t          at = 0;

   while (dcfg_blocks_add(b, at, 3, &err))
      at = at * 2862933555777941757u + 3037000493u;
   ck_assert_int_eq(err.status, DCFG_ERROR_LIMIT);
   dcfg_blocks_free(b);
}
END_TEST

/* A process with four blocks; a jump enters the third, too. */
START_TEST(graph_alone)
{
   Dcfg*                 d = must_load(sample);
   const DcfgProcess*    p = dcfg_process(d, 0);
   DcfgBlocks*           b = dcfg_blocks_new("graph", NULL, NULL);
   DcfgError             err;
   const DcfgBlockTable* t;
   uint64_t              unknown = 7, sum = 0;

   ck_assert(dcfg_blocks_graph(b, p, DCFG_ALL_THREADS, &unknown, &err));
   ck_assert_uint_eq(unknown, 0);
   ck_assert(!dcfg_blocks_add(b, 0, 1, &err));
   must_say(&err, "instructions after a DCFG");
   dcfg_blocks_free(b);

   b = dcfg_blocks_new("graph", NULL, NULL);
   ck_assert(dcfg_blocks_graph(b, p, DCFG_ALL_THREADS, NULL, &err));
   ck_assert(dcfg_blocks_finish(b, &err));
   t = dcfg_blocks_static(b);
   ck_assert_ptr_nonnull(t);
   ck_assert_ptr_null(dcfg_blocks_dynamic(b));
   for (uint32_t i = 0; i < t->n_blocks; i++)
      sum += t->blocks[i].count * t->blocks[i].n_instrs;
   ck_assert_uint_eq(sum, dcfg_blocks_instrs(b));
   dcfg_blocks_free(b);
   dcfg_free(d);
}
END_TEST

/* A thread that only began and ended has executed nothing. */
START_TEST(nothing_executed)
{
   static const char trace[] =
      "{ \"MAJOR_VERSION\" : 1, \"MINOR_VERSION\" : 0, \"PROCESSES\" : [\n"
      "[ \"PROCESS_ID\", \"STRING_DICTIONARY\", \"TRANSITION_TABLE\","
      " \"THREAD_DATA\" ],\n"
      "[ 4711, {}, [ [ \"CURRENT_EDGE_ID\", \"TRANSITION_CODE\","
      " \"NEXT_EDGE_IDS\" ] ],\n"
      "[ [ \"THREAD_ID\", \"TRACE_DATA\" ],\n"
      "  [ 0, [ [ \"PRECEDING_INSTR_COUNT\", \"INSTR_COUNT\","
      " \"EDGE_COUNT\", \"FIRST_EDGE_ID\", \"EDGE_ID_SEQUENCE\" ],\n"
      "    [ 0, 0, 1, 9, \"\" ] ] ] ] ] ] }\n";
   char*       graph = replaced(sample, "[ 2000000000,",
                                "[ 9, 1, 2, 2, [ 1 ] ], [ 2000000000,");
   Dcfg*       d = must_load(graph);
   DcfgTrace*  t = dcfg_trace_open_memory(trace, strlen(trace), "test", NULL,
                                          NULL);
   DcfgBlocks* b = dcfg_blocks_new("trace", NULL, NULL);
   DcfgError   err;

   ck_assert_ptr_nonnull(t);
   ck_assert(dcfg_blocks_trace(b, dcfg_process(d, 0), t, &err));
   ck_assert(dcfg_blocks_finish(b, &err));
   ck_assert_uint_eq(dcfg_blocks_static(b)->n_blocks, 0);
   ck_assert_uint_eq(dcfg_blocks_dynamic(b)->n_blocks, 0);
   ck_assert_uint_eq(dcfg_blocks_instrs(b), 0);
   dcfg_blocks_free(b);
   dcfg_trace_close(t);
   dcfg_free(d);
   free(graph);
}
END_TEST

/*--- Lackey's text                                        ---*/

static DcfgBlocks* read_text(const char* text, bool* ok, DcfgError* err)
{
   char        path[] = "/tmp/test_lib_blocks.XXXXXX";
   int         fd = mkstemp(path);
   DcfgBlocks* b = dcfg_blocks_new("trace", NULL, NULL);

   ck_assert_int_ge(fd, 0);
   ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
   close(fd);
   *ok = dcfg_blocks_lackey(b, path, err);
   unlink(path);
   return b;
}

static void must_refuse(const char* text, const char* want)
{
   bool        ok;
   DcfgError   err;
   DcfgBlocks* b = read_text(text, &ok, &err);

   ck_assert_msg(!ok, "%s", text);
   ck_assert_int_eq(err.status, DCFG_ERROR_FORMAT);
   must_say(&err, want);
   dcfg_blocks_free(b);
}

#define FIRST "I  04001f40,3\n"

START_TEST(broken_text)
{
   must_refuse("", "trace: line 1: the stream ends without an instruction");
   must_refuse("==1== x\n S 1ffeffe7e0,8\n", "line 3|without an instruction");
   must_refuse(FIRST "I  04001f43,3", "line 2|in the middle of a line");
   must_refuse(FIRST "I  0400", "line 2|in the middle|byte 14");
   must_refuse(FIRST "I  04001f4\n" FIRST, "line 2|comma");
   must_refuse(FIRST " L 04001f4\n" FIRST, "line 2|comma");
   must_refuse(FIRST "I  04001f43,\n", "line 2|a number");
   must_refuse(FIRST "I  ,3\n", "line 2|address");
   must_refuse(FIRST "I  04001f43,3 \n", "line 2|a number alone");
   must_refuse(FIRST "I  04001f43,3\r\n", "line 2|a number alone");
   must_refuse(FIRST "I  04001g43,3\n", "line 2|comma");
   must_refuse(FIRST "I04001f43,3\n", "line 2|neither");
   must_refuse(FIRST "hello, world\n" FIRST, "line 2|neither");
   must_refuse(FIRST "\n" FIRST, "line 2|neither");
   must_refuse(FIRST " X 04001f43,3\n", "line 2|neither");
   must_refuse(FIRST "--1-- x\n", "line 2|neither");
   must_refuse(FIRST FIRST "I  04001f43,0\n", "line 3|no bytes");
   must_refuse(FIRST "I  04001f43,4294967296\n", "line 2|32 bits");
   must_refuse(FIRST "I  10000000000000000,3\n", "line 2|64 bits");
   must_refuse(FIRST " S 10000000000000000,3\n", "line 2|64 bits");
   must_refuse(FIRST "I  ffffffffffffffff,3\n", "line 2|last address");
}
END_TEST

/* Lines that are right, in any form. */
START_TEST(sound_text)
{
   const struct {
      const char* text;
      uint64_t    addr, last;
      uint32_t    n;
   } cases[] = {
      { FIRST, 0x4001f40, 0x4001f40, 1 },
      { "I  00000000,9\nI  00000009,12\n M 1ffeffe7e0,8\nI  00000015,1\n",
        0, 0x15, 3 },
      { "I 4,5\n", 4, 4, 1 },
      { "I      04001F4A,15\nI  04001f59,2\n", 0x4001f4a, 0x4001f59, 2 },
      { "I  fffffffffffffffe,1\nI  ffffffffffffffff,1\n",
        0xfffffffffffffffe, 0xffffffffffffffff, 2 },
      { "I  000000000000000000004,3\n", 4, 4, 1 },
      { " L 04001f43,16\nI  123456789,4294967295\n", 0x123456789,
        0x123456789, 1 },
      { "====\n==\nI  1ffeffe7e0,1\nI  1ffeffe7e1,127\nI  1ffeffe860,300\n",
        0x1ffeffe7e0, 0x1ffeffe860, 3 }
   };

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      bool                  ok;
      DcfgError             err;
      DcfgBlocks*           b = read_text(cases[i].text, &ok, &err);
      const DcfgBlockTable* t;
      ck_assert_msg(ok, "%s", cases[i].text);
      ck_assert(dcfg_blocks_finish(b, &err));
      t = dcfg_blocks_dynamic(b);
      ck_assert_uint_eq(t->n_blocks, 1);
      ck_assert_uint_eq(t->blocks[0].first, cases[i].addr);
      ck_assert_uint_eq(t->blocks[0].last, cases[i].last);
      ck_assert_uint_eq(t->blocks[0].n_instrs, cases[i].n);
      dcfg_blocks_free(b);
   }
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: blocks");

   add_case(s, random_streams, wrong_use, limit, graph_alone,
            nothing_executed, broken_text, sound_text);
   return run_suite(s);
}
