/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls along a trace. */

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
   number of calls that are active then.  BLOCK is told of each block that the
   call on top has executed, before what its edge does, and whether that call was
   told.  Any may be NULL. */
typedef
   struct {
      void (*begin)(void* arg, uint32_t thread);
      void (*enter)(void* arg, uint32_t function, uint64_t at);
      void (*leave)(void* arg, uint64_t at);
      void (*block)(void* arg, uint32_t node, bool told);
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
