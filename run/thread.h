/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads. */

#ifndef __DCFG_THREAD_H
#define __DCFG_THREAD_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "run/cells.h"
#include "run/diversion.h"

typedef
   struct {
      Bool       ran;        // executed an instruction
      Target     entry;      // the first one
      Position   last;       // where it stands, or stood at its end
      const Diversion* undone;   // NULL, or one whose last time led nowhere
      Bool       live;       // has not ended
      Bool       off;        // is not collected now
      Site       behind;     // the last one that it ran in earlier parts
      Bool       seam_diverted;  // it did not go on from there by itself ...
      DivertKind seam_kind;      // ... but like this
      ULong      preceding;  // instructions, in these parts
      CellArray* cells;
   }
   ThreadInfo;

/* Where in the first shadow of the guest state the base of the running
   thread's cell array stands. */
#define DCFG_SHADOW_OFFSET 0
/* A place there for what is only written. */
#define DCFG_SHADOW_UNUSED 8

/* Forget everything that ran so far; all threads go on, and those that
   have ended keep their numbers. */
void DCFG_(begin_part)(Restart why);

/* Forget everything that ran: in the child of a fork, which starts with
   the thread that forked. */
void DCFG_(start_anew)(ThreadId tid);

/* Has TID just jumped to ENTRY past redirections? */
Bool DCFG_(jumps_unredirected)(ThreadId tid, Addr entry);

/* Bring all counters up to date; call this before reading them.  Takes time
   only for what has run since the last call. */
void DCFG_(flush_threads)(void);

/* Threads by index, in order of creation. */
UInt DCFG_(n_threads)(void);
UInt DCFG_(index_of_thread)(ThreadId tid);
void DCFG_(thread_info)(UInt index, ThreadInfo* info);

/* It has executed so many instructions in this part. */
void DCFG_(note_counted)(UInt index, ULong n_instrs);

/* What watcher number WATCHER has of thread INDEX (dcfg_output.h). */
void* DCFG_(thread_state)(UInt index, UInt watcher);

/* Is THREAD, which has not ended, on its way from superblock SB to ADDR?
   It will run what will be there by then. */
Bool DCFG_(is_bound_for)(UInt thread, UInt sb, Addr addr);

/* A jump to NOW's address has come to run other code: let threads that
   were diverted there and have not run since find it. */
void DCFG_(retarget_threads)(Target now);

#endif /* __DCFG_THREAD_H */
