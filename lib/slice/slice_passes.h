/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The passes over a trace that is sliced. */

#ifndef DCFG_LIB_SLICE_PASSES_H
#define DCFG_LIB_SLICE_PASSES_H

#include "lib/slice/slice_states.h"

/* Passes: written by slice_passes.c alone. */
typedef
   struct {
      Job*      job;            // the slice's
      DcfgWet*  w;
      WetCursor* tape;          // reads the tape, with a job of its own
      WetAhead* ahead;          // uses it in another thread; or NULL
      Array     index;          // WetChunkInfo
      const WetSteps* steps;    // steps of the present part
      bool      plain;          // activations are not needed: no control, no
                                // handlers, and x87's top is 0
      bool      moved;          // x87's top is not always 0: see slice_passes.c
      WetIndex* ix;             // has what a pass forward finds; or NULL
      bool      skips;          // chunks are read by number
      WetIndex* unseen_ix;      // has the unseen writes; NULL: a pass finds them
      UnseenWrite* unseen;      // those of the present chunk, by time
      size_t    n_unseen;
      WetPart   own;            // the present one, then, or the one that an
                                // earlier slice left
   }
   Passes;

/* Return a cursor at the begin of W's tape, which goes anywhere, and prepare JOB
   for the work on what it reads.  Return NULL, and *ERR, on errors. */
WetCursor* slice_tape(DcfgWet* w, Job* job, DcfgError* err);

/* Go forward: store counts of superblocks in CODE, find the chunks, and, unless
   .plain, store activations in ACTS and the graph in G. */
bool passes_forward(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g);

/* Begin to go backward; *N_INSTRS is the number of instances.  Then take chunk
   by chunk.  If .moved gets set, all has to be done once more. */
bool passes_begin_back(Passes* p, uint64_t* n_instrs);
bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk);
void passes_close(Passes* p);
void passes_free(Passes* p);

#endif /* DCFG_LIB_SLICE_PASSES_H */
