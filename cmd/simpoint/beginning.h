/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Finds out whether a recording begins with the program. */

#ifndef DCFG_CMD_BEGINNING_H
#define DCFG_CMD_BEGINNING_H

#include "cmd/base/names.h"

/* Return whether counts of executions begin with the process: whether the first
   recorded instruction is the entry of the program or of its interpreter.
   Return true if nothing tells.  Complain on stderr if the answer is no or not
   known, or if the tool left code out. */
bool counts_from_begin(const Program* g);

#endif /* DCFG_CMD_BEGINNING_H */
