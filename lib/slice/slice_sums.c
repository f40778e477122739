/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of which only sums are wanted. */

/* Owns: the kind of slice that counts instances and keeps only two criteria;
   and which wants for the same bytes become one.  Handed: members by
   slice_meet.c and slice_uses.c, wants by slice_live.c.

   All that used an instance ran later.  So its distance is known when the walk
   back visits it, and it is added to its instruction's total.  Its wants need
   no name but that distance, and of several wants for the same bytes the
   nearest one will do.  Weak wants have a WeakNode for a name.  Memory is that
   of a chunk and of the wanted bytes, however many instances there are. */

#include "lib/slice/slice_uses.h"
#include "lib/slice/slice_weak.h"

/* Sums: weak users of the value or the control of the present instance. */
typedef
   struct {
      Weak     weak;
      uint32_t users;           // id of a WeakUser, + 1
      uint64_t n_asked;
      bool     any;
   }
   Sums;

/* Return whether WANT names a WeakNode. */
static inline bool names_weak(const Want* want)
{
   return want->weak && want->port != DCFG_WET_CONTROL;
}

/*--- Wants                                                ---*/

/* Join two weak wants for control; add up how many want it. */
static bool add_up(Want* other, const Want* want)
{
   if (other->limited || want->limited || want->at > UINT32_MAX - other->at)
      return false;
   other->at += want->at;
   if (want->node < other->node)
      other->node = want->node;
   return true;
}

/* Return whether the list at HEAD makes WANT superfluous.  A want of the
   list may take over the bytes of WANT. */
static bool is_needless(Live* l, uint32_t head, const Want* want)
{
   for (uint32_t id = head; id != 0; id = live_want(l, id)->next) {
      Want* other = live_want(l, id);
      if (other->weak != want->weak)
         continue;
      if (want->weak) {
         if (add_up(other, want))
            return true;
         continue;
      }
      if (want_covers(other, want))
         return true;
      if (want_covers(want, other)) {
         uint32_t next = other->next;
         *other      = *want;
         other->next = next;
         return true;
      }
   }
   return false;
}

static bool add_want(void* arg, Live* l, uint32_t head, const Want* want,
                     bool* joined)
{
   Weak* w = arg;

   if (!names_weak(want)) {
      *joined = is_needless(l, head, want);
      return true;
   }
   for (uint32_t id = head; id != 0; id = live_want(l, id)->next) {
      Want* other = live_want(l, id);
      if (names_weak(other) && other->mask == want->mask
          && other->port == want->port && other->reg == want->reg
          && other->limited == want->limited
          && weak_node(w, other->node)->hops
             == weak_node(w, want->node)->hops) {
         *joined = true;
         return weak_join(w, &other->node, want->node);
      }
   }
   weak_hold(w, want->node);
   return true;
}

static void remove_want(void* arg, const Want* want)
{
   if (names_weak(want))
      weak_release(arg, want->node);
}

static const WantRule want_rule = { add_want, remove_want };

/*--- Members                                              ---*/

static bool start(Found* f, Live* l)
{
   Sums* s = f->own = job_calloc(f->job, 1, sizeof(Sums));

   if (s == NULL)
      return false;
   s->weak.job = f->job;
   l->rule    = &want_rule;
   l->nearest = l->w->threads.n == 1;
   l->arg  = &s->weak;
   return true;
}

static void free_sums(Found* f)
{
   Sums* s = f->own;

   weak_free(&s->weak);
   job_free(f->job, s, sizeof(*s));
}

static void no_users(Sums* s)
{
   s->users   = 0;
   s->n_asked = 0;
   s->any     = false;
}

static void forget(Found* f)
{
   Sums* s = f->own;

   weak_forget(&s->weak);
   no_users(s);
}

static bool add_criterion(Found* f, const Spot* spot, Member* m)
{
   return found_add_end(f, spot, &m->id);
}

static User user(const Found* f, const Want* want)
{
   const Sums* s = f->own;

   if (!names_weak(want))
      return (User){ want->node, 0 };
   return (User){ weak_node(&s->weak, want->node)->distance,
                  weak_node(&s->weak, want->node)->hops + 1 };
}

static bool meet(Found* f, const Member* m, const Want* want, uint32_t at,
                 bool result)
{
   Sums* s = f->own;

   (void)m;
   (void)at;
   if (result) {
      weak_reach(&s->weak, want->node, f);
      return true;
   }
   s->any = true;
   if (names_weak(want))
      return weak_add_user(&s->weak, &s->users, want->node);
   s->n_asked += want->at;
   return true;
}

static bool close_member(Found* f, const Spot* spot, Member* m)
{
   Sums* s = f->own;

   if (m->real)
      found_count(f, spot->instr, spot->thread, spot->order + spot->place,
                  m->distance);
   m->name      = m->distance;
   m->weakly    = s->any;
   m->weak_name = !s->any ? 0
                  : weak_new(&s->weak, (WeakNode){ .instr = spot->instr,
                                                   .thread = spot->thread,
                                                   .order = spot->order
                                                            + spot->place,
                                                   .users = s->users,
                                                   .distance = m->distance,
                                                   .n_asked = s->n_asked,
                                                   .hops = m->hops,
                                                   .counted = m->real });
   no_users(s);
   return !m->weakly || m->weak_name != 0;
}

static bool want_uses(Found* f, const Acts* acts, const Spot* spot,
                      const Member* m, Live* l, BranchJoins* b)
{
   Sums* s = f->own;
   bool  ok = uses_want(f, acts, spot, m, l, b);

   if (m->weakly)
      weak_release(&s->weak, m->weak_name);
   return ok;
}

static bool cut(Found* f, const Want* want)
{
   found_leave_out(f, want->port);
   return true;
}

const SliceKind slice_sums = {
   .start = start, .free = free_sums, .forget = forget,
   .criterion = add_criterion, .user = user, .meet = meet,
   .close = close_member, .want = want_uses, .cut = cut,
   .finish = found_hand_over, .distances = true
};
