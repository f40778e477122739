
/*--------------------------------------------------------------------*/
/*--- Calls along a trace.                           call_walk.h ---*/
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

#ifndef DCFG_CMD_CALL_WALK_H
#define DCFG_CMD_CALL_WALK_H

#include "cmd/shared/functions.h"
#include "cmd/base/select.h"

/* No more calls than this are told one within the other, if not all are wanted:
   instructions of deeper ones belong to the one at this depth. */
#define MAX_DEPTH 1000

/* Who is told of calls, in the order in which they were made.  AT is the number
   of instructions that the thread has executed.  Of each thread first comes
   BEGIN and last END; calls that have not returned by then are left before.
   EDGE is told of each edge, when calls have ended and begun by it, with the
   number of calls that are active then.  Any may be NULL. */
typedef
   struct {
      void (*begin)(void* arg, uint32_t thread);
      void (*enter)(void* arg, uint32_t function, uint64_t at);
      void (*leave)(void* arg, uint64_t at);
      void (*edge)(void* arg, const DcfgEdge* e, size_t depth);
      void (*end)(void* arg, uint64_t at);
      bool  all;                // calls of any depth
      const Selection* only;    // instructions that count; NULL: all
      void* arg;
   }
   CallWatcher;

/* Tell of all calls of a THREAD, or of all, in the trace PATH.  Returns the
   number of instructions that were executed in them; dies if the trace cannot
   be read. */
uint64_t walk_calls(const Functions* f, const char* path, uint32_t thread,
                    const CallWatcher* watcher);

#endif /* DCFG_CMD_CALL_WALK_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
