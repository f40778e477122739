/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading a trace: where its reader is. */

/* Owns: the reader's place in a trace: threads, chunk, edge.  Handed: chunks
   by chunks.c, edges by decode.c. */

#include "lib/trace/codes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
