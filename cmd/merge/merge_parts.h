/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of one run. */

#ifndef DCFG_CMD_MERGE_PARTS_H
#define DCFG_CMD_MERGE_PARTS_H

#include "lib/dcfg.h"
#include "cmd/merge/merge.h"

/* Give the images of part P their numbers in the run.  Die if PART does not fit
   the file. */
void      part_images(const DcfgProcess* p, MergedImage* images,
                      const char* path);

/* Return, for each of N numbers, the index of the image in M, or UINT32_MAX; to
   be freed. */
uint32_t* find_numbers(const Merged* m, const uint32_t* numbers, uint32_t n);

/* Find the block that ends with the instruction at OFFSET, in the image with
   NUMBER. */
bool      find_end(const Merged* m, uint32_t number, uint64_t offset,
                   uint32_t* place, uint32_t* block);

/* Join the threads of M to those of the next part, whose steps are STEPS: a
   thread's EXIT in M and its ENTRY in STEPS become the edge between them, in
   STEPS. */
void      join_threads(Merged* m, const DcfgPart* part, MergedStep* steps,
                       size_t n_steps, const char* path);

/* Join blocks that only the cuts divided, when M has all parts. */
void      join_blocks(Merged* m);

#endif /* DCFG_CMD_MERGE_PARTS_H */
