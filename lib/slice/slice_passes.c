/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading a trace that is sliced, chunk by chunk. */

/* Owns: the chunks of the tape, from the last to the first, with the
   activations and unseen writes of each.  Handed: an index.

   A slice that goes through all chunks reads ahead.  One that skips chunks
   reads those that are asked for: it does not know which one is next. */

#include "lib/slice/slice_passes.h"

#include <stdlib.h>
#include <string.h>

/* Limit of memory, in bytes, for a slice of a large file without an option:
   about 20 million instances, if they are kept. */
#define MEMORY_AT_MOST (4ULL << 30)

WetCursor* slice_tape(DcfgWet* w, Job* job, DcfgError* err)
{
   WetCursor* c;

   if (!wet_can_reread(w)) {
      set_error(err, DCFG_ERROR_FILE, w->path, NULL, 0,
                "a slice needs a file that can be read twice, not a pipe: "
                "write the trace to a file first");
      return NULL;
   }
   if (!wet_unpack(w)) {
      job_tell(&w->job, err);
      return NULL;
   }
   c = wet_cursor_new(w, err);
   if (c == NULL)
      return NULL;
   job_start(job, w->path, &w->options);
   job->most = MEMORY_AT_MOST;
   job_read(job, c->job.n_file, c->job.n_text);
   return c;
}

static bool start_chunks(Passes* p)
{
   WetChunkInfo* to = array_add_n(&p->tape->job, &p->chunks, sizeof(*to),
                                  p->ix->n_chunks + 1);

   if (to == NULL)
      return job_adopt(p->job, &p->tape->job.err);
   array_cut(&p->chunks, p->ix->n_chunks);
   for (size_t i = 0; i < p->ix->n_chunks; i++) {
      const IndexChunk* from = &p->ix->chunks[i];
      to[i] = (WetChunkInfo){ .offset = from->offset, .before = from->before,
                              .n_instrs = from->n_instrs,
                              .n_records = from->n_records,
                              .thread = from->thread };
   }
   p->chunk      = (uint32_t)p->chunks.n;
   p->own.offset = wet_take_chunk(p->w, &p->tape->job, &p->own.steps);
   return true;
}

bool passes_start(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g)
{
   const WetIndex* ix = p->ix;

   /* The limit of memory is that of a pass over all to make the index, and
      another one back, whether the slice makes them or not. */
   job_read(p->job, 2 * (p->w->file_size - p->w->tape),
            2 * (p->w->file_size - p->w->tape));
   if (!start_chunks(p) || !slice_code_at_end(code, p->ix)
       || !graph_start(g, p->job, p->w) || !states_start(acts, ix))
      return false;
   for (size_t i = 0; i < ix->n_arcs; i++)
      if (!wet_graph_arc(&g->arcs, (uint32_t)(ix->arcs[i] >> 32) - 1,
                         (uint32_t)ix->arcs[i] - 1))
         return false;
   if (!graph_finish(g))
      return false;
   code_note_branches(code, g->arcs.branches);
   return true;
}

/* Return CHUNK; NULL if it cannot be read. */
static const WetPart* read_chunk(Passes* p, uint32_t chunk)
{
   const WetChunkInfo* info = &ELEM(p->chunks, WetChunkInfo, chunk);

   if (p->own.offset == info->offset)
      return &p->own;
   p->own.offset = 0;
   if (!wet_read_chunk(p->tape, info, SLOTS_OF_ALL, &p->own.steps)) {
      job_adopt(p->job, &p->tape->job.err);
      return NULL;
   }
   p->own.offset = info->offset;
   return &p->own;
}

/* Fail: index and trace disagree. */
static bool disagree(Passes* p)
{
   p->ix->file.bad = true;
   return job_fail(p->job, DCFG_ERROR_FORMAT, "index",
                   "it is not of the trace");
}

/* Set .unseen to the unseen writes of the present chunk. */
static bool take_unseen(Passes* p)
{
   const UnseenWrite* kept = NULL;
   size_t             size;

   free(p->unseen);
   p->unseen   = NULL;
   p->n_unseen = 0;
   if (unseen_may_be(p->w))
      kept = index_unseen(p->ix, p->chunk, 0, UINT64_MAX, &p->n_unseen);
   if (kept == NULL)
      return true;
   size      = p->n_unseen * sizeof(UnseenWrite);
   p->unseen = malloc(size);
   if (p->unseen == NULL)
      return job_fail(p->job, DCFG_ERROR_MEMORY, NULL, "out of memory");
   memcpy(p->unseen, kept, size);
   unseen_sort_by_time(p->unseen, p->n_unseen);
   return true;
}

bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk)
{
   const WetPart* part;

   if (p->all && chunk + 1 != p->chunk)
      passes_close(p);
   if (p->all && p->ahead == NULL) {
      p->ahead = wet_ahead_new_back(p->job, p->tape, &p->chunks, chunk + 1);
      if (p->ahead == NULL)
         return false;
   }
   p->chunk = chunk;
   part = p->all ? wet_ahead_next(p->ahead) : read_chunk(p, chunk);
   if (part == NULL || !take_unseen(p))
      return false;
   p->steps = &part->steps;
   return (states_load(acts, p->ix, chunk)
           && states_load(acts, p->ix, chunk + 1)
           && acts_place_chunk(acts, p->steps, chunk))
          && (states_agree(acts, p->ix, chunk) || disagree(p));
}

void passes_close(Passes* p)
{
   wet_ahead_close(p->ahead);
   p->ahead = NULL;
}

void passes_free(Passes* p)
{
   passes_close(p);
   wet_leave_chunk(p->w, &p->tape->job, &p->own.steps, p->own.offset);
   array_free(&p->tape->job, &p->chunks, sizeof(WetChunkInfo));
   free(p->unseen);
}
