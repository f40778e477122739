/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads. */

#ifndef __DCFG_THREAD_H
#define __DCFG_THREAD_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "tool/run/cells.h"
#include "tool/run/diversion.h"

typedef
   struct {
      Bool       ran;        // executed an instruction in this part
      Target     entry;      // target of its first instruction
      Position   last;       // position now, or at its end
      const Diversion* undone;   // a diversion whose last time led nowhere, or
                                 // NULL
      Bool       live;       // has not ended
      Bool       fresh;      // has run since forget_runs()
      Bool       off;        // is not collected now
      Site       behind;     // the last instruction of earlier parts
      Bool       boundary_diverted; // was it diverted behind that instruction?
      DivertKind boundary_kind;     // in this way
      ULong      preceding;  // instructions in earlier parts
      CellArray* cells;
      CellArray* idle_cells;     // for counts to drop, or NULL
      UInt       idle_sb;        // superblock that ran last with these, or 0
   }
   ThreadInfo;

/* Offset in the first shadow of the guest state of the base of the running
   thread's cell array. */
#define DCFG_SHADOW_OFFSET 0
/* A place there that is only written. */
#define DCFG_SHADOW_UNUSED 8

/* Forget all counts.  All threads go on, and those that have ended keep their
   numbers. */
void DCFG_(begin_part)(Restart why);

/* Forget everything that ran.  Called in the child of a fork, which starts with
   the thread that forked. */
void DCFG_(start_anew)(ThreadId tid);

/* Return whether TID has just jumped to ENTRY past redirections. */
Bool DCFG_(jumps_unredirected)(ThreadId tid, Addr entry);

/* Bring all counters up to date; call this before reading them.  Takes time
   only for code that ran since the last call. */
void DCFG_(flush_threads)(void);

/* Threads by index, in the order of their creation.  A thread that has ended
   has no index. */
#define DCFG_NO_THREAD 0xFFFFFFFFu
UInt DCFG_(n_threads)(void);
UInt DCFG_(index_of_thread)(ThreadId tid);
void DCFG_(thread_info)(UInt index, ThreadInfo* info);

/* Note that no thread has run since now. */
void DCFG_(forget_runs)(void);

/* Note that the thread has executed N_INSTRS instructions in this part. */
void DCFG_(note_counted)(UInt index, ULong n_instrs);

/* Return the state that watcher number WATCHER has of thread INDEX
   (tool/dcfg_output.h). */
void* DCFG_(thread_state)(UInt index, UInt watcher);

/* Return whether THREAD, which has not ended, is going from superblock SB to
   ADDR.  It will run the code that is there when it arrives. */
Bool DCFG_(is_bound_for)(UInt thread, UInt sb, Addr addr);

/* Return whether a thread is going to ADDR, which is in IMAGE, from a superblock
   of another image that ends there. */
Bool DCFG_(fall_from_older)(Addr addr, UInt image);

/* Let all threads stand where they stand, in the superblocks that RENAMED()
   returns for those that they know. */
void DCFG_(rename_superblocks)(UInt (*renamed)(UInt id));

/* Note that a jump to NOW's address runs other code: threads that were diverted
   there and have not run since will run that. */
void DCFG_(retarget_threads)(Target now);

#endif /* __DCFG_THREAD_H */
