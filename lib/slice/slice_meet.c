/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances that join a slice. */

/* Owns: that an instance joins the slice for what it made or since it is a
   criterion, its distance, and whether it is real (see slice_back.c).  Handed:
   wants that it meets.  Taken by: slice_back.c. */

#include "lib/slice/slice_meet.h"

static bool join(const Meeting* a)
{
   Found* f = a->found;

   if (a->member->id != DCFG_NONE)
      return true;
   *a->member = (Member){ .distance = UINT32_MAX, .weak_distance = UINT32_MAX,
                          .hops = NEVER, .near = true };
   return f->kind->add == NULL || f->kind->add(f, a->spot, a->member);
}

/* If the instance is in the slice for itself, those that want it weakly say
   nothing of its distance.  Over what the program did that is no result of it,
   and over too many instructions, nothing is followed weakly. */
bool meet_want(void* arg, const Want* want, uint8_t mask)
{
   const Meeting*   a = arg;
   Found*           f = a->found;
   Member*          m = a->member;
   const uint32_t   i = a->spot->instr;
   const bool*      copies = f->code->q->copies;
   const Want       w = *want;
   const User       user = f->kind->user(f, &w);
   const uint8_t    hops = w.port == DCFG_WET_CONTROL ? 0 : user.hops;
   bool             ours = w.weak && follows_control(f->callbacks, i);
   uint32_t*        least = w.weak && !ours ? &m->weak_distance : &m->distance;
   uint32_t         distance = user.distance + (copies == NULL || !copies[i]);

   if (w.weak && (ours ? w.port != DCFG_WET_GENERAL || w.reg != 0
                       : hops >= MAX_HOPS))
      return true;
   if (!join(a)
       || !f->kind->meet(f, m, &w, w.at + (uint32_t)__builtin_ctz(mask), ours))
      return false;
   if (w.weak && !ours && hops < m->hops)
      m->hops = hops;
   m->real |= !w.weak || ours;
   m->near &= w.limited;
   if (distance < *least)
      *least = distance;
   return true;
}

bool meet_criterion(const Meeting* a)
{
   Found*  f = a->found;
   Member* m = a->member;

   f->n_met++;
   if (!join(a)
       || (f->kind->criterion != NULL && !f->kind->criterion(f, a->spot, m))
       || !found_add_criterion(f, m->id))
      return false;
   m->distance = 0;
   m->real     = true;
   m->near     = false;
   m->limited  = f->code->q->of != DCFG_SLICE_ALL;
   return true;
}

bool meet_close(const Meeting* a)
{
   Member*  m = a->member;
   uint32_t steps = a->found->code->q->steps;

   if (!m->real)
      m->distance = m->weak_distance;
   m->cut = m->real && steps != 0 && m->distance >= steps;
   return a->found->kind->close(a->found, a->spot, m);
}
