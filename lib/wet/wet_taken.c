/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Ways of conditional branches. */

/* Owns: whether conditional branches were taken.  Handed: records by
   wet_events.c, which takes the results.

   The file says by which exit a superblock was left, but not where that exit
   leads: Valgrind may turn a condition round, so that the exit is the way to
   the next instruction.  The exits of a direct branch always lead to the same
   two places.  So each exit's place is learned from the instruction that its
   thread executes next; if a signal's handler or another thread comes between,
   from an earlier instance, or from the branch's other exit. */

#include "lib/wet/wet_taken.h"

/* DcfgWet.way_taken has 1 and a DcfgWetTaken for each way that ends with a
   conditional branch and whose place is known, else 0. */

/* Return the way of the branch at AT if the instruction at NEXT follows. */
static DcfgWetTaken taken_if(const DcfgWet* w, const InstrPlan* at,
                             uint64_t next)
{
   const WetInstr* in = &ELEM(w->instrs, WetInstr, at->instr);

   return next == in->addr + in->len ? DCFG_WET_NOT_TAKEN
          : next == w->machine->target(&ELEM(w->code, uint8_t, in->code),
                                       in->len, in->addr)
            ? DCFG_WET_TAKEN : DCFG_WET_UNCLEAR;
}

static uint64_t first_address(const DcfgWet* w, const WetStep* r)
{
   const WetSb* sb = &ELEM(w->sbs, WetSb, r->sb);

   return w->plans[w->places[sb->instrs.first].instr].addr;
}

/* Learn from a record NEXT of the same thread that WAY, which ends with the
   branch at AT, leads there. */
static DcfgWetTaken learn(const DcfgWetEvents* v, const InstrPlan* at, uint32_t way,
                          const WetStep* next)
{
   const DcfgWet* w = v->w;
   DcfgWetTaken t = taken_if(w, at, first_address(w, next));
   uint8_t*     known = &v->way_taken[way];

   if (t != DCFG_WET_UNCLEAR)
      *known = (uint8_t)(1 + t);
   return t;
}

/* Return what is known of WAY.  Most branches have two ways, which have
   numbers side by side: one leads where the other does not. */
static DcfgWetTaken known_way(const DcfgWetEvents* v, uint32_t way)
{
   const DcfgWet* w = v->w;
   const WetWay* all = w->ways;
   uint32_t      other = DCFG_NONE, n = 0;

   if (v->way_taken[way] != 0)
      return (DcfgWetTaken)(v->way_taken[way] - 1);
   for (uint32_t i = way > 1 ? way - 2 : 0; i <= way + 2 && i < w->n_ways; i++)
      if (i != way && all[i].sb == all[way].sb
          && all[i].place == all[way].place) {
         other = i;
         n++;
      }
   if (n != 1 || v->way_taken[other] == 0)
      return DCFG_WET_UNCLEAR;
   return v->way_taken[other] == 1 + DCFG_WET_TAKEN ? DCFG_WET_NOT_TAKEN
                                                    : DCFG_WET_TAKEN;
}

/* The most records to look through for the next one of a thread. */
#define MOST_LOOKED 4096

/* Return the next record of THREAD in the block, outside of handlers that are
   entered meanwhile; NULL: there is none. */
static const WetStep* find_follower(const DcfgWetEvents* v, uint32_t thread)
{
   size_t   end = v->steps.n_steps - v->next_step > MOST_LOOKED
                  ? v->next_step + MOST_LOOKED : v->steps.n_steps;
   uint32_t depth = 0;

   for (size_t i = v->next_step; i < end; i++) {
      const WetStep* r = &v->steps.steps[i];
      if (r->thread != thread)
         continue;
      if (r->sb != 0 && depth == 0)
         return r;
      depth += r->sb == 0 && r->mark == DCFG_WET_HANDLER;
      if (r->sb == 0 && r->mark == DCFG_WET_RETURN && depth-- == 0)
         return NULL;
   }
   return NULL;
}

bool wet_find_taken(const DcfgWetEvents* v, const InstrPlan* at, DcfgWetTaken* taken)
{
   const DcfgWet* w = v->w;
   const WetStep* r  = &v->record;
   const WetSb*   sb = &ELEM(w->sbs, WetSb, r->sb);
   const WetStep* next = v->steps.steps + v->next_step;

   /* Within a superblock, also where a fault ended it, the superblock's next
      instruction follows. */
   if (v->place < r->n_instrs
       || (r->way == DCFG_NONE && v->place < sb->instrs.n)) {
      *taken = taken_if(w, at, w->plans[at[1].instr].addr);
      return true;
   }
   if (r->way == DCFG_NONE) {
      *taken = DCFG_WET_UNCLEAR;
      return true;
   }
   if (v->next_step < v->steps.n_steps && next->sb != 0
       && next->thread == r->thread) {
      *taken = learn(v, at, r->way, next);
      return true;
   }
   *taken = known_way(v, r->way);
   if (*taken != DCFG_WET_UNCLEAR)
      return true;
   next = find_follower(v, r->thread);
   if (next != NULL)
      *taken = learn(v, at, r->way, next);
   return v->next_step < v->steps.n_steps;
}

DcfgWetTaken wet_taken_to(const DcfgWetEvents* v, const InstrPlan* at,
                          const WetStep* branch, const WetStep* next)
{
   if (next == NULL || next->sb == 0 || next->thread != branch->thread)
      return DCFG_WET_UNCLEAR;
   return learn(v, at, branch->way, next);
}
