/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls and inlined functions along a trace. */

#ifndef DCFG_CMD_INLINE_WALK_H
#define DCFG_CMD_INLINE_WALK_H

#include "cmd/calls/call_walk.h"
#include "cmd/program/inline_view.h"

/* InlineWatcher: is told of calls, like a CallWatcher, and, within each call,
   of instances when control enters and leaves them.  An instance stays open
   while its code calls something.  AT: instructions that count, from 0 in each
   thread.  LEAVE is for calls and instances.  Any function may be NULL. */
typedef
   struct {
      void (*begin)(void* arg, uint32_t thread);
      void (*enter)(void* arg, uint32_t function, uint64_t at);
      void (*enter_inlined)(void* arg, uint32_t scope, uint64_t at);
      void (*leave)(void* arg, uint64_t at);
      void (*end)(void* arg, uint64_t at);
      bool  all;                // tell of any depth; false: of MAX_DEPTH frames
      const PieceSelection* only;       // instructions that count; NULL: all
      void* arg;
   }
   InlineWatcher;

/* Tell of all calls and instances of THREAD, or of all threads, in the trace at
   PATH.  Return the number of instructions that count.  Die if the trace cannot
   be read. */
uint64_t walk_inlined(const Functions* f, InlineView* v, const char* path,
                      uint32_t thread, const InlineWatcher* watcher);

/* Read all that walk_inlined() needs from files.  No scope is added
   afterwards. */
void     walk_inlined_prepare(const Functions* f, InlineView* v);

/* The end of names of inlined functions in one run's stacks. */
#define INLINED_SUFFIX "_[i]"

/* As tree_add(), add the trace in PATH to RUN of T, with inlined functions,
   whose names get SUFFIX.  Return the number of instructions that count. */
uint64_t tree_add_inlined(StackTree* t, const Functions* f, const char* path,
                          const Selection* sel, InlineView* inlined, int run,
                          const char* suffix);

#endif /* DCFG_CMD_INLINE_WALK_H */
