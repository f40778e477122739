/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The events of a whole execution trace. */

/* Owns: the events, in order; passing records of which nobody is told, and the
   ways of conditional branches.  Handed: records by a cursor, writers by
   wet_writers.c, control by wet_control.c.

   The tape has what the kernel read for a system call behind the call, but it
   is part of that event: so these marks are read ahead.

   Ways of branches.  The file says by which exit a superblock was left, but not
   where that exit leads: Valgrind may turn a condition round, so that the exit
   is the way to the next instruction.  The exits of a direct branch always lead
   to the same two places.  So each exit's place is learned from the instruction
   that its thread executes next; if a signal's handler or another thread comes
   between, from an earlier instance, or from the branch's other exit.

   Effects.  An Effect is what an execution of a superblock changes, all its
   instructions together.  It is made once for each way of a superblock, and has
   the last definition of each register, the stores, and the instructions to
   count.  Executions that have no Effect go by single instructions: with x87's
   stack, system calls, faults, or accesses left out. */

#include "lib/wet/wet_control.h"
#include "lib/wet/wet_record.h"
#include "lib/wet/wet_state.h"
#include "lib/wet/wet_writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- Ways of branches                                     ---*/

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
static DcfgWetTaken learn(const DcfgWetEvents* v, const InstrPlan* at,
                          uint32_t way, const WetStep* next)
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

/* Set *TAKEN to the way of the conditional branch at AT, the instruction of the
   present record that was told last.  Return false if this needs the record
   behind the block. */
static bool knows_taken(const DcfgWetEvents* v, const InstrPlan* at,
                        DcfgWetTaken* taken)
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

/* Return the way of the conditional branch at AT, the last instruction of
   record BRANCH.  NEXT is the record behind it; NULL: there is none. */
static DcfgWetTaken taken_to(const DcfgWetEvents* v, const InstrPlan* at,
                          const WetStep* branch, const WetStep* next)
{
   if (next == NULL || next->sb == 0 || next->thread != branch->thread)
      return DCFG_WET_UNCLEAR;
   return learn(v, at, branch->way, next);
}

/* LastDef: a definition that is a granule's last one, in some of its bytes. */
typedef
   struct {
      uint32_t instr;
      uint16_t nth;             // see InstrPlan
      uint8_t  granule, mask;
   }
   LastDef;

typedef
   struct {
      uint32_t instr;
      uint16_t nth;
      uint16_t slot;            // slot with the address
      uint16_t size;
   }
   Store;

/* Effect: what a way of a superblock changes.  Runs, definitions and stores
   follow it.  With names, so do loads and used granules. */
typedef
   struct {
      const Point* points;      // points of control dependence
      uint32_t n_points;
      uint32_t n;               // instructions; with names, a transfer at the
                                // end is left out
      uint32_t n_runs, n_defs, n_stores, n_loads, n_uses;
      Span     runs[];          // instructions with consecutive numbers
   }
   Effect;

struct WetEffects {
   Effect** all;                // by way
   size_t   n;
   Array    runs, defs, stores, loads, uses;    // parts of the effect being
                                                // made
};

/* not_plain: marks ways whose executions have no Effect. */
static Effect not_plain;

static inline LastDef* defs_of(Effect* e)
{
   return (LastDef*)(e->runs + e->n_runs);
}

static inline Store* stores_of(Effect* e)
{
   return (Store*)(defs_of(e) + e->n_defs);
}

static inline Store* loads_of(Effect* e)
{
   return stores_of(e) + e->n_stores;
}

static inline uint8_t* uses_of(Effect* e)
{
   return (uint8_t*)(loads_of(e) + e->n_loads);
}

/*--- Effects: making them                                 ---*/

static bool add_run(DcfgWetEvents* v, uint32_t instr)
{
   Array* all  = &v->effects->runs;
   Span*  last = all->n == 0 ? NULL : &ELEM(*all, Span, all->n - 1);

   if (last != NULL && last->first + last->n == instr) {
      last->n++;
      return true;
   }
   last = array_add(v->job, all, sizeof(*last));
   if (last != NULL)
      *last = (Span){ instr, 1 };
   return last != NULL;
}

static bool add_defs(DcfgWetEvents* v, const InstrPlan* at, const Plan* plan)
{
   const DcfgWet* w = v->w;

   for (uint32_t i = 0; i < plan->n_defs; i++) {
      const Def* d = &ELEM(w->defs, Def, plan->defs + i);
      LastDef*   l = array_add(v->job, &v->effects->defs, sizeof(*l));
      if (l == NULL)
         return false;
      *l = (LastDef){ at->instr, at->nth, d->granule, d->mask };
   }
   return true;
}

/* Drop definitions that a definition of the whole granule follows. */
static void drop_defs(Array* defs)
{
   bool   again[G_STACK] = { false };
   size_t kept = defs->n;

   for (size_t i = defs->n; i-- > 0; ) {
      const LastDef d = ELEM(*defs, LastDef, i);
      if (!again[d.granule])
         ELEM(*defs, LastDef, --kept) = d;
      again[d.granule] |= d.mask == 0xFF;
   }
   array_cut(defs, defs->n - kept);
   if (defs->n > 0)
      memmove(defs->data, &ELEM(*defs, LastDef, kept),
              defs->n * sizeof(LastDef));
}

/* Add the accesses that do WHAT to ALL. */
static bool add_accesses(DcfgWetEvents* v, const InstrPlan* at, const Plan* plan,
                         uint8_t what, Array* all)
{
   const DcfgWet* w = v->w;

   for (uint32_t j = 0; j < plan->n_accesses; j++) {
      const WetAccess* a = &ELEM(w->accesses, WetAccess, plan->accesses + j);
      Store*           s;
      if (!(a->what & what))
         continue;
      s = array_add(v->job, all, sizeof(*s));
      if (s == NULL)
         return false;
      *s = (Store){ at->instr, at->nth, (uint16_t)(at->slot + j), a->size };
   }
   return true;
}

/* Add granules that the instruction reads as they were before the record. */
static bool add_uses(DcfgWetEvents* v, const Plan* plan)
{
   const DcfgWet* w = v->w;
   WetEffects* x = v->effects;

   for (uint32_t i = 0; i < plan->n_uses && v->namer != NULL; i++) {
      uint8_t  g = ELEM(w->uses, Use, plan->uses + i).granule;
      bool     known = false;
      uint8_t* to;
      for (size_t k = 0; k < x->uses.n && !known; k++)
         known = ELEM(x->uses, uint8_t, k) == g;
      for (size_t k = 0; k < x->defs.n && !known; k++)
         known = ELEM(x->defs, LastDef, k).granule == g
                 && ELEM(x->defs, LastDef, k).mask == 0xFF;
      to = known ? NULL : array_add(v->job, &x->uses, sizeof(*to));
      if (to != NULL)
         *to = g;
      else if (!known)
         return false;
   }
   return true;
}

/* Return whether the instruction at AT has the form that an Effect needs, when
   the first N_SLOTS slots were filled. */
static bool is_plain(const DcfgWet* w, const InstrPlan* at, const Plan* plan,
                     uint32_t n_slots)
{
   if (plan->kind == InsnSyscall || plan->moves_top
       || (plan->n_accesses > 0
           && (!at->plain || (uint32_t)at->slot + at->n_slots > n_slots)))
      return false;
   for (uint32_t i = 0; i < plan->n_defs; i++)
      if (ELEM(w->defs, Def, plan->defs + i).granule >= G_STACK)
         return false;
   return true;
}

static void copy_array(void* to, const Array* from, size_t size)
{
   if (from->n > 0)
      memcpy(to, from->data, from->n * size);
}

/* Find the points of the present record. */
static void find_points(const DcfgWetEvents* v, Effect* e)
{
   Span s;

   if (v->control == NULL)
      return;
   s = v->points_of[v->record.sb];
   e->points = &ELEM(v->points, Point, s.first);
   while (e->n_points < s.n
          && e->points[e->n_points].place < e->n)
      e->n_points++;
}

/* Copy the effect that has been made, of N instructions, into one piece. */
static Effect* keep(DcfgWetEvents* v, uint32_t n)
{
   WetEffects* x = v->effects;
   Effect*     e = job_calloc(v->job, 1, sizeof(*e)
                                          + x->runs.n * sizeof(Span)
                                          + x->defs.n * sizeof(LastDef)
                                          + x->stores.n * sizeof(Store)
                                          + x->loads.n * sizeof(Store)
                                          + x->uses.n);

   if (e == NULL)
      return NULL;
   e->n        = n;
   e->n_runs   = (uint32_t)x->runs.n;
   e->n_defs   = (uint32_t)x->defs.n;
   e->n_stores = (uint32_t)x->stores.n;
   e->n_loads  = (uint32_t)x->loads.n;
   e->n_uses   = (uint32_t)x->uses.n;
   find_points(v, e);
   copy_array(e->runs, &x->runs, sizeof(Span));
   copy_array(defs_of(e), &x->defs, sizeof(LastDef));
   copy_array(stores_of(e), &x->stores, sizeof(Store));
   copy_array(loads_of(e), &x->loads, sizeof(Store));
   copy_array(uses_of(e), &x->uses, 1);
   return e;
}

/* Return how many instructions of the record can be done at once.  With names,
   a transfer cannot: it may leave activations before it knows what decided. */
static uint32_t count_instrs(const DcfgWetEvents* v, const InstrPlan* at)
{
   const DcfgWet* w = v->w;
   uint32_t n = v->record.n_instrs;

   if (v->namer == NULL)
      return n;
   n -= is_transfer(w->plans[at[n - 1].instr].kind);
   for (uint32_t k = 0; k < n; k++)
      if (is_transfer(w->plans[at[k].instr].kind))
         return 0;
   return n;
}

/* Return the effect of the record in work, or NULL if memory is short. */
static Effect* make_effect(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   const WetStep* r  = &v->record;
   const InstrPlan*   at = &w->places[ELEM(w->sbs, WetSb, r->sb).instrs.first];
   WetEffects*    x  = v->effects;
   uint32_t       n  = count_instrs(v, at);

   if (n == 0)
      return &not_plain;
   array_cut(&x->loads, 0);
   array_cut(&x->uses, 0);
   array_cut(&x->runs, 0);
   array_cut(&x->defs, 0);
   array_cut(&x->stores, 0);
   for (const InstrPlan* end = at + n; at < end; at++) {
      const Plan* plan = &w->plans[at->instr];
      if (!is_plain(w, at, plan, r->n_slots))
         return &not_plain;
      if (!add_uses(v, plan) || !add_run(v, at->instr)
          || !add_defs(v, at, plan)
          || !add_accesses(v, at, plan, AccessStore, &x->stores)
          || (v->namer != NULL
              && !add_accesses(v, at, plan, AccessLoad, &x->loads)))
         return NULL;
   }
   drop_defs(&x->defs);
   return keep(v, n);
}

/*--- Effects: using them                                  ---*/

/* Return whether nothing in E has a name, or uses anything that has one: see
   WetNamer. */
static bool is_nameless(DcfgWetEvents* v, Effect* e)
{
   const WetNamer* n = v->namer;
   ThreadState*    t = state_of(v, v->record.thread);
   const uint8_t*  g = uses_of(e);

   if (t == NULL || (n->sbs[v->record.sb] && v->time <= n->last
                     && v->time + e->n > n->first)
       || (v->control != NULL
           && !wet_control_is_nameless(v, v->record.thread)))
      return false;
   for (uint32_t i = 0; i < e->n_uses; i++)
      if (t->now->granules[granule_index(t->now, g[i])] != 0)
         return false;
   for (uint32_t i = 0; i < e->n_loads; i++) {
      const Store* l = &loads_of(e)[i];
      if (shadow_has(&v->writers->shadow, v->addrs[l->slot], l->size))
         return false;
   }
   return true;
}

static inline void count_runs(DcfgWetEvents* v, const Effect* e)
{
   for (const Span* r = e->runs, *end = r + e->n_runs; r < end; r++)
      for (uint32_t i = r->first; i < r->first + r->n; i++)
         v->instances[i]++;
}

/* Clear the names of everything that E writes. */
static bool apply_nameless(DcfgWetEvents* v, Effect* e)
{
   ThreadState* t = state_of(v, v->record.thread);

   if (t == NULL)
      return false;
   for (uint32_t i = 0; i < e->n_defs; i++)
      clear_granule(t->now, defs_of(e)[i].granule, defs_of(e)[i].mask);
   for (uint32_t i = 0; i < e->n_stores; i++) {
      const Store* s = &stores_of(e)[i];
      if (v->addrs[s->slot] != 0
          && !shadow_forget(&v->writers->shadow, v->addrs[s->slot], s->size))
         return false;
   }
   count_runs(v, e);
   return true;
}

static inline bool apply(DcfgWetEvents* v, Effect* e)
{
   ThreadState*    t     = state_of(v, v->record.thread);
   const uint64_t* ran   = v->instances;
   const uint64_t* addrs = v->addrs;
   const LastDef*  d     = defs_of(e);
   const Store*    s     = stores_of(e);

   if (t == NULL)
      return false;
   for (const LastDef* end = d + e->n_defs; d < end; d++)
      define_granule(t->now, d->granule, d->mask,
                     writer_of(d->instr, ran[d->instr] + d->nth));
   for (const Store* end = s + e->n_stores; s < end; s++)
      if (addrs[s->slot] != 0
          && !shadow_write(&v->writers->shadow, addrs[s->slot], s->size,
                           writer_of(s->instr, ran[s->instr] + s->nth)))
         return false;
   count_runs(v, e);
   return true;
}

/* Pass the first *N instructions of the present record at once; *N is 0 if that
   is not possible, or if one of them may get a name. */
static bool pass_record(DcfgWetEvents* v, uint32_t* n)
{
   Effect** e;

   *n = 0;
   if (v->record.way == DCFG_NONE)
      return true;
   e = &v->effects->all[v->record.way];
   if (*e == NULL && (*e = make_effect(v)) == NULL)
      return false;
   if (*e == &not_plain)
      return true;
   if (v->namer != NULL && !is_nameless(v, *e))
      return true;
   *n = (*e)->n;
   return (v->control == NULL
           || wet_pass_control(v, (*e)->points, (*e)->n_points))
          && (v->namer != NULL ? apply_nameless(v, *e) : apply(v, *e));
}

static bool start_effects(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;

   v->effects = job_calloc(v->job, 1, sizeof(*v->effects));
   if (v->effects == NULL)
      return false;
   v->effects->n   = w->n_ways;
   v->effects->all = job_calloc(v->job, w->n_ways + 1, sizeof(Effect*));
   return v->effects->all != NULL;
}

static void free_effects(DcfgWetEvents* v)
{
   WetEffects* x = v->effects;

   if (x == NULL)
      return;
   for (size_t i = 0; x->all != NULL && i < x->n; i++)
      if (x->all[i] != &not_plain)
         free(x->all[i]);
   array_free(v->job, &x->runs, sizeof(Span));
   array_free(v->job, &x->defs, sizeof(LastDef));
   array_free(v->job, &x->stores, sizeof(Store));
   array_free(v->job, &x->loads, sizeof(Store));
   array_free(v->job, &x->uses, 1);
   free(x->all);
   free(x);
}

/* Reading: memory that the kernel read. */
typedef
   struct {
      uint64_t addr, size;
   }
   Reading;

/*--- Begin and end                                        ---*/

static bool start(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   size_t         n = w->instrs.n;

   v->kept      = job_calloc(v->job, MAX_ACCESSES, sizeof(uint64_t));
   v->value     = job_calloc(v->job, MAX_ACCESSES, sizeof(uint64_t));
   v->instances = job_calloc(v->job, n + 1, sizeof(uint64_t));
   v->way_taken = job_calloc(v->job, w->n_ways + 1, 1);
   if (v->kept == NULL || v->value == NULL || v->instances == NULL
       || v->way_taken == NULL)
      return false;
   memcpy(v->instances, w->instances, n * sizeof(*v->instances));
   return wet_start_writers(v) && start_effects(v);
}

DcfgWetEvents* dcfg_wet_events_new(DcfgWet* w, DcfgError* err)
{
   WetCursor*     c = wet_cursor_new(w, err);
   DcfgWetEvents* v = c == NULL ? NULL : job_calloc(&c->job, 1, sizeof(*v));
   bool           ok;

   if (v == NULL) {
      if (c != NULL)
         job_tell(&c->job, err);
      wet_cursor_free(c);
      return NULL;
   }
   *v = (DcfgWetEvents){ .w = w, .c = c, .job = &c->job,
                         .told_thread = DCFG_NONE, .told_to = UINT64_MAX };
   ok = start(v);
   job_tell(v->job, err);
   if (ok)
      return v;
   dcfg_wet_events_free(v);
   return NULL;
}

void dcfg_wet_events_free(DcfgWetEvents* v)
{
   if (v == NULL)
      return;
   wet_free_control(v);
   wet_free_writers(v);
   free_effects(v);
   wet_free_steps(v->job, &v->steps);
   free(v->told_instrs);
   free(v->way_skipped);
   free(v->kept);
   free(v->value);
   free(v->way_taken);
   free(v->instances);
   free(v->points_of);
   free(v->is_point);
   array_free(v->job, &v->points, sizeof(Point));
   array_free(v->job, &v->reads, sizeof(Reading));
   array_free(v->job, &v->mark.registers, sizeof(DcfgWetRegister));
   array_free(v->job, &v->mark.name, 1);
   wet_cursor_free(v->c);
   free(v);
}

bool dcfg_wet_select(DcfgWetEvents* v, const DcfgWetFilter* f, DcfgError* err)
{
   const DcfgWet* w = v->w;
   size_t n  = w->instrs.n;
   bool   ok = !v->begun && v->told_instrs == NULL;

   if (!ok)
      job_fail(v->job, DCFG_ERROR_ARGUMENT, NULL,
               "it was not said at the begin what is wanted");
   if (ok && f->instrs != NULL) {
      v->told_instrs = job_calloc(v->job, n + 1, sizeof(bool));
      ok = v->told_instrs != NULL;
      if (ok && n > 0)
         memcpy(v->told_instrs, f->instrs, n * sizeof(bool));
   }
   v->told_thread = f->thread;
   v->told_from   = f->from;
   v->told_to     = f->to;
   if (ok && f->instrs != NULL) {
      v->way_skipped = job_calloc(v->job, w->n_ways + 1, sizeof(bool));
      ok = v->way_skipped != NULL;
   }
   for (uint32_t i = 0; ok && v->way_skipped != NULL && i < w->n_ways; i++) {
      const WetWay*    way = &w->ways[i];
      const WetSb*     sb = &ELEM(w->sbs, WetSb, way->sb);
      const InstrPlan* at = &w->places[sb->instrs.first];
      v->way_skipped[i] = true;
      for (uint32_t k = 0; k < way->n_instrs; k++)
         v->way_skipped[i] &= !v->told_instrs[at[k].instr];
   }
   job_tell(v->job, err);
   return ok;
}

bool dcfg_wet_find_control(DcfgWetEvents* v, DcfgError* err)
{
   WetCursor* c  = NULL;
   bool       ok = false;

   if (v->begun || v->control != NULL)
      job_fail(v->job, DCFG_ERROR_ARGUMENT, NULL,
               "control was not asked for at the begin");
   else if (!wet_can_reread(v->w))
      job_fail(v->job, DCFG_ERROR_FILE, NULL,
               "control dependences need a file that can be read twice, not "
               "a pipe: write the trace to a file first");
   else
      c = wet_cursor_new(v->w, &v->job->err);
   if (c != NULL)
      ok = wet_make_graph(v, c);
   wet_cursor_free(c);
   job_tell(v->job, err);
   return ok;
}

/*--- Records                                              ---*/

/* Take the next record to .record. */
static inline bool advance(DcfgWetEvents* v)
{
   v->place = 0;
   if (v->held) {
      v->held = false;
      return true;
   }
   if (v->next_step == v->steps.n_steps) {
      v->next_step = 0;
      if (v->ended || !wet_next_block(v->c, &v->steps)) {
         v->steps.n_steps = 0;
         v->ended  = true;
         v->record = (WetStep){ 0 };
         return false;
      }
   }
   v->record = v->steps.steps[v->next_step++];
   v->addrs  = v->steps.addrs + v->record.first;
   return true;
}

/* Keep the accesses of E while the next record is read: with a block they are
   gone. */
static void keep_accesses(DcfgWetEvents* v, DcfgWetEvent* e)
{
   if (e->n_accesses == 0)
      return;
   memcpy(v->kept, e->accesses, e->n_accesses * sizeof(*v->kept));
   e->accesses = v->kept;
}

/* Read ahead what the kernel read for E, a system call. */
static bool read_ahead(DcfgWetEvents* v, DcfgWetEvent* e)
{
   keep_accesses(v, e);
   while (advance(v)) {
      if (v->record.sb != 0 || v->record.mark != DCFG_WET_READ
          || v->record.thread != e->thread) {
         v->held = true;
         break;
      }
      Reading* r = array_add(v->job, &v->reads, sizeof(*r));
      if (r == NULL || !wet_add_read(v, v->addrs[0], v->addrs[1], e))
         return false;
      *r = (Reading){ v->addrs[0], v->addrs[1] };
   }
   return true;
}

/* Return whether the user wants to be told of the instruction at AT now. */
static inline bool is_told(const DcfgWetEvents* v, const InstrPlan* at)
{
   return (v->told_instrs == NULL || v->told_instrs[at->instr])
          && (v->told_thread == DCFG_NONE || v->record.thread == v->told_thread)
          && v->time >= v->told_from && v->time <= v->told_to;
}

/* Set E->taken.  The next record is read ahead only if nothing else tells where
   a branch went. */
static inline void find_taken(DcfgWetEvents* v, const InstrPlan* at,
                              DcfgWetEvent* e)
{
   const DcfgWet* w = v->w;
   uint8_t kind = w->plans[at->instr].kind;
   WetStep branch;

   e->taken = kind >= InsnJump && kind <= InsnReturn ? DCFG_WET_TAKEN
                                                     : DCFG_WET_NOT_TAKEN;
   if (kind != InsnCond || knows_taken(v, at, &e->taken))
      return;
   branch = v->record;
   keep_accesses(v, e);
   v->held  = advance(v);
   e->taken = taken_to(v, at, &branch, v->held ? &v->record : NULL);
}

/* Give E the value that the instruction computed. */
static void find_value(DcfgWetEvents* v, const InstrPlan* at, DcfgWetEvent* e)
{
   const DcfgWet* w = v->w;
   const WetSb*     sb    = &ELEM(w->sbs, WetSb, v->record.sb);
   uint32_t         first = wet_value_slot(at);
   const WetAccess* part  = &ELEM(w->accesses, WetAccess,
                                  sb->slots.first + first);

   if (v->record.n_slots < first + at->n_values)
      return;
   for (uint32_t i = 0; i < at->n_values; i++)
      for (unsigned k = 0; k < part[i].size; k++)
         v->value[e->value_size++] = (uint8_t)(v->addrs[first + i] >> 8 * k);
   e->has_value = true;
   e->value     = v->value;
}

/* Give E the stack pointers before and behind it, which loads it. */
static void find_load(const DcfgWetEvents* v, const InstrPlan* at,
                      DcfgWetEvent* e)
{
   const uint64_t* sp = wet_load_of_sp(at, v->addrs, v->record.n_slots);

   e->stack_before = sp == NULL ? 0 : sp[0];
   e->stack        = sp == NULL ? 0 : sp[1];
}

/* Go on to the next instruction of the record; fill in E if *TOLD. */
static inline bool next_instr(DcfgWetEvents* v, DcfgWetEvent* e, bool* told)
{
   const DcfgWet* w = v->w;
   const WetSb* sb = &ELEM(w->sbs, WetSb, v->record.sb);
   const InstrPlan* at = &w->places[sb->instrs.first + v->place];
   const Plan*  plan = &w->plans[at->instr];
   Writer       control = 0;

   *told       = is_told(v, at);
   e->kind     = DCFG_WET_INSTR;
   e->instr    = at->instr;
   e->addr     = plan->addr;
   e->image    = plan->image;
   e->size     = 0;
   e->thread   = v->record.thread;
   e->instance = v->instances[at->instr]++;
   e->time     = v->time++;
   wet_find_accesses(v, at, e);
   e->stack      = wet_stack_pointer(v, at);
   e->stack_before = 0;
   if (at->loads_sp)
      find_load(v, at, e);
   e->has_value  = false;
   e->value_size = 0;
   if (at->n_values > 0)
      find_value(v, at, e);
   if (v->control != NULL) {
      if (v->place > 0 && !v->is_point[at - w->places])
         control = wet_same_control(v, v->record.thread);
      else if (!wet_find_control(v, e, e->stack, &control))
         return false;
   }
   v->place++;
   if (!wet_find_writers(v, at, control, e))
      return false;
   if (*told)
      find_taken(v, at, e);
   /* A system call ends its superblock, unless the file is broken. */
   if (*told && plan->kind == InsnSyscall && v->place >= v->record.n_instrs
       && !read_ahead(v, e))
      return false;
   if (v->namer != NULL && plan->kind == InsnSyscall)
      wet_name_syscall(v, at, e);
   return true;
}

/* Return whether all numbers of instances fit into INSTANCE_BITS bits. */
static bool fits(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   const WetSb* sb = &ELEM(w->sbs, WetSb, v->record.sb);
   const InstrPlan* at = &w->places[sb->instrs.first];

   for (const InstrPlan* end = at + v->record.n_instrs; at < end; at++)
      if ((v->instances[at->instr] + at->nth) >> INSTANCE_BITS != 0)
         return job_fail(v->job, DCFG_ERROR_LIMIT, "tape",
                         "the instruction at 0x%" PRIx64 " was executed more "
                         "than 2^%d times", w->plans[at->instr].addr,
                         INSTANCE_BITS);
   return true;
}

/* Return whether no number of the record's instructions overflows at this
   record. */
static inline bool may_count(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;

   return add_capped(v->time, w->most_before) >> INSTANCE_BITS == 0
          || fits(v);
}

/* Return whether nothing of the record will be told, or only what has a
   name. */
static inline bool is_skipped(const DcfgWetEvents* v)
{
   return v->namer != NULL
          || (v->record.way != DCFG_NONE && v->way_skipped != NULL
              && v->way_skipped[v->record.way])
          || (v->told_thread != DCFG_NONE && v->record.thread != v->told_thread)
          || v->time > v->told_to
          || v->time + v->record.n_instrs <= v->told_from;
}

/* Pass the whole record at once, if nothing of it is told and it has an
   Effect. */
static inline bool pass(DcfgWetEvents* v)
{
   uint32_t n;

   if (!is_skipped(v))
      return true;
   if (!pass_record(v, &n))
      return false;
   v->place = n;
   v->time += n;
   return true;
}

/*--- Marks                                                ---*/

static bool wrong(DcfgWetEvents* v)
{
   return job_fail(v->job, DCFG_ERROR_FORMAT, "tape",
                   "what was recorded makes no sense");
}

static bool read_mapping(DcfgWetEvents* v, ByteReader* b)
{
   WetMark* m = &v->mark;

   m->mapping.addr = v->addrs[0];
   m->mapping.size = v->addrs[1];
   array_cut(&m->name, 0);
   return wet_get_mapping(v->job, b, &m->mapping, &m->name)
          && (!b->failed || wrong(v));
}

static bool read_registers(DcfgWetEvents* v, ByteReader* b)
{
   array_cut(&v->mark.registers, 0);
   return wet_get_registers(v->job, v->w, b, &v->mark.registers)
          && (!b->failed || wrong(v));
}

/* Read the bytes B of the present record, a mark, to .mark.  Return false, with an
   error, if the mark makes no sense. */
static bool read_mark(DcfgWetEvents* v, ByteReader* b)
{
   const uint64_t* words = v->addrs;

   switch (v->record.mark) {
      case MarkContents:
         return words[1] <= UINT64_MAX - words[0] || wrong(v);
      case MarkMapped:
         return read_mapping(v, b);
      case MarkRegisters:
         return read_registers(v, b);
      case MarkIdentity:
      case MarkEnded:
         return words[0] < v->w->threads.n || wrong(v);
      default:
         return true;
   }
}

/* Set the members of E that its mark, the present record, has beside words. */
static bool tell_mark(DcfgWetEvents* v, DcfgWetEvent* e)
{
   const uint64_t* words = v->addrs;
   ByteReader      b = { NULL, NULL, false };

   if (words[MARK_N_BYTES] > 0) {
      b.at  = v->steps.bytes + words[MARK_BYTES_AT];
      b.end = b.at + words[MARK_N_BYTES];
   }
   e->bytes = b.at;
   if (!read_mark(v, &b))
      return false;
   e->result      = difference_of(words[0]);
   e->signal      = (uint32_t)words[0];
   e->tid         = words[1];
   e->mapping     = &v->mark.mapping;
   e->registers   = v->mark.registers.data;
   e->n_registers = (uint32_t)v->mark.registers.n;
   return true;
}

/* Handle a mark.  *TOLD: the user wants to be told of it. */
static bool next_mark(DcfgWetEvents* v, DcfgWetEvent* e, bool* told)
{
   *told = v->record.mark != MarkTop;
   if (!*told)
      return wet_note_top(v);
   wet_take_mark(v, e);
   return wet_note_mark(v, e) && tell_mark(v, e)
          && (v->control == NULL || wet_control_mark(v, e));
}

/*--- Events                                               ---*/

/* Forget readings that were told or never will be. */
static void forget_reads(DcfgWetEvents* v)
{
   array_cut(&v->reads, 0);
   v->n_told = 0;
}

bool dcfg_wet_next(DcfgWetEvents* v, DcfgWetEvent* e, DcfgError* err)
{
   bool ok, told = false;

   v->begun = true;
   if (v->n_told < v->reads.n) {
      Reading r = ELEM(v->reads, Reading, v->n_told);
      e->kind = DCFG_WET_READ;
      e->addr = r.addr;
      e->size = r.size;
      if (++v->n_told == v->reads.n)
         forget_reads(v);
      return true;
   }
   do {
      if (v->held || v->place >= v->record.n_instrs) {
         ok = advance(v);
         if (ok && v->record.sb == 0)
            ok = next_mark(v, e, &told);
         else
            ok = ok && may_count(v) && pass(v);
      } else {
         ok = next_instr(v, e, &told);
      }
   } while (ok && !told);
   if (!ok) {
      v->ended   = true;
      v->held    = false;
      forget_reads(v);
      v->record.n_instrs = 0;
      job_tell(v->job, err);
   }
   return ok;
}
