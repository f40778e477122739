/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads where no code counts: events, gaps, excluded code, boundaries. */

#ifndef __DCFG_EVENT_H
#define __DCFG_EVENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/*--- Gaps                                                 ---*/

/* Collect all threads from now on, or none.  No thread is in generated code. */
void DCFG_(set_collecting)(Bool on);
Bool DCFG_(is_collecting)(void);

/* Collect thread number INDEX from now on, or not; all threads are collected
   otherwise.  Its calls are followed even if it is not collected.  The thread
   is not in generated code, or at a way out. */
void DCFG_(collect_thread)(UInt index, Bool on);
Bool DCFG_(is_thread_collected)(UInt index);

/* Set whether threads are collected when they begin.  Called before there are
   threads. */
void DCFG_(collect_at_start)(Bool on);
Bool DCFG_(is_collected_at_start)(void);

/* Thread number INDEX is in generated code at a way out: it has counted a whole
   superblock, and leaves it for TO.  Until go_on_from_way_out(), its counts can
   be read and forgotten. */
void DCFG_(stop_at_way_out)(UInt index, Addr to);
void DCFG_(go_on_from_way_out)(UInt index);

/* Return whether a thread is in generated code and not at a way out: a debugger
   may ask at a breakpoint. */
Bool DCFG_(runs_code)(void);

/*--- Excluded code                                        ---*/

/* Note that the running thread went to excluded code at ENTRY
   (tool/run/exclude.h), whose first instruction has completed.  Called by generated code if CellAway
   was 0, with the base of the thread's cell array. */
void DCFG_(went_away)(ULong* base, Addr entry);

/* Note that the running thread came back: it is in superblock ID, which is
   collected, and whose first instruction has completed.  SP was the stack
   pointer before it, if a watcher needs that.  Called if CellAway was not 0. */
void DCFG_(came_back)(ULong* base, UWord id, Addr sp);

/* Jumps to some address are about to run other code: fix where threads that are
   away came from. */
void DCFG_(fix_away)(void);

/*--- Boundaries: between two parts of a run               ---*/

/* Keep the data for the next part.  The part before has been gathered and
   written, and is about to be forgotten. */
void DCFG_(note_boundaries)(void);

/* Note that the next part does not join the parts before: something is
   forgotten without being written. */
void DCFG_(forget_boundaries)(void);

/*--- Events                                               ---*/

/* Register for the core's events of threads. */
void DCFG_(track_threads)(void);

/* Note that TID is about to make a system call, or has made it. */
void DCFG_(note_syscall)(ThreadId tid, UInt sysno, const UWord* args);
void DCFG_(note_syscall_done)(ThreadId tid, UInt sysno, const UWord* args,
                              SysRes res);

/* Set the registers of a call's arguments to ARGS after the call, as the kernel
   leaves them.  The core leaves its own addresses there, as of ppoll(). */
void DCFG_(keep_arguments)(ThreadId tid, const UWord* args);

/* Note that the tool has overwritten memory that a system call of the running
   thread has written. */
void DCFG_(memory_filled)(Addr a, SizeT len);

/* Call DO_IT, too, each time a thread has left generated code.  Called before
   the program runs, at most twice. */
void DCFG_(when_code_is_left)(void (*do_it)(void));

#endif
