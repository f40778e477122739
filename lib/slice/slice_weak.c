/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sums of what leads to the program's results. */

/* Owns: of a slice of which no instances are kept, those that are weak (see
   slice_back.c) or used by such ones, until it is known whether they lead to a
   result of the program.  Handed: wants by slice_nodes.c.  Taken by: the same,
   slice_uses.c, slice_live.c.

   Such an instance is kept with those that used it, up to the branch, while
   anybody still wants something of it.  When the program's instruction is met
   that made the result, the instances on the ways there that are short enough
   are counted.  Those that want the same bytes and are as far from a branch
   are put together: a node that is no instance. */

#include "lib/slice/slice.h"

#define NODE(z, i) (&ELEM((z)->weak.nodes, WeakNode, (i) - 1))
#define USER(z, i) (&ELEM((z)->weak.users, WeakUser, (i) - 1))

/* Of how far it is to a result: nowhere so far. */
#define NEVER UINT8_MAX

/*------------------------------------------------------------*/
/*--- Nodes                                                ---*/
/*------------------------------------------------------------*/

/* One with a single reference; 0: there is no memory. */
static uint32_t new_node(Slicer* z, WeakNode with)
{
   uint32_t id = z->weak.free_node;

   if (id != 0) {
      z->weak.free_node = NODE(z, id)->users;
   } else {
      if (array_add(z->job, &z->weak.nodes, sizeof(WeakNode)) == NULL)
         return 0;
      id = (uint32_t)z->weak.nodes.n;
   }
   with.refs    = 1;
   with.to_go   = NEVER;
   *NODE(z, id) = with;
   return id;
}

/* NODE, of which there is one reference more, used what the list at HEAD is
   of. */
static bool add_user(Slicer* z, uint32_t* head, uint32_t node)
{
   uint32_t id = z->weak.free_user;

   if (id != 0) {
      z->weak.free_user = USER(z, id)->next;
   } else {
      if (array_add(z->job, &z->weak.users, sizeof(WeakUser)) == NULL)
         return false;
      id = (uint32_t)z->weak.users.n;
   }
   *USER(z, id) = (WeakUser){ node, *head };
   *head        = id;
   NODE(z, node)->refs++;
   return true;
}

/* Ways from a branch are short, so that this does not go deep. */
void slice_release_weak(Slicer* z, uint32_t node)
{
   if (--NODE(z, node)->refs > 0)
      return;
   for (uint32_t id = NODE(z, node)->users, next; id != 0; id = next) {
      next = USER(z, id)->next;
      slice_release_weak(z, USER(z, id)->node);
      USER(z, id)->next = z->weak.free_user;
      z->weak.free_user = id;
   }
   NODE(z, node)->users = z->weak.free_node;
   z->weak.free_node    = node;
}

/*------------------------------------------------------------*/
/*--- The instance in work                                 ---*/
/*------------------------------------------------------------*/

uint32_t slice_weak_distance(const Slicer* z, const Want* want)
{
   return NODE(z, want->node)->distance;
}

uint8_t slice_weak_hops(const Slicer* z, const Want* want)
{
   return NODE(z, want->node)->hops + 1;
}

bool slice_take_weak(Slicer* z, const Want* want)
{
   z->my_users.any = true;
   if (slice_is_weak(want))
      return add_user(z, &z->my_users.first, want->node);
   z->my_users.n_asked += want->at;
   return true;
}

/* All that is known of it. */
bool slice_close_weak(Slicer* z)
{
   z->my_weak = 0;
   if (!z->my_users.any)
      return true;
   z->my_weak = new_node(z, (WeakNode){ .instr = z->instr,
                                        .users = z->my_users.first,
                                        .distance = z->distance,
                                        .n_asked = z->my_users.n_asked,
                                        .hops = z->my.hops,
                                        .counted = z->my.real });
   z->my_users = (WeakUsers){ 0 };
   return z->my_weak != 0;
}

/*------------------------------------------------------------*/
/*--- Results                                              ---*/
/*------------------------------------------------------------*/

static void count(Slicer* z, WeakNode* n)
{
   DcfgSlice* s = z->result;

   if (n->instr != DCFG_NONE && !n->counted) {
      slice_count(z, n->instr, n->distance);
      s->n_no_control++;
      n->counted = true;
   }
   s->n_no_control -= n->n_asked;
   n->n_asked       = 0;
}

/* NODE is TO_GO hops from a result; its users, too, if that is not too far. */
static void reach(Slicer* z, uint32_t node, unsigned to_go)
{
   WeakNode* n = NODE(z, node);

   if (n->hops + to_go > MAX_HOPS || n->to_go <= to_go)
      return;
   n->to_go = (uint8_t)to_go;
   count(z, n);
   for (uint32_t id = n->users; id != 0; id = USER(z, id)->next)
      reach(z, USER(z, id)->node, to_go + (n->instr != DCFG_NONE));
}

void slice_reach_weak(Slicer* z, const Want* want)
{
   reach(z, want->node, 1);
}

/*------------------------------------------------------------*/
/*--- Wants                                                ---*/
/*------------------------------------------------------------*/

/* WANT's node and that of OTHER, which is in a list, are put together there. */
static bool join(Slicer* z, Want* other, const Want* want)
{
   const WeakNode* a = NODE(z, other->node);
   const WeakNode* b = NODE(z, want->node);
   uint32_t least = a->distance < b->distance ? a->distance : b->distance;
   uint32_t both = other->node;

   /* What has been reached counted those that were there. */
   if (a->instr != DCFG_NONE || a->to_go != NEVER) {
      both = new_node(z, (WeakNode){ .instr = DCFG_NONE, .hops = a->hops });
      if (both == 0 || !add_user(z, &NODE(z, both)->users, other->node))
         return false;
      slice_release_weak(z, other->node);
      other->node = both;
   }
   NODE(z, both)->distance = least;
   return add_user(z, &NODE(z, both)->users, want->node);
}

bool slice_add_weak(Slicer* z, uint32_t head, const Want* want, bool* joined)
{
   *joined = false;
   for (uint32_t id = head; id != 0; ) {
      Want* other = &ELEM(z->wants, Want, id - 1);
      if (slice_is_weak(other) && other->mask == want->mask
          && other->port == want->port && other->reg == want->reg
          && other->limited == want->limited
          && NODE(z, other->node)->hops == NODE(z, want->node)->hops) {
         *joined = true;
         return join(z, other, want);
      }
      id = other->next;
   }
   NODE(z, want->node)->refs++;
   return true;
}

void slice_forget_weak(Slicer* z)
{
   z->weak.nodes.n   = z->weak.users.n   = 0;
   z->weak.free_node = z->weak.free_user = 0;
   z->my_users       = (WeakUsers){ 0 };
}

void slice_free_weak(Slicer* z)
{
   array_free(z->job, &z->weak.nodes, sizeof(WeakNode));
   array_free(z->job, &z->weak.users, sizeof(WeakUser));
}
