/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of a trace that slices treat in their own way. */

#ifndef DCFG_CMD_SLICE_FUNCTIONS_H
#define DCFG_CMD_SLICE_FUNCTIONS_H

#include "lib/dcfg_wet.h"

/* Return whether FUNCTION, a name or NULL, allocates or frees memory. */
bool is_allocator(const char* function);

/* Return, by instruction, whether its function has a frame pointer.  The
   caller frees the array. */
bool* find_frames(DcfgWet* w);

#endif /* DCFG_CMD_SLICE_FUNCTIONS_H */
