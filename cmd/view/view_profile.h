/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A Callgrind profile, or an XRay log, in a page. */

#ifndef DCFG_CMD_VIEW_PROFILE_H
#define DCFG_CMD_VIEW_PROFILE_H

#include "cmd/view/view.h"

/* Read the profile of V.  Return by function what its calls cost with what they
   called; 0: not known, as of functions that may call themselves, for which a
   profile does not have it.  Set *COMMAND to the command line, or NULL.  The
   caller frees both.  Dies if the profile cannot be read. */
uint64_t* inclusive_of_profile(const RunView* v, char** command);

/* Return the same of V's XRay log, which has it of all functions that it has. */
uint64_t* inclusive_of_log(const RunView* v);

#endif /* DCFG_CMD_VIEW_PROFILE_H */
