/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The place where a recording begins. */

#ifndef DCFG_CMD_BEGINNING_H
#define DCFG_CMD_BEGINNING_H

#include "cmd/base/names.h"

/* Return whether counts of executions begin with the process: whether its first
   recorded instruction is the entry of the program or of its interpreter.  Say
   on stderr if not, if that is not known (true is returned), and if code was
   left out later. */
bool counts_from_begin(const Program* g);

#endif /* DCFG_CMD_BEGINNING_H */
