/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls and inlined functions along a trace. */

#ifndef DCFG_CMD_INLINE_WALK_H
#define DCFG_CMD_INLINE_WALK_H

#include "cmd/inline/inline_view.h"
#include "cmd/shared/call_walk.h"

/* InlineWatcher: who is told of calls, as a CallWatcher, and in each call of
   instances as control comes into them and goes out of them.  An instance stays
   open while its code has called something.  AT is the number of instructions
   that count, and begins with 0 in each thread.  LEAVE is of calls and instances.
   Any may be NULL. */
typedef
   struct {
      void (*begin)(void* arg, uint32_t thread);
      void (*enter)(void* arg, uint32_t function, uint64_t at);
      void (*enter_inlined)(void* arg, uint32_t scope, uint64_t at);
      void (*leave)(void* arg, uint64_t at);
      void (*end)(void* arg, uint64_t at);
      bool  all;                // tell of any depth? else of MAX_DEPTH frames
      const PieceSelection* only;       // instructions that count; NULL: all
      void* arg;
   }
   InlineWatcher;

/* Tell of all calls and instances of a THREAD, or of all, in the trace PATH.
   Returns the number of instructions that count; dies if the trace
   cannot be read. */
uint64_t walk_inlined(const Functions* f, InlineView* v, const char* path,
                      uint32_t thread, const InlineWatcher* watcher);

/* Read all that walk_inlined() will need of files: no scope comes afterwards. */
void     walk_inlined_prepare(const Functions* f, InlineView* v);

#endif /* DCFG_CMD_INLINE_WALK_H */
