/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The same trace once more. */

#ifndef DCFG_LIB_SLICE_REOPEN_H
#define DCFG_LIB_SLICE_REOPEN_H

#include "lib/wet/wet.h"

/* W once more, at its begin, and a job for what is to be done with it; NULL
   with *ERR set if that cannot be. */
DcfgWet* slice_reopen(DcfgWet* w, Job* job, DcfgError* err);

/* W is FIRST once more: how many instances there were before its begin. */
bool slice_same_trace(Job* job, DcfgWet* w, const DcfgWet* first);

#endif /* DCFG_LIB_SLICE_REOPEN_H */
