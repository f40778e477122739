/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs, added to a sum. */

#ifndef DCFG_CMD_MERGE_RUNS_H
#define DCFG_CMD_MERGE_RUNS_H

#include "cmd/base/interned.h"
#include "cmd/merge/merge.h"
#include "cmd/base/names.h"

/* Return why process G cannot be added to any sum; NULL if it can. */
const char* run_fault(const Program* g);

/* Describe the run G, read from PATH: keys of its order, and which part it
   is. */
MergedRun   describe_run(const Program* g, const char* path);

/* Add process G, which has no fault and was read from PATH, to M: a partial
   sum, or RUN.  M begins as all zero but for .keep and .apart.  Code is looked
   for below ROOT, if that is not NULL.  Die if the run has other code. */
void        merged_add(Merged* m, Interned* names, const Program* g,
                       const MergedRun* run, const char* path,
                       const char* root);

/* Add the next part of its run to M, which begins as all zero. */
void        merged_add_part(Merged* m, Interned* names, const Program* g,
                            const char* path, const char* root);

#endif /* DCFG_CMD_MERGE_RUNS_H */
