/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads in excluded code. */

#ifndef __DCFG_AWAY_H
#define __DCFG_AWAY_H

#include "pub_tool_basics.h"

/* Note that the running thread went to excluded code at ENTRY (tool/run/exclude.h),
   whose first instruction has completed.  Called by generated code if CellAway
   was 0, with the base of the thread's cell array. */
void DCFG_(went_away)(ULong* base, Addr entry);

/* Note that the running thread came back: it is in superblock ID, which is
   collected, and whose first instruction has completed.  SP was the stack
   pointer before it, if a watcher needs that.  Called if CellAway was not 0. */
void DCFG_(came_back)(ULong* base, UWord id, Addr sp);

/* Jumps to some address are about to run other code: fix where threads that are
   away came from. */
void DCFG_(fix_away)(void);

#endif /* __DCFG_AWAY_H */
