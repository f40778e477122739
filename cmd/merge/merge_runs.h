/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs, added to a sum. */

#ifndef DCFG_CMD_MERGE_RUNS_H
#define DCFG_CMD_MERGE_RUNS_H

#include "cmd/base/interned.h"
#include "cmd/merge/merge.h"
#include "cmd/base/names.h"

/* Return why the process G cannot be added to anything; NULL if it can. */
const char* run_fault(const Program* g);

/* Describe the run G, which was read from PATH: keys of its order, and which part
   it is. */
MergedRun   describe_run(const Program* g, const char* path);

/* Add to M, which begins as all zero but for what it keeps apart, the process G
   without a fault, which was read from PATH: a partial sum, or RUN.  Code is
   looked for below ROOT, if that is not NULL.  Dies where the run is no run of
   the same code. */
void        merged_add(Merged* m, Interned* names, const Program* g,
                       const MergedRun* run, const char* path,
                       const char* root);

/* Add to M, which begins as all zero, the next part of its run. */
void        merged_add_part(Merged* m, Interned* names, const Program* g,
                            const char* path, const char* root);

#endif /* DCFG_CMD_MERGE_RUNS_H */
