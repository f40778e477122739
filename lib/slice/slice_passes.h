/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading a trace that is sliced, chunk by chunk. */

#ifndef DCFG_LIB_SLICE_PASSES_H
#define DCFG_LIB_SLICE_PASSES_H

#include "lib/slice/slice_states.h"

/* Passes: written by slice_passes.c alone. */
typedef
   struct {
      Job*      job;            // the slice's
      DcfgWet*  w;
      WetCursor* tape;          // reads the tape, with a job of its own
      WetIndex* ix;
      bool      all;            // each chunk before one that was read is read,
                                // too
      WetAhead* ahead;          // uses it in another thread; or NULL
      Array     chunks;         // WetChunkInfo
      uint32_t  chunk;          // the present one
      WetPart   own;            // the present one, if not read ahead; then, or
                                // before, the one that an earlier slice left
      const WetSteps* steps;    // steps of the present chunk
      UnseenWrite* unseen;      // those of the present chunk, by time
      size_t    n_unseen;
   }
   Passes;

/* Return a cursor at the begin of W's tape, which goes anywhere, and prepare JOB
   for the work on what it reads.  Return NULL, and *ERR, on errors. */
WetCursor* slice_tape(DcfgWet* w, Job* job, DcfgError* err);

/* Begin behind the last chunk: take counts of superblocks, activations and the
   graph from the index, and store them in CODE, ACTS and G. */
bool passes_start(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g);

/* Read CHUNK, which is before the present one. */
bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk);
void passes_close(Passes* p);
void passes_free(Passes* p);

#endif /* DCFG_LIB_SLICE_PASSES_H */
