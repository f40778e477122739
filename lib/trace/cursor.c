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

static DcfgTrace* start(DcfgTrace* t, Input* in, DcfgError* err)
{
   t->chunks = chunks_start(&t->job, in);
   job_tell(&t->job, err);
   if (t->chunks != NULL)
      return t;
   dcfg_trace_close(t);
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

static void drop_chunk(DcfgTrace* t)
{
   dcfg_decoder_free(t->decoder);
   dcfg_chunk_free(t->chunk);
   t->decoder = NULL;
   t->chunk = NULL;
   t->ahead_at = t->n_ahead = 0;
   t->position = UINT64_MAX;
}

void dcfg_trace_close(DcfgTrace* t)
{
   if (t == NULL)
      return;
   drop_chunk(t);
   chunks_end(t->chunks);
   free(t);
}

uint64_t dcfg_trace_offset(const DcfgTrace* t)
{
   return t->job.offset;
}

/*--- Chunks                                               ---*/

static bool is_wanted(const DcfgTrace* t, const DcfgChunk* c)
{
   return (t->want_process == UINT64_MAX
           || t->want_process == c->info.process_id)
          && (t->want_thread == DCFG_ALL_THREADS
              || t->want_thread == c->info.thread);
}

void dcfg_trace_select(DcfgTrace* t, uint64_t process_id, uint32_t thread)
{
   t->want_process = process_id;
   t->want_thread = thread;
   if (t->chunk != NULL && !is_wanted(t, t->chunk))
      drop_chunk(t);
}

/* Move to the next selected chunk.  Return False if there is none. */
static bool advance(DcfgTrace* t)
{
   drop_chunk(t);
   do {
      dcfg_chunk_free(t->chunk);
      t->chunk = chunks_next(t->chunks);
   } while (t->chunk != NULL && !is_wanted(t, t->chunk));
   if (t->chunk != NULL && t->graph != NULL)
      t->position = t->chunk->info.preceding_instrs;
   return t->chunk != NULL;
}

DcfgChunk* dcfg_trace_next_chunk(DcfgTrace* t, DcfgError* err)
{
   DcfgChunk* c = NULL;

   /* Return the chunk that dcfg_trace_skip() found, if there is one. */
   if ((t->chunk != NULL && t->decoder == NULL) || advance(t)) {
      c = t->chunk;
      t->chunk = NULL;
      drop_chunk(t);
      set_error(err, DCFG_OK, t->job.err.file, NULL, 0, "%s", "");
   } else {
      job_tell(&t->job, err);
   }
   return c;
}

/*--- Edges                                                ---*/

void dcfg_trace_count_with(DcfgTrace* t, const DcfgProcess* p)
{
   t->graph = p;
   t->position = UINT64_MAX;
   t->edges_left = 0;
   for (uint32_t i = 0; p != NULL && i < p->n_edges; i++)
      t->edges_left = add_capped(t->edges_left, p->edges[i].count);
   if (p != NULL && t->chunk != NULL && t->decoder == NULL)
      t->position = t->chunk->info.preceding_instrs;
}

uint64_t dcfg_trace_position(const DcfgTrace* t)
{
   return t->position;
}

const DcfgChunkInfo* dcfg_trace_chunk_info(const DcfgTrace* t)
{
   return t->chunk == NULL ? NULL : &t->chunk->info;
}

/* Set *N to the instructions of an edge's source.  Return False if the edge is
   not known. */
static bool edge_instrs(const DcfgTrace* t, uint32_t id, uint64_t* n)
{
   uint32_t edge = dcfg_edge_by_id(t->graph, id);
   uint32_t source = edge == DCFG_NONE ? DCFG_NONE
                                       : t->graph->edges[edge].source;

   *n = source == DCFG_NONE ? 0 : t->graph->nodes[source].n_instrs;
   return edge != DCFG_NONE;
}

/* Report that the present chunk does not belong to the graph. */
static void misfit(DcfgTrace* t, DcfgError* err, const char* why)
{
   char place[120];

   snprintf(place, sizeof(place), "PROCESSES[%" PRIu32 "].THREAD_DATA"
            "[THREAD_ID=%" PRIu32 "].TRACE_DATA[%" PRIu64 "]",
            t->chunk->info.process, t->chunk->info.thread,
            t->chunk->info.number);
   set_error(err, DCFG_ERROR_FORMAT, t->job.err.file, place,
             t->chunk->info.offset, "%s", why);
   drop_chunk(t);
}

/* Report an edge of the trace that the graph does not have. */
static void stranger(DcfgTrace* t, uint32_t id, DcfgError* err)
{
   char why[60];

   snprintf(why, sizeof(why), "edge %" PRIu32 " is not in the DCFG", id);
   misfit(t, err, why);
}

/* Decode the chunk's next edges.  A few characters may stand for more edges
   than anybody can wait for.  More edges than the graph has are an error, and 0
   is returned. */
static size_t decode(DcfgTrace* t, uint32_t* ids, size_t max, DcfgError* err)
{
   size_t n = dcfg_decoder_next(t->decoder, ids, max, err);

   if (t->graph == NULL)
      return n;
   if (n > t->edges_left) {
      misfit(t, err, "more edges than the DCFG has");
      return 0;
   }
   t->edges_left -= n;
   return n;
}

static bool begin_chunk(DcfgTrace* t, DcfgError* err)
{
   if (t->decoder != NULL)
      return true;
   t->decoder = dcfg_decoder_new(t->chunk, err);
   if (t->decoder == NULL)
      drop_chunk(t);
   return t->decoder != NULL;
}

size_t dcfg_trace_next(DcfgTrace* t, uint32_t* edge_ids, size_t max,
                       DcfgError* err)
{
   DcfgError own = { 0 };
   size_t    n = 0;
   bool      from_ahead;

   if (err == NULL)
      err = &own;
   set_error(err, DCFG_OK, t->job.err.file, NULL, 0, "%s", "");
   if (max == 0)
      return 0;
   from_ahead = t->ahead_at < t->n_ahead;
   if (from_ahead) {
      n = t->n_ahead - t->ahead_at;
      if (n > max)
         n = max;
      memcpy(edge_ids, t->ahead + t->ahead_at, n * sizeof(*edge_ids));
      t->ahead_at += n;
   }
   while (n == 0) {
      if (t->chunk == NULL && !advance(t)) {
         job_tell(&t->job, err);
         return 0;
      }
      if (!begin_chunk(t, err))
         return 0;
      n = decode(t, edge_ids, max, err);
      if (n == 0) {
         drop_chunk(t);
         if (err->status != DCFG_OK)
            return 0;
      }
   }
   /* Edges before an error are good; the next call finds the error again. */
   set_error(err, DCFG_OK, t->job.err.file, NULL, 0, "%s", "");
   for (size_t i = 0; t->position != UINT64_MAX && i < n; i++) {
      uint64_t instrs;
      if (!edge_instrs(t, edge_ids[i], &instrs)) {
         stranger(t, edge_ids[i], err);
         return 0;
      }
      t->position = add_capped(t->position, instrs);
   }
   return n;
}

/*--- Skipping                                             ---*/

/* Decode until the next edge's source has instruction INSTR. */
static bool skip_edges(DcfgTrace* t, uint64_t instr, DcfgError* err)
{
   for (;;) {
      if (t->ahead_at == t->n_ahead) {
         t->ahead_at = 0;
         t->n_ahead = decode(t, t->ahead, N_AHEAD, err);
         if (t->n_ahead == 0) {
            drop_chunk(t);
            return false;
         }
      }
      while (t->ahead_at < t->n_ahead) {
         uint64_t instrs;
         if (!edge_instrs(t, t->ahead[t->ahead_at], &instrs)) {
            stranger(t, t->ahead[t->ahead_at], err);
            return false;
         }
         if (instr < t->position
             || instr - t->position < instrs)
            return instr >= t->position;
         t->position += instrs;
         t->ahead_at++;
      }
   }
}

bool dcfg_trace_skip(DcfgTrace* t, uint64_t instr, const DcfgProcess* p,
                     DcfgError* err)
{
   const DcfgChunkInfo* info;
   DcfgError            own = { 0 };

   if (err == NULL)
      err = &own;
   set_error(err, DCFG_OK, t->job.err.file, NULL, 0, "%s", "");
   if (p != NULL && p != t->graph)
      dcfg_trace_count_with(t, p);
   for (;;) {
      if (t->chunk == NULL && !advance(t)) {
         job_tell(&t->job, err);
         return false;
      }
      info = &t->chunk->info;
      if (instr < add_capped(info->preceding_instrs, info->instrs))
         break;
      drop_chunk(t);
   }
   if (instr < info->preceding_instrs)
      return false;
   if (p == NULL)
      return t->decoder == NULL;
   /* Inside a chunk without counts, it is too late. */
   if (t->position == UINT64_MAX)
      return false;
   return begin_chunk(t, err) && skip_edges(t, instr, err);
}
