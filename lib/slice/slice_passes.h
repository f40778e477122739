/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The passes over a trace that is sliced. */

#ifndef DCFG_LIB_SLICE_PASSES_H
#define DCFG_LIB_SLICE_PASSES_H

#include "lib/slice/slice_states.h"

/* Passes: written by slice_passes.c alone. */
typedef
   struct {
      Job*      job;            // not the trace's: that is the reader's
      DcfgWet*  w;
      WetAhead* ahead;          // who reads its tape, so that nothing is left
                                // of it here but its tables
      Array     index;          // WetChunkInfo
      const WetSteps* steps;    // steps of the part in work
      bool      plain;          // activations are not needed: no control, no
                                // handlers, and the top of x87's stack is 0
      bool      moved;          // it is not; see slice_passes.c
      WetIndex* ix;             // or NULL: it has what a pass forward finds
      bool      skips;          // chunks are asked for by their numbers
      WetPart   own;            // the one in work then
   }
   Passes;

/* Forward: how often superblocks ran, to CODE, and where the chunks are; what
   is not plain has its activations in ACTS and the graph in G. */
bool passes_forward(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g);

/* Backward, and how many instances there are; then chunk by chunk.  If .moved
   comes to be set, all has to be done once more with it. */
bool passes_begin_back(Passes* p, uint64_t* n_instrs);
bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk);
void passes_close(Passes* p);
void passes_free(Passes* p);

#endif /* DCFG_LIB_SLICE_PASSES_H */
