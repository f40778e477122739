/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Signals that have a handler. */

/* Owns: the search for them.  Handed: chunks by cursor_chunks.c. */

#include "lib/cursor/cursor_chunks.h"

/* Return the number of the signal whose handler begins at step I of chunk C. */
static uint32_t signal_of(const KeptChunk* c, size_t i)
{
   const WetStep* s = &c->steps.steps[i];

   if (i == 0 || s[-1].sb != 0 || s[-1].mark != MarkSignal
       || s[-1].thread != s->thread)
      return 0;
   return (uint32_t)c->steps.addrs[s[-1].first];
}

/* Set *S to the first signal in chunk NUMBER with a time from FROM on; if BACK,
   to the last one with a time below FROM. */
static DcfgCursorFound find_in_chunk(DcfgCursor* r, uint32_t number,
                                     uint64_t from, bool back,
                                     DcfgCursorSignal* s)
{
   const KeptChunk* c = cursor_chunk(r, number);
   uint64_t         before = r->ix->chunks[number].before;

   if (c == NULL)
      return DCFG_CURSOR_FAILED;
   for (size_t k = 0; k < c->steps.n_steps; k++) {
      size_t         i = back ? c->steps.n_steps - 1 - k : k;
      const WetStep* step = &c->steps.steps[i];
      uint64_t       t = before + c->times[i];
      if (step->sb != 0 || step->mark != MarkHandler
          || (back ? t >= from : t < from))
         continue;
      *s = (DcfgCursorSignal){ t, step->thread, signal_of(c, i) };
      return DCFG_CURSOR_FOUND;
   }
   return DCFG_CURSOR_NONE;
}

DcfgCursorFound dcfg_cursor_find_signal(DcfgCursor* r, uint64_t from,
                                        bool back, DcfgCursorSignal* s)
{
   for (uint32_t k = 0; k < r->ix->n_chunks; k++) {
      uint32_t          i = back ? (uint32_t)r->ix->n_chunks - 1 - k : k;
      const IndexChunk* c = &r->ix->chunks[i];
      DcfgCursorFound   found;
      /* A mark behind the last instruction of a chunk has the time at which the
         next chunk begins. */
      if ((back ? c->before >= from : c->before + c->n_instrs < from)
          || index_handlers(r->ix, i) == index_handlers(r->ix, i + 1))
         continue;
      found = find_in_chunk(r, i, from, back, s);
      if (found != DCFG_CURSOR_NONE)
         return found;
      if (cursor_stopped(r))
         return DCFG_CURSOR_STOPPED;
   }
   return DCFG_CURSOR_NONE;
}
