/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Activations, to an index and out of one. */

#ifndef DCFG_LIB_SLICE_STATES_H
#define DCFG_LIB_SLICE_STATES_H

#include "lib/index/index_make.h"
#include "lib/slice/slice_acts.h"

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

#endif /* DCFG_LIB_SLICE_STATES_H */
