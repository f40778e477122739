/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Forward slices. */

/* Owns: forward slices.  Handed: criteria, found by slice_back.c, and events by
   wet_events.c.  Taken by: slice_open.c.

   All instances from the begin on are gone through with what they depend on;
   one that depends on a node is a node. */

#include "lib/slice/slice.h"

/* Nodes by instance, which is a Writer here. */
typedef
   struct {
      NumberMap map;
      uint8_t*  known;          // by instruction: has it any node?
   }
   NodeTable;

static bool add_key(Slicer* z, NodeTable* t, DcfgWetDep d, uint32_t node)
{
   uint32_t* to = map_add(z->job, &t->map, writer_of(d.instr, d.instance));

   if (to == NULL)
      return false;
   *to = node;
   t->known[d.instr] = 1;
   return true;
}

/* The node, or DCFG_NONE. */
static inline uint32_t node_of(const NodeTable* t, DcfgWetDep d)
{
   size_t at;

   if (!t->known[d.instr])
      return DCFG_NONE;
   at = map_find(&t->map, writer_of(d.instr, d.instance));
   return t->map.keys[at] == 0 ? DCFG_NONE : t->map.values[at];
}

/* Is what E uses by PORT followed? */
static bool is_followed(const Slicer* z, const DcfgWetEvent* e,
                        const DcfgWetPort* port)
{
   const DcfgSliceQuery* q = z->q;

   if (port->kind == DCFG_WET_CONTROL)
      return !q->no_control
             && (q->no_control_of == NULL || !q->no_control_of[e->instr]);
   return port->kind != DCFG_WET_GENERAL || q->no_address == NULL
          || !(q->no_address[e->instr] >> port->reg & 1);
}

static bool copy_value(Slicer* z, DcfgSliceNode* n, const DcfgWetEvent* e)
{
   if (!e->has_value)
      return true;
   n->value = z->values.n;
   for (uint32_t i = 0; i < e->value_size; i++) {
      uint8_t* byte = array_add(z->job, &z->values, 1);
      if (byte == NULL)
         return false;
      *byte = e->value[i];
   }
   n->value_size = e->value_size;
   return true;
}

static uint64_t first_store(const Slicer* z, const DcfgWetEvent* e)
{
   const Plan*      plan = &z->w->plans[e->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);

   for (uint32_t j = 0; j < plan->n_accesses && j < e->n_accesses; j++)
      if ((a[j].what & ACCESS_STORE) && e->accesses[j] != 0)
         return e->accesses[j];
   return 0;
}

/* E depends on nodes: those inputs, and the distance. */
static bool find_inputs(Slicer* z, const NodeTable* t, const DcfgWetEvent* e,
                        DcfgSliceNode* n)
{
   uint32_t cost = z->q->copies != NULL && z->q->copies[e->instr] ? 0 : 1;

   for (uint32_t i = 0; i < e->n_ports; i++)
      for (uint32_t k = 0; k < e->ports[i].n; k++) {
         uint32_t on = node_of(t, e->deps[e->ports[i].first + k]);
         uint32_t way;
         if (on == DCFG_NONE)
            continue;
         if (!is_followed(z, e, &e->ports[i])) {
            if (e->ports[i].kind == DCFG_WET_CONTROL)
               z->result->n_no_control++;
            else
               z->result->n_no_address++;
            continue;
         }
         way = ELEM(z->found, DcfgSliceNode, on).distance;
         if (z->q->steps != 0 && way >= z->q->steps && cost > 0) {
            z->result->n_no_steps++;
            continue;
         }
         DcfgSliceInput* in = array_add(z->job, &z->inputs, sizeof(*in));
         if (in == NULL)
            return false;
         *in = (DcfgSliceInput){ (uint8_t)e->ports[i].kind,
                                 (uint8_t)e->ports[i].reg, on };
         n->n_inputs++;
         if (way + cost < n->distance)
            n->distance = way + cost;
      }
   return true;
}

static bool take_event(Slicer* z, NodeTable* t, const DcfgWetEvent* e,
                       uint64_t order, bool criterion)
{
   DcfgSliceNode  n = { .instr = e->instr, .thread = e->thread,
                        .instance = e->instance, .order = order,
                        .distance = criterion ? 0 : UINT32_MAX,
                        .first_input = z->inputs.n };
   DcfgSliceNode* to;
   uint32_t*      c;

   if (!criterion && !find_inputs(z, t, e, &n))
      return false;
   if (n.distance == UINT32_MAX)
      return true;
   n.addr = first_store(z, e);
   if (criterion) {
      if ((c = array_add(z->job, &z->criteria, sizeof(*c))) == NULL)
         return false;
      *c = (uint32_t)z->found.n;
   }
   if (!add_key(z, t, (DcfgWetDep){ e->instr, e->instance },
                (uint32_t)z->found.n)
       || !copy_value(z, &n, e)
       || (to = array_add(z->job, &z->found, sizeof(*to))) == NULL)
      return false;
   *to = n;
   return true;
}

/* The result has the criteria only, from the last to the first. */
static bool go(Slicer* z, DcfgWet* w, NodeTable* t)
{
   const DcfgSlice* s = z->result;
   DcfgWetEvent e;
   DcfgError    err;
   uint32_t     left = s->n_nodes;
   uint64_t     order = 0;

   while (dcfg_wet_next(w, &e, &err)) {
      bool criterion = left > 0 && e.kind == DCFG_WET_INSTR
                       && s->nodes[left - 1].order == order;
      if (e.kind != DCFG_WET_INSTR)
         continue;
      left -= criterion;
      if ((criterion || t->map.n > 0)
          && !take_event(z, t, &e, order, criterion))
         return false;
      order++;
   }
   if (err.status != DCFG_OK)
      z->job->err = err;
   return err.status == DCFG_OK;
}

bool slice_forward(Slicer* z)
{
   NodeTable  t = { .known = job_calloc(z->job, z->w->instrs.n + 1, 1) };
   DcfgWet*   w = wet_open_again(z->w, &z->job->err);
   bool       ok = t.known != NULL && w != NULL && slice_same_trace(z->job, w, z->w)
                   && (z->q->no_control
                       || dcfg_wet_find_control(w, &z->job->err))
                   && go(z, w, &t);

   dcfg_wet_close(w);
   map_free(z->job, &t.map);
   job_free(z->job, t.known, z->w->instrs.n + 1);
   return ok && slice_hand_over(z);
}
