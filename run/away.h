/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads in code that is left out. */

#ifndef __DCFG_AWAY_H
#define __DCFG_AWAY_H

#include "pub_tool_basics.h"

/* Called by generated code, with the base of the thread's cell array, where
   CellAway was 0: what was jumped to at ENTRY is left out (run/exclude.h),
   and its first instruction has completed. */
void DCFG_(went_away)(ULong* base, Addr entry);

/* And where it was not 0: superblock ID is not left out, and its first
   instruction has completed; SP was the stack pointer before that, if any
   watcher wants to know. */
void DCFG_(came_back)(ULong* base, UWord id, Addr sp);

/* Jumps to some address are about to run other code. */
void DCFG_(fix_away)(void);

#endif /* __DCFG_AWAY_H */
