/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Forward slices. */

/* Owns: a kind of slice: what depends on the criterion, which is all that the
   way back finds.  Handed: criteria, found by slice_back.c, and events by
   wet_events.c.  Taken by: slice_open.c.

   All instances from the begin on are gone through with what they depend on;
   one that depends on a node is a node. */

#include "lib/slice/slice_keep.h"
#include "lib/slice/slice_reopen.h"

/* Nodes by instance, which is a Writer here. */
typedef
   struct {
      NumberMap map;
      uint8_t*  known;          // by instruction: has it any node?
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
static bool is_followed(const Found* f, const DcfgWetEvent* e,
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

/* E depends on nodes: those inputs, and the distance. */
static bool find_inputs(Found* f, const NodeTable* t, const DcfgWetEvent* e,
                        DcfgSliceNode* n)
{
   const bool* copies = f->code->q->copies;
   uint32_t    cost = copies == NULL || !copies[e->instr];

   for (uint32_t i = 0; i < e->n_ports; i++)
      for (uint32_t k = 0; k < e->ports[i].n; k++) {
         uint32_t on = node_of(t, e->deps[e->ports[i].first + k]);
         uint32_t way;
         if (on == DCFG_NONE)
            continue;
         if (!is_followed(f, e, &e->ports[i])) {
            found_leave_out(f, e->ports[i].kind);
            continue;
         }
         way = NODE(f, on)->distance;
         if (f->code->q->steps != 0 && way >= f->code->q->steps && cost > 0) {
            found_end(f, 1);
            continue;
         }
         if (!found_add_input(f, n, (DcfgSliceInput){
                                       (uint8_t)e->ports[i].kind,
                                       (uint8_t)e->ports[i].reg, on }))
            return false;
         if (way + cost < n->distance)
            n->distance = way + cost;
      }
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

   if (!criterion && !find_inputs(f, t, e, &n))
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

/* The result has the criteria only, from the last to the first. */
static bool go(Found* f, DcfgWet* w, NodeTable* t)
{
   const DcfgSlice* s = f->result;
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
          && !take_event(f, t, &e, order, criterion))
         return false;
      order++;
   }
   return err.status == DCFG_OK || job_adopt(f->job, &err);
}

/* From the criteria of the way back on. */
static bool finish(Found* f)
{
   DcfgWet*  first = f->code->w;
   NodeTable t = { .known = job_calloc(f->job, first->instrs.n + 1, 1) };
   DcfgWet*  w = NULL;
   bool      ok = t.known != NULL && keep_assemble(f)
                  && (w = wet_open_again(first, &f->job->err)) != NULL
                  && slice_same_trace(f->job, w, first)
                  && (f->code->q->no_control
                      || dcfg_wet_find_control(w, &f->job->err))
                  && go(f, w, &t);

   dcfg_wet_close(w);
   map_free(f->job, &t.map);
   job_free(f->job, t.known, first->instrs.n + 1);
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
