/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Ways of conditional branches. */

#ifndef DCFG_LIB_WET_TAKEN_H
#define DCFG_LIB_WET_TAKEN_H

#include "lib/wet/wet_record.h"

/* Set *TAKEN to the way of the conditional branch at AT, the instruction of the
   present record that was told last.  Return false if this needs the record
   behind the block. */
bool wet_find_taken(const DcfgWetEvents* v, const InstrPlan* at, DcfgWetTaken* taken);

/* Return the way of the conditional branch at AT, the last instruction of
   record BRANCH.  NEXT is the record behind it; NULL: there is none. */
DcfgWetTaken wet_taken_to(const DcfgWetEvents* v, const InstrPlan* at,
                          const WetStep* branch, const WetStep* next);

#endif /* DCFG_LIB_WET_TAKEN_H */
