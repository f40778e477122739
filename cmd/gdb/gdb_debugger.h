/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The gdb that knows a recording's processor. */

#ifndef DCFG_CMD_GDB_DEBUGGER_H
#define DCFG_CMD_GDB_DEBUGGER_H

#include "cmd/machine/processor.h"

/* Return the name of an installed gdb that knows P, which must have .state:
   gdb's, or that of the gdb for many processors.  Return NULL if there is none.
   A gdb for this machine's processor is not looked for. */
const char* gdb_debugger(const Processor* p);

#endif /* DCFG_CMD_GDB_DEBUGGER_H */
