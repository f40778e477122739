/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading a trace: which edges a chunk has, and where the reader is. */

/* Owns: turning a sequence into edge ids (the format's specification, 3.7); the
   reader's place in a trace: threads, chunk, edge.  Handed: chunks, by users and
   by chunks.c.

   There are two steps; the second one calls the first.  Step one turns
   repetitions and references to the dictionary into characters, with a stack
   of return places.  Nothing is expanded in memory: memory is bounded by the
   nesting, and work by the edges that are asked for, however long the
   expansion is.  Step two collects the bits of characters in a 64-bit word.
   The present edge's cells choose a row by these bits, and the row's edges
   are copied. */

#include "lib/trace/codes.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return: where to continue at an OP_END or OP_STOP. */
typedef
   struct {
      const uint8_t* at;        // the body, or behind the OP_USE
      uint64_t       left;      // repetitions of the body still to do
   }
   Return;

struct DcfgDecoder {
   const DcfgChunk* chunk;
   const Table*     table;
   Job              job;
   Sequence         sequence;
   const uint8_t*   at;
   uint64_t         bits;       // first bit first
   unsigned         n_bits;
   uint32_t         state;      // the present edge's
   uint32_t         first_cell, state_bits;     // copied from the state
   uint64_t         edges_left;
   const uint32_t*  phrase;     // edges that did not fit
   uint32_t         phrase_left;
   bool             begun;
   uint32_t         depth;
   Return           returns[MAX_NESTING + 1];
};

/*--- From code to bits                                    ---*/

/* Execute an operation.  Return False at the end of the sequence. */
static bool follow(DcfgDecoder* x)
{
   Return*  r;
   uint64_t n;

   switch (*x->at) {
      case OP_REPEAT:
         x->at++;
         n = sequence_number(&x->at);
         r = &x->returns[x->depth++];
         r->at = x->at;
         r->left = n - 1;
         return true;
      case OP_END:
         r = &x->returns[x->depth - 1];
         if (r->left > 0) {
            r->left--;
            x->at = r->at;
         } else {
            x->depth--;
            x->at++;
         }
         return true;
      case OP_USE:
         x->at++;
         n = sequence_number(&x->at);
         x->returns[x->depth++].at = x->at;
         x->at = ((const Entry*)x->table->entries.data)[n].sequence.code;
         return true;
      default:                          // OP_STOP
         if (x->depth == 0)
            return false;
         x->at = x->returns[--x->depth].at;
         return true;
   }
}

/* Fill up to at least 59 bits, or as many as there are. */
static void refill(DcfgDecoder* x)
{
   do {
      while (x->n_bits <= 58 && *x->at < 64) {
         x->bits |= (uint64_t)*x->at++ << (58 - x->n_bits);
         x->n_bits += 6;
      }
   } while (x->n_bits <= 58 && follow(x));
}

/*--- From bits to edges                                   ---*/

/* Fail: WHY, at character AT of the sequence unless that is SIZE_MAX. */
static void fail(DcfgDecoder* x, const char* why, size_t at)
{
   const DcfgChunkInfo* info = &x->chunk->info;
   char                 place[200];

   snprintf(place, sizeof(place), "PROCESSES[%" PRIu32 "].THREAD_DATA"
            "[THREAD_ID=%" PRIu32 "].TRACE_DATA[%" PRIu64 "]",
            info->process, info->thread, info->number);
   job_at(&x->job, info->offset);
   if (at != SIZE_MAX)
      job_fail(&x->job, DCFG_ERROR_FORMAT, place,
               "EDGE_ID_SEQUENCE, character %zu: %s", at, why);
   else
      job_fail(&x->job, DCFG_ERROR_FORMAT, place, "after %" PRIu64 " edges: %s",
               info->n_edges - x->edges_left, why);
}

static void no_row(DcfgDecoder* x)
{
   fail(x, x->state == NO_STATE ? "the transition table has no row for the edge"
           : x->n_bits < 32 ? "the sequence ends too early"
           : "the transition table has no row for the next bits",
        SIZE_MAX);
}

/* Return the next row, or NULL after an error. */
static inline const TransitionRow* next_row(DcfgDecoder* x)
{
   const Table*         t = x->table;
   const TransitionRow* row;
   uint32_t             index;

   if (x->state == NO_STATE) {
      no_row(x);
      return NULL;
   }
   if (x->n_bits < 32)
      refill(x);
   index = x->first_cell;
   if (x->state_bits > 0)
      index = ((const uint32_t*)t->cells.data)
                 [index + (x->bits >> (64 - x->state_bits))];
   if (index >= LONG_CODE) {
      if (index == LONG_CODE)
         index = table_long_code(t, (const State*)t->states.data + x->state,
                                 (uint32_t)(x->bits >> 32));
      if (index == NO_CODE) {
         no_row(x);
         return NULL;
      }
   }
   row = (const TransitionRow*)t->rows.data + index;
   if (row->length > x->n_bits) {
      no_row(x);
      return NULL;
   }
   x->bits <<= row->length;
   x->n_bits -= row->length;
   x->state = row->state;
   x->first_cell = row->first_cell;
   x->state_bits = row->bits;
   return row;
}

/* Copy the rest of a row's edges, as many as fit. */
static size_t put_phrase(DcfgDecoder* x, uint32_t* to, size_t max)
{
   size_t n = x->phrase_left < max ? x->phrase_left : max;

   if (n == 0)
      return 0;
   memcpy(to, x->phrase, n * sizeof(*to));
   x->phrase += n;
   x->phrase_left -= (uint32_t)n;
   x->edges_left -= n;
   return n;
}

size_t dcfg_decoder_next(DcfgDecoder* x, uint32_t* edge_ids, size_t max,
                         DcfgError* err)
{
   size_t          n = 0;
   const uint32_t* nexts = x->table->nexts.data;

   if (max > x->edges_left)
      max = (size_t)x->edges_left;
   if (max > 0 && !x->begun) {
      edge_ids[n++] = x->chunk->info.first_edge;
      x->edges_left--;
      x->begun = true;
   }
   n += put_phrase(x, edge_ids + n, max - n);
   while (n < max && x->job.err.status == DCFG_OK) {
      const TransitionRow* row = next_row(x);
      if (row == NULL)
         break;
      if (row->n == 1) {
         edge_ids[n++] = row->first;
         x->edges_left--;
      } else if (row->n <= max - n) {
         const uint32_t* from = nexts + row->first;
         uint32_t*       to = edge_ids + n;
         uint32_t        k = row->n;
         n += k;
         x->edges_left -= k;
         do
            *to++ = *from++;
         while (--k > 0);
      } else {
         x->phrase = nexts + row->first;
         x->phrase_left = row->n;
         n += put_phrase(x, edge_ids + n, max - n);
      }
   }
   if (x->edges_left == 0)
      refill(x);                        // so that dcfg_decoder_used_all() is
                                        // right
   job_tell(&x->job, err);
   return n;
}

bool dcfg_decoder_used_all(const DcfgDecoder* x)
{
   return x->edges_left == 0 && x->n_bits < 6
          && x->job.err.status == DCFG_OK;
}

/*--- Chunks and decoders                                  ---*/

DcfgDecoder* dcfg_decoder_new(const DcfgChunk* c, DcfgError* err)
{
   DcfgDecoder* x = calloc(1, sizeof(*x));
   const char*  why = NULL;
   size_t       at;

   if (x == NULL) {
      set_error(err, DCFG_ERROR_MEMORY, c->table->file, NULL, 0,
                "out of memory");
      return NULL;
   }
   job_start(&x->job, c->table->file, NULL);
   job_read(&x->job, c->info.size, c->info.size);
   x->chunk = c;
   x->table = c->table;
   x->edges_left = c->info.n_edges;
   x->state = table_state(c->table, c->info.first_edge);
   if (x->state != NO_STATE) {
      const State* s = (const State*)c->table->states.data + x->state;
      x->first_cell = s->first_cell;
      x->state_bits = s->bits;
   }
   if (!sequence_compile(&x->job, c->table, c->text, c->info.size,
                         &x->sequence, &why, &at)) {
      if (why != NULL)
         fail(x, why, at);
      job_tell(&x->job, err);
      dcfg_decoder_free(x);
      return NULL;
   }
   x->at = x->sequence.code;
   job_tell(&x->job, err);
   return x;
}

void dcfg_decoder_free(DcfgDecoder* x)
{
   if (x == NULL)
      return;
   sequence_free(&x->job, &x->sequence);
   free(x);
}

#define N_AHEAD 256

struct DcfgTrace {
   Job                job;
   Chunks*            chunks;
   uint64_t           want_process;     // from dcfg_trace_select()
   uint32_t           want_thread;
   DcfgChunk*         chunk;            // the present one
   DcfgDecoder*       decoder;          // NULL: not begun
   const DcfgProcess* graph;            // NULL: not given
   uint64_t           position;         // UINT64_MAX: not known
   uint64_t           edges_left;       // edges of .graph not seen so far
   size_t             ahead_at, n_ahead;
   uint32_t           ahead[N_AHEAD];   // decoded, but not returned yet
};

/*--- Opening and closing                                  ---*/

static DcfgTrace* new_trace(const char* name, const DcfgOptions* options,
                            DcfgError* err)
{
   DcfgTrace* t = job_object(sizeof(*t), offsetof(DcfgTrace, job), name,
                             options, err);

   if (t == NULL)
      return NULL;
   t->want_process = UINT64_MAX;
   t->want_thread = DCFG_ALL_THREADS;
   t->position = UINT64_MAX;
   return t;
}

static DcfgTrace* start(DcfgTrace* trace, Input* in, DcfgError* err)
{
   trace->chunks = chunks_start(&trace->job, in);
   job_tell(&trace->job, err);
   if (trace->chunks != NULL)
      return trace;
   dcfg_trace_close(trace);
   return NULL;
}

DcfgTrace* dcfg_trace_open(const char* path, const DcfgOptions* options,
                           DcfgError* err)
{
   DcfgTrace* t = new_trace(path, options, err);

   return t == NULL ? NULL : start(t, input_open(&t->job, path), err);
}

DcfgTrace* dcfg_trace_open_memory(const void* data, size_t size,
                                  const char* name,
                                  const DcfgOptions* options, DcfgError* err)
{
   DcfgTrace* t = new_trace(name, options, err);

   return t == NULL ? NULL
          : start(t, input_open_memory(&t->job, data, size), err);
}

static void drop_chunk(DcfgTrace* trace)
{
   dcfg_decoder_free(trace->decoder);
   dcfg_chunk_free(trace->chunk);
   trace->decoder = NULL;
   trace->chunk = NULL;
   trace->ahead_at = trace->n_ahead = 0;
   trace->position = UINT64_MAX;
}

void dcfg_trace_close(DcfgTrace* trace)
{
   if (trace == NULL)
      return;
   drop_chunk(trace);
   chunks_end(trace->chunks);
   free(trace);
}

uint64_t dcfg_trace_offset(const DcfgTrace* trace)
{
   return trace->job.offset;
}

/*--- Chunks                                               ---*/

static bool is_wanted(const DcfgTrace* trace, const DcfgChunk* c)
{
   return (trace->want_process == UINT64_MAX
           || trace->want_process == c->info.process_id)
          && (trace->want_thread == DCFG_ALL_THREADS
              || trace->want_thread == c->info.thread);
}

void dcfg_trace_select(DcfgTrace* trace, uint64_t process_id, uint32_t thread)
{
   trace->want_process = process_id;
   trace->want_thread = thread;
   if (trace->chunk != NULL && !is_wanted(trace, trace->chunk))
      drop_chunk(trace);
}

/* Move to the next selected chunk.  Return False if there is none. */
static bool advance(DcfgTrace* trace)
{
   drop_chunk(trace);
   do {
      dcfg_chunk_free(trace->chunk);
      trace->chunk = chunks_next(trace->chunks);
   } while (trace->chunk != NULL && !is_wanted(trace, trace->chunk));
   if (trace->chunk != NULL && trace->graph != NULL)
      trace->position = trace->chunk->info.preceding_instrs;
   return trace->chunk != NULL;
}

DcfgChunk* dcfg_trace_next_chunk(DcfgTrace* trace, DcfgError* err)
{
   DcfgChunk* c = NULL;

   /* Return the chunk that dcfg_trace_skip() found, if there is one. */
   if ((trace->chunk != NULL && trace->decoder == NULL) || advance(trace)) {
      c = trace->chunk;
      trace->chunk = NULL;
      drop_chunk(trace);
      set_error(err, DCFG_OK, trace->job.err.file, NULL, 0, "%s", "");
   } else {
      job_tell(&trace->job, err);
   }
   return c;
}

/*--- Edges                                                ---*/

void dcfg_trace_count_with(DcfgTrace* trace, const DcfgProcess* p)
{
   trace->graph = p;
   trace->position = UINT64_MAX;
   trace->edges_left = 0;
   for (uint32_t i = 0; p != NULL && i < p->n_edges; i++)
      trace->edges_left = add_capped(trace->edges_left, p->edges[i].count);
   if (p != NULL && trace->chunk != NULL && trace->decoder == NULL)
      trace->position = trace->chunk->info.preceding_instrs;
}

uint64_t dcfg_trace_position(const DcfgTrace* trace)
{
   return trace->position;
}

const DcfgChunkInfo* dcfg_trace_chunk_info(const DcfgTrace* trace)
{
   return trace->chunk == NULL ? NULL : &trace->chunk->info;
}

/* Set *N to the instructions of an edge's source.  Return False if the edge is
   not known. */
static bool edge_instrs(const DcfgTrace* trace, uint32_t id, uint64_t* n)
{
   uint32_t edge = dcfg_edge_by_id(trace->graph, id);
   uint32_t source = edge == DCFG_NONE ? DCFG_NONE
                                       : trace->graph->edges[edge].source;

   *n = source == DCFG_NONE ? 0 : trace->graph->nodes[source].n_instrs;
   return edge != DCFG_NONE;
}

/* Report that the present chunk does not belong to the graph. */
static void misfit(DcfgTrace* trace, DcfgError* err, const char* why)
{
   char place[120];

   snprintf(place, sizeof(place), "PROCESSES[%" PRIu32 "].THREAD_DATA"
            "[THREAD_ID=%" PRIu32 "].TRACE_DATA[%" PRIu64 "]",
            trace->chunk->info.process, trace->chunk->info.thread,
            trace->chunk->info.number);
   set_error(err, DCFG_ERROR_FORMAT, trace->job.err.file, place,
             trace->chunk->info.offset, "%s", why);
   drop_chunk(trace);
}

/* Report an edge of the trace that the graph does not have. */
static void stranger(DcfgTrace* trace, uint32_t id, DcfgError* err)
{
   char why[60];

   snprintf(why, sizeof(why), "edge %" PRIu32 " is not in the DCFG", id);
   misfit(trace, err, why);
}

/* Decode the chunk's next edges.  A few characters may stand for more edges
   than anybody can wait for.  More edges than the graph has are an error, and 0
   is returned. */
static size_t decode(DcfgTrace* trace, uint32_t* ids, size_t max,
                     DcfgError* err)
{
   size_t n = dcfg_decoder_next(trace->decoder, ids, max, err);

   if (trace->graph == NULL)
      return n;
   if (n > trace->edges_left) {
      misfit(trace, err, "more edges than the DCFG has");
      return 0;
   }
   trace->edges_left -= n;
   return n;
}

static bool begin_chunk(DcfgTrace* trace, DcfgError* err)
{
   if (trace->decoder != NULL)
      return true;
   trace->decoder = dcfg_decoder_new(trace->chunk, err);
   if (trace->decoder == NULL)
      drop_chunk(trace);
   return trace->decoder != NULL;
}

size_t dcfg_trace_next(DcfgTrace* trace, uint32_t* edge_ids, size_t max,
                       DcfgError* err)
{
   DcfgError own = { 0 };
   size_t    n = 0;
   bool      from_ahead;

   if (err == NULL)
      err = &own;
   set_error(err, DCFG_OK, trace->job.err.file, NULL, 0, "%s", "");
   if (max == 0)
      return 0;
   from_ahead = trace->ahead_at < trace->n_ahead;
   if (from_ahead) {
      n = trace->n_ahead - trace->ahead_at;
      if (n > max)
         n = max;
      memcpy(edge_ids, trace->ahead + trace->ahead_at, n * sizeof(*edge_ids));
      trace->ahead_at += n;
   }
   while (n == 0) {
      if (trace->chunk == NULL && !advance(trace)) {
         job_tell(&trace->job, err);
         return 0;
      }
      if (!begin_chunk(trace, err))
         return 0;
      n = decode(trace, edge_ids, max, err);
      if (n == 0) {
         drop_chunk(trace);
         if (err->status != DCFG_OK)
            return 0;
      }
   }
   /* Edges before an error are good; the next call finds the error again. */
   set_error(err, DCFG_OK, trace->job.err.file, NULL, 0, "%s", "");
   for (size_t i = 0; trace->position != UINT64_MAX && i < n; i++) {
      uint64_t instrs;
      if (!edge_instrs(trace, edge_ids[i], &instrs)) {
         stranger(trace, edge_ids[i], err);
         return 0;
      }
      trace->position = add_capped(trace->position, instrs);
   }
   return n;
}

/*--- Skipping                                             ---*/

/* Decode until the next edge's source has instruction INSTR. */
static bool skip_edges(DcfgTrace* trace, uint64_t instr, DcfgError* err)
{
   for (;;) {
      if (trace->ahead_at == trace->n_ahead) {
         trace->ahead_at = 0;
         trace->n_ahead = decode(trace, trace->ahead, N_AHEAD, err);
         if (trace->n_ahead == 0) {
            drop_chunk(trace);
            return false;
         }
      }
      while (trace->ahead_at < trace->n_ahead) {
         uint64_t instrs;
         if (!edge_instrs(trace, trace->ahead[trace->ahead_at], &instrs)) {
            stranger(trace, trace->ahead[trace->ahead_at], err);
            return false;
         }
         if (instr < trace->position
             || instr - trace->position < instrs)
            return instr >= trace->position;
         trace->position += instrs;
         trace->ahead_at++;
      }
   }
}

bool dcfg_trace_skip(DcfgTrace* trace, uint64_t instr, const DcfgProcess* p,
                     DcfgError* err)
{
   const DcfgChunkInfo* info;
   DcfgError            own = { 0 };

   if (err == NULL)
      err = &own;
   set_error(err, DCFG_OK, trace->job.err.file, NULL, 0, "%s", "");
   if (p != NULL && p != trace->graph)
      dcfg_trace_count_with(trace, p);
   for (;;) {
      if (trace->chunk == NULL && !advance(trace)) {
         job_tell(&trace->job, err);
         return false;
      }
      info = &trace->chunk->info;
      if (instr < add_capped(info->preceding_instrs, info->instrs))
         break;
      drop_chunk(trace);
   }
   if (instr < info->preceding_instrs)
      return false;
   if (p == NULL)
      return trace->decoder == NULL;
   /* Inside a chunk without counts, it is too late. */
   if (trace->position == UINT64_MAX)
      return false;
   return begin_chunk(trace, err) && skip_edges(trace, instr, err);
}
