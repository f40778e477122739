/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances of instructions. */

/* Owns: all that the trace has of an instance.  Handed: decoded chunks by
   cursor_chunks.c, instances of others by cursor_index.c. */

#include "lib/cursor/cursor_chunks.h"

/* Tell of the instance at time T of THREAD, with plan AT.  ACCESSES, SLOTS and
   N_SLOTS are as for access_of(). */
static const DcfgCursorInstr* tell(DcfgCursor* r, uint64_t t, uint32_t thread,
                                   const InstrPlan* at,
                                   const WetAccess* accesses,
                                   const uint64_t* slots, uint32_t n_slots)
{
   uint32_t n = 0;

   for (uint32_t j = 0; j < at->n_slots && n < MAX_ACCESSES; j++)
      n += access_of(accesses, slots, n_slots, at, j, &r->accesses[n]);
   r->told = (DcfgCursorInstr){
      .time = t, .thread = thread, .instr = at->instr,
      .rep = r->w->plans[at->instr].kind == InsnRep,
      .n_accesses = n, .accesses = r->accesses,
      .value_size = value_of(accesses, slots, n_slots, at, r->value),
      .value = r->value
   };
   return &r->told;
}

const DcfgCursorInstr* dcfg_cursor_instr(DcfgCursor* r, uint64_t t)
{
   CursorPlace      p;
   IndexedInstr     is;
   const KeptChunk* c;
   const WetStep*   s;

   if (t >= r->ix->n_instrs)
      return NULL;
   if (cursor_kept(r, cursor_chunk_of(r, t)) == NULL
       && cursor_index_instr(r, t, &is))
      return tell(r, t, is.thread, &is.at, is.accesses, is.slots, is.n_slots);
   if (!cursor_position(r, t, &p))
      return NULL;
   c = cursor_chunk(r, p.chunk);
   s = &c->steps.steps[p.step];
   return tell(r, t, s->thread, cursor_place(r, s, p.place), cursor_slots(r, s),
               c->steps.addrs + s->first, s->n_slots);
}
