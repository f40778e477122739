/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The top of x87's stack. */

/* Owns: a thread's top at any time.  Handed: chunks by cursor_chunks.c.

   The index has the top at the end of each chunk.  Within a chunk, instructions
   move it, and marks set it. */

#include "lib/cursor/cursor_chunks.h"
#include "lib/wet/wet_state.h"

/* Return the top that is in the status word among the N registers at R, or
   TOP. */
static uint8_t top_in(const DcfgWetRegister* r, size_t n, uint8_t top)
{
   for (size_t i = 0; i < n; i++)
      if (r[i].kind == DCFG_WET_REG_X87_STATUS && r[i].size >= 2)
         return r[i].bytes[1] >> 3 & 7;
   return top;
}

/* Return the thread's top before chunk NUMBER. */
static uint8_t top_before(const DcfgCursor* r, uint32_t thread,
                          uint32_t number)
{
   const IndexTurn*     t = index_turn_before(r->ix, thread, number);
   const DcfgWetThread* begin = t != NULL ? NULL : cursor_begin_of(r, thread);

   if (t != NULL)
      return t->top & 7;
   if (begin != NULL)
      return top_in(begin->registers, begin->n_registers, 0);
   return thread == 0 ? 0 : NO_TOP;
}

/* Return the top behind mark S of chunk C, if it is TOP before. */
static uint8_t behind_mark(DcfgCursor* r, const KeptChunk* c, const WetStep* s,
                           uint8_t top)
{
   Array all = { 0 };
   Bytes b;

   if (s->mark == MarkTop)
      return c->steps.addrs[s->first] & 7;
   /* MarkRegisters follows, with the top. */
   if (s->mark == MarkReturn)
      return NO_TOP;
   if (s->mark != MarkRegisters)
      return top;
   b = cursor_bytes(c, s);
   if (b.at < b.end && wet_get_registers(r->w, &b, &all) && !b.failed)
      top = top_in(all.data, all.n, top);
   array_free(&r->w->job, &all, sizeof(DcfgWetRegister));
   return top;
}

/* Return the top behind the first N instructions of step S of chunk C. */
static uint8_t behind_instrs(const DcfgCursor* r, const KeptChunk* c,
                             const WetStep* s, uint32_t n, uint8_t top)
{
   for (uint32_t k = 0; k < n; k++) {
      const InstrPlan* at = cursor_place(r, s, k);
      const Plan*      p = &r->w->plans[at->instr];
      bool             told = p->top_zero
                              || (at->top && (uint32_t)at->slot + at->n_slots
                                             < s->n_slots);
      if (p->moves_top && (told || top != NO_TOP))
         top = (uint8_t)wet_move_top(top, p, at, s->n_slots,
                                     c->steps.addrs + s->first);
   }
   return top;
}

/* Set .tops to those of THREAD in chunk NUMBER.  Return false if memory is
   short. */
static bool make_tops(DcfgCursor* r, uint32_t thread, uint32_t number,
                      const KeptChunk* c)
{
   KnownTops* k = &r->tops;
   size_t     n = c->steps.n_steps + 1;
   uint8_t    top;

   if (k->there && k->thread == thread && k->chunk == number)
      return true;
   if (n > k->room) {
      job_free(&r->job, k->tops, k->room);
      *k = (KnownTops){ .tops = job_calloc(&r->job, n, 1), .room = n };
      if (k->tops == NULL) {
         k->room = 0;
         return false;
      }
   }
   top = top_before(r, thread, number);
   for (size_t i = 0; i + 1 < n; i++) {
      const WetStep* s = &c->steps.steps[i];
      k->tops[i] = top;
      if (s->thread != thread)
         continue;
      if (s->sb == 0)
         top = behind_mark(r, c, s, top);
      else if (ELEM(r->w->sbs, WetSb, s->sb).moves_top)
         top = behind_instrs(r, c, s, s->n_instrs, top);
   }
   k->tops[n - 1] = top;
   k->there  = true;
   k->thread = thread;
   k->chunk  = number;
   return true;
}

bool dcfg_cursor_x87_top(DcfgCursor* r, uint32_t thread, uint64_t t,
                         unsigned* top)
{
   CursorPlace      p;
   const KeptChunk* c;
   const WetStep*   s;

   if (r->ix->n_chunks == 0 || !cursor_position(r, t, &p)
       || (c = cursor_chunk(r, p.chunk)) == NULL
       || !make_tops(r, thread, p.chunk, c))
      return false;
   *top = r->tops.tops[p.step];
   s    = &c->steps.steps[p.step];
   if (p.place > 0 && p.step < c->steps.n_steps && s->sb != 0
       && s->thread == thread)
      *top = behind_instrs(r, c, s, p.place, (uint8_t)*top);
   return *top != NO_TOP;
}
