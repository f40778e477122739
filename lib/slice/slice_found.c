/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The result of a slice, while it is found. */

/* Owns: nodes, inputs and totals, in the form that users get.  Handed:
   instances by the kinds of slices. */

#include "lib/base/sort.h"
#include "lib/slice/slice_found.h"

#include <stdlib.h>
#include <string.h>

void found_forget(Found* f)
{
   DcfgSlice* s = f->result;

   array_cut(&f->nodes, 0);
   array_cut(&f->values, 0);
   array_cut(&f->criteria, 0);
   array_cut(&f->readings, 0);
   array_cut(&f->crossings, 0);
   array_cut(&f->unseen, 0);
   map_free(f->job, &f->crossing_of);
   f->crossing_of = (NumberMap){ 0 };
   f->n_met = 0;
   for (uint32_t i = 0; i < f->code->w->instrs.n; i++) {
      s->totals[i].in_slice = s->totals[i].threads = 0;
      s->totals[i].distance = UINT32_MAX;
   }
   s->n_instances = s->n_no_control = s->n_no_address = 0;
}

bool found_start(Found* f)
{
   f->result->totals = job_calloc(f->job, f->code->w->instrs.n + 1,
                                  sizeof(DcfgSliceTotal));
   f->result->thread_begins = job_calloc(f->job, f->code->w->threads.n + 1,
                                         sizeof(uint64_t));
   f->result->thread_ends   = job_calloc(f->job, f->code->w->threads.n + 1,
                                         sizeof(uint64_t));
   if (f->result->totals == NULL || f->result->thread_begins == NULL
       || f->result->thread_ends == NULL)
      return false;
   for (uint32_t t = 0; t < f->code->w->threads.n; t++)
      f->result->thread_ends[t] = UINT64_MAX;
   found_forget(f);
   return true;
}

void found_free(Found* f)
{
   array_free(f->job, &f->nodes, sizeof(DcfgSliceNode));
   array_free(f->job, &f->inputs, sizeof(DcfgSliceInput));
   array_free(f->job, &f->values, 1);
   array_free(f->job, &f->readings, sizeof(DcfgSliceReading));
   array_free(f->job, &f->criteria, sizeof(uint32_t));
   array_free(f->job, &f->crossings, sizeof(DcfgSliceCrossing));
   array_free(f->job, &f->unseen, sizeof(DcfgSliceUnseen));
   array_free(f->job, &f->begins, sizeof(uint64_t));
   map_free(f->job, &f->crossing_of);
}

void found_leave_out(Found* f, DcfgWetPortKind port)
{
   if (port == DCFG_WET_CONTROL)
      f->result->n_no_control++;
   else
      f->result->n_no_address++;
}

void found_forget_left_out(Found* f)
{
   f->result->n_no_control = f->result->n_no_address = 0;
}

void found_end(Found* f, uint64_t n)
{
   f->result->n_no_steps += n;
}

bool found_add_value(Found* f, DcfgSliceNode* n, const uint8_t* value,
                     uint32_t size)
{
   uint8_t* to = size == 0 ? NULL : array_add_n(f->job, &f->values, 1, size);

   if (to != NULL)
      memcpy(to, value, size);
   n->value_size += size;
   return size == 0 || to != NULL;
}

/* Add the instance's value, from the slots behind its accesses. */
static bool add_values(Found* f, const Spot* spot, DcfgSliceNode* n)
{
   const DcfgWet*   w = f->code->w;
   const WetSb*     sb = &ELEM(w->sbs, WetSb, spot->step->sb);
   uint32_t         first = wet_value_slot(spot->at);
   const WetAccess* part = &ELEM(w->accesses, WetAccess,
                                 sb->slots.first + first);
   const uint64_t*  slots = spot->steps->addrs + spot->step->first + first;

   if (spot->at->n_values == 0
       || spot->step->n_slots < first + spot->at->n_values)
      return true;
   n->value = f->values.n;
   for (uint32_t i = 0; i < spot->at->n_values; i++)
      for (unsigned k = 0; k < part[i].size; k++) {
         uint8_t byte = (uint8_t)(slots[i] >> 8 * k);
         if (!found_add_value(f, n, &byte, 1))
            return false;
      }
   return true;
}

/* Add the memory that the kernel read for the system call. */
static bool add_reads(Found* f, const Spot* spot, DcfgSliceNode* n)
{
   n->first_read = f->readings.n;
   n->n_reads    = (uint32_t)spot->reads->n;
   for (size_t i = spot->reads->n; i-- > 0; ) {
      DcfgSliceReading* r = array_add(f->job, &f->readings, sizeof(*r));
      if (r == NULL)
         return false;
      *r = ELEM(*spot->reads, DcfgSliceReading, i);
   }
   return true;
}

bool found_add_node(Found* f, const Spot* spot, uint32_t* id)
{
   const Plan*      plan = plan_of(f->code, spot->instr);
   const WetAccess* a = accesses_of(f->code, spot->instr);
   DcfgSliceNode*   n = array_add(f->job, &f->nodes, sizeof(*n));

   if (n == NULL)
      return false;
   *id         = (uint32_t)f->nodes.n - 1;
   n->instr    = spot->instr;
   n->thread   = spot->thread;
   n->instance = slice_code_instance(f->code, spot, spot->instr);
   n->order    = spot->order + spot->place;
   for (uint32_t j = 0; j < plan->n_accesses; j++) {
      if (n->addr == 0 && (a[j].what & AccessStore))
         n->addr = slice_code_address(f->code, spot, j);
      if (n->from == 0 && is_operand(a, j))
         n->from = slice_code_address(f->code, spot, j);
   }
   return (plan->kind != InsnSyscall || add_reads(f, spot, n))
          && add_values(f, spot, n);
}

bool found_add_end(Found* f, const Spot* spot, uint32_t* id)
{
   const DcfgSliceNode* n = NODE(f, 1);

   if (f->criteria.n == 2) {
      if (n->value_size > 0)
         array_cut(&f->values, n->value);
      if (n->n_reads > 0)
         array_cut(&f->readings, n->first_read);
      array_cut(&f->nodes, 1);
      array_cut(&f->criteria, 1);
   }
   return found_add_node(f, spot, id);
}

bool found_add_criterion(Found* f, uint32_t id)
{
   uint32_t* c = array_add(f->job, &f->criteria, sizeof(*c));

   if (c != NULL)
      *c = id;
   return c != NULL;
}

bool found_add_input(Found* f, DcfgSliceNode* n, DcfgSliceInput in)
{
   DcfgSliceInput* to = array_add(f->job, &f->inputs, sizeof(*to));

   if (to == NULL)
      return false;
   *to = in;
   n->n_inputs++;
   return true;
}

static bool is_same_pair(const DcfgSliceCrossing* a, const DcfgSliceCrossing* b)
{
   return a->writer == b->writer && a->reader == b->reader
          && a->from == b->from && a->to == b->to;
}

bool found_cross(Found* f, DcfgSliceCrossing c)
{
   uint64_t key = ((uint64_t)c.writer << 32 | c.reader)
                  ^ ((uint64_t)c.from << 52 | (uint64_t)c.to << 20);

   /* Two pairs of large numbers can have the same key: then take the next free
      one. */
   for (;; key++) {
      uint32_t*          at = map_add(f->job, &f->crossing_of,
                                      key == 0 ? UINT64_MAX : key);
      DcfgSliceCrossing* to;
      if (at == NULL)
         return false;
      if (*at == 0) {
         to = array_add(f->job, &f->crossings, sizeof(*to));
         if (to == NULL)
            return false;
         *to = c;
         *at = (uint32_t)f->crossings.n;
         return true;
      }
      to = &ELEM(f->crossings, DcfgSliceCrossing, *at - 1);
      if (is_same_pair(to, &c)) {
         if (c.distance < to->distance)
            *to = c;
         return true;
      }
   }
}

bool found_unseen(Found* f, DcfgSliceUnseen u)
{
   DcfgSliceUnseen* to = array_add(f->job, &f->unseen, sizeof(*to));

   if (to != NULL)
      *to = u;
   return to != NULL;
}

COMPARE(by_distance, DcfgSliceCrossing,
        UP(distance) ?: DOWN(read) ?: DOWN(written) ?: UP(writer)
        ?: UP(reader))

void found_count(Found* f, uint32_t instr, uint32_t thread, uint64_t order,
                 uint32_t distance)
{
   DcfgSliceTotal* t = &f->result->totals[instr];
   bool            forward = f->code->q->forward;

   if (t->in_slice++ == 0 || (forward ? order < t->order : order > t->order))
      t->order = order;
   t->threads |= UINT64_C(1) << (thread < 63 ? thread : 63);
   if (distance < t->distance)
      t->distance = distance;
   f->result->n_instances++;
}

void found_count_nodes(Found* f)
{
   const DcfgSlice* s = f->result;

   for (uint32_t i = 0; i < s->n_nodes; i++)
      found_count(f, s->nodes[i].instr, s->nodes[i].thread, s->nodes[i].order,
                  s->nodes[i].distance);
}

bool found_hand_over(Found* f)
{
   DcfgSlice* s = f->result;

   /* A node without a value needs an address in .values, too. */
   if (f->values.data == NULL && array_add(f->job, &f->values, 1) == NULL)
      return false;
   if (f->crossings.n > 0)
      qsort(f->crossings.data, f->crossings.n, sizeof(DcfgSliceCrossing),
            by_distance);
   free(s->nodes);
   free(s->inputs);
   free(s->crossings);
   free(s->values);
   free(s->criteria);
   free(s->reads);
   free(s->unseen);
   s->nodes      = f->nodes.data;
   s->n_nodes    = (uint32_t)f->nodes.n;
   s->inputs     = f->inputs.data;
   s->n_inputs   = f->inputs.n;
   s->values     = f->values.data;
   s->criteria   = f->criteria.data;
   s->n_criteria = (uint32_t)f->criteria.n;
   s->reads      = f->readings.data;
   s->n_met      = f->n_met;
   s->crossings   = f->crossings.data;
   s->n_crossings = (uint32_t)f->crossings.n;
   s->unseen      = f->unseen.data;
   s->n_unseen    = (uint32_t)f->unseen.n;
   f->nodes = f->inputs = f->values = f->criteria = f->readings
            = f->crossings = f->unseen = (Array){ 0 };
   return true;
}
