/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Results of the program that are still open. */

#ifndef DCFG_LIB_SLICE_WEAK_H
#define DCFG_LIB_SLICE_WEAK_H

#include "lib/slice/slice_kind.h"

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

/* Weak: written by slice_weak.c alone. */
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

/* Return the id of a new node, a copy of WITH with one reference; 0 if memory
   is exhausted. */
uint32_t weak_new(Weak* w, WeakNode with);

/* Add NODE to the list of users at *HEAD, with one more reference. */
bool weak_add_user(Weak* w, uint32_t* head, uint32_t node);

/* Take a reference to NODE; give one back. */
void weak_hold(Weak* w, uint32_t node);
void weak_release(Weak* w, uint32_t node);

/* Join *OTHER and NODE, which want the same bytes, to one node, and make *OTHER
   that node. */
bool weak_join(Weak* w, uint32_t* other, uint32_t node);

/* Count in F the users of a result of the program, which NODE wants, on
   paths that are short enough. */
void weak_reach(Weak* w, uint32_t node, Found* f);

/* Forget all nodes. */
void weak_forget(Weak* w);
void weak_free(Weak* w);

#endif /* DCFG_LIB_SLICE_WEAK_H */
