/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   LoopPoint's vectors: slices of all threads, cut together. */

#ifndef DCFG_CMD_LOOP_SLICES_H
#define DCFG_CMD_LOOP_SLICES_H

#include "cmd/base/names.h"

/* LoopRules: where slices end, and what their vectors have.  Arrays have an
   element for each node. */
typedef
   struct {
      uint64_t    size;         // instructions of all threads in a slice
      const bool* heads;        // a slice ends before one of these
      const bool* skipped;      // in no vector, and no part of the size
      const bool* own;          // code of images that have heads
      bool        from_begin;   // see counts_from_begin()
   }
   LoopRules;

typedef struct LoopSlices LoopSlices;

/* Begin.  The files are the caller's: GLOBAL and CONCATENATED for all threads,
   and an array of one for each thread.  The rules last as long as the
   slices. */
LoopSlices* loop_slices_new(const Program* g, const LoopRules* rules,
                            FILE* global, FILE* concatenated, FILE** threads);

/* Thread THREAD begins a block. */
void loop_slices_block(LoopSlices* s, uint32_t thread, uint32_t node);

/* End the last slice, and write the rest.  Return the number of slices. */
uint64_t loop_slices_end(LoopSlices* s);

#endif /* DCFG_CMD_LOOP_SLICES_H */
