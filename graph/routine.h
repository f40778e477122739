
/*--------------------------------------------------------------------*/
/*--- Routines and immediate dominators.           graph/routine.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
