/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances that join a slice. */

/* Owns: how an instance joins the slice: its distance, and whether it is
   real (see slice_back.c).  Handed: wants that it meets. */

#include "lib/slice/slice_meet.h"

static bool join(const Meeting* a)
{
   Found* f = a->found;

   *a->member = (Member){ .distance = UINT32_MAX, .weak_distance = UINT32_MAX,
                          .hops = NEVER, .near = true };
   return f->kind->add == NULL || f->kind->add(f, a->spot, a->member);
}

/* Add the instance to the slice, as the writer of bytes of WANT.  Weak wants
   do not change the distance of an instance that is in the slice anyway.  A
   weak want leads nowhere if the program's code made anything but a result,
   or after MAX_HOPS. */
bool meet_want(void* arg, const Want* want, uint8_t mask)
{
   const Meeting*   a = arg;
   Found*           f = a->found;
   Member*          m = a->member;
   const SliceKind* kind = f->kind;
   const bool*      copies = f->code->q->copies;
   User             user = { want->node, 0 };
   bool             ours = want->weak
                            && follows_control(f->callbacks, a->spot->instr);
   bool             asked = want->weak || !kind->distances;
   uint32_t*        least = want->weak && !ours ? &m->weak_distance
                                                : &m->distance;

   if (asked)
      user = kind->user(f, want);
   if (want->port == DCFG_WET_CONTROL)
      user.hops = 0;
   if (want->weak
       && (ours ? want->port != DCFG_WET_GENERAL || want->reg != 0
                : user.hops >= MAX_HOPS))
      return true;
   if (m->id == DCFG_NONE && !join(a))
      return false;
   if (asked
       && !kind->meet(f, m, want, want->at + (uint32_t)__builtin_ctz(mask),
                      ours))
      return false;
   if (want->weak && !ours && user.hops < m->hops)
      m->hops = user.hops;
   m->real |= !want->weak || ours;
   m->near &= want->limited;
   user.distance += copies == NULL || !copies[a->spot->instr];
   if (user.distance < *least)
      *least = user.distance;
   if (want->thread != a->spot->thread && want->port == DCFG_WET_MEMORY)
      return found_cross(f, (DcfgSliceCrossing){
                               .writer = a->spot->instr, .reader = want->instr,
                               .from = a->spot->thread, .to = want->thread,
                               .written = a->spot->order + a->spot->place,
                               .read = want->order,
                               .distance = user.distance });
   return true;
}

bool meet_near(void* arg, uint32_t distance)
{
   const Meeting* a = arg;
   Member*        m = a->member;
   const bool*    copies = a->found->code->q->copies;

   if (m->id == DCFG_NONE && !join(a))
      return false;
   m->real   = true;
   m->near   = false;
   distance += copies == NULL || !copies[a->spot->instr];
   if (distance < m->distance)
      m->distance = distance;
   return true;
}

bool meet_criterion(const Meeting* a)
{
   Found*  f = a->found;
   Member* m = a->member;

   f->n_met++;
   if ((m->id == DCFG_NONE && !join(a))
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
   Found*   f = a->found;
   Member*  m = a->member;
   uint32_t steps = f->code->q->steps;

   if (!m->real)
      m->distance = m->weak_distance;
   m->cut = m->real && steps != 0 && m->distance >= steps;
   return f->kind->close == NULL || f->kind->close(f, a->spot, m);
}
