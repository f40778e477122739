/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The wants of members of a backward slice. */

#ifndef DCFG_LIB_SLICE_USES_H
#define DCFG_LIB_SLICE_USES_H

#include "lib/slice/slice_kind.h"

/* Add wants for the values that M, at SPOT, used: registers and memory to L,
   branches to B.  Count in F the values that are not followed. */
bool uses_want(Found* f, const Acts* acts, const Spot* spot, const Member* m,
               Live* l, BranchJoins* b);

#endif /* DCFG_LIB_SLICE_USES_H */
