/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locks between two threads. */

#ifndef DCFG_CMD_SLICE_LOCKS_H
#define DCFG_CMD_SLICE_LOCKS_H

#include "cmd/slice/slice_views.h"

/* Ordered: what lies between a value's writer and its reader. */
typedef
   struct {
      const DcfgSliceCrossing* crossing;
      uint64_t mutex;           // its address; 0: none
   }
   Ordered;

/* LockKnowledge: the kinds of locks that the program has. */
typedef
   enum {
      LOCKS_UNKNOWN,            // functions have no names, or W is a window
      LOCKS_SEEN,               // mutexes are all that it has
      LOCKS_OTHERS              // also others, which are not looked at
   }
   LockKnowledge;

/* Set .mutex of each of the N: of the mutexes that the writer's thread unlocked
   after the write, and the reader's thread then locked before the read, the
   one that was locked last.  One pass over the trace, up to the last read. */
LockKnowledge find_locks(const SliceView* v, Ordered* all, size_t n);

/* The first function that THREAD executed of those that OWN has, an element for
   each instruction; NULL: it has no name, or there is none. */
const char* first_function(const SliceView* v, const bool* own,
                           uint32_t thread);

#endif /* DCFG_CMD_SLICE_LOCKS_H */
