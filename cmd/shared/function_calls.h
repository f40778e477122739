/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls between functions, from edges. */

#ifndef DCFG_CMD_FUNCTION_CALLS_H
#define DCFG_CMD_FUNCTION_CALLS_H

#include "cmd/shared/functions.h"

/* Is edge E a call?  If so, set *FROM and *TO to the functions of F.  A jump to
   another function's beginning is one, too, and a call over a stub of a linkage
   table is one of what that led to most often. */
bool function_call(const Functions* f, const DcfgEdge* e, uint32_t* from,
                   uint32_t* to);

#endif /* DCFG_CMD_FUNCTION_CALLS_H */
