/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Basic-block vectors of slices of a run. */

#ifndef DCFG_CMD_SLICES_H
#define DCFG_CMD_SLICES_H

#include "cmd/base/names.h"

/* A run is cut into slices; of each slice a vector says how many instructions
   were executed in which block.  The text is that of PinPlay's .bb files,
   which SimPoint reads too. */
typedef struct RunSlices RunSlices;

/* To OUT, which is the caller's and named PATH in errors.  A slice ends
   before the first block that begins when it has at least SIZE instructions;
   with HEADS, which has an element a node, only before one of these.  THREAD:
   whose blocks; DCFG_ALL_THREADS for all, in the order in which they began. */
RunSlices* slices_new(const Program* g, FILE* out, uint64_t size,
                   const bool* heads, uint32_t thread);

/* A block begins. */
void slices_block(RunSlices* s, uint32_t node);

/* The last slice has ended: write what is left and the table of blocks.
   Returns the number of slices. */
uint64_t slices_end(RunSlices* s);

#endif /* DCFG_CMD_SLICES_H */
