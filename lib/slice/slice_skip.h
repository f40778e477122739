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
      WetIndex*          ix;
      const SliceCode*   code;
      const Acts*        acts;
      const Live*        live;
      const BranchJoins* joins;
      uint64_t           end;   // .order of the last instance of the execution
                                // asked for, if it has a number
      uint8_t*           criteria;      // by chunk: it may have a criterion
      NumberMap          groups;        // keys: groups; values: index in
                                        // .branches, + 1
      Array              branches;      // uint8_t*: by chunk: it may have a
                                        // branch of the group
      Array              words; // uint64_t: words of memory that are wanted
   }
   Skip;

/* SkipSearch: the state of the search for the criterion. */
typedef
   struct {
      bool     looking;         // its last instance is not found yet
      uint32_t act;             // look at all instances of this activation; or
                                // 0
   }
   SkipSearch;

/* Prepare the other members of S; .ix to .end are set. */
bool skip_start(Skip* s);
void skip_free(Skip* s);

/* Set *CHUNK to the latest chunk before it that may matter.  Return false if
   there is none, and on errors, with the job's error set. */
bool skip_back(Skip* s, const SkipSearch* search, uint32_t* chunk);

/* Return when THREAD began, as in DcfgSlice, if all chunks from CHUNK on were
   visited or skipped; return when it ended. */
uint64_t skip_thread_begin(const Skip* s, uint32_t thread, uint32_t chunk);
uint64_t skip_thread_end(const Skip* s, uint32_t thread, uint32_t chunk);

#endif /* DCFG_LIB_SLICE_SKIP_H */
