/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passes forward over a trace: for its index, and for a question. */

#ifndef DCFG_LIB_SLICE_INDEX_H
#define DCFG_LIB_SLICE_INDEX_H

#include "lib/slice/slice_acts.h"

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
