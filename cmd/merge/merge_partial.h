/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Partial sums, read. */

#ifndef DCFG_CMD_MERGE_PARTIAL_H
#define DCFG_CMD_MERGE_PARTIAL_H

#include "cmd/base/interned.h"
#include "cmd/base/names.h"
#include "cmd/merge/merge.h"

/* Return what is wrong with the MERGED of G; NULL if nothing is. */
const char* partial_fault(const Program* g);

/* The runs of a partial sum; their counts are P's.  To be freed. */
MergedRun*  partial_runs(const DcfgMerged* p);

/* IMAGES, which read_images() has read of the partial sum G, become what they
   are in its runs; .home is a number of one of these.  By edge, whether it is in
   no run; to be freed. */
bool*       partial_images(const Program* g, Interned* names,
                           MergedImage* images, const uint32_t* number);

#endif /* DCFG_CMD_MERGE_PARTIAL_H */
