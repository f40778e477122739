/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Routines, immediate dominators and natural loops. */

#ifndef __DCFG_ROUTINE_H
#define __DCFG_ROUTINE_H

#include "tool/graph/graph.h"

/* BlockSymbol: the function of a block according to symbols. */
typedef
   struct {
      UInt function;   // number of the function; 0: not known
      Bool starts;     // does the block begin with the function's first byte?
   }
   BlockSymbol;

typedef
   struct {
      UInt node;       // node id
      UInt idom;       // immediate dominator's id; an entry has its own
   }
   RoutineNode;

typedef
   struct {
      UInt entry;      // node id
      UInt first_node, n_nodes;   // in Routines.nodes, by id
      UInt first_exit, n_exits;   // in Routines.exits, by id
   }
   Routine;

typedef
   struct {
      UInt         n_routines;
      Routine*     routines;      // by entry's id
      RoutineNode* nodes;
      UInt*        exits;         // node ids
      UInt*        routine_of;    // for each block: its routine
      UInt*        idom;          // for each block: the block of its immediate
                                  // dominator
   }
   Routines;

/* Divide all blocks of GRAPH into routines.  SYMBOLS has an element for each
   block. */
Routines* DCFG_(find_routines)(const Graph* graph, const BlockSymbol* symbols);

void DCFG_(delete_routines)(Routines* r);

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

Loops* DCFG_(find_loops)(const Graph* graph, const Routines* r);

/* Write the nodes of L to NODES, ascending.  NODES has room for .n_nodes. */
void DCFG_(loop_nodes)(const Loops* ls, const Routines* r, const Loop* l,
                       UInt* nodes);

void DCFG_(delete_loops)(Loops* l);

#endif
