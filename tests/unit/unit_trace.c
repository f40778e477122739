/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Walks, written and decoded again. */

/* A walk's edges are numbered when all walks are complete, as the tool does it.
   The text is decoded as section 3 of the format says, step by step:
   substitute, turn characters into bits, look the bits up in the table. */

#include "unit_trace.h"

#define ALPHABET \
   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"

/*--- A walk                                               ---*/

Graph*      graph;
static Walk walks[MAX_THREADS];
static UInt n_walks;

void step(Walk* w, UInt source, UInt target)
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

   /* The encoder may ask for any number. */
   n = n < room ? n : room;
   n = n > 1 ? 1 + below(n) : n;
   memcpy(ids, w->decisions + w->at, n * sizeof(UInt));
   w->at += n;
   return n;
}

void start_walk(void* arg)
{
   ((Walk*)arg)->at    = 0;
   ((Walk*)arg)->ahead = 0;
}

void stop_walk(void* arg)
{
   require(((Walk*)arg)->ahead == 0, "a decision is left");
}

static Bool skip_in_walk(void* arg, UInt i)
{
   Walk* w = arg;

   require(i < N_PLACES, "place %u", i);
   if (w->n_decisions % 7 == 0)
      return False;
   w->at = (UInt)((ULong)w->n_decisions * (i + 1) / (N_PLACES + 1));
   return True;
}

/* Do the work of TraceThread.parse, one decision at a time.  For a decision
   that is no part of a complete phrase, chance decides whether it was read. */
UInt parse_walk(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                       UInt room, ULong limit)
{
   Walk* w       = arg;
   ULong n_edges = 0;
   UInt  n = 0, p = *phrase;

   require(limit > 0, "no edge is wanted");
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

UInt read_on(void* arg, UInt* ids, UInt room)
{
   Walk* w = arg;

   if (w->ahead == 0)
      return w->read(w, ids, room);
   ids[0]   = w->ahead;
   w->ahead = 0;
   return 1;
}

void new_graph(UInt n_blocks)
{
   graph = plain_graph(n_blocks);
   for (UInt b = 0; b < n_blocks; b++)
      graph->blocks[b].n_instrs = 1 + below(1000);
   n_walks = 0;
}

Walk* new_walk(void)
{
   Walk fresh = { .read = read_walk };

   ck_assert_uint_lt(n_walks, MAX_THREADS);
   walks[n_walks] = fresh;
   return &walks[n_walks++];
}

/* Make the graph's edges of the complete walks, with some more that nobody
   took, and turn steps into ids. */
void finish_walks(void)
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

void delete_walks(void)
{
   for (UInt t = 0; t < n_walks; t++) {
      free(walks[t].edges);
      free(walks[t].decisions);
   }
   DCFG_(delete_graph)(graph);
}

/*--- The store                                            ---*/

Stream streams[N_TRACE_STREAMS];

void append_stream(void* arg, UInt stream, const void* bytes, UInt n)
{
   Stream* s = &streams[stream];

   ck_assert_ptr_eq(arg, streams);
   require(!s->is_read, "stream %u is written after it was read", stream);
   if (s->file == NULL)
      s->file = tmpfile();
   require(fwrite(bytes, 1, n, s->file) == n, "stream %u", stream);
   s->size += n;
}

UInt read_stream(void* arg, UInt stream, void* bytes, UInt room)
{
   Stream* s = &streams[stream];

   ck_assert_ptr_eq(arg, streams);
   if (!s->is_read && s->file != NULL)
      rewind(s->file);
   s->is_read = True;
   return s->file ? (UInt)fread(bytes, 1, room, s->file) : 0;
}

void clear_streams(void)
{
   for (UInt i = 0; i < N_TRACE_STREAMS; i++)
      if (streams[i].file)
         fclose(streams[i].file);
   memset(streams, 0, sizeof(streams));
}

void encode(ULong chunk, const TraceEffort* effort)
{
   TraceThread threads[MAX_THREADS];
   TraceJob    job = { 4711, graph, n_walks, threads, chunk,
                       { append_stream, read_stream, streams }, effort };

   for (UInt t = 0; t < n_walks; t++) {
      TraceThread thread = { 3 * t, walks[t].n_decisions, N_PLACES,
                             &walks[t], start_walk, stop_walk, skip_in_walk,
                             read_on, parse_walk };
      threads[t] = thread;
   }
   clear_streams();
   start_text();
   DCFG_(write_trace)(&out, &job);
   ck_assert_uint_eq(out.n_bytes, text_len);
}

/*--- The decoder                                          ---*/

static json_t* table;         // rows by "EDGE:CODE"
UInt           longest_row;

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

/* No code word may begin with another one of its edge, and each must stand for
   something. */
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
      require(json_array_size(row) == 3, "a row of the table");
      require(json_array_size(next) >= 1, "no next edge");
      require(strlen(code) <= 32, "a long code");
      require(strspn(code, "01") == strlen(code), "code %.40s", code);
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

/* Check one chunk; the walk continues at edge AT. */
static ULong judge_chunk(json_t* row, json_t* dictionary, const Walk* w,
                         UInt at, ULong before)
{
   ULong count  = json_integer_value(json_array_get(row, 2));
   ULong instrs = 0, n = 1;
   UInt  last   = (UInt)json_integer_value(json_array_get(row, 3));
   SizeT at_bit = 0;

   require(json_array_size(row) == 5, "a row of a chunk");
   require((ULong)json_integer_value(json_array_get(row, 0)) == before,
           "instructions before the chunk");
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
   require((ULong)json_integer_value(json_array_get(row, 1)) == instrs,
           "instructions of the chunk");
   return instrs;
}

void judge(ULong chunk)
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
