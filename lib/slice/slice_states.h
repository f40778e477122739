/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Activations, to an index and out of one. */

#ifndef DCFG_LIB_SLICE_STATES_H
#define DCFG_LIB_SLICE_STATES_H

#include "lib/index/index_make.h"
#include "lib/slice/slice_acts.h"

/* All that ACTS, at the end of the first pass, knows of states at chunks'
   begins, to M. */
bool states_put(const Acts* acts, IndexMaker* m);

/* ACTS is as at the end of the first pass, but for states: these are there when
   they have been asked for. */
bool states_start(Acts* acts, const WetIndex* ix);

/* Have the places of all threads at the begin of CHUNK, which may be the end. */
bool states_load(Acts* acts, const WetIndex* ix, uint32_t chunk);

/* Is everything behind CHUNK, which ACTS has gone through, as IX says? */
bool states_agree(const Acts* acts, const WetIndex* ix, uint32_t chunk);

#endif /* DCFG_LIB_SLICE_STATES_H */
