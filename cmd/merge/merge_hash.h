/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Hashes of runs. */

#ifndef DCFG_CMD_MERGE_HASH_H
#define DCFG_CMD_MERGE_HASH_H

#include "cmd/base/names.h"
#include "cmd/merge/merge.h"

/* Something to order runs by, which depends on nothing but what is in them. */
uint64_t run_hash(const Program* g);

/* A hash of all that touches the N images of code without a file among IMAGES,
   which are those of G.  NUMBER: see read_images(). */
uint64_t group_hash(const Program* g, const MergedImage* images,
                    const uint32_t* number);

#endif /* DCFG_CMD_MERGE_HASH_H */
