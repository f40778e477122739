/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pairs the executed functions, loops, routines, blocks and edges of two
   DCFGs. */

#ifndef DCFG_CMD_MATCH_H
#define DCFG_CMD_MATCH_H

#include "cmd/builds/builds.h"

/* Kind: the kinds of things that are paired. */
typedef
   enum {
      MATCH_FUNCTIONS, MATCH_LOOPS, MATCH_ROUTINES, MATCH_BLOCKS, MATCH_EDGES
   }
   Kind;

/* Pair: a thing that A, B or both executed.  In rebuilt images, builds.h says
   which things are the same; in other images, those with equal offsets are. */
typedef
   struct {
      uint32_t a, b;            // index; DCFG_NONE if the run does not have it
      uint64_t count_a, count_b;
   }
   Pair;

/* Return all executed things of KIND, in no order, to be freed; *N is their
   number.  Counts are executions of blocks, traversals of edges, instructions
   of functions and routines, iterations of loops.  Functions are those of
   build_function(). */
Pair* match(Builds* builds, const Program* a, const Program* b, Kind kind,
            size_t* n);

#endif /* DCFG_CMD_MATCH_H */
