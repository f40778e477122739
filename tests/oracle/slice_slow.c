
/*--------------------------------------------------------------------*/
/*--- Slices, simply.                           slice_simple.c ---*/
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

/* Owns: slices, found among all instances at once.  Handed: events by
   wet_events.c.  Taken by: users. */

#include "dcfg_slice.h"
#include "wet.h"

#include <stdlib.h>
#include <string.h>

typedef
   struct {
      uint32_t instr, thread;
      uint64_t instance;
      uint32_t input, n_inputs;
      uint32_t activation;
      uint32_t node;            // and 1
      uint64_t addr, value;
      uint32_t value_size;
      bool     wanted_only;     // some ports
   }
   Ev;

typedef
   struct {
      uint8_t    port, reg;
      uint32_t   on;            // number of the event; DCFG_NONE: nobody
   }
   In;

typedef
   struct {
      uint64_t place;
      uint32_t id;
      uint64_t call;
   }
   Act;

typedef
   struct {
      Array stack;              // Act
   }
   Th;

typedef
   struct {
      Job*   job;
      Array  evs, ins, values;
      Array* by_instr;          // uint32_t: events
      Th*    threads;
      uint32_t n_act;
      Array  frames;            // uint64_t: by activation, the place
   }
   All;

static uint32_t event_of(All* a, DcfgWetDep d)
{
   return d.instance < a->by_instr[d.instr].n
          ? ELEM(a->by_instr[d.instr], uint32_t, d.instance) : DCFG_NONE;
}

static void push_act(All* a, Th* t, uint64_t place)
{
   Act* c = array_add(a->job, &t->stack, sizeof(Act));
   *c = (Act){ place, a->n_act++, 0 };
   *(uint64_t*)array_add(a->job, &a->frames, 8) = place;
}

static void add_event(DcfgWet* w, All* a, const DcfgWetEvent* e)
{
   const WetInstr* wi = &ELEM(w->instrs, WetInstr, e->instr);
   uint32_t n = (uint32_t)a->evs.n;
   Ev* v = array_add(a->job, &a->evs, sizeof(Ev));
   Th* t = &a->threads[e->thread];
   v->instr = e->instr;
   v->thread = e->thread;
   v->instance = e->instance;
   v->input = (uint32_t)a->ins.n;
   if (t->stack.n == 0)
      push_act(a, t, UINT64_MAX);
   uint64_t place = 0;
   for (uint32_t k = 0; k < e->n_accesses; k++)
      place = e->accesses[k] != 0 ? e->accesses[k] : place;
   if (wi->kind == KIND_RETURN || wi->kind == KIND_CALL || wi->kind == KIND_INDIRECT_CALL)
      while (t->stack.n > 1 && ELEM(t->stack, Act, t->stack.n - 1).place < place + (wi->kind != KIND_RETURN))
         t->stack.n--;
   v->activation = ELEM(t->stack, Act, t->stack.n - 1).id;
   if (wi->kind == KIND_RETURN && t->stack.n > 1 && ELEM(t->stack, Act, t->stack.n - 1).place == place)
      t->stack.n--;
   if (wi->kind == KIND_CALL || wi->kind == KIND_INDIRECT_CALL)
      push_act(a, t, place);
   const WetAccess* acc = wi->accesses.n ? &ELEM(w->accesses, WetAccess, wi->accesses.first) : NULL;
   for (uint32_t k = 0; k < wi->accesses.n && k < e->n_accesses && v->addr == 0; k++)
      if (acc[k].what & ACCESS_STORE)
         v->addr = e->accesses[k];
   for (uint32_t i = 0; i < e->n_ports; i++) {
      const DcfgWetPort* p = &e->ports[i];
      for (uint32_t k = 0; k < (p->n ? p->n : 1); k++) {
         In* in = array_add(a->job, &a->ins, sizeof(In));
         *in = (In){ (uint8_t)p->kind, (uint8_t)p->reg, p->n ? event_of(a, e->deps[p->first + k]) : DCFG_NONE };
         v = &ELEM(a->evs, Ev, n);
         v->n_inputs++;
      }
   }
   if (e->has_value) {
      v->value = a->values.n;
      v->value_size = e->value_size;
      memcpy(array_add_n(a->job, &a->values, 1, e->value_size), e->value, e->value_size);
   }
   *(uint32_t*)array_add(a->job, &a->by_instr[e->instr], 4) = n;
}

static bool of_criterion(const DcfgSliceQuery* q, const In* in)
{
   switch (q->of) {
      case DCFG_SLICE_ALL: return true;
      case DCFG_SLICE_REGISTER:
         return in->port == DCFG_WET_CONTROL
                || (q->place < 16 ? in->port == DCFG_WET_GENERAL && in->reg == q->place
                : in->port == DCFG_WET_VECTOR && in->reg == q->place - 16);
      case DCFG_SLICE_FLAGS: return in->port == DCFG_WET_CONTROL || in->port == DCFG_WET_FLAGS;
      case DCFG_SLICE_X87: return in->port == DCFG_WET_CONTROL || in->port == DCFG_WET_X87;
      default: return in->port == DCFG_WET_CONTROL || in->port == DCFG_WET_MEMORY;
   }
}

static bool follows(const DcfgSliceQuery* q, const Ev* v, const In* in, DcfgSlice* s)
{
   if (in->port == DCFG_WET_CONTROL && (q->no_control || (q->no_control_of && q->no_control_of[v->instr]))) {
      s->n_no_control++;
      return false;
   }
   if (in->port == DCFG_WET_GENERAL && q->no_address && (q->no_address[v->instr] >> in->reg & 1)) {
      s->n_no_address++;
      return false;
   }
   return true;
}

static DcfgSliceNode* add_node(All* a, Array* nodes, uint32_t n)
{
   Ev* v = &ELEM(a->evs, Ev, n);
   DcfgSliceNode* d = array_add(a->job, nodes, sizeof(*d));
   *d = (DcfgSliceNode){ .instr = v->instr, .thread = v->thread, .instance = v->instance, .order = n,
                         .distance = UINT32_MAX, .addr = v->addr, .value = v->value, .value_size = v->value_size };
   v->node = (uint32_t)nodes->n;
   return d;
}

static void mark_criteria(All* a, const DcfgSliceQuery* q, uint8_t* is)
{
   for (uint32_t n = (uint32_t)a->evs.n; n-- > 0; ) {
      Ev* v = &ELEM(a->evs, Ev, n);
      if (!q->instrs[v->instr] || (q->instance < DCFG_SLICE_EVERY && v->instance != q->instance))
         continue;
      is[n] = 1;
      if (q->instance == DCFG_SLICE_EVERY)
         continue;
      for (uint32_t k = n; q->run && k-- > 0; ) {
         Ev* u = &ELEM(a->evs, Ev, k);
         if (u->thread != v->thread || u->activation != v->activation)
            continue;
         if (!q->instrs[u->instr])
            break;
         is[k] = 1;
      }
      break;
   }
}

/* Backward or forward: the events in their order from the criterion. */
static bool find(All* a, const DcfgSliceQuery* q, DcfgSlice* s, uint8_t* is)
{
   Array nodes = { 0 }, inputs = { 0 }, criteria = { 0 };
   uint32_t n = (uint32_t)a->evs.n;
   uint32_t* dist = job_nones(a->job, n);
   for (uint32_t i = 0; i < n; i++) {
      uint32_t  k = q->forward ? i : n - 1 - i;
      Ev*       v = &ELEM(a->evs, Ev, k);
      bool      at = is[k];
      uint32_t  cost = q->copies != NULL && q->copies[v->instr] ? 0 : 1;
      if (at)
         dist[k] = 0;
      if (q->forward && !at) {
         for (uint32_t j = 0; j < v->n_inputs; j++) {
            In* in = &ELEM(a->ins, In, v->input + j);
            if (in->on == DCFG_NONE || dist[in->on] == UINT32_MAX || !follows(q, v, in, s))
               continue;
            if (q->steps != 0 && dist[in->on] >= q->steps && cost) {
               s->n_no_steps++;
               continue;
            }
            if (dist[in->on] + cost < dist[k])
               dist[k] = dist[in->on] + cost;
         }
      }
      if (dist[k] == UINT32_MAX)
         continue;
      DcfgSliceNode* d = add_node(a, &nodes, k);
      d->distance = dist[k];
      d->first_input = inputs.n;
      if (at)
         *(uint32_t*)array_add(a->job, &criteria, 4) = (uint32_t)nodes.n - 1;
      for (uint32_t j = 0; j < v->n_inputs; j++) {
         In* in = &ELEM(a->ins, In, v->input + j);
         uint32_t on = DCFG_SLICE_NOT;
         if (q->forward) {
            if (at || in->on == DCFG_NONE || dist[in->on] == UINT32_MAX
                || (in->port == DCFG_WET_CONTROL && (q->no_control || (q->no_control_of && q->no_control_of[v->instr])))
                || (in->port == DCFG_WET_GENERAL && q->no_address && (q->no_address[v->instr] >> in->reg & 1)))
               continue;
            on = in->on;
         } else if (!at || of_criterion(q, in)) {
            if (!follows(q, v, in, s))
               on = DCFG_SLICE_NOT;
            else if (in->on == DCFG_NONE)
               on = DCFG_SLICE_NOBODY;
            else if (q->steps != 0 && dist[k] >= q->steps)
               s->n_no_steps++;
            else {
               uint32_t cost_there = q->copies != NULL && q->copies[ELEM(a->evs, Ev, in->on).instr] ? 0 : 1;
               on = in->on;
               if (dist[k] + cost_there < dist[on])
                  dist[on] = dist[k] + cost_there;
            }
         }
         DcfgSliceInput* si = array_add(a->job, &inputs, sizeof(*si));
         *si = (DcfgSliceInput){ in->port, in->reg, on };
         d->n_inputs++;
      }
   }
   for (size_t i = 0; i < inputs.n; i++) {
      DcfgSliceInput* si = &ELEM(inputs, DcfgSliceInput, i);
      if (si->node < DCFG_SLICE_NOT)
         si->node = ELEM(a->evs, Ev, si->node).node - 1;
   }
   s->nodes = nodes.data;
   s->n_nodes = (uint32_t)nodes.n;
   s->inputs = inputs.data;
   s->n_inputs = inputs.n;
   s->criteria = criteria.data;
   s->n_criteria = (uint32_t)criteria.n;
   free(dist);
   return a->job->err.status == DCFG_OK;
}

DcfgSlice* dcfg_slice_new(DcfgWet* w, const DcfgSliceQuery* q, DcfgError* err)
{
   DcfgWet*   o = dcfg_wet_open(w->path, &w->options, err);
   DcfgSlice* s = calloc(1, sizeof(*s));
   All        a = { .job = &w->job };
   DcfgWetEvent e;

   if (o == NULL || !dcfg_wet_find_control(o, err))
      return NULL;
   a.by_instr = job_calloc(a.job, w->instrs.n, sizeof(Array));
   a.threads = job_calloc(a.job, w->threads.n + 1, sizeof(Th));
   while (dcfg_wet_next(o, &e, err))
      if (e.kind == DCFG_WET_INSTR)
         add_event(o, &a, &e);
   uint8_t* is = calloc(a.evs.n + 1, 1);
   mark_criteria(&a, q, is);
   find(&a, q, s, is);
   s->values = a.values.data;
   s->totals = calloc(w->instrs.n + 1, sizeof(DcfgSliceTotal));
   for (uint32_t i = 0; i < w->instrs.n; i++)
      s->totals[i] = (DcfgSliceTotal){ 0, a.by_instr[i].n, UINT32_MAX };
   for (uint32_t i = 0; i < s->n_nodes; i++) {
      DcfgSliceTotal* t = &s->totals[s->nodes[i].instr];
      t->in_slice++;
      t->distance = s->nodes[i].distance < t->distance ? s->nodes[i].distance : t->distance;
   }
   s->n_executed = a.evs.n;
   dcfg_wet_close(o);
   return s;
}

void dcfg_slice_free(DcfgSlice* s)
{
   if (s == NULL)
      return;
   free(s->nodes);
   free(s->criteria);
   free(s->inputs);
   free(s->values);
   free(s->totals);
   free(s);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
