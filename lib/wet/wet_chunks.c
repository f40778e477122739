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
