/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Natural loops. */

#ifndef __DCFG_LOOP_H
#define __DCFG_LOOP_H

#include "graph/routine.h"

typedef
   struct {
      UInt routine;                  // its number
      UInt head;                     // node id
      UInt parent;                   // head of the next outer loop, or 0
      UInt first_back, n_backs;      // in Loops.ids: back edge sources
      UInt n_nodes;                  // members
   }
   Loop;

typedef
   struct {
      UInt  n_loops;
      Loop* loops;                   // by (routine, head)
      UInt  n_ids;
      UInt* ids;                     // node ids, ascending in each list
      UInt* place;                   // of each block in .blocks, where the
      UInt* blocks;                  // members of each loop stand together
   }
   Loops;

Loops* DCFG_(find_loops)(const Graph* g, const Routines* r);

/* L's members, ascending.  NODES has room for them. */
void DCFG_(loop_nodes)(const Loops* ls, const Routines* r, const Loop* l,
                       UInt* nodes);

void DCFG_(delete_loops)(Loops* l);

#endif /* __DCFG_LOOP_H */
