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

bool wet_begin_chunk(WetCursor* c, Array* index)
{
   uint64_t      offset = c->offset;
   WetChunkInfo* info;

   if (!wet_next_chunk(c)
       || (info = array_add(&c->job, index, sizeof(*info))) == NULL)
      return false;
   *info = (WetChunkInfo){ .offset = offset, .thread = c->thread,
                           .n_records = c->n_records };
   if (index->n > 1)
      info->before = info[-1].before + info[-1].n_instrs;
   return true;
}

bool wet_read_part(WetCursor* c, Array* index, WetWanted wanted, WetSteps* to)
{
   WetChunkInfo* info = &ELEM(*index, WetChunkInfo, index->n - 1);

   wet_forget_steps(to);
   if (!wet_read_block(c, wanted, to))
      return false;
   info->n_instrs  = c->n_instrs;
   info->odd_marks = c->odd_marks;
   return true;
}

bool wet_count_instances(WetCursor* c, uint64_t* ran)
{
   size_t   n_runs = c->w->sb_instrs.n + 1;
   WetSteps steps = { 0 };

   c->runs = job_calloc(&c->job, n_runs, sizeof(*c->runs));
   if (c->runs == NULL)
      return false;
   while (wet_next_block(c, SLOTS_OF_NONE, &steps))
      ;
   count_instances(c->w, c->runs, ran);
   wet_free_steps(&c->job, &steps);
   job_free(&c->job, c->runs, n_runs * sizeof(*c->runs));
   c->runs = NULL;
   return c->job.err.status == DCFG_OK;
}

/* The trace keeps a copy with its tables.  If memory is exhausted it keeps nothing, and the next reader goes through the tape
   again. */
void wet_remember(DcfgWet* w, const Array* index, const uint64_t* runs)
{
   size_t   n = index->n * sizeof(WetChunkInfo);
   size_t   n_runs = (w->sb_instrs.n + 1) * sizeof(*runs);
   void*    chunks;

   if (w->known_runs != NULL || index->n == 0)
      return;
   chunks = malloc(n);
   w->known_runs = malloc(n_runs);
   if (chunks == NULL || w->known_runs == NULL) {
      free(chunks);
      free(w->known_runs);
      w->known_runs = NULL;
      return;
   }
   memcpy(chunks, index->data, n);
   memcpy(w->known_runs, runs, n_runs);
   w->known_chunks = (Array){ chunks, index->n, index->n };
}

bool wet_recall(const DcfgWet* w, Job* job, Array* index, uint64_t* runs)
{
   void* to;

   if (w->known_runs == NULL)
      return false;
   to = array_add_n(job, index, sizeof(WetChunkInfo), w->known_chunks.n);
   if (to == NULL)
      return false;
   memcpy(to, w->known_chunks.data,
          w->known_chunks.n * sizeof(WetChunkInfo));
   memcpy(runs, w->known_runs, (w->sb_instrs.n + 1) * sizeof(*runs));
   return true;
}

void wet_remember_unseen(DcfgWet* w, const Array* codes, const Array* ends)
{
   uint8_t*  to = malloc(codes->n + 1);
   uint64_t* to_ends = malloc(ends->n * sizeof(*to_ends) + 1);

   if (w->known_unseen != NULL || to == NULL || to_ends == NULL) {
      free(to);
      free(to_ends);
      return;
   }
   if (codes->n > 0)
      memcpy(to, codes->data, codes->n);
   if (ends->n > 0)
      memcpy(to_ends, ends->data, ends->n * sizeof(*to_ends));
   w->known_unseen = to;
   w->unseen_ends  = to_ends;
}

const uint8_t* wet_recall_unseen(const DcfgWet* w, uint32_t chunk,
                                 size_t* size)
{
   uint64_t begin = chunk == 0 ? 0 : w->unseen_ends[chunk - 1];

   *size = w->unseen_ends[chunk] - begin;
   return w->known_unseen + begin;
}

/*--- A chunk                                              ---*/

bool wet_read_chunk(WetCursor* c, const WetChunkInfo* chunk, WetWanted wanted,
                    WetSteps* to)
{
   c->tape_left = UINT64_MAX;
   if (!input_seek(c->in, chunk->offset) || !wet_next_chunk(c))
      return false;
   c->thread = chunk->thread;
   c->whole  = true;
   wet_forget_steps(to);
   while (wet_has_part(c))
      if (!wet_read_block(c, wanted, to))
         return false;
   return true;
}

/* The trace keeps the steps.  Its job does not count them. */
void wet_leave_chunk(DcfgWet* w, Job* job, WetSteps* steps, uint64_t offset)
{
   if (w->left_offset != 0 || offset == 0) {
      wet_free_steps(job, steps);
      return;
   }
   job_take(job, wet_size_of_steps(steps), 0);
   w->left_steps  = *steps;
   w->left_offset = offset;
   *steps = (WetSteps){ 0 };
}

uint64_t wet_take_chunk(DcfgWet* w, Job* job, WetSteps* steps)
{
   uint64_t offset = w->left_offset;

   if (offset == 0)
      return 0;
   *steps = w->left_steps;
   w->left_steps  = (WetSteps){ 0 };
   w->left_offset = 0;
   job_take(job, 0, wet_size_of_steps(steps));
   if (job->used <= job->max)
      return offset;
   wet_free_steps(job, steps);
   return 0;
}

bool wet_rewind(WetCursor* c)
{
   c->tape_left = c->w->tape_size;
   c->end_found = false;
   c->thread    = 0;
   c->offset    = c->w->tape;
   return input_seek(c->in, c->w->tape);
}
