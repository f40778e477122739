/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locks between two threads. */

#ifndef DCFG_CMD_SLICE_LOCKS_H
#define DCFG_CMD_SLICE_LOCKS_H

#include "cmd/slice/slice_views.h"

/* Ordered: a crossing, and the mutex that lies between its write and its
   read. */
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
      LOCKS_SEEN,               // no locks but mutexes
      LOCKS_OTHERS              // also others, which are not searched
   }
   LockKnowledge;

/* Set .mutex of each of the N crossings ALL.  Among the mutexes that the
   writer's thread unlocked after the write and the reader's thread locked
   before the read, it is the one that the reader locked last.  Reads the
   trace once, up to the last read. */
LockKnowledge find_locks(const SliceView* v, Ordered* all, size_t n);

/* Return the function that THREAD executed first, among instructions that
   OWN marks; NULL if there is none, or if it has no name. */
const char* first_function(const SliceView* v, const bool* own,
                           uint32_t thread);

#endif /* DCFG_CMD_SLICE_LOCKS_H */
