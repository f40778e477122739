/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The passes over a trace that is sliced. */

/* Owns: going over the tape, forward and then chunk by chunk backward.
   Handed: parts by wet_chunks.c. */

#include "lib/slice/slice_passes.h"
#include "lib/index/index_marks.h"

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

/* Return whether counts of superblocks will do, without activations: for slices
   without control, and forward ones, of which the walk back finds criteria
   only.  The top of x87's stack must be 0.  Code of the dynamic linker loads
   it, but with the same value.  If the walk back sees another one, all is done
   again. */
static bool may_be_plain(const Passes* p, const DcfgSliceQuery* q)
{
   if (p->moved || !(q->no_control || q->forward) || q->run || q->of == DCFG_SLICE_FRAME)
      return false;
   for (size_t k = 0; k < p->w->sb_instrs.n; k++)
      if (p->w->plans[p->w->places[k].instr].top != 0)
         return false;
   return true;
}

/* Return whether a pass forward has to look for unseen writes. */
static bool looks_for_unseen(const Passes* p)
{
   return p->unseen_ix == NULL && unseen_may_be(p->w)
          && !wet_knows_unseen(p->w);
}

/* Go forward once; give parts to ACTS unless it is NULL, and look for unseen
   writes. */
static bool go_forward(Passes* p, SliceCode* code, Acts* acts)
{
   const WetPart* part;
   bool           looks = looks_for_unseen(p), ok = true;
   UnseenFinder   u = { .job = NULL };

   if (looks && !unseen_start(&u, p->job, p->w))
      return false;
   wet_count_runs(p->tape, code->runs);
   p->ahead = wet_ahead_new(p->job, p->tape, &p->index,
                              looks || (acts != NULL
                                        && acts->executions != NULL)
                              ? SLOTS_OF_ALL
                              : acts == NULL ? SLOTS_OF_NONE
                              : SLOTS_OF_TRANSFERS);
   while (ok && p->ahead != NULL && (part = wet_ahead_next(p->ahead)) != NULL)
      ok = (acts == NULL || acts_take_part(acts, part))
           && (!looks || unseen_take_part(&u, part));
   ok = ok && (!looks || unseen_end(&u));
   if (ok && looks) {
      wet_remember_unseen(p->w, &u.codes, &u.ends);
      ok = wet_knows_unseen(p->w)
           || job_fail(p->job, DCFG_ERROR_MEMORY, NULL, "out of memory");
   }
   unseen_free(&u);
   if (!ok)
      return false;
   passes_close(p);
   wet_count_runs(p->tape, NULL);
   return p->job->err.status == DCFG_OK;
}

/* Find the chunks, and how often superblocks ran: from an earlier slice of the
   trace, or by a pass; *READ says which. */
static bool count_runs(Passes* p, SliceCode* code, bool* read)
{
   *read = looks_for_unseen(p) || !wet_recall(p->w, &p->tape->job, &p->index,
                                                   code->runs);
   if (!*read)
      return true;
   if (p->tape->job.err.status != DCFG_OK)
      return job_adopt(p->job, &p->tape->job.err);
   if (!go_forward(p, code, NULL))
      return false;
   wet_remember(p->w, &p->index, code->runs);
   return true;
}

static bool finish_graph(SliceCode* code, Acts* acts, ControlGraph* g)
{
   callbacks_spread(acts->callbacks);
   if (!graph_finish(g))
      return false;
   code_note_branches(code, g->arcs.branches);
   return true;
}

/* Take the results of the pass from the index. */
static bool take_index(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g)
{
   WetIndex* ix = p->ix;

   /* The limit of memory is the same as if all had been read. */
   job_read(p->job, p->w->file_size - p->w->tape, p->w->file_size - p->w->tape);
   for (size_t i = 0; i < ix->n_chunks; i++) {
      const IndexChunk* from = &ix->chunks[i];
      WetChunkInfo*     to = array_add(&p->tape->job, &p->index, sizeof(*to));
      if (to == NULL)
         return job_adopt(p->job, &p->tape->job.err);
      *to = (WetChunkInfo){ .offset = from->offset, .before = from->before,
                            .n_instrs = from->n_instrs,
                            .n_records = from->n_records,
                            .thread = from->thread };
   }
   if (!index_totals(ix, code->runs) || !graph_start(g, p->job, p->w)
       || !states_start(acts, ix))
      return false;
   for (size_t i = 0; i < ix->n_arcs; i++)
      if (!wet_graph_arc(&g->arcs, (uint32_t)(ix->arcs[i] >> 32) - 1,
                         (uint32_t)ix->arcs[i] - 1))
         return false;
   for (size_t i = 0; acts->callbacks->calls != NULL && i < p->w->instrs.n; i++)
      acts->callbacks->calls[i] = ix->callbacks[i / 8] >> i % 8 & 1;
   return finish_graph(code, acts, g);
}

bool passes_forward(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g)
{
   bool read;

   if (p->ix != NULL)
      return take_index(p, code, acts, g);
   p->plain = may_be_plain(p, code->q);
   if (p->plain) {
      if (!count_runs(p, code, &read))
         return false;
      for (size_t c = 0; c < p->index.n; c++)
         p->plain &= !ELEM(p->index, WetChunkInfo, c).odd_marks;
      if (p->plain)
         return true;
      code_forget_runs(code);
      array_cut(&p->index, 0);
      if (read && !wet_rewind(p->tape))
         return job_fail(p->job, DCFG_ERROR_FILE, NULL, "it cannot be read");
   }
   if (!graph_start(g, p->job, p->w) || !go_forward(p, code, acts)
       || !acts_end(acts))
      return false;
   return finish_graph(code, acts, g);
}

bool passes_begin_back(Passes* p, uint64_t* n_instrs)
{
   const WetChunkInfo* end = p->index.n == 0 ? NULL
                             : &ELEM(p->index, WetChunkInfo, p->index.n - 1);

   *n_instrs = end == NULL ? 0 : end->before + end->n_instrs;
   if (p->skips) {
      p->own.offset = wet_take_chunk(p->w, &p->tape->job, &p->own.steps);
      return true;
   }
   p->ahead  = wet_ahead_new_back(p->job, p->tape, &p->index);
   return p->ahead != NULL;
}

/* Return chunk number CHUNK, wherever the last one was; NULL if it cannot be
   read. */
static const WetPart* read_chunk(Passes* p, uint32_t chunk)
{
   const WetChunkInfo* info = &ELEM(p->index, WetChunkInfo, chunk);

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

/* Set .unseen to the unseen writes of CHUNK. */
static bool take_unseen(Passes* p, uint32_t chunk)
{
   const UnseenWrite* kept;
   const uint8_t*     code;
   size_t             size = 0;

   free(p->unseen);
   p->unseen   = NULL;
   p->n_unseen = 0;
   if (!unseen_may_be(p->w))
      return true;
   if (p->unseen_ix != NULL) {
      kept = index_unseen(p->unseen_ix, chunk, 0, UINT64_MAX, &p->n_unseen);
      size = kept == NULL ? 0 : p->n_unseen * sizeof(UnseenWrite);
      p->unseen = size == 0 ? NULL : malloc(size);
      if (p->unseen != NULL)
         memcpy(p->unseen, kept, size);
   } else {
      code      = wet_recall_unseen(p->w, chunk, &size);
      p->unseen = size == 0 ? NULL : unseen_get(code, size, &p->n_unseen);
   }
   if (size > 0 && p->unseen == NULL)
      return job_fail(p->job, DCFG_ERROR_MEMORY, NULL, "out of memory");
   unseen_sort_by_time(p->unseen, p->n_unseen);
   return true;
}

bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk)
{
   const WetPart* part = p->skips ? read_chunk(p, chunk)
                         : wet_ahead_next(p->ahead);

   if (part == NULL || !take_unseen(p, chunk))
      return false;
   p->steps = &part->steps;
   if (p->ix != NULL)
      return (states_load(acts, p->ix, chunk)
              && states_load(acts, p->ix, chunk + 1)
              && acts_place_chunk(acts, p->steps, chunk))
             && (states_agree(acts, p->ix, chunk) || disagree(p));
   if (!p->plain)
      return acts_place_chunk(acts, p->steps, chunk);
   p->moved = part->steps.odd_tops;
   return !p->moved;
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
   array_free(&p->tape->job, &p->index, sizeof(WetChunkInfo));
   free(p->unseen);
}
