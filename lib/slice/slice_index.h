/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passes forward over a trace, and what an index has of activations. */

#ifndef DCFG_LIB_SLICE_INDEX_H
#define DCFG_LIB_SLICE_INDEX_H

#include "lib/index/wet_index.h"
#include "lib/slice/slice_acts.h"

/* Return a cursor at the begin of W's tape, which goes anywhere, and prepare JOB
   for the work on what it reads.  Return NULL, and *ERR, on errors. */
WetCursor* slice_tape(DcfgWet* w, Job* job, DcfgError* err);

/* Store all that ACTS knows of states at chunks' begins, after the first pass,
   in M. */
bool states_put(const Acts* acts, IndexMaker* m);

/* Make ACTS as after the first pass, but without states: these are loaded when
   needed. */
bool states_start(Acts* acts, const WetIndex* ix);

/* Load the positions of all threads at the begin of CHUNK, which may be the
   end. */
bool states_load(Acts* acts, const WetIndex* ix, uint32_t chunk);

/* Return whether ACTS, after CHUNK, is in the state that IX has. */
bool states_agree(const Acts* acts, const WetIndex* ix, uint32_t chunk);

/* Make an index of W in memory, unless it has one that fits.  Make one in any
   case, and use it in place of an earlier one.  OUTSIDE is as in
   dcfg_slice_make_index().  Return false, and set *ERR, on errors. */
bool slice_find_index(DcfgWet* w, const bool* outside, DcfgError* err);
bool slice_make_own_index(DcfgWet* w, const bool* outside, DcfgError* err);

/* Go over CODE's trace with TAPE, which is at its begin, for CALLBACKS and, unless
   it is NULL, X. */
bool slice_look_forward(const SliceCode* code, WetCursor* tape,
                        Callbacks* callbacks, Executions* x);

#endif /* DCFG_LIB_SLICE_INDEX_H */
