/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Partial sums, read. */

#ifndef DCFG_CMD_MERGE_PARTIAL_H
#define DCFG_CMD_MERGE_PARTIAL_H

#include "cmd/base/interned.h"
#include "cmd/base/names.h"
#include "cmd/merge/merge.h"

/* Return the fault in MERGED of G, or NULL. */
const char* partial_fault(const Program* g);

/* Return the runs of a partial sum, to be freed.  P owns their counts. */
MergedRun*  partial_runs(const DcfgMerged* p);

/* Turn IMAGES, read from the partial sum G by read_images(), into what they are
   in its runs; .home is the number of one of these.  Return, by edge, whether
   no run has it; to be freed. */
bool*       partial_images(const Program* g, Interned* names,
                           MergedImage* images, const uint32_t* number);

#endif /* DCFG_CMD_MERGE_PARTIAL_H */
