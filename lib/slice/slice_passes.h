/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading a trace that is sliced, chunk by chunk. */

#ifndef DCFG_LIB_SLICE_PASSES_H
#define DCFG_LIB_SLICE_PASSES_H

#include "lib/slice/slice_states.h"

/* Passes: written by slice_passes.c alone. */
typedef
   struct {
      Job*      job;            // the slice's; the trace's is its reader's
      DcfgWet*  w;
      WetIndex* ix;
      bool      all;            // each chunk before one that was read is read,
                                // too
      WetAhead* ahead;          // reads the tape; only tables of the trace are
                                // used here meanwhile
      Array     chunks;         // WetChunkInfo
      uint32_t  chunk;          // the present one
      WetPart   own;            // the present one, if not read ahead; then, or
                                // before, the one that an earlier slice left
      const WetSteps* steps;    // steps of the present chunk
      UnseenWrite* unseen;      // those of the present chunk, by time
      size_t    n_unseen;
   }
   Passes;

/* Begin behind the last chunk: take counts of superblocks, activations and the
   graph from the index, and store them in CODE, ACTS and G. */
bool passes_start(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g);

/* Read CHUNK, which is before the present one. */
bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk);
void passes_close(Passes* p);
void passes_free(Passes* p);

#endif /* DCFG_LIB_SLICE_PASSES_H */
