/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Records that are gone through at once. */

#ifndef DCFG_LIB_WET_EFFECTS_H
#define DCFG_LIB_WET_EFFECTS_H

#include "lib/wet/wet_record.h"

/* Pass the first *N instructions of the present record at once; *N is 0 if that
   is not possible, or if one of them may get a name. */
bool wet_pass_record(DcfgWetEvents* v, uint32_t* n);

bool wet_start_effects(DcfgWetEvents* v);
void wet_free_effects(DcfgWetEvents* v);

#endif /* DCFG_LIB_WET_EFFECTS_H */
