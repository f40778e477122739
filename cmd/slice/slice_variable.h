/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Places that a slice is asked for in the words of the source. */

#ifndef DCFG_CMD_SLICE_VARIABLE_H
#define DCFG_CMD_SLICE_VARIABLE_H

#include "lib/dcfg_slice.h"

/* Set what Q asks for to what EXPRESSION means just before INSTANCE of
   instruction INSTR in W, which is the trace in FILE.  Images are looked for
   below ROOT first, unless that is NULL.  Dies if it is nowhere. */
void variable_place(DcfgWet* w, const char* file, uint32_t instr,
                    uint64_t instance, const char* expression,
                    const char* root, DcfgSliceQuery* q);

#endif /* DCFG_CMD_SLICE_VARIABLE_H */
