/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Results of the program that are still open. */

/* Owns: weak instances (see slice_back.c), and what they used, in slices
   that keep no instances, until it is known whether they lead to a result of
   the program.  Handed: members and wants by slice_sums.c.

   A weak instance is kept with its users, up to the branch, while anybody
   still wants something of it.  When the walk meets the program's
   instruction that made the result, the instances on short paths to it are
   counted.  Instances that want the same bytes and are as far from a branch
   are joined to one node. */

#include "lib/slice/slice_weak.h"

typedef
   struct {
      uint32_t node;            // id of a WeakNode, + 1
      uint32_t next;            // + 1
   }
   WeakUser;

#define USER(w, i) (&ELEM((w)->users, WeakUser, (i) - 1))

/*--- Nodes                                                ---*/

uint32_t weak_new(Weak* w, WeakNode with)
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

bool weak_add_user(Weak* w, uint32_t* head, uint32_t node)
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

void weak_hold(Weak* w, uint32_t node)
{
   weak_node(w, node)->refs++;
}

/* Paths from a branch are short, so the recursion is, too. */
void weak_release(Weak* w, uint32_t node)
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

void weak_reach(Weak* w, uint32_t node, Found* f)
{
   reach(w, node, 1, f);
}

bool weak_join(Weak* w, uint32_t* other, uint32_t node)
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

void weak_forget(Weak* w)
{
   array_cut(&w->nodes, 0);
   array_cut(&w->users, 0);
   w->free_node = w->free_user = 0;
}

void weak_free(Weak* w)
{
   array_free(w->job, &w->nodes, sizeof(WeakNode));
   array_free(w->job, &w->users, sizeof(WeakUser));
}
