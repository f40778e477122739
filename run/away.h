
/*--------------------------------------------------------------------*/
/*--- Threads in code that is left out.                 run/away.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
