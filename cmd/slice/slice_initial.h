/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Initial memory that somebody else wrote. */

#ifndef DCFG_CMD_SLICE_INITIAL_H
#define DCFG_CMD_SLICE_INITIAL_H

#include "cmd/slice/slice_query.h"

/* Return whether somebody else wrote what node USER of F's slice loads over IN, one
   of its inputs: the library says so, or no executed instruction wrote the bytes,
   and they are not those with which the memory began.  Where these are not known for
   sure, return false. */
bool input_is_unseen(Sliced* f, uint32_t user, const DcfgSliceInput* in);

/* Set *U to the bytes that somebody else wrote over those with which the memory
   began, and that USER loads.  .since is the time at which it began, .time that of
   the first instance that loads some.  Return false if there are none. */
bool initial_unseen(Sliced* f, uint32_t user, DcfgSliceUnseen* u);

void initial_free(Initial* z);

#endif /* DCFG_CMD_SLICE_INITIAL_H */
