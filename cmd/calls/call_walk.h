/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls along a trace. */

#ifndef DCFG_CMD_CALL_WALK_H
#define DCFG_CMD_CALL_WALK_H

#include "cmd/program/functions.h"
#include "cmd/base/select.h"

/* The depth of the deepest calls that watchers are told of, unless they want
   all.  Instructions of deeper calls count for the call at this depth. */
#define MAX_DEPTH 1000

/* CallWatcher: is told of calls, in order.  AT: instructions that the thread
   executed so far.  BEGIN comes first for each thread, and END last; calls that
   have not returned are left before END.  EDGE is told of each edge, after the
   calls that it ended and began, with the number of active calls.  BLOCK is
   told of each block of the call on top, before its edge, and whether the
   watcher was told of that call.  Any function may be NULL. */
typedef
   struct {
      void (*begin)(void* arg, uint32_t thread);
      void (*enter)(void* arg, uint32_t function, uint64_t at);
      void (*leave)(void* arg, uint64_t at);
      void (*block)(void* arg, uint32_t node, bool told);
      void (*edge)(void* arg, const DcfgEdge* e, size_t depth);
      void (*end)(void* arg, uint64_t at);
      bool  all;                // tell of calls at any depth
      const Selection* only;    // instructions that count; NULL: all
      void* arg;
   }
   CallWatcher;

/* Tell of all calls of THREAD, or of all threads, in the trace at PATH: a
   DCFG-trace, or a whole execution trace, which has no EDGE and no BLOCK.
   Return the number of instructions executed in them.  Die if the trace cannot
   be read. */
uint64_t walk_calls(const Functions* f, const char* path, uint32_t thread,
                    const CallWatcher* watcher);

#endif /* DCFG_CMD_CALL_WALK_H */
