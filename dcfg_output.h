/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The door: what an output is. */

/* An output is what the user gets of a run: the DCFG, a trace, a profile.
   It has a table, Output, that dcfg_main.c lists, for its options and for
   writing.  What it needs of the run while it goes on it gets through a
   second table, Watcher: functions that are called when a superblock is
   translated, and when something happens that generated code cannot see.
   Of these any may be NULL.

   An output that is off costs nothing, neither when translating nor in
   generated code: its watcher is not in the list.  Two outputs may share
   a watcher, as the calls that calls/follow.c follows. */

#ifndef __DCFG_OUTPUT_H
#define __DCFG_OUTPUT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "base/options.h"
#include "dcfg_bb.h"
#include "run/cells.h"

struct _Gathered;     // what ran: run/gather.h
struct _Work;         // the superblock in translation: run/ir.h

/*--- Outputs                                              ---*/

typedef
   struct {
      const HChar* name;       // for --stats=yes
      Options options;

      /* Before the program runs: is the output wanted?  If so, claim its
         files (delivery/file.h), slots (run/cells.h) and parts of superblocks
         (dcfg_bb.h), and watch.  What is wrong with the options is told,
         and ends the tool. */
      Bool (*start)(void);

      /* Write G, which is all that ran so far, and say so.  More may run
         afterwards.  REASON is why, in the words of Callgrind's files. */
      void (*write)(const struct _Gathered* g, const HChar* reason);

      /* THREAD's program says that TEXT belongs here; or NULL. */
      void (*mark)(UInt thread, const HChar* text);
   }
   Output;

/*--- Watchers                                             ---*/

typedef
   struct {
      /* --- A superblock is translated.  What is added to W->out runs each
             time; these are called in the order of the code.  (The words
             to add code with: run/ir.h.) --- */

      /* W->sb, which may be known already, is about to be translated. */
      void (*begin)(struct _Work* w);
      /* Its first instruction has completed N times more: an I64, 0 or 1. */
      void (*started)(struct _Work* w, IRExpr* n);
      /* Instruction K, not the first, is about to begin; the one before it
         has completed, and no exit was taken. */
      void (*instruction)(struct _Work* w, UInt k);
      /* ST, which is exit number X, is about to be added. */
      void (*exit)(struct _Work* w, UInt x, const IRStmt* st);
      /* ST, an exit or anything else, has been added. */
      void (*statement)(struct _Work* w, const IRStmt* st);
      /* The last instruction, W->now, has ended as the superblock IN does.
         If it is not below W->sb->n_instrs, it never completes. */
      void (*end)(struct _Work* w, const IRSB* in);
      /* The branch that ends IN is looked up in its inline cache, and is not
         found there if MISS.  Returns True if it has added the call of a
         helper that does in that case, beside its own work, all that
         branch_miss() does. */
      Bool (*miss)(struct _Work* w, const IRSB* in, IRExpr* miss);
      /* Has VEX dropped something of W->sb that is wanted?  If so it is
         translated again, with all that instructions compute. */
      Bool (*lacks)(const struct _Work* w);
      /* Where IN leads has been counted; this is the last of all. */
      void (*leave)(struct _Work* w, const IRSB* in);

      /* --- A thread.  What thread_new() returns is the watcher's state of
             that thread, and S of all others. --- */

      /* Thread number INDEX is created, with all slots zero. */
      void* (*thread_new)(CellArray* cells, UInt index);
      /* There never was such a thread, or (in a forked child) it is gone. */
      void (*thread_free)(void* s);
      /* Forget all that was collected of the thread, which goes on as number
         INDEX (or has ended: thread_end() follows), with all slots zero again.
         Returns the state from now on. */
      void* (*restart)(void* s, CellArray* cells, UInt index, Restart why);
      /* The thread is about to run code at IP. */
      void (*resume)(void* s, Addr ip, Addr sp);
      /* It stood at FROM and goes to TO in place of FROM.target.  If it has
         not run since it was last diverted, that one led nowhere. */
      void (*divert)(void* s, Position from, Target to);
      /* The last diversion, since which it has not run, leads to TO. */
      void (*redirect)(void* s, Target to);
      /* It has left superblock SB before its instruction K, not the first:
         a fault.  It may go on there, in another superblock. */
      void (*left)(void* s, UInt sb, UInt k);
      /* It stands in superblock SB before its instruction K, or (K is 0) not
         within one, and will not go on from there: a signal came, or it
         ends. */
      void (*stop)(void* s, UInt sb, UInt k);
      /* It is in superblock SB, with stack pointer SP where that began, and
         what has run since it left superblock LAST was left out
         (run/exclude.h); this comes behind divert(). */
      void (*come_back)(void* s, UInt last, UInt sb, Addr sp);
      /* It is not collected until it is resumed, anywhere. */
      void (*suspend)(void* s);
      /* There is a second array, all slots zero, that its code uses while it
         alone is not collected: what is counted there is not wanted.  Told
         again after restart(). */
      void (*idle_cells)(void* s, CellArray* cells);
      /* From where it stands it is collected, or (not ON) uses that. */
      void (*turn)(void* s, Bool on);
      /* A signal handler is entered, or left. */
      void (*enter_handler)(void* s);
      void (*leave_handler)(void* s);
      /* A system call is about to be made, or has been. */
      void (*before_syscall)(void* s, UInt sysno, const UWord* args);
      void (*after_syscall)(void* s, UInt sysno, const UWord* args,
                            SysRes res);
      /* The kernel is about to read memory for a system call; it has written
         some, for one or else for a signal. */
      void (*memory_read)(void* s, Addr a, SizeT len);
      void (*memory_written)(void* s, Bool by_syscall, Addr a, SizeT len);
      /* What the thread has counted is about to be read. */
      void (*flush)(void* s);
      /* The thread has ended; its slots are about to go, its state stays. */
      void (*thread_end)(void* s);

      /* --- Code. --- */

      /* From now on NOW says what a jump to its address runs; and, told of
         each thread, while that stands at AT. */
      void (*landing)(Target now);
      void (*landing_for)(void* s, Position at, Target now);
      /* What stood at FROM stands at TO; that is about to go. */
      void (*moved)(Addr from, Addr to, SizeT len);

      /* What was mapped there is about to go. */
      void (*unmapped)(Addr a, SizeT len);
   }
   Watcher;

/* From now on W watches.  Before the program runs.  Returns the number of
   its states: see DCFG_(thread_state). */
UInt DCFG_(watch)(const Watcher* w);

/* Those that watch, by number. */
#define DCFG_MAX_WATCHERS 8
extern const Watcher* DCFG_(watchers)[DCFG_MAX_WATCHERS];
extern UInt           DCFG_(n_watchers);

/* What follows is done for each watcher, number I, that has a HOOK. */
#define DCFG_EACH_WATCHER(i, hook)                        \
   for (UInt i = 0; i < DCFG_(n_watchers); i++)           \
      if (DCFG_(watchers)[i]->hook != NULL)

#endif /* __DCFG_OUTPUT_H */
