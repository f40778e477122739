/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The common parts of two DCFGs. */

#ifndef DCFG_CMD_MATCH_H
#define DCFG_CMD_MATCH_H

#include "cmd/builds/builds.h"

typedef
   enum {
      MATCH_FUNCTIONS, MATCH_LOOPS, MATCH_ROUTINES, MATCH_BLOCKS, MATCH_EDGES
   }
   Kind;

/* Pair: a thing of A, of B or of both.  Things are the same by builds.h in
   rebuilt images, by their offsets in others. */
typedef
   struct {
      uint32_t a, b;            // index; DCFG_NONE if the run does not have it
      uint64_t count_a, count_b;
   }
   Pair;

/* Return all executed things of KIND, in no order; *N is their number.  Counts
   are executions of blocks, traversals of edges, instructions of functions and
   routines, iterations of loops.  Functions are those of build_function(). */
Pair* match(Builds* builds, const Program* a, const Program* b, Kind kind,
            size_t* n);

#endif /* DCFG_CMD_MATCH_H */
