/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Where variables are. */

#ifndef DCFG_CMD_SLICE_VARIABLE_H
#define DCFG_CMD_SLICE_VARIABLE_H

#include "lib/dcfg_slice.h"

/* Where variable NAME is just before AT runs, to what Q asks of.  Images are
   looked for below ROOT first, unless that is NULL.  Dies if it is nowhere. */
void variable_place(const DcfgWetInstr* at, const char* name,
                    const char* root, DcfgSliceQuery* q);

#endif /* DCFG_CMD_SLICE_VARIABLE_H */
