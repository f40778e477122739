/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Chunks that are nothing to a slice. */

#ifndef DCFG_LIB_SLICE_SKIP_H
#define DCFG_LIB_SLICE_SKIP_H

#include "lib/slice/slice_branch_joins.h"

/* Skip: written by slice_skip.c alone. */
typedef
   struct {
      Job*               job;
      WetIndex*          ix;    // NULL: nothing is passed over
      const SliceCode*   code;
      const Acts*        acts;
      const Live*        live;
      const BranchJoins* joins;
      uint8_t*           criteria;      // by chunk: it may have one
      NumberMap          groups;        // number in .branches, and 1
      Array              branches;      // uint8_t*: by chunk: it may have a
                                // branch of the group
      Array              words; // uint64_t: of memory that is wanted
   }
   Skip;

/* SkipSearch: how far the search for the criterion is. */
typedef
   struct {
      bool     looking;         // for its last instance
      uint32_t act;             // all instances of this one are asked; or 0
   }
   SkipSearch;

/* Begin, with .ix to .joins set. */
bool skip_start(Skip* s);
void skip_free(Skip* s);

/* The latest chunk before *CHUNK that may matter, to *CHUNK, and true; false if
   there is none, or an error, which is the job's then. */
bool skip_back(Skip* s, const SkipSearch* search, uint32_t* chunk);

/* When THREAD was made, as DcfgSlice has it, if all chunks from CHUNK on were
   gone through or passed over; and when it ended. */
uint64_t skip_thread_begin(const Skip* s, uint32_t thread, uint32_t chunk);
uint64_t skip_thread_end(const Skip* s, uint32_t thread, uint32_t chunk);

#endif /* DCFG_LIB_SLICE_SKIP_H */
