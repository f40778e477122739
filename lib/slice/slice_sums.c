/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of which only sums are wanted. */

/* Owns: the kind of slice that counts instances and keeps only two criteria;
   which wants for the same bytes become one; weak instances (see
   slice_back.c).  Handed: members and wants by slice_back.c.

   All that used an instance ran later.  So its distance is known when the walk
   back visits it, and it is added to its instruction's total.  Its wants need
   no name but that distance, and of several wants for the same bytes the
   nearest one will do.  Memory is that of a chunk and of the wanted bytes,
   however many instances there are.

   Weak wants have a WeakNode for a name.  A weak instance is kept with its
   users, up to the branch, while anybody still wants something of it.  When the
   walk meets the program's instruction that made the result, the instances on
   short paths to it are counted.  Instances that want the same bytes and are as
   far from a branch are joined to one node. */

#include "lib/slice/slice_back.h"
#include "lib/slice/slice_found.h"

/* WeakNode: an instance that joins the slice only if the program later made a
   result through it; or several instances that want the same bytes. */
typedef
   struct {
      uint32_t instr;           // DCFG_NONE: several
      uint32_t thread;          // the thread that executed it
      uint64_t order;           // as in DcfgSliceNode
      uint32_t users;           // id of a WeakUser, + 1
      uint32_t refs;            // wants and users that name it
      uint32_t distance;
      uint64_t n_asked;         // instances that asked for its control
      uint8_t  hops;            // from a branch, at least
      uint8_t  to_go;           // to a result, as far as is known
      bool     counted;         // already part of the slice
   }
   WeakNode;

/* Weak: written by slice_sums.c alone. */
typedef
   struct {
      Job*     job;
      Array    nodes;           // WeakNode
      Array    users;           // WeakUser
      uint32_t free_node, free_user;
   }
   Weak;

static inline WeakNode* weak_node(const Weak* w, uint32_t id)
{
   return &ELEM(w->nodes, WeakNode, id - 1);
}

typedef
   struct {
      uint32_t node;            // id of a WeakNode, + 1
      uint32_t next;            // + 1
   }
   WeakUser;

#define USER(w, i) (&ELEM((w)->users, WeakUser, (i) - 1))

/*--- Nodes                                                ---*/

/* Return the id of a new node, a copy of WITH with one reference; 0 if memory
   is exhausted. */
static uint32_t weak_new(Weak* w, WeakNode with)
{
   uint32_t id = w->free_node;

   if (id != 0) {
      w->free_node = weak_node(w, id)->users;
   } else {
      if (array_add(w->job, &w->nodes, sizeof(WeakNode)) == NULL)
         return 0;
      id = (uint32_t)w->nodes.n;
   }
   with.refs    = 1;
   with.to_go   = NEVER;
   *weak_node(w, id) = with;
   return id;
}

/* Add NODE to the list of users at *HEAD, with one more reference. */
static bool weak_add_user(Weak* w, uint32_t* head, uint32_t node)
{
   uint32_t id = w->free_user;

   if (id != 0) {
      w->free_user = USER(w, id)->next;
   } else {
      if (array_add(w->job, &w->users, sizeof(WeakUser)) == NULL)
         return false;
      id = (uint32_t)w->users.n;
   }
   *USER(w, id) = (WeakUser){ node, *head };
   *head        = id;
   weak_node(w, node)->refs++;
   return true;
}

/* Take a reference to NODE; give one back. */
static void weak_hold(Weak* w, uint32_t node)
{
   weak_node(w, node)->refs++;
}

/* Paths from a branch are short, so the recursion is, too. */
static void weak_release(Weak* w, uint32_t node)
{
   if (--weak_node(w, node)->refs > 0)
      return;
   for (uint32_t id = weak_node(w, node)->users, next; id != 0; id = next) {
      next = USER(w, id)->next;
      weak_release(w, USER(w, id)->node);
      USER(w, id)->next = w->free_user;
      w->free_user = id;
   }
   weak_node(w, node)->users = w->free_node;
   w->free_node    = node;
}

/*--- Results                                              ---*/

static void count(WeakNode* n, Found* f)
{
   DcfgSlice* s = f->result;

   if (n->instr != DCFG_NONE && !n->counted) {
      found_count(f, n->instr, n->thread, n->order, n->distance);
      s->n_no_control++;
      n->counted = true;
   }
   s->n_no_control -= n->n_asked;
   n->n_asked       = 0;
}

/* Count NODE, which is TO_GO hops from a result, and its users as long as the
   path is short enough. */
static void reach(Weak* w, uint32_t node, unsigned to_go, Found* f)
{
   WeakNode* n = weak_node(w, node);

   if (n->hops + to_go > MAX_HOPS || n->to_go <= to_go)
      return;
   n->to_go = (uint8_t)to_go;
   count(n, f);
   for (uint32_t id = n->users; id != 0; id = USER(w, id)->next)
      reach(w, USER(w, id)->node, to_go + (n->instr != DCFG_NONE), f);
}

/* Count in F the users of a result of the program, which NODE wants, on
   paths that are short enough. */
static void weak_reach(Weak* w, uint32_t node, Found* f)
{
   reach(w, node, 1, f);
}

/* Join *OTHER and NODE, which want the same bytes, to one node, and make *OTHER
   that node. */
static bool weak_join(Weak* w, uint32_t* other, uint32_t node)
{
   const WeakNode* a = weak_node(w, *other);
   const WeakNode* b = weak_node(w, node);
   uint32_t least = a->distance < b->distance ? a->distance : b->distance;
   uint32_t both = *other;

   /* A node that was reached has counted its users, so it must not get more. */
   if (a->instr != DCFG_NONE || a->to_go != NEVER) {
      both = weak_new(w, (WeakNode){ .instr = DCFG_NONE, .hops = a->hops });
      if (both == 0 || !weak_add_user(w, &weak_node(w, both)->users, *other))
         return false;
      weak_release(w, *other);
      *other = both;
   }
   weak_node(w, both)->distance = least;
   return weak_add_user(w, &weak_node(w, both)->users, node);
}

/* Forget all nodes. */
static void weak_forget(Weak* w)
{
   array_cut(&w->nodes, 0);
   array_cut(&w->users, 0);
   w->free_node = w->free_user = 0;
}

static void weak_free(Weak* w)
{
   array_free(w->job, &w->nodes, sizeof(WeakNode));
   array_free(w->job, &w->users, sizeof(WeakUser));
}

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

static bool meet(Found* f, const Member* m, const Want* want, Hit hit)
{
   Sums* s = f->own;

   (void)m;
   if (hit.result) {
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
