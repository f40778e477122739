/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Backward slices. */

#ifndef DCFG_LIB_SLICE_BACK_H
#define DCFG_LIB_SLICE_BACK_H

#include "lib/slice/slice_chunks.h"
#include "lib/slice/slice_found.h"

/* Add wants for the values that M, at SPOT, used: registers and memory to L,
   branches to B.  Count in F the values that are not followed. */
bool uses_want(Found* f, const Acts* acts, const Spot* spot, const Member* m,
               Live* l, BranchJoins* b);

/* Walk from the end to the begin, or until nothing is wanted.  X has the
   execution of the line that is asked for, if it has a number.  FOUND gets the
   members, from the last to the first. */
bool slice_backward(Passes* passes, SliceCode* code, Acts* acts, Live* live,
                    BranchJoins* joins, const Executions* x, Found* found);

#endif /* DCFG_LIB_SLICE_BACK_H */
