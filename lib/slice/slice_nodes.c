/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Nodes of a backward slice. */

/* Owns: making a node of an instance, and the edges to it.  Handed: the instance
   in work, and wants that it meets.  Taken by: slice_uses.c, slice_back.c. */

#include "lib/slice/slice.h"

#define STATE(z, n)   (&ELEM((z)->states, NodeState, n))
#define NODE(z, n)    (&ELEM((z)->found, DcfgSliceNode, n))

/* How many instances the instruction has had, this one not counted. */
uint64_t slice_instance(const Slicer* z, uint32_t i)
{
   uint64_t n = z->w->instances[i];     // before the trace begins

   for (uint32_t k = z->occurs[i]; k < z->occurs[i + 1]; k++) {
      uint32_t place = z->occurrences[k], first = place;
      /* A record that went as far as here, or further. */
      for (const WetSb* sb = &ELEM(z->w->sbs, WetSb, z->sb_of[k]);
           place < sb->instrs.first + sb->instrs.n; place++)
         n += z->runs[place];
      /* The one in work has gone beyond it, or is here. */
      if (z->sb_of[k] == z->step->sb) {
         uint32_t at = first - z->sbs[z->step->sb].first;
         n -= at >= z->place && at < z->step->n_instrs;
      }
   }
   return n;
}

static bool add_value(Slicer* z, DcfgSliceNode* n, const Place* at)
{
   const WetSb*     sb = &ELEM(z->w->sbs, WetSb, z->step->sb);
   uint32_t         first = wet_value_slot(at);
   const WetAccess* part = &ELEM(z->w->accesses, WetAccess,
                                 sb->slots.first + first);
   const uint64_t*  slots = z->steps.addrs + z->step->first + first;

   if (at->n_values == 0 || z->step->n_slots < first + at->n_values)
      return true;
   n->value = z->values.n;
   for (uint32_t i = 0; i < at->n_values; i++)
      for (unsigned k = 0; k < part[i].size; k++) {
         uint8_t* byte = array_add(z->job, &z->values, 1);
         if (byte == NULL)
            return false;
         *byte = (uint8_t)(slots[i] >> 8 * k);
         n->value_size++;
      }
   return true;
}

/* Where the accesses of the instruction were made, as find_addresses() of
   wet_writers.c has them; 0 if it was not. */
uint64_t slice_address(const Slicer* z, const Place* at, uint32_t access)
{
   const WetSb*     sb = &ELEM(z->w->sbs, WetSb, z->step->sb);
   const Plan*      plan = &z->w->plans[at->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   const WetAccess* slots = &ELEM(z->w->accesses, WetAccess,
                                  sb->slots.first + at->slot);
   uint32_t         n, k = 0;
   const uint64_t*  made = slice_slots(z, z->step, at, &n);
   uint64_t         addr = 0;

   if (at->plain && n == plan->n_accesses)
      return made[access];
   for (uint32_t j = 0; j <= access; j++) {
      addr = 0;
      if (k < n && is_slot_of(&slots[k], &a[j]))
         addr = made[k++];
      else if (a[j].same > 0)
         addr = slice_address(z, at, a[j].same - 1u);
   }
   return addr;
}

/* What the kernel read for the system call in work. */
static bool add_reads(Slicer* z, DcfgSliceNode* n)
{
   const LiveThread* t = &z->threads[z->thread];

   n->first_read = z->readings.n;
   n->n_reads    = (uint32_t)t->reads.n;
   for (size_t i = t->reads.n; i-- > 0; ) {
      DcfgSliceReading* r = array_add(z->job, &z->readings, sizeof(*r));
      if (r == NULL)
         return false;
      *r = ELEM(t->reads, DcfgSliceReading, i);
   }
   return true;
}

/* The instance in work is a node that is kept. */
bool slice_add_node(Slicer* z)
{
   const Plan*      plan = &z->w->plans[z->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   DcfgSliceNode*   n;

   z->me = (uint32_t)z->found.n;
   n = array_add(z->job, &z->found, sizeof(*n));
   if (n == NULL
       || array_add(z->job, &z->states, sizeof(NodeState)) == NULL)
      return false;
   n->instr    = z->instr;
   n->thread   = z->thread;
   n->instance = slice_instance(z, z->instr);
   n->order    = z->order + z->place;
   for (uint32_t j = 0; j < plan->n_accesses && n->addr == 0; j++)
      if (a[j].what & AccessStore)
         n->addr = slice_address(z, slice_place(z), j);
   return (plan->kind != InsnSyscall || add_reads(z, n))
          && add_value(z, n, slice_place(z));
}

bool slice_need_node(Slicer* z)
{
   if (z->me != DCFG_NONE)
      return true;
   z->me       = 0;
   z->distance = z->weak_distance = UINT32_MAX;
   z->my       = (NodeState){ .near = true, .hops = UINT8_MAX };
   return z->sums || slice_add_node(z);
}

bool slice_close_node(Slicer* z)
{
   if (!z->my.real)
      z->distance = z->weak_distance;
   if (!z->sums) {
      NODE(z, z->me)->distance = z->distance;
      *STATE(z, z->me)         = z->my;
      return true;
   }
   if (z->my.real)
      slice_count(z, z->instr, z->distance);
   return slice_close_weak(z);
}

bool slice_add_edge(Slicer* z, const Want* want, uint32_t writer,
                     uint32_t at)
{
   Edge* e;

   if (z->sums)
      return true;
   if ((e = array_add(z->job, &z->edges, sizeof(*e))) == NULL)
      return false;
   *e = (Edge){ want->node, writer, at, want->port, want->reg, want->weak };
   return true;
}

/* How far what meets WANT, a weak one, is from a branch, which is 0. */
static uint8_t hops_from_branch(const Slicer* z, const Want* want)
{
   if (want->port == DCFG_WET_CONTROL)
      return 0;
   return z->sums ? slice_weak_hops(z, want) : STATE(z, want->node)->hops + 1;
}

/* Over what the program did that is no result of it, and over too many
   instructions, nothing is followed weakly. */
static bool ends_here(const Slicer* z, const Want* w, bool ours)
{
   return ours ? w->port != DCFG_WET_GENERAL || w->reg != 0
               : hops_from_branch(z, w) >= MAX_HOPS;
}

/* The node in work meets W, a weak want. */
static bool take_weak(Slicer* z, const Want* w, bool ours)
{
   uint8_t hops;

   if (ours) {
      z->my.real = true;
      if (z->sums)
         slice_reach_weak(z, w);
      return true;
   }
   hops = hops_from_branch(z, w);
   if (hops < z->my.hops)
      z->my.hops = hops;
   return !z->sums || slice_take_weak(z, w);
}

/* The instance in work wrote these bytes.  If it is in the slice for itself,
   those that want it weakly say nothing of its distance. */
bool slice_take(Slicer* z, const Want* want, uint8_t mask)
{
   uint32_t    cost = z->q->copies != NULL && z->q->copies[z->instr] ? 0 : 1;
   const Want  w = *want;
   bool        ours = w.weak && slice_follows_control(z, z->instr);
   uint32_t*   least = w.weak && !ours ? &z->weak_distance : &z->distance;
   uint32_t    distance;

   if (w.weak && ends_here(z, &w, ours))
      return true;
   if (!slice_need_node(z)
       || !slice_add_edge(z, &w, z->me, w.at + (uint32_t)__builtin_ctz(mask))
       || (w.weak && !take_weak(z, &w, ours)))
      return false;
   z->my.real |= !w.weak;
   z->my.near &= w.limited;
   distance = cost + (!z->sums ? NODE(z, w.node)->distance
                      : slice_is_weak(&w) ? slice_weak_distance(z, &w)
                      : w.node);
   if (distance < *least)
      *least = distance;
   return true;
}
