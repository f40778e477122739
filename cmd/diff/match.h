
/*--------------------------------------------------------------------*/
/*--- What two DCFGs have in common.                       match.h ---*/
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

#ifndef DCFG_CMD_MATCH_H
#define DCFG_CMD_MATCH_H

#include "cmd/shared/builds.h"

typedef
   enum {
      MATCH_FUNCTIONS, MATCH_LOOPS, MATCH_ROUTINES, MATCH_BLOCKS, MATCH_EDGES
   }
   Kind;

/* A thing that is in A, in B or in both: by builds.h in images that were built
   anew, else by its offset in the image. */
typedef
   struct {
      uint32_t a, b;            // index; DCFG_NONE where it is not
      uint64_t count_a, count_b;
   }
   Pair;

/* All things of KIND that are executed, in no order.  Counts are executions
   of blocks, traversals of edges, instructions of functions and routines,
   iterations of loops.  Functions are those of build_functions(). */
Pair* match(Builds* builds, const Program* a, const Program* b, Kind kind,
            size_t* n);

#endif /* DCFG_CMD_MATCH_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
