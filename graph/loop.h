
/*--------------------------------------------------------------------*/
/*--- Natural loops.                                  graph/loop.h ---*/
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
