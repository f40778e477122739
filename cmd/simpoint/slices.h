/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Basic-block vectors of slices of a run. */

#ifndef DCFG_CMD_SLICES_H
#define DCFG_CMD_SLICES_H

#include "cmd/base/names.h"

/* RunSlices: cuts a run into slices.  The vector of a slice has the number of
   instructions executed in each block.  The text is that of PinPlay's .bb
   files, which SimPoint reads, too. */
typedef struct RunSlices RunSlices;

/* Begin, with output to OUT, which the caller owns.  A slice ends before the
   first block that begins after at least SIZE instructions; with HEADS, which
   has an element for each node, only before one of these.  FROM_BEGIN: counts of
   executions begin with the process, see counts_from_begin().  THREAD: the
   thread of the blocks; DCFG_ALL_THREADS: all, in the order in which they
   began. */
RunSlices* slices_new(const Program* g, FILE* out, uint64_t size,
                   const bool* heads, bool from_begin, uint32_t thread);

/* Begin a block. */
void slices_block(RunSlices* s, uint32_t node);

/* End the last slice: write the rest, and the table of blocks.  Return the
   number of slices. */
uint64_t slices_end(RunSlices* s);

#endif /* DCFG_CMD_SLICES_H */
