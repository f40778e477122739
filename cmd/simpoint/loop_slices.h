/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   LoopPoint's vectors: slices of all threads, cut together. */

#ifndef DCFG_CMD_LOOP_SLICES_H
#define DCFG_CMD_LOOP_SLICES_H

#include "cmd/base/names.h"

/* LoopRules: the rules for the ends of slices and for the vectors.  Arrays have
   an element for each node. */
typedef
   struct {
      uint64_t    size;         // instructions of all threads in a slice
      const bool* heads;        // a slice ends before one of these blocks
      const bool* skipped;      // these are in no vector, and not counted
      const bool* own;          // the end of the run is at one of these
      bool        from_begin;   // see counts_from_begin()
   }
   LoopRules;

/* LoopSlices: cuts a run of several threads into slices. */
typedef struct LoopSlices LoopSlices;

/* Return the slices of a run, for loop_slices_end(), and write the heads of
   files.  GLOBAL and CONCATENATED are the files for all threads; THREADS has a
   file for each thread.  The caller owns the files and RULES, which must last
   until the end. */
LoopSlices* loop_slices_new(const Program* g, const LoopRules* rules,
                            FILE* global, FILE* concatenated, FILE** threads);

/* Add the block NODE, which THREAD begins.  Blocks come in the order in which
   they ran. */
void loop_slices_block(LoopSlices* s, uint32_t thread, uint32_t node);

/* Write the last slice and the tables of blocks, and free S.  Return the number
   of slices.  Die if the blocks were not those of the DCFG. */
uint64_t loop_slices_end(LoopSlices* s);

#endif /* DCFG_CMD_LOOP_SLICES_H */
