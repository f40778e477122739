/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of one run. */

#ifndef DCFG_CMD_MERGE_PARTS_H
#define DCFG_CMD_MERGE_PARTS_H

#include "lib/dcfg.h"
#include "cmd/merge/merge.h"

/* The images of the part P know their numbers; dies where what P says of
   itself does not fit. */
void      part_images(const DcfgProcess* p, MergedImage* images,
                      const char* path);

/* For each of these N numbers the place of the image in M, or UINT32_MAX.  To
   be freed. */
uint32_t* find_numbers(const Merged* m, const uint32_t* numbers, uint32_t n);

/* The block of an image by its number that ends with the instruction at
   OFFSET. */
bool      find_end(const Merged* m, uint32_t number, uint64_t offset,
                   uint32_t* place, uint32_t* block);

/* STEPS are those of a part that follows the ones in M: a thread's EXIT there
   and its ENTRY here become the edge between them, in STEPS. */
void      join_threads(Merged* m, const DcfgPart* part, MergedStep* steps,
                       size_t n_steps, const char* path);

/* All parts are in M: what nothing but the cuts divided is one block again. */
void      join_blocks(Merged* m);

#endif /* DCFG_CMD_MERGE_PARTS_H */
