
/*--------------------------------------------------------------------*/
/*--- Chunks of a wet file, in any order.             wet_chunks.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: where the chunks are, and each of them as arrays of records and of
   addresses.  Handed: a trace by wet_open.c.  Taken by: who goes backward. */

#include "wet_chunks.h"

/*------------------------------------------------------------*/
/*--- The index                                            ---*/
/*------------------------------------------------------------*/

/* How often superblocks were executed, by how many of their instructions
   were: the first of superblock SB is w->sbs[SB].instrs.first. */
static void note_run(const DcfgWet* w, const Record* r, uint64_t* runs)
{
   if (runs != NULL)
      runs[ELEM(w->sbs, WetSb, r->sb).instrs.first + r->n_instrs - 1]++;
}

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

/* The records of the chunk in work, which is INFO. */
static bool scan_chunk(DcfgWet* w, WetChunkInfo* info, uint64_t* runs)
{
   Record r;

   while (w->chunk->n_records > 0) {
      if (!wet_next_header(w, &r))
         return false;
      if (r.sb != 0) {
         info->n_instrs += r.n_instrs;
         note_run(w, &r, runs);
      } else if (r.mark == MARK_THREAD) {
         w->thread = (uint32_t)r.words[0];
      } else if (r.mark == DCFG_WET_HANDLER) {
         info->handlers = true;
      }
   }
   return wet_end_chunk(w);
}

/* The next chunk is begun: what is known of it by then.  NULL at the end. */
static WetChunkInfo* begin_chunk(DcfgWet* w, Array* index)
{
   uint64_t      offset = w->begun ? w->offset : w->tape;
   WetChunkInfo* info;

   w->begun = true;
   if (!wet_next_chunk(w)
       || (info = array_add(&w->job, index, sizeof(*info))) == NULL)
      return NULL;
   *info = (WetChunkInfo){ .offset = offset, .thread = w->thread,
                           .n_records = w->chunk->n_records };
   if (index->n > 1)
      info->before = info[-1].before + info[-1].n_instrs;
   return info;
}

bool wet_index_runs(DcfgWet* w, Array* index, uint64_t* runs)
{
   WetChunkInfo* info;

   while ((info = begin_chunk(w, index)) != NULL)
      if (!scan_chunk(w, info, runs))
         return false;
   return w->job.err.status == DCFG_OK;
}

bool wet_index_chunks(DcfgWet* w, Array* index, uint64_t* ran)
{
   size_t    n_runs = w->sb_instrs.n + 1;
   uint64_t* runs   = ran == NULL ? NULL
                      : job_calloc(&w->job, n_runs, sizeof(*runs));
   bool      ok     = (ran == NULL || runs != NULL)
                      && wet_index_runs(w, index, runs);

   if (runs != NULL)
      count_instances(w, runs, ran);
   job_free(&w->job, runs, n_runs * sizeof(*runs));
   return ok;
}

/*------------------------------------------------------------*/
/*--- A chunk                                              ---*/
/*------------------------------------------------------------*/

/* Room for N records, and for the slots of one more. */
static bool make_room(DcfgWet* w, WetSteps* to, uint32_t n)
{
   if (n > to->max_steps) {
      WetStep* steps = job_realloc(&w->job, to->steps,
                                   to->max_steps * sizeof(*steps),
                                   n * sizeof(*steps));
      if (steps == NULL)
         return false;
      to->steps     = steps;
      to->max_steps = n;
   }
   if (to->n_addrs + MAX_ACCESSES > to->max_addrs) {
      size_t    more  = 2 * to->max_addrs + MAX_ACCESSES;
      uint64_t* addrs = job_realloc(&w->job, to->addrs,
                                    to->max_addrs * sizeof(*addrs),
                                    more * sizeof(*addrs));
      if (addrs == NULL)
         return false;
      to->addrs     = addrs;
      to->max_addrs = more;
   }
   return to->n_addrs <= UINT32_MAX
          || job_fail(&w->job, DCFG_ERROR_LIMIT, "tape",
                      "a chunk has too many accesses");
}

/* The next record, if it is not only a turn of threads. */
static bool read_step(DcfgWet* w, Record* r, WetSteps* to)
{
   uint64_t* at = to->addrs + to->n_addrs;
   uint32_t  n  = 0;

   if (!wet_next_header(w, r))
      return false;
   if (r->sb != 0) {
      n = r->n_slots;
      if (!wet_read_slots(w, r, at))
         return false;
   } else if (r->mark == MARK_THREAD) {
      w->thread = (uint32_t)r->words[0];
      return true;
   } else {
      for (; n < 3; n++)
         at[n] = r->words[n];
   }
   to->steps[to->n_steps++]
      = (WetStep){ r->sb, r->sb == 0 ? r->mark : 0, w->thread,
                   (uint16_t)r->n_instrs, (uint16_t)n,
                   (uint32_t)to->n_addrs };
   to->n_addrs += n;
   return true;
}

/* The chunk in work. */
static bool read_steps(DcfgWet* w, WetSteps* to)
{
   Record r = { 0 };

   to->n_steps = to->n_addrs = 0;
   if (!make_room(w, to, w->chunk->n_records))
      return false;
   while (w->chunk->n_records > 0)
      if (!read_step(w, &r, to) || !make_room(w, to, 0))
         return false;
   return wet_end_chunk(w);
}

bool wet_read_next_chunk(DcfgWet* w, Array* index, WetSteps* to)
{
   WetChunkInfo* info = begin_chunk(w, index);

   if (info == NULL || !read_steps(w, to))
      return false;
   for (size_t i = 0; i < to->n_steps; i++) {
      info->n_instrs += to->steps[i].n_instrs;
      info->handlers |= to->steps[i].mark == DCFG_WET_HANDLER;
   }
   return true;
}

bool wet_read_chunk(DcfgWet* w, const WetChunkInfo* chunk, WetSteps* to)
{
   w->tape_left = UINT64_MAX;
   if (!input_seek(w->in, chunk->offset) || !wet_next_chunk(w))
      return false;
   w->thread = chunk->thread;
   return read_steps(w, to);
}

bool wet_rewind(DcfgWet* w)
{
   w->tape_left = w->offset - w->tape;
   w->end_found = false;
   w->thread    = 0;
   w->offset    = w->tape;
   return input_seek(w->in, w->tape);
}

void wet_free_steps(DcfgWet* w, WetSteps* s)
{
   job_free(&w->job, s->steps, s->max_steps * sizeof(*s->steps));
   job_free(&w->job, s->addrs, s->max_addrs * sizeof(*s->addrs));
   *s = (WetSteps){ 0 };
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
