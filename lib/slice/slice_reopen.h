/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The same trace once more. */

#ifndef DCFG_LIB_SLICE_REOPEN_H
#define DCFG_LIB_SLICE_REOPEN_H

#include "lib/wet/wet.h"

/* Open W once more, at its begin, and prepare JOB for the work on it.  Return
   NULL, and *ERR, on errors. */
DcfgWet* slice_reopen(DcfgWet* w, Job* job, DcfgError* err);

/* Take from FIRST, the same trace, how many instances there were before the
   begin. */
bool slice_same_trace(Job* job, DcfgWet* w, const DcfgWet* first);

#endif /* DCFG_LIB_SLICE_REOPEN_H */
