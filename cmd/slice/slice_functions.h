/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of a trace that slices treat in their own way. */

#ifndef DCFG_CMD_SLICE_FUNCTIONS_H
#define DCFG_CMD_SLICE_FUNCTIONS_H

#include "lib/dcfg_wet.h"

/* Does the function of that name, which may be NULL, hand out memory, or take it
   back? */
bool is_allocator(const char* function);

/* By instruction: has its function a frame pointer?  The caller frees it. */
bool* find_frames(DcfgWet* w);

#endif /* DCFG_CMD_SLICE_FUNCTIONS_H */
