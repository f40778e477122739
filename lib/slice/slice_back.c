/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Backward slices. */

/* Owns: going from the end of a whole execution trace to its begin, and which
   instances a criterion depends on.  Handed: chunks by slice_acts.c.  Taken
   by: slice_open.c.

   Superblock by superblock: only where one may define what is wanted, or has a
   branch on which something waits, are its instructions looked at, from the
   last to the first.

   Where control is not followed, it still is if the branch tests what the
   program returned to such code, as qsort() does with a comparison's result.
   Whether it does is known only later, so what may lead there is a node that
   is not real, or *weak*: the branch, and over flags and registers what is at
   most MAX_HOPS away.  The result is in RAX, or X0.  slice_result.c forgets those
   that lead nowhere. */

#include "lib/slice/slice.h"

#include <string.h>

#define ACT(z, i)     (&ELEM((z)->acts, Act, i))

/*------------------------------------------------------------*/
/*--- The criterion                                        ---*/
/*------------------------------------------------------------*/

/* Nothing that was found until now counts. */
static bool forget_all(Slicer* z)
{
   z->found.n = z->states.n = z->edges.n = z->values.n = z->criteria.n = 0;
   z->readings.n = z->n_met = 0;
   if (z->sums)
      slice_forget_sums(z);
   for (uint32_t t = 0; t < z->w->threads.n; t++)
      for (Live* l = z->threads[t].live; l != NULL; l = l->outer)
         for (unsigned g = 0; g < N_GRANULES; g++)
            if (!slice_take_register(z, l, g, 0xFF, NULL))
               return false;
   for (uint32_t a = 1; a < z->acts.n; a++)
      if (!slice_answer(z, a, DCFG_NONE, NULL))
         return false;
   if (!slice_take_memory(z, 0, UINT64_MAX, NULL))
      return false;
   slice_forget_weak(z);
   return true;
}

/* Is the instance in work one of the criterion's parts? */
static bool is_part(const Slicer* z)
{
   const DcfgSliceQuery* q = z->q;

   for (uint32_t i = 0; i < q->n_parts; i++)
      if (q->parts[i].instr == z->instr
          && q->parts[i].instance == slice_instance(z, z->instr))
         return true;
   return q->n_parts == 0;
}

/* Is the instance in work one? */
static bool is_criterion(Slicer* z)
{
   const DcfgSliceQuery* q = z->q;

   if (z->state == STATE_FOUND)
      return false;
   if (z->state == STATE_RUNNING) {
      if (z->act != z->run_act)
         return false;
      if (!q->instrs[z->instr])
         z->state = STATE_FOUND;
      return z->state == STATE_RUNNING;
   }
   if (!q->instrs[z->instr]
       || (q->instance < DCFG_SLICE_EVERY
           && q->instance != slice_instance(z, z->instr))
       || !is_part(z))
      return false;
   if (q->instance != DCFG_SLICE_EVERY) {
      z->state   = q->run ? STATE_RUNNING : STATE_FOUND;
      z->run_act = z->act;
   }
   return true;
}

/* Of sums, keep only the last and the first criterion that was met: forget the
   one before this.  A loop may have hundreds of millions. */
static void forget_between(Slicer* z)
{
   const DcfgSliceNode* n = &ELEM(z->found, DcfgSliceNode, 1);

   if (n->value_size > 0)
      z->values.n = n->value;
   if (n->n_reads > 0)
      z->readings.n = n->first_read;
   z->found.n = z->states.n = z->criteria.n = 1;
}

static bool add_criterion(Slicer* z)
{
   uint32_t* c;

   /* Of a part, the first of a run is the one. */
   if (z->q->of != DCFG_SLICE_ALL && z->q->run && z->criteria.n > 0) {
      z->me = DCFG_NONE;
      if (!forget_all(z))
         return false;
   }
   if (z->sums && z->criteria.n == 2)
      forget_between(z);
   z->n_met++;
   if (!slice_need_node(z) || (z->sums && !slice_add_node(z))
       || (c = array_add(z->job, &z->criteria, 4)) == NULL)
      return false;
   *c = z->me;
   z->distance   = 0;
   z->my.real    = true;
   z->my.near    = false;
   z->my.limited = z->q->of != DCFG_SLICE_ALL;
   return true;
}

/*------------------------------------------------------------*/
/*--- Instances                                            ---*/
/*------------------------------------------------------------*/

/* An iteration that is none; what was left within completed all that it has.
   The way tells, for slots need not be there. */
static bool is_no_iteration(const Slicer* z, const Plan* plan)
{
   uint32_t way = z->step->way;

   return plan->kind == InsnRep && way != DCFG_NONE
          && z->w->ways[way].n_slots <= slice_place(z)->slot;
}

static bool take_definitions(Slicer* z)
{
   const Plan*      plan = &z->w->plans[z->instr];
   const Def*       d = &ELEM(z->w->defs, Def, plan->defs);
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   Live*            l = z->threads[z->thread].live;

   if (is_no_iteration(z, plan))
      return true;
   for (const Def* end = d + plan->n_defs; l != NULL && d < end; d++)
      if (!slice_take_register(z, l, slice_granule(z, d->granule), d->mask,
                               slice_take))
         return false;
   for (uint32_t j = 0; j < plan->n_accesses && z->memory.n > 0; j++)
      if (a[j].what & AccessStore) {
         uint64_t addr = slice_address(z, slice_place(z), j);
         if (addr != 0 && !slice_take_memory(z, addr, a[j].size, slice_take))
            return false;
      }
   return plan->kind != InsnSyscall
          || slice_take_all(z, &z->threads[z->thread].written, slice_take);
}

/* The instance in work, from behind. */
static bool visit(Slicer* z)
{
   bool last = z->place + 1u == z->step->n_instrs;

   z->me = DCFG_NONE;
   if (last && z->where->made != 0 && ACT(z, z->where->made)->pending != 0
       && !slice_answer(z, z->where->made, DCFG_NONE,
                  ACT(z, z->where->made)->call == DCFG_NONE ? NULL : slice_take))
      return false;
   if (ACT(z, z->act)->pending != 0 && z->graph.branches[z->instr]
       && !slice_answer(z, z->act, z->instr, slice_take))
      return false;
   if (!take_definitions(z))
      return false;
   if (z->state != STATE_FOUND && is_criterion(z) && !add_criterion(z))
      return false;
   if (z->me == DCFG_NONE)
      return true;
   return slice_close_node(z) && slice_want_uses(z);
}

/* May the instruction at AT write to memory that is wanted? */
static bool stores_wanted(const Slicer* z, const Place* at)
{
   const Plan*      plan = &z->w->plans[at->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   uint32_t         n;
   const uint64_t*  made = slice_slots(z, z->step, at, &n);

   if (z->memory.n == 0)
      return false;
   if (!at->plain || n != plan->n_accesses)
      return true;
   for (uint32_t j = 0; j < n; j++)
      if (a[j].what & AccessStore && slice_has_memory(z, made[j], a[j].size))
         return true;
   return false;
}

/* Of the instruction at AT, in activation ACT, is there any more to be looked at
   than that it was executed? */
static inline bool instr_matters(const Slicer* z, const Place* at,
                                 const Live* l, uint32_t act)
{
   const InstrInfo* info = &z->infos[at->instr];

   return info->more || (l != NULL && ((l->granules[0] & info->defs[0])
                                       | (l->granules[1] & info->defs[1])))
          || (info->branch && ACT(z, act)->pending != 0)
          || (info->stores && stores_wanted(z, at));
}

static bool visit_all(Slicer* z)
{
   const SbInfo* sb = &z->sbs[z->step->sb];
   const Place*  at = &z->w->places[sb->first];
   uint32_t      n = z->step->n_instrs;
   uint8_t       tops[MAX_SB_INSTRS];

   for (uint32_t k = 0, top = z->where->top; k < n && sb->x87; k++) {
      tops[k] = (uint8_t)top;
      top     = wet_move_top(top, &z->w->plans[at[k].instr], &at[k],
                             z->step->n_slots,
                             z->steps.addrs + z->step->first);
   }
   for (uint32_t k = n; k-- > 0; ) {
      /* The last one may have ended activations, and a run of criteria may end
         anywhere. */
      if (k + 1 < n && z->state != STATE_RUNNING
          && !instr_matters(z, &at[k], z->threads[z->thread].live,
                            z->where->body))
         continue;
      z->place = k;
      z->instr = at[k].instr;
      z->act   = k + 1 == n ? z->where->last : z->where->body;
      z->top   = sb->x87 ? tops[k] : z->where->top;
      if (!visit(z))
         return false;
   }
   return true;
}

/* May the record define what is wanted, or is it otherwise of interest? */
static inline bool matters(Slicer* z, const SbInfo* sb)
{
   const WetStep*   r = z->step;
   const StepPlace* p = z->where;
   const Live*      l = z->threads[r->thread].live;

   if (l != NULL && ((l->granules[0] & sb->defs[0])
                     | (l->granules[1] & sb->defs[1])))
      return true;
   if (p->made != 0 && ACT(z, p->made)->pending != 0)
      return true;
   if (sb->branches && (ACT(z, p->body)->pending != 0
                        || ACT(z, p->last)->pending != 0))
      return true;
   if (z->state != STATE_FOUND
       && (z->state == STATE_LOOKING ? sb->criterion
           : p->body == z->run_act || p->last == z->run_act))
      return true;
   if (z->threads[r->thread].written != 0
       && z->w->plans[z->w->places[sb->first + r->n_instrs - 1].instr].kind
          == InsnSyscall)
      return true;
   if (z->memory.n == 0)
      return false;
   for (uint32_t i = 0; i < sb->n_stores; i++) {
      const StoreSlot* s = &z->stores[sb->stores + i];
      if (s->slot >= r->n_slots)
         break;
      if (slice_has_memory(z, z->steps.addrs[r->first + s->slot], s->size))
         return true;
   }
   return sb->odd_stores;
}

/*------------------------------------------------------------*/
/*--- Marks                                                ---*/
/*------------------------------------------------------------*/

/* The thread's last system call wrote them. */
static bool defer(Slicer* z, const Want* want, uint8_t mask)
{
   Want w = *want;

   w.mask = z->sums ? 0xFF : mask;
   /* What a want has before a bit is its own place. */
   return array_add(z->job, &z->deferred, sizeof(Want)) != NULL
          && (ELEM(z->deferred, Want, z->deferred.n - 1) = w, true);
}

static bool defer_to(Slicer* z, uint32_t thread)
{
   for (size_t i = 0; i < z->deferred.n; i++)
      if (!slice_add_want(z, &z->threads[thread].written,
                          ELEM(z->deferred, Want, i)))
         return false;
   return true;
}

static bool take_written(Slicer* z, uint32_t thread, uint64_t addr,
                         uint64_t size)
{
   z->deferred.n = 0;
   return slice_take_memory(z, addr, size, defer) && defer_to(z, thread);
}

/* The last system call made a thread, and may have made its stack pointer. */
static bool visit_created(Slicer* z, uint32_t thread, const uint64_t* words)
{
   const uint32_t made = words[0] < z->w->threads.n ? (uint32_t)words[0]
                                                    : DCFG_NONE;
   Live* l = made == DCFG_NONE ? NULL : z->threads[made].live;

   z->deferred.n = 0;
   if (words[1] == StackFromCall && l != NULL
       && !slice_take_register(z, l, z->w->machine->stack, 0xFF, defer))
      return false;
   return defer_to(z, thread)
          && slice_before_thread(z, thread, made, words[1]);
}

static bool visit_mark(Slicer* z)
{
   const WetStep*  r = z->step;
   const uint64_t* words = z->steps.addrs + r->first;
   LiveThread*     t = &z->threads[r->thread];

   if (r->mark == DCFG_WET_READ) {
      DcfgSliceReading* read = array_add(z->job, &t->reads, sizeof(*read));
      if (read == NULL)
         return false;
      *read = (DcfgSliceReading){ words[0], words[1] };
      return true;
   }
   switch (r->mark) {
      case DCFG_WET_WRITTEN:
         return take_written(z, r->thread, words[0], words[1]);
      case DCFG_WET_FRESH:
         return slice_take_memory(z, words[0], words[1], NULL);
      case DCFG_WET_MOVED:
         return slice_move_memory(z, words[0], words[2], words[1]);
      case DCFG_WET_RETURN:
         return slice_before_return(z, r->thread);
      case DCFG_WET_CREATED:
         return visit_created(z, r->thread, words);
      case DCFG_WET_HANDLER:
         return slice_answer(z, z->where->made, DCFG_NONE, NULL)
                && slice_answer(z, ACT(z, z->where->made)->up, DCFG_NONE, NULL)
                && slice_before_handler(z, r->thread,
                                        ELEM(z->returned, bool,
                                             z->where->body));
      default:
         return true;
   }
}

/*------------------------------------------------------------*/
/*--- Chunks                                               ---*/
/*------------------------------------------------------------*/

/* What the kernel read for a system call stands right behind it: what is there
   is of no other thread's, nor of one before. */
static inline void forget_reads(Slicer* z, uint32_t but)
{
   if (z->reading == DCFG_NONE || z->reading == but)
      return;
   z->threads[z->reading].reads.n = 0;
   z->reading = DCFG_NONE;
}

static bool visit_step(Slicer* z)
{
   const WetStep* r = z->step;
   const SbInfo*  sb = &z->sbs[r->sb];

   if (r->sb == 0) {
      forget_reads(z, r->mark == DCFG_WET_READ ? r->thread : DCFG_NONE);
      if (r->mark == DCFG_WET_READ)
         z->reading = r->thread;
      return visit_mark(z);
   }
   forget_reads(z, r->thread);
   z->order -= r->n_instrs;
   z->thread = r->thread;
   if (matters(z, sb) && !visit_all(z))
      return false;
   /* For nothing but the numbers of instances. */
   if (!z->sums || z->state != STATE_FOUND)
      z->runs[sb->first + r->n_instrs - 1]--;
   forget_reads(z, DCFG_NONE);
   return true;
}

/* By so many records its addresses are fetched before one is gone through. */
#define AHEAD 16

/* From the last to the first.  Where a record is not told to have been, its
   thread is where it is behind it. */
static bool visit_steps(Slicer* z)
{
   StepPlace here = { 0 };
   uint32_t  thread = DCFG_NONE;        // of which that is
   size_t    told = z->places.n;

   for (uint32_t i = (uint32_t)z->steps.n_steps; i-- > 0; ) {
      z->step  = &z->steps.steps[i];
      z->where = &here;
      __builtin_prefetch(&z->steps.addrs[z->steps.steps[i < AHEAD ? 0
                                                        : i - AHEAD].first]);
      if (z->plain) {
         ;
      } else if (told > 0
                 && ELEM(z->places, StepPlace, told - 1).step == i) {
         z->where = &ELEM(z->places, StepPlace, --told);
         z->now[z->step->thread].act = z->where->act;
         z->now[z->step->thread].top = z->where->top;
         thread = DCFG_NONE;
      } else if (z->step->thread != thread) {
         thread    = z->step->thread;
         here.body = here.last = z->now[thread].act;
         here.top  = z->now[thread].top;
      }
      if (!visit_step(z))
         return false;
   }
   return true;
}

/* Is everything found? */
static bool is_done(const Slicer* z)
{
   return z->state == STATE_FOUND && z->n_wanted == 0;
}

bool slice_backward(Slicer* z)
{
   const WetChunkInfo* end = z->index.n == 0 ? NULL
                             : &ELEM(z->index, WetChunkInfo, z->index.n - 1);

   z->order   = end == NULL ? 0 : end->before + end->n_instrs;
   z->state   = STATE_LOOKING;
   z->reading = DCFG_NONE;
   z->result->n_executed = z->order;
   z->ahead = wet_ahead_new_back(z->job, z->w, &z->index);
   if (z->ahead == NULL)
      return false;
   for (uint32_t c = (uint32_t)z->index.n; c-- > 0 && !is_done(z); ) {
      if (!slice_place_chunk(z, c) || !visit_steps(z))
         return false;
      slice_leave_chunk(z);
   }
   wet_ahead_close(z->ahead);
   z->ahead = NULL;
   return true;
}
