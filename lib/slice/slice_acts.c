/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Activations of a whole execution trace. */

/* Owns: which activation each record is in, chunk by chunk, in either
   direction.  Handed: parts by wet_ahead.c.  Taken by: slice_open.c,
   slice_back.c.

   The rules are those of wet_control.c, which see.  Here an activation outlives
   the pass: its record says who called it, so that where all threads were at
   the begin of each chunk is kept in little room.  A chunk that is read again
   makes its activations anew; those that are still there at its end are the
   ones that the next chunk's snapshot has. */

#include "lib/slice/slice.h"

#include <stdlib.h>
#include <string.h>

#define ACT(z, i) (&ELEM((z)->acts, Act, i))

/*------------------------------------------------------------*/
/*--- Activations                                          ---*/
/*------------------------------------------------------------*/

static uint32_t new_act(Slicer* z, uint64_t place, uint32_t call, uint32_t up)
{
   uint32_t id = z->free_act;
   Act*     a;

   if (id != 0) {
      z->free_act = ACT(z, id)->up;
   } else {
      id = (uint32_t)z->acts.n;
      if (array_add(z->job, &z->acts, sizeof(Act)) == NULL)
         return 0;
   }
   a  = ACT(z, id);
   *a = (Act){ .place = place, .up = up, .refs = 1, .last = DCFG_NONE,
               .call = call };
   if (z->again) {
      uint32_t* made = array_add(z->job, &z->made, sizeof(*made));
      if (made == NULL)
         return 0;
      *made = id;
   }
   return id;
}

static void free_act(Slicer* z, uint32_t id)
{
   ACT(z, id)->up = z->free_act;
   z->free_act    = id;
}

static void release(Slicer* z, uint32_t id)
{
   while (id != 0 && --ACT(z, id)->refs == 0) {
      uint32_t up = ACT(z, id)->up;
      free_act(z, id);
      id = up;
   }
}

/* The thread's top activation is left for the one below. */
static void pop(Slicer* z, Position* t)
{
   uint32_t id = t->act;

   t->act = ACT(z, id)->up;
   if (z->again)
      return;
   ACT(z, t->act)->refs++;
   release(z, id);
}

static bool push(Slicer* z, Position* t, uint64_t place, uint32_t call)
{
   uint32_t id = new_act(z, place, call, t->act);

   if (id == 0)
      return false;
   t->act = id;
   return true;
}

static Position* position_of(Slicer* z, uint32_t thread)
{
   Position* t;

   if (thread >= z->w->threads.n) {
      job_fail(z->job, DCFG_ERROR_FORMAT, "tape", "there is no thread %u",
               thread);
      return NULL;
   }
   t = &z->now[thread];
   if (t->act == DCFG_NONE
       && (t->act = new_act(z, UINT64_MAX, DCFG_NONE, 0)) == 0)
      return NULL;
   return t;
}

/*------------------------------------------------------------*/
/*--- Steps                                                ---*/
/*------------------------------------------------------------*/

/* Instruction I was the last one of its activation, or a call of it that
   never returned. */
static bool ends(Slicer* z, uint32_t i)
{
   return z->again || i == DCFG_NONE
          || wet_graph_arc(&z->graph, i, GRAPH_EXIT(&z->graph));
}

static bool drop(Slicer* z, Position* t)
{
   if (!ends(z, ACT(z, t->act)->last))
      return false;
   pop(z, t);
   return true;
}

static inline bool is_first(const Slicer* z, const Position* t)
{
   return ACT(z, t->act)->up == 0;
}

static bool unwind(Slicer* z, Position* t, uint64_t place)
{
   while (ACT(z, t->act)->place < place && !is_first(z, t)) {
      Act a = *ACT(z, t->act);
      if (a.handler && t->interrupted.n > 0)
         t->interrupted.n--;
      if (!drop(z, t) || (a.call != DCFG_NONE && !ends(z, a.call)))
         return false;
   }
   return true;
}

/* What is told of a step is zero but for what it has. */
static bool leave(Slicer* z, Position* t, uint64_t place, StepPlace* p)
{
   Act a = *ACT(z, t->act);

   if (a.place == place && a.up != 0)
      return drop(z, t);
   if (a.handler || a.up == 0) {
      /* It goes on as if it had just begun. */
      if (!ends(z, a.last))
         return false;
      uint32_t id = new_act(z, a.place, DCFG_NONE, a.up);
      if (id == 0)
         return false;
      ACT(z, id)->handler = a.handler;
      if (!z->again) {
         if (a.up != 0)
            ACT(z, a.up)->refs++;
         release(z, t->act);
      }
      t->act  = id;
      p->made = id;
   }
   return true;
}

static uint64_t last_access(const Slicer* z, const WetStep* r,
                            const Place* at, uint8_t what)
{
   const Plan*      plan = &z->w->plans[at->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   uint32_t         n;
   const uint64_t*  addrs = slice_slots(z, r, at, &n);

   for (uint32_t j = n < plan->n_accesses ? n : plan->n_accesses; j-- > 0; )
      if (a[j].what & what)
         return addrs[j];
   return 0;
}

/* Where instructions of the record lead to each other is noted once. */
static bool note_arcs(Slicer* z, const WetStep* r, const Place* at,
                      Position* t)
{
   WetSb* sb = &ELEM(z->w->sbs, WetSb, r->sb);
   Act*   a  = ACT(z, t->act);

   if (a->last != DCFG_NONE && !wet_graph_arc(&z->graph, a->last, at->instr))
      return false;
   for (; sb->n_scanned + 2 < r->n_instrs; sb->n_scanned++)
      if (!wet_graph_arc(&z->graph, at[sb->n_scanned].instr,
                         at[sb->n_scanned + 1].instr))
         return false;
   a->last = at[r->n_instrs - 2].instr;
   return true;
}

static bool arrive(Slicer* z, Position* t, uint32_t i)
{
   Act*     a = ACT(z, t->act);
   uint32_t last = a->last;

   a->last = i;
   return z->again || last == DCFG_NONE
          || wet_graph_arc(&z->graph, last, i);
}

static void move_top(Slicer* z, const WetStep* r, const Place* at, Position* t)
{
   for (uint32_t k = 0; k < r->n_instrs; k++)
      t->top = wet_move_top(t->top, &z->w->plans[at[k].instr], &at[k],
                            r->n_slots, z->steps.addrs + r->first);
}

/* The stack pointer behind LAST, a transfer of the record, or 0. */
static uint64_t stack_pointer(const Slicer* z, const WetStep* r,
                              const Place* last)
{
   uint32_t slot = wet_value_slot(last) + last->n_values;

   return last->stack && slot < r->n_slots ? z->steps.addrs[r->first + slot]
                                           : 0;
}

/* Where calls leave the return address in a register. */
static bool transfer_linked(Slicer* z, const Place* last, uint64_t sp,
                            Position* t, StepPlace* p)
{
   const Plan* plan = &z->w->plans[last->instr];
   bool call = plan->kind == InsnCall || plan->kind == InsnIndirectCall;

   if (call && !unwind(z, t, sp))
      return false;
   p->last = t->act;
   if (!arrive(z, t, last->instr))
      return false;
   if (plan->kind == InsnReturn)
      return unwind(z, t, sp) && leave(z, t, sp, p);
   if (!call)
      return sp == 0 || (ACT(z, t->act)->place >= sp && !plan->goes_back)
             || unwind(z, t, sp + 1);
   if (sp != 0) {
      if (!push(z, t, sp, last->instr))
         return false;
      p->made = t->act;
   }
   return true;
}

static bool transfer(Slicer* z, const WetStep* r, const Place* last,
                     uint8_t kind, Position* t, StepPlace* p)
{
   uint64_t place = 0;

   if (z->w->machine->links)
      return transfer_linked(z, last, stack_pointer(z, r, last), t, p);
   if (kind == InsnCall || kind == InsnIndirectCall) {
      place = last_access(z, r, last, AccessStore);
      if (!unwind(z, t, place == 0 ? 0 : place + 1))
         return false;
   } else if (kind == InsnReturn) {
      place = last_access(z, r, last, AccessLoad);
      if (!unwind(z, t, place))
         return false;
   }
   p->last = t->act;
   if (!arrive(z, t, last->instr))
      return false;
   if (kind == InsnReturn)
      return leave(z, t, place, p);
   if (kind == InsnIndirectJump)
      return unwind(z, t, stack_pointer(z, r, last));
   if (place != 0) {
      if (!push(z, t, place, last->instr))
         return false;
      p->made = t->act;
   }
   return true;
}

static bool run_step(Slicer* z, const WetStep* r, StepPlace* p)
{
   const SbInfo* sb = &z->sbs[r->sb];
   const Place*  at = &z->w->places[sb->first];
   const Place*  last;
   uint8_t       kind;
   Position*     t = position_of(z, r->thread);

   if (t == NULL)
      return false;
   t->entering = false;
   *p = (StepPlace){ .step = p->step, .body = t->act, .last = t->act,
                     .act = t->act, .top = t->top };
   if (r->n_instrs == 0) {
      ACT(z, t->act)->last = z->w->ways[r->way].last;
      return true;
   }
   last = at + r->n_instrs - 1;
   kind = z->kinds[sb->first + r->n_instrs - 1];
   if (sb->x87)
      move_top(z, r, at, t);
   if (!z->again && z->calls_back != NULL
       && ACT(z, t->act)->last == DCFG_NONE)
      slice_note_callback(z, t->act, at->instr);
   if (!z->again && last > at && !note_arcs(z, r, at, t))
      return false;
   if (!is_transfer(kind))
      return z->again || arrive(z, t, last->instr);
   return transfer(z, r, last, kind, t, p);
}

static bool run_handler(Slicer* z, Position* t, StepPlace* p)
{
   Interrupted* i = array_add(z->job, &t->interrupted, sizeof(*i));

   if (i == NULL || !push(z, t, 0, DCFG_NONE))
      return false;
   *i = (Interrupted){ z->n_handlers, (uint8_t)t->top };
   ACT(z, t->act)->handler = true;
   t->entering = true;
   p->body     = z->n_handlers++;
   if (!z->again && array_add(z->job, &z->returned, sizeof(bool)) == NULL)
      return false;
   if (!push(z, t, UINT64_MAX, DCFG_NONE))
      return false;
   p->made = t->act;
   return true;
}

static bool run_return(Slicer* z, Position* t)
{
   uint32_t act = t->act;

   if (t->interrupted.n > 0) {
      const Interrupted* i = &ELEM(t->interrupted, Interrupted,
                                   --t->interrupted.n);
      t->top = i->top;
      ELEM(z->returned, bool, i->number) = true;
   } else {
      t->top = 0;
   }
   while (act != 0 && !ACT(z, act)->handler)
      act = ACT(z, act)->up;
   /* The first one is no handler's, or stays. */
   if (act == 0 || ACT(z, act)->up == 0)
      return true;
   for (bool last = false; !last; ) {
      last = t->act == act;
      if (!drop(z, t))
         return false;
   }
   return true;
}

static bool run_mark(Slicer* z, const WetStep* r, StepPlace* p)
{
   Position*       t = position_of(z, r->thread);
   const uint64_t* words = z->steps.addrs + r->first;

   if (t == NULL)
      return false;
   *p = (StepPlace){ .step = p->step, .act = t->act, .top = t->top };
   if (r->mark == DCFG_WET_HANDLER)
      return run_handler(z, t, p);
   if (r->mark == DCFG_WET_RETURN)
      return run_return(z, t);
   if (r->mark == MarkTop)
      t->top = words[0] & 7;
   if (r->mark == DCFG_WET_FRESH && t->entering) {
      Act* a = ACT(z, t->act);
      Act* h = ACT(z, a->up);
      if (words[0] < a->place)
         a->place = words[0];
      if (words[0] + words[1] > h->place)
         h->place = words[0] + words[1];
   }
   return true;
}

/*------------------------------------------------------------*/
/*--- Chunks                                               ---*/
/*------------------------------------------------------------*/

static bool copy_position(Slicer* z, Position* to, const Position* from)
{
   *to = *from;
   to->interrupted = (Array){ 0 };
   if (from->interrupted.n > 0) {
      void* all = array_add_n(z->job, &to->interrupted, sizeof(Interrupted),
                              from->interrupted.n);
      if (all == NULL)
         return false;
      memcpy(all, from->interrupted.data,
             from->interrupted.n * sizeof(Interrupted));
   }
   return true;
}

static bool take_snapshot(Slicer* z)
{
   uint32_t  n = (uint32_t)z->w->threads.n;
   Snapshot* s = array_add(z->job, &z->snapshots, sizeof(*s));

   if (s == NULL)
      return false;
   s->n_handlers = z->n_handlers;
   s->threads    = job_calloc(z->job, n, sizeof(Position));
   if (s->threads == NULL)
      return false;
   for (uint32_t i = 0; i < n; i++) {
      if (!copy_position(z, &s->threads[i], &z->now[i]))
         return false;
      if (s->threads[i].act != DCFG_NONE)
         ACT(z, s->threads[i].act)->refs++;
   }
   return true;
}

static bool run_at(Slicer* z, uint32_t i, StepPlace* p)
{
   const WetStep* r = &z->steps.steps[i];

   p->step = i;
   return r->sb != 0 ? run_step(z, r, p) : run_mark(z, r, p);
}

/* All that there are, the first time. */
static bool run_steps(Slicer* z)
{
   StepPlace here;

   for (uint32_t i = 0; i < z->steps.n_steps; i++)
      if (!run_at(z, i, &here))
         return false;
   return true;
}

/* Behind a superblock of its own a thread stays where it is in what is easy. */
static bool run_turns(Slicer* z)
{
   z->places.n = 0;
   for (size_t k = 0; k < z->steps.n_turns; k++) {
      StepPlace* p = array_add(z->job, &z->places, sizeof(*p));
      if (p == NULL || !run_at(z, z->steps.turns[k], p))
         return false;
   }
   return true;
}

/* All that are still active end. */
static bool end_threads(Slicer* z)
{
   for (uint32_t i = 0; i < z->w->threads.n; i++)
      for (uint32_t act = z->now[i].act; act != DCFG_NONE && act != 0;
           act = ACT(z, act)->up)
         if (!ends(z, ACT(z, act)->last))
            return false;
   return true;
}

bool slice_scan(Slicer* z)
{
   uint32_t       n = (uint32_t)z->w->threads.n;
   const WetPart* part;

   z->now = job_calloc(z->job, n + (size_t)1, sizeof(Position));
   if (z->now == NULL || !wet_graph_new(z->job, z->w, &z->graph))
      return false;
   for (uint32_t i = 0; i < n; i++)
      z->now[i].act = DCFG_NONE;
   z->w->runs = z->runs;
   z->ahead   = wet_ahead_new(z->job, z->w, &z->index, SLOTS_OF_TRANSFERS);
   while (z->ahead != NULL && (part = wet_ahead_next(z->ahead)) != NULL) {
      z->steps = part->steps;
      if ((part->first && !take_snapshot(z)) || !run_steps(z))
         return false;
   }
   wet_ahead_close(z->ahead);
   z->ahead   = NULL;
   z->w->runs = NULL;
   if (z->job->err.status != DCFG_OK || !take_snapshot(z) || !end_threads(z))
      return false;
   if (z->calls_back != NULL)
      slice_spread_callbacks(z);
   z->again = true;
   return wet_graph_finish(&z->graph);
}

static void free_position(Slicer* z, Position* p)
{
   array_free(z->job, &p->interrupted, sizeof(Interrupted));
}

/* What is pending in activations of the snapshot behind CHUNK, which has just
   been gone through again, is so in the same ones as they are now. */
static void match_acts(Slicer* z, uint32_t chunk)
{
   Snapshot* s = &ELEM(z->snapshots, Snapshot, chunk + 1);

   for (uint32_t i = 0; i < z->w->threads.n; i++) {
      uint32_t then = s->threads[i].act, now = z->now[i].act;
      while (then != DCFG_NONE && then != 0 && now != 0 && then != now) {
         ACT(z, now)->pending  = ACT(z, then)->pending;
         ACT(z, then)->pending = 0;
         if (z->run_act == then)
            z->run_act = now;
         then = ACT(z, then)->up;
         now  = ACT(z, now)->up;
      }
      if (s->threads[i].act != DCFG_NONE)
         release(z, s->threads[i].act);
      free_position(z, &s->threads[i]);
   }
   job_free(z->job, s->threads, z->w->threads.n * sizeof(Position));
   s->threads = NULL;
}

bool slice_place_chunk(Slicer* z, uint32_t chunk)
{
   const WetPart*  part = wet_ahead_next(z->ahead);
   const Snapshot* s;

   if (part == NULL)
      return false;
   z->steps = part->steps;
   if (z->plain) {
      z->moved = part->steps.odd_tops;
      return !z->moved;
   }
   s = &ELEM(z->snapshots, Snapshot, chunk);
   for (uint32_t i = 0; i < z->w->threads.n; i++) {
      free_position(z, &z->now[i]);
      if (!copy_position(z, &z->now[i], &s->threads[i]))
         return false;
   }
   z->n_handlers = s->n_handlers;
   z->made.n     = 0;
   if (!run_turns(z))
      return false;
   match_acts(z, chunk);
   return true;
}

/* Activations that began in it are no more. */
void slice_leave_chunk(Slicer* z)
{
   for (size_t i = 0; i < z->made.n; i++)
      free_act(z, ELEM(z->made, uint32_t, i));
   z->made.n = 0;
}

void slice_free_acts(Slicer* z)
{
   uint32_t n = (uint32_t)z->w->threads.n;

   for (size_t c = 0; c < z->snapshots.n; c++) {
      Position* p = ELEM(z->snapshots, Snapshot, c).threads;
      for (uint32_t i = 0; p != NULL && i < n; i++)
         free_position(z, &p[i]);
      job_free(z->job, p, n * sizeof(Position));
   }
   array_free(z->job, &z->snapshots, sizeof(Snapshot));
   for (uint32_t i = 0; z->now != NULL && i < n; i++)
      free_position(z, &z->now[i]);
   job_free(z->job, z->now, (n + (size_t)1) * sizeof(Position));
   array_free(z->job, &z->places, sizeof(StepPlace));
   array_free(z->job, &z->acts, sizeof(Act));
   array_free(z->job, &z->made, sizeof(uint32_t));
   array_free(z->job, &z->returned, sizeof(bool));
   if (z->graph.job != NULL)
      wet_graph_free(&z->graph);
}
