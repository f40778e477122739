/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Hashes of runs. */

#ifndef DCFG_CMD_MERGE_HASH_H
#define DCFG_CMD_MERGE_HASH_H

#include "cmd/base/names.h"
#include "cmd/merge/merge.h"

/* Return a hash of all contents of a run, for the order of runs. */
uint64_t run_hash(const Program* g);

/* Return a hash of everything about the images of code without a file among
   IMAGES, which are G's.  NUMBER: see read_images(). */
uint64_t group_hash(const Program* g, const MergedImage* images,
                    const uint32_t* number);

#endif /* DCFG_CMD_MERGE_HASH_H */
