/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Forward slices of which only sums are wanted. */

/* Owns: the kind of slice that follows values forward and only counts
   instances.  Handed: criteria, found by slice_back.c, and events by
   wet_events.c.

   An instance in the slice has its distance for a name (see wet_record.h); any
   other one has no name.  So an instance is in the slice if it depends on
   anybody.  Memory grows with the program's memory, not with instances.  The
   pass finds criteria anew: of a line, instances between the first and the last
   one, in the same activation. */

#include "lib/slice/slice_forward.h"
#include "lib/wet/wet_record.h"

/* ForwardWalk: .first and .last are times of criteria. */
typedef
   struct {
      Found*         found;
      DcfgWetEvents* v;
      uint64_t first, last;
      uint32_t thread, depth;   // the activation of a run
   }
   ForwardWalk;

/*--- The criterion                                        ---*/

static bool is_part(const DcfgSliceQuery* q, const DcfgWetEvent* e)
{
   for (uint32_t i = 0; i < q->n_parts; i++)
      if (q->parts[i].instr == e->instr && q->parts[i].instance == e->instance)
         return true;
   return q->n_parts == 0;
}

/* Return whether E runs in the activation of the run, which has begun. */
static bool is_in_run(ForwardWalk* z, const DcfgWetEvent* e)
{
   uint32_t depth = wet_control_depth(z->v, e->thread);

   if (e->time == z->first) {
      z->thread = e->thread;
      z->depth  = depth;
   }
   return e->thread == z->thread && depth == z->depth;
}

static bool is_criterion(ForwardWalk* z, const DcfgWetEvent* e)
{
   const DcfgSliceQuery* q = z->found->code->q;

   if (e->time < z->first || e->time > z->last || !q->instrs[e->instr])
      return false;
   if (z->first == z->last)
      return true;
   return q->instance == DCFG_SLICE_EVERY ? is_part(q, e) : is_in_run(z, e);
}

/*--- Instances                                            ---*/

/* Lower *LEAST, the distance of E, by the writers of the values that E uses
   by PORT. */
static void take_port(Found* f, const DcfgWetEvent* e, const DcfgWetPort* port,
                      uint32_t* least)
{
   bool ended = false;

   if (port->n == 0
       || (port->kind == DCFG_WET_CONTROL && f->code->q->no_control))
      return;
   if (!forward_follows(f, e, port)) {
      found_leave_out(f, port->kind);
      return;
   }
   for (uint32_t k = 0; k < port->n; k++)
      forward_step(f, e->instr, (uint32_t)e->deps[port->first + k].instance,
                   least, &ended);
   found_end(f, ended);
}

static Writer name_of(void* arg, const DcfgWetEvent* e)
{
   ForwardWalk* z = arg;
   uint32_t     distance = UINT32_MAX;
   Writer       name = 0;

   if (is_criterion(z, e))
      distance = 0;
   else
      for (uint32_t i = 0; i < e->n_ports; i++)
         take_port(z->found, e, &e->ports[i], &distance);
   if (distance != UINT32_MAX) {
      found_count(z->found, e->instr, e->thread, e->time, distance);
      name = wet_name(distance);
   }
   if (z->v->control != NULL)
      wet_name_control(z->v, e, name);
   return name;
}

/*--- The whole                                            ---*/

static bool add_criterion(Found* f, const Spot* spot, Member* m)
{
   return found_add_end(f, spot, &m->id);
}

/* Put the first criterion before the last one: the walk back found them in
   reverse. */
static void reverse_criteria(Found* f)
{
   DcfgSliceNode last = *NODE(f, 0);

   if (f->nodes.n < 2)
      return;
   *NODE(f, 0) = *NODE(f, 1);
   *NODE(f, 1) = last;
}

static bool go(ForwardWalk* z)
{
   const SliceCode* code = z->found->code;
   bool*            sbs = job_calloc(z->found->job, code->w->sbs.n,
                                     sizeof(*sbs));
   WetNamer         namer = { name_of, z, z->first, z->last, sbs };
   DcfgWetEvent     e;
   DcfgError        err = { 0 };

   if (sbs == NULL)
      return false;
   for (uint32_t id = 1; id < code->w->sbs.n; id++)
      sbs[id] = code->sbs[id].criterion;
   wet_use_namer(z->v, &namer);
   while (dcfg_wet_next(z->v, &e, &err))
      ;
   job_free(z->found->job, sbs, code->w->sbs.n * sizeof(*sbs));
   return err.status == DCFG_OK || job_adopt(z->found->job, &err);
}

static bool finish(Found* f)
{
   const DcfgSliceQuery* q = f->code->q;
   ForwardWalk z = { .found = f };
   bool        ok = true;

   if (f->nodes.n > 0) {
      reverse_criteria(f);
      z.first = NODE(f, 0)->order;
      z.last  = NODE(f, f->nodes.n - 1)->order;
      z.v     = forward_open(f, !q->no_control || q->run);
      ok      = z.v != NULL && go(&z);
      dcfg_wet_events_free(z.v);
   }
   return ok && found_hand_over(f);
}

const SliceKind slice_forward_sums = {
   .criterion = add_criterion,
   .finish = finish, .numbers = true
};
