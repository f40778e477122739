/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The effects of whole superblocks. */

/* Owns: what an execution of a superblock changes, all its instructions
   together.  Handed: tables by wet_plan.c, records by wet_events.c, whose
   instructions nobody wants to be told of.

   An Effect is made once for each way of a superblock.  It has the last
   definition of each register, the stores, and the instructions to count.
   Executions that have no Effect go by single instructions: with x87's stack,
   system calls, faults, or accesses left out. */

#include "lib/wet/wet_effects.h"
#include "lib/wet/wet_writers.h"
#include "lib/wet/wet_control.h"
#include "lib/wet/wet_names.h"

#include <stdlib.h>
#include <string.h>

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

/*--- Making them                                          ---*/

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

/*--- Using them                                           ---*/

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

bool wet_pass_record(DcfgWetEvents* v, uint32_t* n)
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

bool wet_start_effects(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;

   v->effects = job_calloc(v->job, 1, sizeof(*v->effects));
   if (v->effects == NULL)
      return false;
   v->effects->n   = w->n_ways;
   v->effects->all = job_calloc(v->job, w->n_ways + 1, sizeof(Effect*));
   return v->effects->all != NULL;
}

void wet_free_effects(DcfgWetEvents* v)
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
