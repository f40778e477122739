/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Forward slices. */

/* Owns: the kind of slice that follows values forward and keeps nodes.
   Handed: criteria, found by slice_back.c, and events by wet_events.c.

   The walk back finds only the criteria.  A pass forward then goes over all
   instances with their dependences: one that depends on a node is a node. */

#include "lib/slice/slice_forward.h"
#include "lib/slice/slice_keep.h"

/* NodeTable: nodes by instance; an instance is a Writer here. */
typedef
   struct {
      NumberMap map;
      uint8_t*  known;          // by instruction: it has a node
   }
   NodeTable;

static bool add_key(Found* f, NodeTable* t, DcfgWetDep d, uint32_t node)
{
   uint32_t* to = map_add(f->job, &t->map, writer_of(d.instr, d.instance));

   if (to == NULL)
      return false;
   *to = node;
   t->known[d.instr] = 1;
   return true;
}

/* Return the node of an instance, or DCFG_NONE. */
static inline uint32_t node_of(const NodeTable* t, DcfgWetDep d)
{
   size_t at;

   if (!t->known[d.instr])
      return DCFG_NONE;
   at = map_find(&t->map, writer_of(d.instr, d.instance));
   return t->map.keys[at] == 0 ? DCFG_NONE : t->map.values[at];
}

bool forward_follows(const Found* f, const DcfgWetEvent* e,
                     const DcfgWetPort* port)
{
   const DcfgSliceQuery* q = f->code->q;

   if (port->kind == DCFG_WET_CONTROL)
      return !q->no_control
             && (q->no_control_of == NULL || !q->no_control_of[e->instr]);
   return port->kind != DCFG_WET_GENERAL || q->no_address == NULL
          || !(q->no_address[e->instr] >> port->reg & 1);
}

static uint64_t first_store(const Found* f, const DcfgWetEvent* e)
{
   const Plan*      plan = plan_of(f->code, e->instr);
   const WetAccess* a = accesses_of(f->code, e->instr);

   for (uint32_t j = 0; j < plan->n_accesses && j < e->n_accesses; j++)
      if ((a[j].what & AccessStore) && e->accesses[j] != 0)
         return e->accesses[j];
   return 0;
}

/* Add the inputs that E uses by PORT to node N, if they are nodes, and lower
   N's distance. */
static bool find_inputs(Found* f, const NodeTable* t, const DcfgWetEvent* e,
                        const DcfgWetPort* port, DcfgSliceNode* n)
{
   bool any_ended = false;

   for (uint32_t k = 0; k < port->n; k++) {
      uint32_t on = node_of(t, e->deps[port->first + k]);
      bool     ended = false;
      if (on == DCFG_NONE)
         continue;
      if (!forward_follows(f, e, port)) {
         found_leave_out(f, port->kind);
         return true;
      }
      forward_step(f, e->instr, NODE(f, on)->distance, &n->distance, &ended);
      any_ended |= ended;
      if (!ended
          && !found_add_input(f, n, (DcfgSliceInput){ (uint8_t)port->kind,
                                                      (uint8_t)port->reg,
                                                      false, on }))
         return false;
   }
   found_end(f, any_ended);
   return true;
}

static bool take_event(Found* f, NodeTable* t, const DcfgWetEvent* e,
                       uint64_t order, bool criterion)
{
   DcfgSliceNode  n = { .instr = e->instr, .thread = e->thread,
                        .instance = e->instance, .order = order,
                        .distance = criterion ? 0 : UINT32_MAX,
                        .first_input = f->inputs.n };
   DcfgSliceNode* to;

   for (uint32_t i = 0; i < e->n_ports && !criterion; i++)
      if (!find_inputs(f, t, e, &e->ports[i], &n))
         return false;
   if (n.distance == UINT32_MAX)
      return true;
   n.addr  = first_store(f, e);
   n.value = e->has_value ? f->values.n : 0;
   if ((criterion && !found_add_criterion(f, (uint32_t)f->nodes.n))
       || !add_key(f, t, (DcfgWetDep){ e->instr, e->instance },
                   (uint32_t)f->nodes.n)
       || !found_add_value(f, &n, e->value, e->has_value ? e->value_size : 0)
       || (to = array_add(f->job, &f->nodes, sizeof(*to))) == NULL)
      return false;
   *to = n;
   return true;
}

/* The walk back left the criteria only, from the last to the first. */
static bool go(Found* f, DcfgWetEvents* v, NodeTable* t)
{
   const DcfgSlice* s = f->result;
   DcfgWetEvent e;
   DcfgError    err;
   uint32_t     left = s->n_nodes;
   uint64_t     order = 0;

   while (dcfg_wet_next(v, &e, &err)) {
      bool criterion = left > 0 && e.kind == DCFG_WET_INSTR
                       && s->nodes[left - 1].order == order;
      if (e.kind != DCFG_WET_INSTR)
         continue;
      left -= criterion;
      if ((criterion || t->map.n > 0)
          && !take_event(f, t, &e, order, criterion))
         return false;
      order++;
   }
   return err.status == DCFG_OK || job_adopt(f->job, &err);
}

DcfgWetEvents* forward_open(Found* f, bool control)
{
   DcfgWetEvents* v = dcfg_wet_events_new(f->code->w, &f->job->err);

   if (v == NULL || !control || dcfg_wet_find_control(v, &f->job->err))
      return v;
   dcfg_wet_events_free(v);
   return NULL;
}

/* Go forward from the criteria that the walk back found. */
static bool finish(Found* f)
{
   size_t         n = f->code->w->instrs.n + 1;
   NodeTable      t = { .known = job_calloc(f->job, n, 1) };
   DcfgWetEvents* v = NULL;
   bool           ok = t.known != NULL && keep_assemble(f);

   /* The walk back counted the criteria's own uses as left out. */
   found_forget_left_out(f);
   ok = ok && (v = forward_open(f, !f->code->q->no_control)) != NULL
        && go(f, v, &t);
   dcfg_wet_events_free(v);
   map_free(f->job, &t.map);
   job_free(f->job, t.known, n);
   if (!ok || !found_hand_over(f))
      return false;
   found_count_nodes(f);
   return true;
}

const SliceKind slice_forward = {
   .start = keep_start, .free = keep_free, .forget = keep_forget,
   .add = keep_add, .user = keep_user, .meet = keep_meet, .close = keep_close,
   .finish = finish, .numbers = true
};
