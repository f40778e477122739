/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The writer of a DCFG-trace: from decision edges to JSON. */

/* Owns: a DCFG-trace, format 1.00 (its specification, part 3).  Handed: the
   graph, and readers of the threads' decision edges.

   There are three passes.  The first one reads a sample and chooses phrases
   from it (tool/trace/choose.c).  The second one parses the whole trace into
   phrases, counts them, puts them into the store, and cuts chunks.  Then
   phrases that are used too rarely are given up (tool/trace/choose.c), and the
   others get code words (tool/trace/phrase.c).  The third pass reads the store
   and turns it into text (tool/trace/repeat.c), which goes back into the store
   until its dictionary and the table have been written.  The memory needed is
   the graph's size, the phrases', the sample's and one block of text, however
   long the trace is.

   A chunk begins with an edge that is written out, and ends after its number
   of edges, even if the last code word continues.  So a phrase in which a
   chunk ends is written whole, and the rest of it is parsed again for the next
   chunk.  If the next chunk begins within a tail, a row without a code word
   leads to the tail's end.

   TRANSITION_TABLE (section 3.5 of the format) has a row for each phrase in
   use: its context, its code word, its edges.  Two exceptions make the table
   shorter and change no code word.  If several phrases end with the same tail,
   their rows may end before it, and a row without a code word has the tail.
   And if only one row leads to a context and only one row leaves it, the two
   are one row. */

#include "dcfg_trace_enc.h"
#include "format/put.h"
#include "tool/base/util.h"
#include "tool/trace/choose.h"
#include "tool/trace/phrase.h"
#include "tool/trace/repeat.h"

const TraceEffort DCFG_(trace_effort) = { { 9, 150, 4000 }, 600, 3 << 18, 48,
                                           3 << 20, 1 << 20 };

/* The largest factor from a phrase's frequency in the sample to its frequency
   in the trace that is believed. */
#define MAX_SCALE 4

/* The number of elements that go to or come from the store at a time. */
#define BATCH 8192

/* The number of phrases that are fetched ahead into the processor's cache. */
#define AHEAD 8u

typedef
   struct {
      ULong n_edges;
      ULong n_instrs;
      UInt  first;       // edge id
   }
   Chunk;

typedef
   struct {
      const TraceJob* job;
      Phrases* ps;
      Bool*  is_way;         // for each edge: is there a row from it to its
                             // arrival?
      Bool*  is_start;       // for each edge: is it a chunk's first arrival?
      ULong* n_chunks;       // for each thread
      ULong  n_edges;        // edges written so far
      /* State of parsing one thread: */
      UInt   phrase;         // the phrase so far; 0: a chunk begins
      ULong  left;           // edges that the chunk still takes
      Chunk  chunk;
      UInt*  back;           // stack of decisions to parse again
      UInt   n_back, back_room;
      UInt   thread;         // the thread's index
      UInt   n_batch;
      UChar  batch[BATCH];   // bytes for the store
      /* For each phrase that was used, its number among the phrases of its
         context, from 1 up.  For each context, how many these are. */
      UInt*  number;
      UInt   number_room;
      Split* splits;         // for each phrase; made after parsing
   }
   Encoder;

UInt DCFG_(credit_for)(const TraceEffort* effort, ULong n_decisions,
                       UInt n_edges)
{
   ULong full   = (ULong)n_edges * effort->full_credit;
   UInt  credit = effort->phrases.credit;

   if (credit <= 100 || n_decisions >= full)
      return credit;
   return 100 + (UInt)((credit - 100) * n_decisions / full);
}

/* Return the decisions in a sample of a trace through a graph of N_EDGES. */
static UInt sample_for(const TraceEffort* effort, UInt n_edges)
{
   ULong n = effort->min_sample + (ULong)n_edges * effort->sample_per_edge;

   return n < effort->max_sample ? (UInt)n : effort->max_sample;
}

static void choose_phrases(Encoder* e)
{
   const TraceJob* job    = e->job;
   PhraseParams    params = job->effort->phrases;
   Sample          sample;

   DCFG_(take_sample)(&sample, job->threads, job->n_threads,
                      sample_for(job->effort, job->graph->n_edges));
   params.credit = DCFG_(credit_for)(job->effort, sample.n * sample.scale,
                                     job->graph->n_edges);
   /* A phrase must not span many chunks, because it is parsed again for
      each. */
   if (params.max_edges > job->chunk / 4 + 1)
      params.max_edges = (UInt)(job->chunk / 4 + 1);
   /* Phrases that are rare in the sample promise too little for a longer
      trace. */
   if (sample.scale > MAX_SCALE)
      sample.scale = MAX_SCALE;
   DCFG_(choose_phrases)(e->ps, &params, sample.ids, sample.n,
                         (UInt)sample.scale);
   dcfg_free(sample.ids);
}

/*--- Parsing, and cutting chunks                          ---*/

/* The store's format: for each chunk CHUNK_BEGINS and its first edge; then for
   each phrase its number among those of its context, as a byte, or as
   BIG_NUMBER and four bytes. */
#define CHUNK_BEGINS 255
#define BIG_NUMBER   254

static void flush_batch(Encoder* e)
{
   const TraceStore* store = &e->job->store;

   if (e->n_batch > 0)
      store->append(store->arg, StreamPhrases, e->batch, e->n_batch);
   e->n_batch = 0;
}

static void put_byte(Encoder* e, UChar byte)
{
   if (e->n_batch == BATCH)
      flush_batch(e);
   e->batch[e->n_batch++] = byte;
}

static void put_marked(Encoder* e, UChar mark, UInt n)
{
   put_byte(e, mark);
   for (UInt i = 0; i < 4; i++)
      put_byte(e, n >> 8 * i & 255);
}

/* Return the number of phrase P in its context, from 0 up, and note that P was
   used. */
static UInt number_of(Encoder* e, UInt p)
{
   const Phrases* ps = e->ps;

   if (ps->n_phrases > e->number_room) {
      UInt old = e->number_room;
      e->number_room = ps->n_phrases + ps->n_phrases / 4;
      e->number = dcfg_realloc("dcfg.trace.number", e->number,
                               (SizeT)e->number_room * sizeof(UInt));
      dcfg_memset(e->number + old, 0,
                  (SizeT)(e->number_room - old) * sizeof(UInt));
   }
   if (e->number[p] == 0)
      e->number[p] = ++e->number[ps->context_of[ps->phrases[p].context]];
   return e->number[p] - 1;
}

static void put_phrase(Encoder* e, UInt p)
{
   UInt number = number_of(e, p);

   if (number < BIG_NUMBER)
      put_byte(e, number);
   else
      put_marked(e, BIG_NUMBER, number);
}

static ULong instrs_of(const Encoder* e, UInt id)
{
   /* The instructions of edge ID's tail, less those of the tail that continues
      it. */
   const Phrases* ps = e->ps;
   UInt next = ps->only_edge[ps->graph->edges[id - 1].target];

   return ps->tail_instrs[id] - (next ? ps->tail_instrs[next] : 0);
}

static void end_chunk(Encoder* e)
{
   const TraceStore* store = &e->job->store;

   e->chunk.n_edges = e->job->chunk - e->left;
   e->n_edges += e->chunk.n_edges;
   store->append(store->arg, StreamChunks, &e->chunk, sizeof(Chunk));
   e->n_chunks[e->thread]++;
   e->left = 0;
}

static Bool is_arrival(const Encoder* e, UInt id)
{
   return e->ps->arrival[id] == id;
}

static void push_back(Encoder* e, UInt id)
{
   if (e->n_back == e->back_room) {
      e->back_room = e->back_room ? 2 * e->back_room : 1024;
      e->back      = dcfg_realloc("dcfg.trace.back", e->back,
                                  (SizeT)e->back_room * sizeof(UInt));
   }
   e->back[e->n_back++] = id;
}

/* Begin a chunk with PATH[0].  The N edges of the path end with an arrival. */
static void begin_chunks(Encoder* e, const UInt* path, UInt n)
{
   UInt i = 0;

   while (i < n) {
      put_marked(e, CHUNK_BEGINS, path[i]);
      e->chunk.first    = path[i];
      e->chunk.n_instrs = instrs_of(e, path[i]);
      e->left           = e->job->chunk - 1;
      if (e->left > 0 && !is_arrival(e, path[i]))
         e->is_way[path[i]] = True;
      for (i++; e->left > 0 && !is_arrival(e, path[i - 1]); i++) {
         e->chunk.n_instrs += instrs_of(e, path[i]);
         e->left--;
      }
      if (e->left > 0) {
         e->phrase = DCFG_(context_after)(e->ps, path[i - 1]);
         e->is_start[path[i - 1]] = True;
         for (UInt k = n; k > i; k--)
            if (e->ps->n_decisions[e->ps->graph->edges[path[k - 1] - 1]
                                   .source] > 0)
               push_back(e, path[k - 1]);
         return;
      }
      end_chunk(e);
   }
   e->phrase = 0;
}

/* Use phrase P.  e->.phrase is what has been parsed behind P so far. */
static void use_phrase(Encoder* e, UInt p)
{
   Phrase* phrase = &e->ps->phrases[p];

   phrase->count++;
   put_phrase(e, p);
   if (phrase->n_edges < e->left) {
      e->left           -= phrase->n_edges;
      e->chunk.n_instrs += phrase->n_instrs;
      return;
   }
   phrase->is_cut |= phrase->n_edges > e->left;
   /* The chunk ends inside P or with P.  Parse what comes after it again. */
   for (UInt q = e->phrase; q != 0 && e->ps->phrases[q].parent != 0;
        q = e->ps->phrases[q].parent)
      push_back(e, e->ps->phrases[q].edge);
   const UInt* path     = DCFG_(spell_phrase)(e->ps, p);
   UInt        in_chunk = (UInt)e->left;
   for (UInt i = 0; i < in_chunk; i++)
      e->chunk.n_instrs += instrs_of(e, path[i]);
   e->left = 0;
   end_chunk(e);
   begin_chunks(e, path + in_chunk, phrase->n_edges - in_chunk);
}

/* Parse the decision edge ID. */
static void use_decision(Encoder* e, UInt id)
{
   Phrases* ps = e->ps;
   UInt     p  = e->phrase;

   if (p == 0)
      begin_chunks(e, DCFG_(spell_tail)(ps, id), ps->tail_edges[id]);
   else if (ps->phrases[p].parent != 0
              && DCFG_(longer_phrase)(ps, p, id) == 0) {
      push_back(e, id);
      e->phrase = DCFG_(context_after)(ps, ps->phrases[p].edge);
      use_phrase(e, p);
   } else {
      e->phrase = DCFG_(extend_phrase)(ps, p, id);
   }
}

static void parse_thread(Encoder* e, UInt t, UInt* phrases)
{
   const TraceThread* thread = &e->job->threads[t];

   e->thread = t;
   e->phrase = 0;
   e->left   = 0;
   thread->start(thread->arg);
   for (;;) {
      UInt id, n;
      if (e->n_back > 0) {
         use_decision(e, e->back[--e->n_back]);
      } else if (e->phrase == 0) {
         if (thread->read(thread->arg, &id, 1) == 0)
            break;
         use_decision(e, id);
      } else {
         n = thread->parse(thread->arg, e->ps, &e->phrase, phrases, BATCH,
                           e->left);
         for (UInt i = 0; i < n; i++) {
            if (i + AHEAD < n)
               __builtin_prefetch(&e->ps->phrases[phrases[i + AHEAD]]);
            use_phrase(e, phrases[i]);
         }
      }
   }
   thread->stop(thread->arg);
   if (e->left > 0)
      end_chunk(e);
}

/*--- Text                                                 ---*/

static void put_sequences(void* arg, const HChar* text, UInt n)
{
   const TraceStore* store = &((Encoder*)arg)->job->store;
   store->append(store->arg, StreamText, text, n);
}

static void put_dictionary(void* arg, const HChar* text, UInt n)
{
   const TraceStore* store = &((Encoder*)arg)->job->store;
   store->append(store->arg, StreamDictionary, text, n);
}

/* StreamIn: reads a stream of the store. */
typedef
   struct {
      const TraceStore* store;
      UInt  stream;
      UInt  at, n;
      UChar buf[65536];
   }
   StreamIn;

static StreamIn* open_stream(const TraceStore* store, UInt stream)
{
   StreamIn* in = DCFG_CALLOC("dcfg.trace.in", StreamIn, 1);

   in->store  = store;
   in->stream = stream;
   return in;
}

/* Have a byte at .at.  Return False at the end. */
static inline Bool fill(StreamIn* in)
{
   if (in->at == in->n) {
      in->n  = in->store->read(in->store->arg, in->stream, in->buf,
                               sizeof(in->buf));
      in->at = 0;
   }
   return in->at < in->n;
}

/* Return the next byte, or -1 at the end. */
static inline Int next_byte(StreamIn* in)
{
   return fill(in) ? in->buf[in->at++] : -1;
}

static UInt next_four(StreamIn* in)
{
   UInt n = 0;

   for (UInt i = 0; i < 4; i++)
      n |= (UInt)(UChar)next_byte(in) << 8 * i;
   return n;
}

#define SPLIT 0xFFFFFFFFu

/* CodeWord: the text for one phrase. */
typedef
   struct {
      UInt  word;
      UInt  n_bits;   // or SPLIT: .word is a phrase without a code word
      UInt  next;     // the index of the first word of the context behind it
   }
   CodeWord;

/* List the words of all contexts by number.  *FIRST becomes the index of each
   edge's first word. */
static CodeWord* list_words(Encoder* e, UInt** first)
{
   const Phrases* ps = e->ps;
   UInt  n    = 0;
   CodeWord* list;

   *first = DCFG_CALLOC("dcfg.trace.words", UInt, ps->graph->n_edges + 1);
   for (UInt id = 1; id <= ps->graph->n_edges; id++) {
      UInt c = ps->context_of[id];
      (*first)[id] = n;
      if (c != 0 && c < e->number_room)
         n += e->number[c];
   }
   list = DCFG_CALLOC("dcfg.trace.words", CodeWord, n + 1);
   for (UInt p = 1; p < ps->n_phrases && p < e->number_room; p++) {
      const Phrase* phrase = &ps->phrases[p];
      if (phrase->parent == 0 || e->number[p] == 0)
         continue;
      CodeWord* w   = &list[(*first)[phrase->context] + e->number[p] - 1];
      w->word   = e->splits[p].first ? p : phrase->word;
      w->n_bits = e->splits[p].first ? SPLIT : phrase->n_bits;
      w->next   = (*first)[ps->arrival[phrase->edge]];
   }
   return list;
}

/* Put the code words that spell phrase P. */
static void put_words(const Encoder* e, TextCoder* text, UInt p)
{
   for (; e->splits[p].first != 0; p = e->splits[p].second)
      put_words(e, text, e->splits[p].first);
   if (e->ps->phrases[p].n_bits > 0)
      DCFG_(text_bits)(text, e->ps->phrases[p].word,
                       e->ps->phrases[p].n_bits);
}

static void make_text(Encoder* e)
{
   TextSink   sink = { put_sequences, put_dictionary, e };
   TextCoder* text = DCFG_(new_text)(&sink, e->job->effort->text_block);
   StreamIn*  in   = open_stream(&e->job->store, StreamPhrases);
   UInt*      first;
   CodeWord*  list = list_words(e, &first);
   UInt       at   = 0;
   Bool       any  = False;
   Int        byte;

   while ((byte = next_byte(in)) >= 0) {
      if (byte == CHUNK_BEGINS) {
         if (any)
            DCFG_(text_end)(text);
         any = True;
         at  = first[e->ps->arrival[next_four(in)]];
         continue;
      }
      const CodeWord* w = &list[at + (byte == BIG_NUMBER ? next_four(in)
                                                     : (UInt)byte)];
      if (w->n_bits == SPLIT)
         put_words(e, text, w->word);
      else if (w->n_bits > 0)
         DCFG_(text_bits)(text, w->word, w->n_bits);
      at = w->next;
   }
   if (any)
      DCFG_(text_end)(text);
   DCFG_(finish_text)(text);
   DCFG_FREE_ALL(first, list, in);
}

/*--- TRANSITION_TABLE                                     ---*/

/* Table: the table in the making. */
typedef
   struct {
      Put* out;
      Phrases* ps;
      Bool*    is_way;
      const Bool* is_start;
      UInt*    n_rows;       // for each edge: rows that begin after it
      UInt*    n_ends;       // for each edge: rows that end with it
      UInt*    a_row;        // for each edge: a phrase whose row begins after
                             // it
   }
   Table;

static void find_ways(Table* t, const UInt* order, UInt n)
{
   Phrases* ps   = t->ps;
   UInt*    rows = DCFG_CALLOC("dcfg.trace.tails", UInt,
                               ps->graph->n_edges + 1);

   for (UInt i = 0; i < n; i++) {
      UInt  id    = ps->phrases[order[i]].edge;
      ULong chars = 0;
      if (++rows[id] < 2 || t->is_way[id] || ps->arrival[id] == id)
         continue;
      const UInt* path = DCFG_(spell_tail)(ps, id);
      for (UInt k = 1; k < ps->tail_edges[id]; k++)
         chars += DCFG_(decimal_digits)(path[k]) + 1;
      t->is_way[id] = chars * (rows[id] - 1)
                      > DCFG_(decimal_digits)(id) + 8;
   }
   dcfg_free(rows);
}

/* Return the edge at the end of P's row. */
static UInt end_of_row(const Table* t, UInt p)
{
   UInt id = t->ps->phrases[p].edge;

   return t->is_way[id] ? id : t->ps->arrival[id];
}

/* Return whether only one row leads to edge ID, and only one leaves it.  Then
   the second is a part of the first: it has no code word. */
static Bool is_joint(const Table* t, UInt id)
{
   return t->n_rows[id] == 1 && t->n_ends[id] == 1 && !t->is_start[id];
}

static void put_edges(Table* t, const UInt* path, UInt n, HChar before)
{
   for (UInt i = 0; i < n; i++) {
      DCFG_(put_char)(t->out, i == 0 ? before : ',');
      DCFG_(put_number)(t->out, path[i]);
   }
}

static UInt put_phrase_edges(Table* t, UInt p, HChar before)
{
   const Phrases* ps = t->ps;
   UInt id = ps->phrases[p].edge;
   UInt n  = ps->phrases[p].n_edges;

   if (t->is_way[id])
      n -= ps->tail_edges[id] - 1;
   put_edges(t, DCFG_(spell_phrase)(t->ps, p), n, before);
   return end_of_row(t, p);
}

/* Put the end of a row that has come to edge ID. */
static void end_row(Table* t, UInt id)
{
   while (is_joint(t, id))
      id = put_phrase_edges(t, t->a_row[id], ',');
   DCFG_(put_text)(t->out, "]]");
}

static void put_row(Table* t, UInt p)
{
   const Phrase* phrase = &t->ps->phrases[p];

   DCFG_(put_text)(t->out, ",[");
   DCFG_(put_number)(t->out, phrase->context);
   DCFG_(put_text)(t->out, ",\"");
   for (UInt i = phrase->n_bits; i-- > 0; )
      DCFG_(put_char)(t->out, phrase->word >> i & 1 ? '1' : '0');
   DCFG_(put_text)(t->out, "\",");
   end_row(t, put_phrase_edges(t, p, '['));
}

/* Put the row from ID to its arrival. */
static void put_way(Table* t, UInt id)
{
   UInt n = t->ps->tail_edges[id] - 1;

   DCFG_(put_text)(t->out, ",[");
   DCFG_(put_number)(t->out, id);
   DCFG_(put_text)(t->out, ",\"\",");
   put_edges(t, DCFG_(spell_tail)(t->ps, id) + 1, n, '[');
   end_row(t, t->ps->arrival[id]);
}

/* Write TRANSITION_TABLE.  ORDER are the N phrases in use, by context, as
   assign_code() makes it.  IS_WAY, for each edge: a row must lead from it to
   its arrival; this function sets more.  IS_START, for each edge: rows begin
   after it, whatever leads to it. */
static void put_transitions(Put* out, Phrases* ps,
                            const UInt* order, UInt n, Bool* is_way,
                            const Bool* is_start)
{
   UInt  n_edges = ps->graph->n_edges;
   UInt  last    = 0;
   Table t       = { out, ps, is_way, is_start, NULL, NULL, NULL };

   find_ways(&t, order, n);
   t.n_rows = DCFG_CALLOC("dcfg.trace.rows", UInt, n_edges + 1);
   t.n_ends = DCFG_CALLOC("dcfg.trace.rows", UInt, n_edges + 1);
   t.a_row  = DCFG_CALLOC("dcfg.trace.rows", UInt, n_edges + 1);
   for (UInt i = 0; i < n; i++) {
      t.n_rows[ps->phrases[order[i]].context]++;
      t.n_ends[end_of_row(&t, order[i])]++;
      t.a_row[ps->phrases[order[i]].context] = order[i];
   }
   for (UInt id = 1; id <= n_edges; id++)
      if (is_way[id])
         t.n_ends[ps->arrival[id]]++;

   DCFG_(put_text)(out, "[[\"CURRENT_EDGE_ID\",\"TRANSITION_CODE\","
            "\"NEXT_EDGE_IDS\"]");
   for (UInt i = 0; i < n; i++) {
      UInt context = ps->phrases[order[i]].context;
      if (is_joint(&t, context))
         continue;
      /* A line for each context, because a single line would have megabytes. */
      if (context != last)
         DCFG_(put_char)(out, '\n');
      last = context;
      put_row(&t, order[i]);
   }
   DCFG_(put_char)(out, '\n');
   for (UInt id = 1; id <= n_edges; id++)
      if (is_way[id])
         put_way(&t, id);
   DCFG_(put_text)(out, "]");
   DCFG_FREE_ALL(t.n_rows, t.n_ends, t.a_row);
}

/*--- JSON                                                 ---*/

/* Copy the bytes up to the next line feed, which is passed over. */
static void copy_line(Put* out, StreamIn* in)
{
   while (fill(in)) {
      UInt i = in->at;
      while (i < in->n && in->buf[i] != '\n')
         i++;
      DCFG_(put_bytes)(out, in->buf + in->at, i - in->at);
      in->at = i;
      if (i < in->n) {
         in->at++;
         return;
      }
   }
}

static void put_dictionary_rows(const TraceStore* store, Put* out)
{
   UInt n;

   DCFG_(put_flush)(out);
   while ((n = store->read(store->arg, StreamDictionary, out->buf,
                           sizeof(out->buf))) > 0) {
      out->used = n;
      DCFG_(put_flush)(out);
   }
}

static void put_threads(const Encoder* e, Put* out)
{
   const TraceStore* store = &e->job->store;
   StreamIn* in = open_stream(store, StreamText);
   Chunk     c;

   DCFG_(put_text)(out, "[[\"THREAD_ID\",\"TRACE_DATA\"]");
   for (UInt t = 0; t < e->job->n_threads; t++) {
      ULong before = 0;
      DCFG_(put_text)(out, ",\n[");
      DCFG_(put_number)(out, e->job->threads[t].thread);
      DCFG_(put_text)(out, ",[[\"PRECEDING_INSTR_COUNT\",\"INSTR_COUNT\","
               "\"EDGE_COUNT\",\"FIRST_EDGE_ID\",\"EDGE_ID_SEQUENCE\"]");
      for (ULong i = 0; i < e->n_chunks[t]; i++) {
         if (store->read(store->arg, StreamChunks, &c, sizeof(Chunk))
             < sizeof(Chunk))
            break;
         DCFG_(put_text)(out, ",\n[");
         DCFG_(put_number)(out, before);
         DCFG_(put_char)(out, ',');
         DCFG_(put_number)(out, c.n_instrs);
         DCFG_(put_char)(out, ',');
         DCFG_(put_number)(out, c.n_edges);
         DCFG_(put_char)(out, ',');
         DCFG_(put_number)(out, c.first);
         DCFG_(put_text)(out, ",\"");
         copy_line(out, in);
         DCFG_(put_text)(out, "\"]");
         before += c.n_instrs;
      }
      DCFG_(put_text)(out, "]]");
   }
   DCFG_(put_char)(out, ']');
   dcfg_free(in);
}

ULong DCFG_(write_trace)(Put* out, const TraceJob* job)
{
   Encoder* e   = DCFG_CALLOC("dcfg.trace", Encoder, 1);
   UInt*    ids = dcfg_alloc("dcfg.trace.ids", BATCH * sizeof(UInt));
   UInt*    order;
   UInt     n_rows;
   ULong    n_edges;

   e->job      = job;
   e->ps       = DCFG_(new_phrases)(job->graph);
   e->is_way   = DCFG_CALLOC("dcfg.trace.way", Bool,
                             job->graph->n_edges + 1);
   e->is_start = DCFG_CALLOC("dcfg.trace.start", Bool,
                             job->graph->n_edges + 1);
   e->n_chunks = DCFG_CALLOC("dcfg.trace.n", ULong, job->n_threads + 1);
   choose_phrases(e);
   for (UInt t = 0; t < job->n_threads; t++)
      parse_thread(e, t, ids);
   flush_batch(e);
   DCFG_(assign_code)(e->ps, &order);
   dcfg_free(order);
   e->splits = DCFG_(prune)(e->ps);
   n_rows = DCFG_(assign_code)(e->ps, &order);
   make_text(e);

   DCFG_(put_text)(out, "{\"MAJOR_VERSION\":1,\"MINOR_VERSION\":0,"
                        "\"PROCESSES\":[[\"PROCESS_ID\","
                        "\"STRING_DICTIONARY\",\"TRANSITION_TABLE\","
                        "\"THREAD_DATA\"],\n[");
   DCFG_(put_number)(out, job->pid);
   DCFG_(put_text)(out, ",{");
   put_dictionary_rows(&job->store, out);
   DCFG_(put_text)(out, "},\n");
   put_transitions(out, e->ps, order, n_rows, e->is_way,
                   e->is_start);
   DCFG_(put_text)(out, ",\n");
   put_threads(e, out);
   DCFG_(put_text)(out, "]]}\n");
   DCFG_(put_flush)(out);

   DCFG_(delete_phrases)(e->ps);
   DCFG_FREE_ALL(order, ids, e->is_way, e->is_start, e->n_chunks, e->back,
                 e->number, e->splits);
   n_edges = e->n_edges;
   dcfg_free(e);
   return n_edges;
}
