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
