/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls between functions, from edges. */

#ifndef DCFG_CMD_FUNCTION_CALLS_H
#define DCFG_CMD_FUNCTION_CALLS_H

#include "cmd/program/functions.h"

/* Return whether edge E is a call; if so, set *FROM and *TO to functions of F.
   A jump to the begin of another function is a call.  A call of a linkage
   table's stub is a call of the stub's most frequent target. */
bool function_call(const Functions* f, const DcfgEdge* e, uint32_t* from,
                   uint32_t* to);

#endif /* DCFG_CMD_FUNCTION_CALLS_H */
