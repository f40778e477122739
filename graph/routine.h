/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Routines and immediate dominators. */

#ifndef __DCFG_ROUTINE_H
#define __DCFG_ROUTINE_H

#include "graph/graph.h"

/* What symbols say of a block. */
typedef
   struct {
      UInt function;   // a number of the function it is in; 0: not known
      Bool starts;     // its first byte is that function's first
   }
   BlockSymbol;

typedef
   struct {
      UInt node;       // node id
      UInt idom;       // of its immediate dominator; the entry's is itself
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
      UInt*        routine_of;    // for each block of the graph
      UInt*        idom;          // the same, as a block number
   }
   Routines;

/* Divides all blocks of G into routines.  SYMBOLS has one element for
   each block. */
Routines* DCFG_(find_routines)(const Graph* g, const BlockSymbol* symbols);

void DCFG_(delete_routines)(Routines* r);

#endif /* __DCFG_ROUTINE_H */
