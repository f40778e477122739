
/*--------------------------------------------------------------------*/
/*--- Tests: writing a DCFG-trace.                test_trace_enc.c ---*/
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

/* Walks through random graphs are written and decoded again as section 3
   of the format says it, step by step: substitute, turn characters into
   bits, look the bits up in the table. */

#include <malloc.h>

#include "unit_json.h"
#include "dcfg_trace_enc.h"

#define ALPHABET \
   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"

#define MAX_THREADS 4

/*------------------------------------------------------------*/
/*--- A walk                                               ---*/
/*------------------------------------------------------------*/

/* The edges of a thread, and their reader. */
typedef
   struct Walk {
      UInt* edges;         // source and target, until there are ids
      UInt  n, room;
      UInt* decisions;
      UInt  n_decisions, at;
      UInt  ahead;         // a decision that was read too early, or 0
      UInt  (*read)(struct Walk* w, UInt* ids, UInt room);
   }
   Walk;

static Walk   walks[MAX_THREADS];
static UInt   n_walks;
static Graph* graph;

static void step(Walk* w, UInt source, UInt target)
{
   if (w->n + 2 > w->room) {
      w->room  = 2 * w->n + 64;
      w->edges = realloc(w->edges, w->room * sizeof(UInt));
   }
   w->edges[w->n++] = source;
   w->edges[w->n++] = target;
}

static UInt read_walk(Walk* w, UInt* ids, UInt room)
{
   UInt n = w->n_decisions - w->at;

   /* As many as it likes. */
   n = n < room ? n : room;
   n = n > 1 ? 1 + below(n) : n;
   memcpy(ids, w->decisions + w->at, n * sizeof(UInt));
   w->at += n;
   return n;
}

static void start_walk(void* arg)
{
   ((Walk*)arg)->at    = 0;
   ((Walk*)arg)->ahead = 0;
}

static void stop_walk(void* arg)
{
   ck_assert_uint_eq(((Walk*)arg)->ahead, 0);
}

#define N_PLACES 5

static Bool skip_in_walk(void* arg, UInt i)
{
   Walk* w = arg;

   ck_assert_uint_lt(i, N_PLACES);
   if (w->n_decisions % 7 == 0)
      return False;
   w->at = (UInt)((ULong)w->n_decisions * (i + 1) / (N_PLACES + 1));
   return True;
}

/* What TraceThread.parse has to do, one decision at a time.  Of a decision
   that is not part of a complete phrase any more, chance says whether it
   was read all the same. */
static UInt parse_walk(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                       UInt room, ULong limit)
{
   Walk* w       = arg;
   ULong n_edges = 0;
   UInt  n = 0, p = *phrase;

   ck_assert_uint_gt(limit, 0);
   while (p != 0 && n < room && n_edges < limit) {
      Bool is_context = ps->phrases[p].parent == 0;
      UInt id         = w->ahead;
      if (id == 0 && w->read(w, &id, 1) == 0) {
         if (!is_context)
            phrases[n++] = p;
         p = 0;
         break;
      }
      w->ahead = 0;
      if (!is_context && DCFG_(longer_phrase)(ps, p, id) == 0) {
         phrases[n++] = p;
         n_edges += ps->phrases[p].n_edges;
         p        = DCFG_(context_after)(ps, ps->phrases[p].edge);
         if (chance(50)) {
            w->ahead = id;
            continue;
         }
      }
      p = DCFG_(extend_phrase)(ps, p, id);
   }
   *phrase = p;
   return n;
}

static UInt read_on(void* arg, UInt* ids, UInt room)
{
   Walk* w = arg;

   if (w->ahead == 0)
      return w->read(w, ids, room);
   ids[0]   = w->ahead;
   w->ahead = 0;
   return 1;
}

static void new_graph(UInt n_blocks)
{
   graph = plain_graph(n_blocks);
   for (UInt b = 0; b < n_blocks; b++)
      graph->blocks[b].n_instrs = 1 + below(1000);
   n_walks = 0;
}

static Walk* new_walk(void)
{
   Walk fresh = { .read = read_walk };

   ck_assert_uint_lt(n_walks, MAX_THREADS);
   walks[n_walks] = fresh;
   return &walks[n_walks++];
}

/* The walks are complete: make the graph's edges of them, with some more
   that nobody took, and turn steps into ids. */
static void finish_walks(void)
{
   UInt  n_nodes = graph->n_blocks + NodeFirstBlock;
   UInt* degree  = DCFG_CALLOC("unit", UInt, n_nodes);
   UInt* id      = DCFG_CALLOC("unit", UInt, n_nodes * n_nodes);

   for (UInt t = 0; t < n_walks; t++)
      for (UInt i = 0; i < walks[t].n; i += 2)
         id[walks[t].edges[i] * n_nodes + walks[t].edges[i + 1]] = 1;
   for (UInt s = 0; s < n_nodes; s++)
      for (UInt d = 0; d < n_nodes; d++)
         if (id[s * n_nodes + d])
            add_edge(graph, s, d, EdgeUnknown, 1);
         else if (s >= NodeFirstBlock && d >= NodeFirstBlock && chance(2))
            add_edge(graph, s, d, EdgeCallBypass, 0);
   put_in_order(graph);
   for (UInt i = 0; i < graph->n_edges; i++) {
      const Edge* e = &graph->edges[i];
      id[e->source * n_nodes + e->target] = i + 1;
      degree[e->source] += e->n_counts > 0;
   }
   for (UInt t = 0; t < n_walks; t++) {
      Walk* w = &walks[t];
      w->n /= 2;
      w->decisions = malloc((w->n + 1) * sizeof(UInt));
      for (UInt i = 0; i < w->n; i++) {
         UInt source = w->edges[2 * i];
         w->edges[i] = id[source * n_nodes + w->edges[2 * i + 1]];
         if (i == 0 || degree[source] > 1)
            w->decisions[w->n_decisions++] = w->edges[i];
      }
   }
   free(degree);
   free(id);
}

static void delete_walks(void)
{
   for (UInt t = 0; t < n_walks; t++) {
      free(walks[t].edges);
      free(walks[t].decisions);
   }
   DCFG_(delete_graph)(graph);
}

/*------------------------------------------------------------*/
/*--- The store                                            ---*/
/*------------------------------------------------------------*/

typedef
   struct {
      FILE* file;
      Bool  is_read;
      ULong size;
   }
   Stream;

static Stream streams[N_TRACE_STREAMS];

static void append(void* arg, UInt stream, const void* bytes, UInt n)
{
   Stream* s = &streams[stream];

   ck_assert_ptr_eq(arg, streams);
   require(!s->is_read, "stream %u is written after it was read", stream);
   if (s->file == NULL)
      s->file = tmpfile();
   ck_assert_uint_eq(fwrite(bytes, 1, n, s->file), n);
   s->size += n;
}

static UInt read_stream(void* arg, UInt stream, void* bytes, UInt room)
{
   Stream* s = &streams[stream];

   ck_assert_ptr_eq(arg, streams);
   if (!s->is_read && s->file != NULL)
      rewind(s->file);
   s->is_read = True;
   return s->file ? (UInt)fread(bytes, 1, room, s->file) : 0;
}

static void clear_streams(void)
{
   for (UInt i = 0; i < N_TRACE_STREAMS; i++)
      if (streams[i].file)
         fclose(streams[i].file);
   memset(streams, 0, sizeof(streams));
}

static TraceSize size;

static void encode(ULong chunk, const TraceEffort* effort)
{
   TraceThread threads[MAX_THREADS];
   TraceJob    job = { 4711, graph, n_walks, threads, chunk,
                       { append, read_stream, streams }, effort };

   for (UInt t = 0; t < n_walks; t++) {
      TraceThread thread = { 3 * t, walks[t].n_decisions, N_PLACES,
                             &walks[t], start_walk, stop_walk, skip_in_walk,
                             read_on, parse_walk };
      threads[t] = thread;
   }
   clear_streams();
   start_text();
   DCFG_(write_trace)(&out, &job, &size);
   ck_assert_uint_eq(size.n_chars, text_len);
}

/*------------------------------------------------------------*/
/*--- The decoder                                          ---*/
/*------------------------------------------------------------*/

static json_t* table;         // rows by "EDGE:CODE"
static UInt    longest_row;   // edges

static HChar*  expanded;
static SizeT   n_expanded, expanded_room;

static void expand(const HChar* s, SizeT n, json_t* dictionary)
{
   for (const HChar* end = s + n; s < end; s++) {
      if (*s == '<') {
         HChar        key[8] = "";
         const HChar* value;
         strncpy(key, s + 1, strcspn(s + 1, ">"));
         value = json_string_value(json_object_get(dictionary, key));
         require(value != NULL, "no entry %s", key);
         expand(value, strlen(value), dictionary);
         s += strlen(key) + 1;
      } else if (*s == '(') {
         const HChar* from  = strchr(s, '*') + 1;
         const HChar* to    = from;
         Int          times = atoi(s + 1);
         for (UInt open = 1; open > 0; to++)
            open += (*to == '(') - (*to == ')');
         while (times-- > 0)
            expand(from, (SizeT)(to - 1 - from), dictionary);
         s = to - 1;
      } else {
         if (n_expanded + 1 >= expanded_room) {
            expanded_room = 2 * n_expanded + 64;
            expanded      = realloc(expanded, expanded_room);
         }
         expanded[n_expanded++] = *s;
      }
   }
}

static UInt bit(SizeT i)
{
   require(i / 6 < n_expanded, "not enough bits");
   return (UInt)(strchr(ALPHABET, expanded[i / 6]) - ALPHABET)
          >> (5 - i % 6) & 1;
}

/* No code word may begin with another one of its edge, and there may be
   none that do not stand for anything. */
static void read_table(json_t* rows)
{
   const HChar* key;
   json_t*      row;
   double*      kraft = calloc(graph->n_edges + 1, sizeof(double));
   SizeT        i;

   table = json_object();
   longest_row = 0;
   ck_assert_str_eq(compact(json_array_get(rows, 0)),
                    "['CURRENT_EDGE_ID','TRANSITION_CODE','NEXT_EDGE_IDS']");
   json_array_foreach(rows, i, row) {
      HChar  name[64];
      UInt   id   = (UInt)json_integer_value(json_array_get(row, 0));
      const HChar* code = json_string_value(json_array_get(row, 1));
      json_t* next = json_array_get(row, 2);
      if (i == 0)
         continue;
      require(id >= 1 && id <= graph->n_edges, "no edge %u", id);
      ck_assert_uint_eq(json_array_size(row), 3);
      ck_assert_uint_ge(json_array_size(next), 1);
      ck_assert_uint_le(strlen(code), 32);
      ck_assert_uint_eq(strspn(code, "01"), strlen(code));
      if (json_array_size(next) > longest_row)
         longest_row = (UInt)json_array_size(next);
      snprintf(name, sizeof(name), "%u:%s", id, code);
      require(json_object_get(table, name) == NULL, "row %s twice", name);
      json_object_set(table, name, next);
      kraft[id] += 1.0 / (double)(1ULL << strlen(code));
   }
   for (UInt id = 1; id <= graph->n_edges; id++)
      require(kraft[id] == 0 || kraft[id] == 1, "code of edge %u", id);
   json_object_foreach(table, key, row) {
      HChar shorter[64];
      strcpy(shorter, key);
      for (SizeT n = strlen(key); key[n - 1] != ':'; ) {
         shorter[--n] = 0;
         require(json_object_get(table, shorter) == NULL,
                 "%s begins with %s", key, shorter);
      }
   }
   free(kraft);
}

/* One chunk; the walk goes on at edge AT. */
static ULong judge_chunk(json_t* row, json_t* dictionary, const Walk* w,
                         UInt at, ULong before)
{
   ULong count  = json_integer_value(json_array_get(row, 2));
   ULong instrs = 0, n = 1;
   UInt  last   = (UInt)json_integer_value(json_array_get(row, 3));
   SizeT at_bit = 0;

   ck_assert_uint_eq(json_array_size(row), 5);
   ck_assert_uint_eq(json_integer_value(json_array_get(row, 0)), before);
   require(at + count <= w->n, "too many edges");
   n_expanded = 0;
   expand(json_string_value(json_array_get(row, 4)),
          json_string_length(json_array_get(row, 4)), dictionary);
   require(last == w->edges[at], "FIRST_EDGE_ID %u", last);
   while (n < count) {
      HChar   name[64];
      json_t* next;
      json_t* id;
      SizeT   i;
      SizeT   length = (SizeT)snprintf(name, sizeof(name), "%u:", last);
      while ((next = json_object_get(table, name)) == NULL) {
         require(length < 60, "no row for %s", name);
         name[length++] = '0' + bit(at_bit++);
         name[length]   = 0;
      }
      json_array_foreach(next, i, id) {
         last = (UInt)json_integer_value(id);
         if (n < count)
            require(last == w->edges[at + n], "edge %llu of a chunk", n);
         n++;
      }
   }
   require(n_expanded == (at_bit + 5) / 6, "bits that nobody needs");
   for (UInt i = 0; i < count; i++) {
      UInt source = graph->edges[w->edges[at + i] - 1].source;
      if (source >= NodeFirstBlock)
         instrs += graph->blocks[source - NodeFirstBlock].n_instrs;
   }
   ck_assert_uint_eq(json_integer_value(json_array_get(row, 1)), instrs);
   return instrs;
}

static void judge(ULong chunk)
{
   static const HChar start[] = "{\"MAJOR_VERSION\":1,\"MINOR_VERSION\":0,"
                                "\"PROCESSES\":[[";
   json_t* root = read_back();
   json_t* rows = json_object_get(root, "PROCESSES");
   json_t* row  = json_array_get(rows, 1);
   json_t* threads;

   ck_assert_int_eq(strncmp(text, start, sizeof(start) - 1), 0);
   ck_assert_uint_eq(json_object_size(root), 3);
   ck_assert_uint_eq(json_array_size(rows), 2);
   ck_assert_str_eq(compact(json_array_get(rows, 0)),
                    "['PROCESS_ID','STRING_DICTIONARY',"
                    "'TRANSITION_TABLE','THREAD_DATA']");
   ck_assert_uint_eq(json_array_size(row), 4);
   ck_assert_uint_eq(json_integer_value(json_array_get(row, 0)), 4711);
   read_table(json_array_get(row, 2));
   threads = json_array_get(row, 3);
   ck_assert_str_eq(compact(json_array_get(threads, 0)),
                    "['THREAD_ID','TRACE_DATA']");
   ck_assert_uint_eq(json_array_size(threads), n_walks + 1);
   for (UInt t = 0; t < n_walks; t++) {
      const Walk* w = &walks[t];
      json_t* one    = json_array_get(threads, t + 1);
      json_t* chunks = json_array_get(one, 1);
      ULong   before = 0, at = 0;
      ck_assert_uint_eq(json_array_size(one), 2);
      ck_assert_uint_eq(json_integer_value(json_array_get(one, 0)), 3 * t);
      ck_assert_str_eq(compact(json_array_get(chunks, 0)),
                       "['PRECEDING_INSTR_COUNT','INSTR_COUNT',"
                       "'EDGE_COUNT','FIRST_EDGE_ID','EDGE_ID_SEQUENCE']");
      ck_assert_uint_eq(json_array_size(chunks),
                        1 + (w->n + chunk - 1) / chunk);
      for (UInt i = 1; i < json_array_size(chunks); i++) {
         json_t* c     = json_array_get(chunks, i);
         ULong   count = json_integer_value(json_array_get(c, 2));
         require(count == chunk || at + count == w->n, "EDGE_COUNT %llu",
                 count);
         before += judge_chunk(c, json_array_get(row, 1), w, (UInt)at,
                               before);
         at     += count;
      }
      require(at == w->n, "%llu edges of %u", at, w->n);
   }
   json_decref(table);
   json_decref(root);
}

/*------------------------------------------------------------*/
/*--- By hand                                              ---*/
/*------------------------------------------------------------*/

/* With little memory; and with much longer phrases than pay. */
static const TraceEffort hasty  = { { 9, 110, 4000 }, 0, 5000, 100 };
static const TraceEffort greedy = { { 9, 3000, 400 }, 0, 5000, 1000 };

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

/* A loop and what follows it: all that there is to say are its ends, and a
   loop that always ends alike needs not even that. */
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
   /* Chunk borders at every place of the loop. */
   for (ULong chunk = 1; chunk < 150; chunk++) {
      encode(chunk, &DCFG_(trace_effort));
      judge(chunk);
   }
   delete_walks();
}
END_TEST

/* Two rows end before the long way from 1 to 15, which so gets a row of its
   own; a third comes in at 15, where both go on alike. */
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

/* An edge of thousands that can follow, some of them very rare. */
START_TEST(test_many_ways)
{
   enum { WAYS = 1500 };
   Walk* w;

   start_chance(1);
   new_graph(WAYS + 1);
   w = new_walk();
   step(w, NodeStart, NodeFirstBlock);
   for (UInt i = 0; i < 60000; i++) {
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

/*------------------------------------------------------------*/
/*--- By chance                                            ---*/
/*------------------------------------------------------------*/

/* Successors of a block, so that walks have habits. */
static UInt successors[64][4];

static void random_walk(Walk* w, UInt n_blocks, UInt length)
{
   UInt at = NodeStart, loop_from = 0, loops = 0;

   for (UInt i = 0; i < length; i++) {
      UInt to = NodeFirstBlock + below(n_blocks);
      if (at != NodeStart && !chance(1))
         to = successors[at - NodeFirstBlock][chance(70) ? 0 : below(4)];
      /* From time to time the same again, exactly. */
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

   for (ULong seed = 1; seed <= 1000; seed++) {
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
   ck_assert_uint_gt(long_rows, 100);
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
   static const TraceEffort some = { { 9, 150, 400 }, 300, 5000, 1000 };
   static const TraceEffort none = { { 9, 90, 400 }, 300, 5000, 1000 };

   ck_assert_uint_eq(DCFG_(credit_for)(&some, 0, 1000), 100);
   ck_assert_uint_eq(DCFG_(credit_for)(&some, 150000, 1000), 125);
   ck_assert_uint_eq(DCFG_(credit_for)(&some, 299999, 1000), 149);
   ck_assert_uint_eq(DCFG_(credit_for)(&some, 300000, 1000), 150);
   ck_assert_uint_eq(DCFG_(credit_for)(&some, 1ULL << 60, 0xFFFFFFFF), 150);
   ck_assert_uint_eq(DCFG_(credit_for)(&none, 10, 1000), 90);
}
END_TEST

/*------------------------------------------------------------*/
/*--- Memory                                               ---*/
/*------------------------------------------------------------*/

#define LONG_WALK 12000000

/* The C library knows nothing of what the sanitizer's malloc gave. */
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

/* Decisions made while they are read: all edges of a graph with several
   out-edges for each of its blocks. */
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
   append(arg, stream, bytes, n);
}

static void forget(void* arg, const HChar* s, UInt n)
{
   (void)arg;
   (void)s;
   (void)n;
   watch_memory();
}

/* However long the walk, no more memory than it was promised. */
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
   DCFG_(write_trace)(&out, &job, &size);
   watch_memory();
   require(memory_most < 120 << 20, "%llu bytes", memory_most);
   ck_assert_uint_gt(streams[StreamText].size, 3000000);
   delete_walks();
}
END_TEST

int main(void)
{
   Suite* s     = suite_create("trace_enc");
   TCase* cases = tcase_create("trace_enc");

   tcase_set_timeout(cases, 120);
   tcase_add_test(cases, test_nothing);
   tcase_add_test(cases, test_loops);
   tcase_add_test(cases, test_shared_tail);
   tcase_add_test(cases, test_many_ways);
   tcase_add_test(cases, test_random);
   tcase_add_test(cases, test_same_again);
   tcase_add_test(cases, test_credit);
   tcase_add_test(cases, test_memory);
   suite_add_tcase(s, cases);
   return run_suite(s);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
