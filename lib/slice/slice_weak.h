/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Results of the program that are still open. */

#ifndef DCFG_LIB_SLICE_WEAK_H
#define DCFG_LIB_SLICE_WEAK_H

#include "lib/slice/slice_kind.h"

/* WeakNode: an instance that joins the slice only if the program later made a
   result through it; or several that want the same. */
typedef
   struct {
      uint32_t instr;           // DCFG_NONE: several
      uint32_t thread;          // the thread that executed it
      uint64_t order;           // as in DcfgSliceNode
      uint32_t users;           // WeakUser, and 1
      uint32_t refs;            // wants and users that name it
      uint32_t distance;
      uint64_t n_asked;         // instances that asked for its control
      uint8_t  hops;            // from a branch, at least
      uint8_t  to_go;           // to a result, as far as is known
      bool     counted;         // already a part of the slice
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

/* The id of a new node, which is WITH but has one reference; 0 without
   memory. */
uint32_t weak_new(Weak* w, WeakNode with);

/* NODE is added to the list of users at *HEAD, and has one reference more. */
bool weak_add_user(Weak* w, uint32_t* head, uint32_t node);

/* NODE has one reference more, or less. */
void weak_hold(Weak* w, uint32_t node);
void weak_release(Weak* w, uint32_t node);

/* Both nodes want the same bytes: of *OTHER and NODE one is made, in place of
   *OTHER. */
bool weak_join(Weak* w, uint32_t* other, uint32_t node);

/* The program made a result that NODE wants: who used it on a way that is short
   enough is counted in F. */
void weak_reach(Weak* w, uint32_t node, Found* f);

/* There are no nodes any more. */
void weak_forget(Weak* w);
void weak_free(Weak* w);

#endif /* DCFG_LIB_SLICE_WEAK_H */
