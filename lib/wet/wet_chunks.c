/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Chunks of a wet file, in any order. */

/* Owns: where the chunks are, and reading them in any order.  Handed: a
   trace by wet_open.c. */

#include "lib/wet/wet_chunks.h"

#include <stdlib.h>
#include <string.h>

/*--- The index                                            ---*/

static void count_instances(const DcfgWet* w, const uint64_t* runs,
                            uint64_t* ran)
{
   for (uint32_t id = 1; id < w->sbs.n; id++) {
      const Span s = ELEM(w->sbs, WetSb, id).instrs;
      uint64_t   n = 0;
      for (uint32_t k = s.first + s.n; k-- > s.first; ) {
         n += runs[k];
         ran[ELEM(w->sb_instrs, uint32_t, k)] += n;
      }
   }
}

bool wet_begin_chunk(DcfgWet* w, Array* index)
{
   uint64_t      offset = w->begun ? w->offset : w->tape;
   WetChunkInfo* info;

   w->begun = true;
   if (!wet_next_chunk(w)
       || (info = array_add(&w->job, index, sizeof(*info))) == NULL)
      return false;
   *info = (WetChunkInfo){ .offset = offset, .thread = w->chunk->thread,
                           .n_records = w->chunk->n_records };
   if (index->n > 1)
      info->before = info[-1].before + info[-1].n_instrs;
   return true;
}

bool wet_read_part(DcfgWet* w, Array* index, WetWanted wanted, WetSteps* to)
{
   WetChunkInfo* info = &ELEM(*index, WetChunkInfo, index->n - 1);

   wet_forget_steps(to);
   if (!wet_read_block(w, wanted, to))
      return false;
   info->n_instrs  = w->chunk->n_instrs;
   info->odd_marks = w->chunk->odd_marks;
   return true;
}

/* Do the work of wet_index_chunks().  RUNS, by index in .sb_instrs, grows by the
   number of records that ended there. */
static bool read_all_chunks(DcfgWet* w, Array* index, uint64_t* runs)
{
   WetSteps steps = { 0 };
   bool     ok = true;

   w->runs = runs;
   while (ok && wet_begin_chunk(w, index))
      while (ok && wet_has_part(w))
         ok = wet_read_part(w, index, SLOTS_OF_NONE, &steps);
   w->runs = NULL;
   wet_free_steps(&w->job, &steps);
   return ok && w->job.err.status == DCFG_OK;
}

bool wet_index_chunks(DcfgWet* w, Array* index, uint64_t* ran)
{
   size_t    n_runs = w->sb_instrs.n + 1;
   uint64_t* runs   = ran == NULL ? NULL
                      : job_calloc(&w->job, n_runs, sizeof(*runs));
   bool      ok     = (ran == NULL || runs != NULL)
                      && read_all_chunks(w, index, runs);

   if (runs != NULL)
      count_instances(w, runs, ran);
   job_free(&w->job, runs, n_runs * sizeof(*runs));
   return ok;
}

void wet_count_runs(DcfgWet* w, uint64_t* runs)
{
   w->runs = runs;
}

/* The trace that owns the tables keeps the copy with them.  If memory is
   exhausted it keeps nothing, and the next reader goes through the tape
   again. */
void wet_remember(DcfgWet* w, const Array* index, const uint64_t* runs)
{
   DcfgWet* first = w->lender;
   size_t   n = index->n * sizeof(WetChunkInfo);
   size_t   n_runs = (w->sb_instrs.n + 1) * sizeof(*runs);
   void*    chunks;

   if (first == NULL || first->known_runs != NULL || index->n == 0)
      return;
   chunks = malloc(n);
   first->known_runs = malloc(n_runs);
   if (chunks == NULL || first->known_runs == NULL) {
      free(chunks);
      free(first->known_runs);
      first->known_runs = NULL;
      return;
   }
   memcpy(chunks, index->data, n);
   memcpy(first->known_runs, runs, n_runs);
   first->known_chunks = (Array){ chunks, index->n, index->n };
}

bool wet_recall(DcfgWet* w, Array* index, uint64_t* runs)
{
   const DcfgWet* first = w->lender;
   void*          to;

   if (first == NULL || first->known_runs == NULL)
      return false;
   to = array_add_n(&w->job, index, sizeof(WetChunkInfo),
                    first->known_chunks.n);
   if (to == NULL)
      return false;
   memcpy(to, first->known_chunks.data,
          first->known_chunks.n * sizeof(WetChunkInfo));
   memcpy(runs, first->known_runs, (w->sb_instrs.n + 1) * sizeof(*runs));
   return true;
}

void wet_remember_unseen(DcfgWet* w, const Array* codes, const Array* ends)
{
   DcfgWet*  first = w->lender;
   uint8_t*  to = malloc(codes->n + 1);
   uint64_t* to_ends = malloc(ends->n * sizeof(*to_ends) + 1);

   if (first == NULL || first->known_unseen != NULL || to == NULL
       || to_ends == NULL) {
      free(to);
      free(to_ends);
      return;
   }
   if (codes->n > 0)
      memcpy(to, codes->data, codes->n);
   if (ends->n > 0)
      memcpy(to_ends, ends->data, ends->n * sizeof(*to_ends));
   first->known_unseen = to;
   first->unseen_ends  = to_ends;
}

const uint8_t* wet_recall_unseen(const DcfgWet* w, uint32_t chunk,
                                 size_t* size)
{
   const DcfgWet* first = w->lender;
   uint64_t       begin = chunk == 0 ? 0 : first->unseen_ends[chunk - 1];

   *size = first->unseen_ends[chunk] - begin;
   return first->known_unseen + begin;
}

/*--- A chunk                                              ---*/

bool wet_read_chunk(DcfgWet* w, const WetChunkInfo* chunk, WetWanted wanted,
                    WetSteps* to)
{
   w->tape_left = UINT64_MAX;
   if (!input_seek(w->in, chunk->offset) || !wet_next_chunk(w))
      return false;
   w->chunk->thread = chunk->thread;
   w->chunk->whole  = true;
   wet_forget_steps(to);
   while (wet_has_part(w))
      if (!wet_read_block(w, wanted, to))
         return false;
   return true;
}

/* The trace that owns the tables keeps the steps.  Its job does not count
   them. */
void wet_leave_chunk(DcfgWet* w, WetSteps* steps, uint64_t offset)
{
   DcfgWet* first = w->lender;

   if (first == NULL || first->left_offset != 0 || offset == 0) {
      wet_free_steps(&w->job, steps);
      return;
   }
   job_take(&w->job, wet_size_of_steps(steps), 0);
   first->left_steps  = *steps;
   first->left_offset = offset;
   *steps = (WetSteps){ 0 };
}

uint64_t wet_take_chunk(DcfgWet* w, WetSteps* steps)
{
   DcfgWet* first = w->lender;
   uint64_t offset = first == NULL ? 0 : first->left_offset;

   if (offset == 0)
      return 0;
   *steps = first->left_steps;
   first->left_steps  = (WetSteps){ 0 };
   first->left_offset = 0;
   job_take(&w->job, 0, wet_size_of_steps(steps));
   if (w->job.used <= w->job.max)
      return offset;
   wet_free_steps(&w->job, steps);
   return 0;
}

bool wet_rewind(DcfgWet* w)
{
   w->tape_left = w->offset - w->tape;
   w->end_found = false;
   w->chunk->thread = 0;
   w->offset    = w->tape;
   return input_seek(w->in, w->tape);
}
