/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs, added to a sum. */

#ifndef DCFG_CMD_MERGE_RUNS_H
#define DCFG_CMD_MERGE_RUNS_H

#include "cmd/base/interned.h"
#include "cmd/merge/merge.h"
#include "cmd/base/names.h"

typedef
   enum {
      ADD_THREADS,              // thread 0 is added to thread 0, and so on
      KEEP_THREADS,             // all are further ones
      NEXT_PART                 // goes on where the parts in M end; its data
                                // say so
   }
   AddHow;

/* Add to M, which begins as all zero, the run G, which was read from PATH.
   Code is looked for below ROOT, if that is not NULL.  Dies where the run is
   no run of the same code. */
void     merged_add(Merged* m, Interned* names, const Program* g,
                    const char* path, AddHow how, const char* root);

/* Something to order runs by, which depends on nothing but what is in them. */
uint64_t run_hash(const Program* g);

#endif /* DCFG_CMD_MERGE_RUNS_H */
