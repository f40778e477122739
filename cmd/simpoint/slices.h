/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Cuts a run into slices, and writes their basic-block vectors. */

#ifndef DCFG_CMD_SLICES_H
#define DCFG_CMD_SLICES_H

#include "cmd/base/names.h"

/* RunSlices: the slices of a run.  The vector of a slice has the number of
   instructions that it executed in each block.  The output is a PinPlay .bb
   file, which SimPoint reads, too. */
typedef struct RunSlices RunSlices;

/* Return the slices of a run, for slices_end(), which write to OUT; the caller
   owns it.  A slice ends before the first block that begins when the slice has
   at least SIZE instructions.  If HEADS is not NULL, it has an element for each
   node, and a slice ends only before one of these.  FROM_BEGIN is the result of
   counts_from_begin().  THREAD is the thread of the blocks; DCFG_ALL_THREADS:
   all threads, in the order in which they begin blocks. */
RunSlices* slices_new(const Program* g, FILE* out, uint64_t size,
                   const bool* heads, bool from_begin, uint32_t thread);

/* Add the block NODE, which begins.  Nodes that are no blocks are ignored. */
void slices_block(RunSlices* s, uint32_t node);

/* Write the last slice and the table of blocks, and free S.  Return the number
   of slices. */
uint64_t slices_end(RunSlices* s);

#endif /* DCFG_CMD_SLICES_H */
