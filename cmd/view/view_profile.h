/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reads inclusive costs for a page from a Callgrind profile or an XRay log. */

#ifndef DCFG_CMD_VIEW_PROFILE_H
#define DCFG_CMD_VIEW_PROFILE_H

#include "cmd/view/view.h"

/* Read the profile of V.  Return the inclusive cost of each function, in
   instructions; 0: not known.  A profile does not have the inclusive cost of a
   function that may call itself.  Set *COMMAND to the command line, or NULL.
   The caller frees both.  Die if the profile cannot be read. */
uint64_t* inclusive_of_profile(const RunView* v, char** command);

/* Return the inclusive costs likewise from the XRay log of V, which has those
   of all logged functions. */
uint64_t* inclusive_of_log(const RunView* v);

#endif /* DCFG_CMD_VIEW_PROFILE_H */
