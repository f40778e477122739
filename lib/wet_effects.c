
/*--------------------------------------------------------------------*/
/*--- What whole superblocks leave changed.          wet_effects.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: what an execution of a superblock changes, all of its instructions
   together: for what nobody wants to be told of.  Handed: tables by
   wet_plan.c, records by wet_events.c.  Taken by: the same.

   For each superblock and the exit by which it was left it is found once which
   of its instructions were the last to define a register, which store, and
   which are counted.  What has no such form (x87's stack, system calls,
   accesses that were left out, faults) goes by single instructions. */

#include "wet_writers.h"

#include <stdlib.h>
#include <string.h>

/* The last definition of these bytes, or one of the last. */
typedef
   struct {
      uint32_t instr;
      uint16_t nth;             // see Place
      uint8_t  granule, mask;
   }
   LastDef;

typedef
   struct {
      uint32_t instr;
      uint16_t nth;
      uint16_t slot;            // has the address
      uint16_t size;
   }
   Store;

/* Of one exit of a superblock. */
typedef
   struct {
      bool     known;
      bool     plain;           // else it is not of this form
      uint32_t n_runs, n_defs, n_stores;
      Span*    runs;            // instructions whose numbers follow one another
      LastDef* defs;
      Store*   stores;
   }
   Effect;

struct WetEffects {
   Effect*  all;
   size_t   n;
   Array    runs, defs, stores; // of the one that is being made
};

/*------------------------------------------------------------*/
/*--- Making them                                          ---*/
/*------------------------------------------------------------*/

static bool add_run(DcfgWet* w, uint32_t instr)
{
   Array* all  = &w->effects->runs;
   Span*  last = all->n == 0 ? NULL : &ELEM(*all, Span, all->n - 1);

   if (last != NULL && last->first + last->n == instr) {
      last->n++;
      return true;
   }
   last = array_add(&w->job, all, sizeof(*last));
   if (last != NULL)
      *last = (Span){ instr, 1 };
   return last != NULL;
}

static bool add_defs(DcfgWet* w, const Place* at, const Plan* plan)
{
   for (uint32_t i = 0; i < plan->n_defs; i++) {
      const Def* d = &ELEM(w->defs, Def, plan->defs + i);
      LastDef*   l = array_add(&w->job, &w->effects->defs, sizeof(*l));
      if (l == NULL)
         return false;
      *l = (LastDef){ at->instr, at->nth, d->granule, d->mask };
   }
   return true;
}

/* What is defined again as a whole does not count. */
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
   defs->n -= kept;
   if (defs->n > 0)
      memmove(defs->data, &ELEM(*defs, LastDef, kept),
              defs->n * sizeof(LastDef));
}

static bool add_stores(DcfgWet* w, const Place* at, const Plan* plan)
{
   for (uint32_t j = 0; j < plan->n_accesses; j++) {
      const WetAccess* a = &ELEM(w->accesses, WetAccess, plan->accesses + j);
      Store*           s;
      if (!(a->what & ACCESS_STORE))
         continue;
      s = array_add(&w->job, &w->effects->stores, sizeof(*s));
      if (s == NULL)
         return false;
      *s = (Store){ at->instr, at->nth, (uint16_t)(at->slot + j), a->size };
   }
   return true;
}

/* Has it the form of this file, when the first N_SLOTS slots were filled? */
static bool is_plain(const DcfgWet* w, const Place* at, const Plan* plan,
                     uint32_t n_slots)
{
   if (plan->kind == KIND_SYSCALL || plan->top != 0 || plan->top_zero
       || (plan->n_accesses > 0
           && (!at->plain || (uint32_t)at->slot + at->n_slots > n_slots)))
      return false;
   for (uint32_t i = 0; i < plan->n_defs; i++)
      if (ELEM(w->defs, Def, plan->defs + i).granule >= G_STACK)
         return false;
   return true;
}

/* The N elements of SIZE bytes in ALL, by themselves. */
static void* keep(DcfgWet* w, const Array* all, size_t size, uint32_t* n)
{
   void* p = job_calloc(&w->job, all->n, size);

   *n = (uint32_t)all->n;
   if (p != NULL && all->n > 0)
      memcpy(p, all->data, all->n * size);
   return p;
}

/* That of the record in work. */
static bool make_effect(DcfgWet* w, Effect* e)
{
   const Record* r  = &w->record;
   const Place*  at = &w->places[ELEM(w->sbs, WetSb, r->sb).instrs.first];
   WetEffects*   x  = w->effects;

   e->known  = true;
   x->runs.n = x->defs.n = x->stores.n = 0;
   for (const Place* end = at + r->n_instrs; at < end; at++) {
      const Plan* plan = &w->plans[at->instr];
      if (!is_plain(w, at, plan, r->n_slots))
         return true;
      if (!add_run(w, at->instr) || !add_defs(w, at, plan)
          || !add_stores(w, at, plan))
         return false;
   }
   drop_defs(&x->defs);
   e->plain  = true;
   e->runs   = keep(w, &x->runs, sizeof(Span), &e->n_runs);
   e->defs   = keep(w, &x->defs, sizeof(LastDef), &e->n_defs);
   e->stores = keep(w, &x->stores, sizeof(Store), &e->n_stores);
   return e->runs != NULL && e->defs != NULL && e->stores != NULL;
}

/*------------------------------------------------------------*/
/*--- Using them                                           ---*/
/*------------------------------------------------------------*/

static inline bool apply(DcfgWet* w, const Effect* e)
{
   ThreadState*    t     = state_of(w, w->thread);
   const uint64_t* ran   = w->instances;
   const uint64_t* addrs = w->addrs;

   if (t == NULL)
      return false;
   for (const Store* s = e->stores, *end = s + e->n_stores; s < end; s++)
      if (addrs[s->slot] != 0
          && !shadow_write(&w->writers->shadow, addrs[s->slot], s->size,
                           writer_of(s->instr, ran[s->instr] + s->nth)))
         return false;
   for (const LastDef* d = e->defs, *end = d + e->n_defs; d < end; d++)
      define_granule(t->now, d->granule, d->mask,
                     writer_of(d->instr, ran[d->instr] + d->nth));
   for (const Span* s = e->runs, *end = s + e->n_runs; s < end; s++)
      for (uint32_t i = s->first; i < s->first + s->n; i++)
         w->instances[i]++;
   return true;
}

bool wet_pass_record(DcfgWet* w, bool* passed)
{
   const Record* r  = &w->record;
   const WetSb*  sb = &ELEM(w->sbs, WetSb, r->sb);
   Effect*       e;

   *passed = false;
   if (r->exit == DCFG_NONE)
      return true;
   e = &w->effects->all[sb->effects + r->exit];
   if (!e->known && !make_effect(w, e))
      return false;
   if (!e->plain)
      return true;
   *passed = true;
   return (w->control == NULL || wet_pass_control(w)) && apply(w, e);
}

bool wet_start_effects(DcfgWet* w)
{
   size_t n = 0;

   w->effects = job_calloc(&w->job, 1, sizeof(*w->effects));
   for (uint32_t id = 1; id < w->sbs.n; id++) {
      WetSb* sb = &ELEM(w->sbs, WetSb, id);
      sb->effects = (uint32_t)n;
      n += sb->exits.n + 1;
   }
   if (w->effects == NULL)
      return false;
   w->effects->n   = n;
   w->effects->all = job_calloc(&w->job, n + 1, sizeof(Effect));
   return w->effects->all != NULL;
}

void wet_free_effects(DcfgWet* w)
{
   WetEffects* x = w->effects;

   if (x == NULL)
      return;
   for (size_t i = 0; x->all != NULL && i < x->n; i++) {
      free(x->all[i].runs);
      free(x->all[i].defs);
      free(x->all[i].stores);
   }
   array_free(&w->job, &x->runs, sizeof(Span));
   array_free(&w->job, &x->defs, sizeof(LastDef));
   array_free(&w->job, &x->stores, sizeof(Store));
   free(x->all);
   free(x);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
