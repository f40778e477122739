/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Natural loops. */

#ifndef __DCFG_LOOP_H
#define __DCFG_LOOP_H

#include "tool/graph/routine.h"

typedef
   struct {
      UInt routine;                  // its number
      UInt head;                     // node id
      UInt parent;                   // head of the loop around it, or 0
      UInt first_back, n_backs;      // in Loops.ids: sources of back edges
      UInt n_nodes;                  // members
   }
   Loop;

typedef
   struct {
      UInt  n_loops;
      Loop* loops;                   // by (routine, head)
      UInt  n_ids;
      UInt* ids;                     // node ids, ascending in each list
      UInt* place;                   // for each block: its index in .blocks
      UInt* blocks;                  // blocks, so ordered that loops are ranges
   }
   Loops;

Loops* DCFG_(find_loops)(const Graph* g, const Routines* r);

/* Write the nodes of L to NODES, ascending.  NODES has room for .n_nodes. */
void DCFG_(loop_nodes)(const Loops* ls, const Routines* r, const Loop* l,
                       UInt* nodes);

void DCFG_(delete_loops)(Loops* l);

#endif /* __DCFG_LOOP_H */
