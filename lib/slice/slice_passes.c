/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The passes over a trace that is sliced. */

/* Owns: going over the tape, forward and then chunk by chunk backward.  Handed:
   parts by wet_ahead.c.  Taken by: slice_open.c, slice_back.c. */

#include "lib/slice/slice_passes.h"

/* Does the number of executions of superblocks suffice, without activations?
   The dynamic linker loads the top of x87's stack, but with the value that it
   had.  So the top is 0 if no other code moves it.  The way back finds out
   whether that is so. */
static bool may_be_plain(const Passes* p, const DcfgSliceQuery* q)
{
   if (p->moved || !q->no_control || q->run || q->of == DCFG_SLICE_FRAME)
      return false;
   for (size_t k = 0; k < p->w->sb_instrs.n; k++)
      if (p->w->plans[p->w->places[k].instr].top != 0)
         return false;
   return true;
}

/* One pass; to ACTS, if it is not NULL. */
static bool go_forward(Passes* p, SliceCode* code, Acts* acts)
{
   const WetPart* part;
   bool           ok = true;

   p->w->runs = code->runs;
   p->ahead   = wet_ahead_new(p->job, p->w, &p->index,
                              acts == NULL ? SLOTS_OF_NONE
                              : acts->executions != NULL ? SLOTS_OF_ALL
                              : SLOTS_OF_TRANSFERS);
   while (ok && p->ahead != NULL && (part = wet_ahead_next(p->ahead)) != NULL)
      ok = acts == NULL || acts_take_part(acts, part);
   if (!ok)
      return false;
   passes_close(p);
   p->w->runs = NULL;
   return p->job->err.status == DCFG_OK;
}

bool passes_forward(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g)
{
   p->plain = may_be_plain(p, code->q);
   if (p->plain) {
      if (!go_forward(p, code, NULL))
         return false;
      for (size_t c = 0; c < p->index.n; c++)
         p->plain &= !ELEM(p->index, WetChunkInfo, c).odd_marks;
      if (p->plain)
         return true;
      code_forget_runs(code);
      array_cut(&p->index, 0);
      if (!wet_rewind(p->w))
         return job_fail(p->job, DCFG_ERROR_FILE, NULL, "it cannot be read");
   }
   if (!graph_start(g, p->job, p->w) || !go_forward(p, code, acts)
       || !acts_end(acts))
      return false;
   callbacks_spread(acts->callbacks);
   if (!graph_finish(g))
      return false;
   code_note_branches(code, g->arcs.branches);
   return true;
}

bool passes_begin_back(Passes* p, uint64_t* n_instrs)
{
   const WetChunkInfo* end = p->index.n == 0 ? NULL
                             : &ELEM(p->index, WetChunkInfo, p->index.n - 1);

   *n_instrs = end == NULL ? 0 : end->before + end->n_instrs;
   p->ahead  = wet_ahead_new_back(p->job, p->w, &p->index);
   return p->ahead != NULL;
}

bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk)
{
   const WetPart* part = wet_ahead_next(p->ahead);

   if (part == NULL)
      return false;
   p->steps = &part->steps;
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
   array_free(&p->w->job, &p->index, sizeof(WetChunkInfo));
}
