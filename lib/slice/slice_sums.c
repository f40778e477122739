/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of which only sums are wanted. */

/* Owns: what is counted of a slice of which no instances are to be kept.
   Handed: instances by slice_nodes.c and slice_weak.c, wants by slice_live.c.
   Taken by: the same.

   An instance's distance is known when it is visited, for all that used it ran
   later.  So it is added to its instruction's total, and what it wants needs
   to know that distance and nothing else: of several that want the same bytes
   the nearest one will do.  Memory is that of a chunk and of the bytes that
   are wanted, however many instances there are. */

#include "lib/slice/slice.h"

#include <string.h>

#define WANT(z, i) (&ELEM((z)->wants, Want, (i) - 1))

void slice_forget_sums(Slicer* z)
{
   DcfgSlice* s = z->result;

   for (uint32_t i = 0; i < z->w->instrs.n; i++) {
      s->totals[i].in_slice = 0;
      s->totals[i].distance = UINT32_MAX;
   }
   s->n_instances = s->n_no_control = s->n_no_address = 0;
}

void slice_count(Slicer* z, uint32_t instr, uint32_t distance)
{
   DcfgSliceTotal* t = &z->result->totals[instr];

   t->in_slice++;
   if (distance < t->distance)
      t->distance = distance;
   z->result->n_instances++;
}

/* Control that is wanted weakly: how many want it has to be known. */
static bool add_up(Want* other, const Want* want)
{
   if (other->limited || want->limited || want->at > UINT32_MAX - other->at)
      return false;
   other->at += want->at;
   if (want->node < other->node)
      other->node = want->node;
   return true;
}

bool slice_is_needless(Slicer* z, uint32_t head, const Want* want)
{
   for (uint32_t id = head; id != 0; id = WANT(z, id)->next) {
      Want* other = WANT(z, id);
      if (other->weak != want->weak)
         continue;
      if (want->weak) {
         if (add_up(other, want))
            return true;
         continue;
      }
      if (slice_covers(other, want))
         return true;
      if (slice_covers(want, other)) {
         uint32_t next = other->next;
         *other      = *want;
         other->next = next;
         return true;
      }
   }
   return false;
}
