/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Last writers of registers that the index tells. */

/* Owns: which of the index's last writers are answers.  Handed: the index.

   Registers that were written long before cost no decoding then: neither to find
   their writer, nor for its value. */

#include "lib/cursor/cursor_chunks.h"

#include <string.h>

static IndexedInstance* indexed_at(DcfgCursor* r, uint64_t t)
{
   return &r->indexed[t % N_INDEXED];
}

/* Set CODE to that of the last writers of THREAD in chunk NUMBER, and *TURN to the
   number of its turn.  Return what the index tells of that: TELLS_WRITER means that
   there is code. */
static IndexTells code_of(DcfgCursor* r, uint32_t thread, uint32_t number,
                          uint32_t* turn, Bytes* code)
{
   WetIndex*        ix = r->ix;
   const IndexTurn* t = index_turn_before(ix, thread, number + 1);

   if (index_creates(ix, thread, number))
      return TELLS_NOTHING;
   if (t == NULL || t->chunk != number)
      return TELLS_NONE;
   *turn = (uint32_t)(t - ix->turns);
   return t->handlers || !index_writers(ix, t, code) ? TELLS_NOTHING
          : TELLS_WRITER;
}

/* Return a writer behind all of turn T, for last_writer_next(). */
static LastWriter behind_turn(const WetIndex* ix, const IndexTurn* t)
{
   const IndexChunk* c = &ix->chunks[t->chunk];

   return (LastWriter){ .time = c->before + c->n_instrs };
}

IndexTells cursor_index_writer(DcfgCursor* r, uint32_t thread,
                               uint32_t number, unsigned granule,
                               uint8_t wanted, uint64_t t,
                               DcfgCursorWriter* by)
{
   const IndexChunk* c = &r->ix->chunks[number];
   uint64_t   end = c->before + c->n_instrs;
   uint32_t   turn;
   Bytes      code;
   LastWriter l;
   IndexTells tells;

   if (r->doubts || !index_tells_granule(granule))
      return TELLS_NOTHING;
   tells = code_of(r, thread, number, &turn, &code);
   if (tells != TELLS_WRITER)
      return tells;
   l = behind_turn(r->ix, &r->ix->turns[turn]);
   while (last_writer_next(r->w, &code, c->before, &l)) {
      uint8_t bytes = last_writer_bytes(r->w, &l, granule) & wanted;
      if (bytes == 0)
         continue;
      if (l.time >= t)
         return TELLS_NOTHING;
      *by = (DcfgCursorWriter){ .by = DCFG_CURSOR_BY_INSTR, .time = l.time,
                                .thread = thread, .bytes = bytes,
                                .stack = DCFG_CURSOR_STACK_UNKNOWN,
                                .since = end < t ? end : t, .from_index = true };
      *indexed_at(r, l.time) = (IndexedInstance){ l.time + 1, turn };
      return TELLS_WRITER;
   }
   if (!code.failed)
      return TELLS_NONE;
   r->ix->file.bad = true;
   return TELLS_NOTHING;
}

bool cursor_index_instr(DcfgCursor* r, uint64_t t, IndexedInstr* to)
{
   const IndexedInstance* is = indexed_at(r, t);
   const IndexTurn*       turn = &r->ix->turns[is->turn];
   Bytes                  code;
   LastWriter             l;

   if (r->doubts || is->time != t + 1 || !index_writers(r->ix, turn, &code))
      return false;
   l = behind_turn(r->ix, turn);
   while (l.time > t
          && last_writer_next(r->w, &code, r->ix->chunks[turn->chunk].before,
                              &l)) {
      const WetSb* sb;
      if (l.time != t)
         continue;
      sb  = &ELEM(r->w->sbs, WetSb, l.sb);
      *to = (IndexedInstr){ .at = r->w->places[sb->instrs.first + l.place],
                            .n_slots = l.n_slots };
      to->accesses = &ELEM(r->w->accesses, WetAccess,
                           sb->slots.first + to->at.slot);
      to->at.slot  = 0;
      last_writer_slots(&l, to->slots);
      while (r->ix->threads[to->thread + 1].turns <= is->turn)
         to->thread++;
      return true;
   }
   return false;
}

void dcfg_cursor_doubt(DcfgCursor* r)
{
   r->doubts = true;
   memset(r->writers, 0, N_KNOWN_THREADS * N_TOLD * sizeof(*r->writers));
}
