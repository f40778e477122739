/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The interface of an output to the run. */

/* Output: one kind of recording, such as the DCFG, a trace, a profile.  It is a
   table in the list of dcfg_main.c, with options and functions for writing.
   Watcher: a second table, with the functions of an output that are called
   during the run, when a superblock is translated and when something happens
   that generated code cannot see.  Any of these functions may be NULL.

   An output that is off costs nothing, neither during translation nor in
   generated code, because its watcher is not in the list.  Several outputs may
   share a watcher, as that of tool/calls/follow.c. */

#ifndef __DCFG_OUTPUT_H
#define __DCFG_OUTPUT_H

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"
#include "pub_tool_tooliface.h"
#include "tool/base/options.h"
#include "dcfg_bb.h"
#include "tool/run/cells.h"

struct _Gathered;     // all that ran so far: tool/run/gather.h
struct _Work;         // a superblock in translation: tool/run/ir.h

/*--- Outputs                                              ---*/

typedef
   struct {
      const HChar* name;       // in the lines of --stats=yes
      Options options;

      /* Return whether the user wants the output.  If so, claim its files
         (tool/files/file.h), slots (tool/run/cells.h) and fields of superblocks
         (dcfg_bb.h), and register its watcher.  An error in the options is
         reported and ends the tool.  Called before the program runs. */
      Bool (*start)(void);

      /* Write G and report the files.  The run may go on afterwards. REASON
         says why, in the words of Callgrind's files. */
      void (*write)(const struct _Gathered* g, const HChar* reason);

      /* Put the mark TEXT at this point of THREAD, as the program asks. May be
         NULL. */
      void (*mark)(UInt thread, const HChar* text);

      /* This process is the child of a fork: forget what the parent has written.
         May be NULL. */
      void (*forked)(void);

      /* The program has ended: warn about options that named what was not
         there.  Not called in forked children.  May be NULL. */
      void (*tell_unused)(void);
   }
   Output;

/*--- Watchers                                             ---*/

/* MappingChange: memory was mapped anew, with the contents of a file or zeros;
   its rights or its place changed; or it was unmapped. */
typedef enum { MappingNew, MappingChanged, MappingGone } MappingChange;

typedef
   struct {
      /* --- A superblock is translated.  These functions add code to W->out
         with the functions of tool/run/ir.h; the code runs at each execution.  They
         are called in the order of the superblock's code. --- */

      /* The translation of W->sb begins.  The superblock may be known
         already. */
      void (*begin)(struct _Work* w);
      /* The first instruction has completed N times more.  N is an I64, 0 or
         1. */
      void (*started)(struct _Work* w, IRExpr* n);
      /* Instruction K, not the first, is about to begin: the instruction before
         it has completed, and no exit was taken. */
      void (*instruction)(struct _Work* w, UInt k);
      /* Exit number X, the statement ST, is about to be added. */
      void (*exit)(struct _Work* w, UInt x, const IRStmt* st);
      /* Statement ST, an exit or any other, has been added. */
      void (*statement)(struct _Work* w, const IRStmt* st);
      /* The last instruction, W->now, has ended, as the superblock IN does.
         If W->now is not below W->sb->n_instrs, that instruction never
         completes. */
      void (*end)(struct _Work* w, const IRSB* in);
      /* The branch that ends IN has looked up its inline cache; MISS is true if
         the target was not found.  Return True if the watcher has added its own
         call of a helper for a miss.  That helper then also does all that
         branch_miss() does. */
      Bool (*miss)(struct _Work* w, const IRSB* in, IRExpr* miss);
      /* Return whether VEX dropped code of W->sb that the watcher needs. Then
         the superblock is translated again, with all computations kept. */
      Bool (*lacks)(const struct _Work* w);
      /* The transfer at the end of IN has been counted.  This is the last call
         for a superblock. */
      void (*leave)(struct _Work* w, const IRSB* in);
      /* Does VEX find dead code, constants or copies in what these functions
         add? */
      Bool needs_cleanup;

      /* --- Threads.  thread_new() returns the watcher's state of a thread; the
         others get it as S. --- */

      /* Thread number INDEX is created.  All its slots are zero. */
      void* (*thread_new)(CellArray* cells, UInt index);
      /* Free the state of a thread that never ran, or, in a forked child, that
         is gone. */
      void (*thread_free)(void* s);
      /* Forget all that was collected of the thread.  It goes on as number
         INDEX, with all slots zero, or has ended: then thread_end() follows.
         Return the state from now on. */
      void* (*restart)(void* s, CellArray* cells, UInt index, Restart why);
      /* The thread is about to run code at IP, with stack pointer SP. */
      void (*resume)(void* s, Addr ip, Addr sp);
      /* The thread has ceased to run code. */
      void (*pause)(void* s);
      /* The thread stood at FROM and goes to TO in place of FROM.target.  If
         the thread has not run since the last diversion, that one led
         nowhere. */
      void (*divert)(void* s, Position from, Target to);
      /* The last diversion leads to TO; the thread has not run since. */
      void (*redirect)(void* s, Target to);
      /* A fault: the thread has left superblock SB before its instruction K,
         not the first.  It may go on there, in another superblock. */
      void (*left)(void* s, UInt sb, UInt k);
      /* A signal came, or the thread ends: it stands in superblock SB before
         its instruction K and will not go on from there.  K is 0 if the thread
         does not stand inside a superblock. */
      void (*stop)(void* s, UInt sb, UInt k);
      /* The thread comes back from excluded code (tool/run/exclude.h): it is in
         superblock SB, which began with stack pointer SP, and had left
         collected code behind superblock LAST.  Called after divert(). */
      void (*come_back)(void* s, UInt last, UInt sb, Addr sp);
      /* The thread is not collected until it is resumed, at any address. */
      void (*suspend)(void* s);
      /* The thread has a second array CELLS, all slots zero, for the time when
         the thread alone is not collected.  Counts in it are dropped. Called
         again after restart(). */
      void (*idle_cells)(void* s, CellArray* cells);
      /* From its present position on, the thread is collected (ON), or uses the
         second array (not ON). */
      void (*turn)(void* s, Bool on);
      /* The handler of SIGNAL begins, on stack ALTERNATE; NULL: on the one that it
         interrupts, with stack pointer SP.  A handler ends. */
      void (*enter_handler)(void* s, Int signal, Addr sp,
                            const vki_stack_t* alternate);
      void (*leave_handler)(void* s);
      /* The handler that has ended had interrupted the thread at FROM, but has let it
         go on at TO, with stack pointer SP.  IS_CALL: the word at SP, or the link
         register, is FROM, as if the function there had called the one at TO. */
      void (*diverted)(void* s, Addr from, Addr to, Addr sp, Bool is_call);
      /* A system call is about to be made, or has been made. */
      void (*before_syscall)(void* s, UInt sysno, const UWord* args);
      void (*after_syscall)(void* s, UInt sysno, const UWord* args,
                            SysRes res);
      /* The kernel is about to read memory for a system call; it may write
         memory during the call; or it has written memory, for a system call or
         for a signal. */
      void (*memory_read)(void* s, Addr a, SizeT len);
      void (*memory_offered)(void* s, Addr a, SizeT len);
      void (*memory_written)(void* s, Bool by_syscall, Addr a, SizeT len);
      /* A signal's frame takes LEN bytes at A.  The core keeps data of its own
         there, which a kernel does not; what it reports as written follows. */
      void (*framed)(void* s, Addr a, SizeT len);
      /* The core has written SIZE bytes at OFFSET in the thread's guest state:
         the result of a client request. */
      void (*register_written)(void* s, Int offset, SizeT size);
      /* Bring the thread's counts up to date: they are about to be read. */
      void (*flush)(void* s);
      /* Return whether .flush adds to the counter WORK->sb->started what the
         watcher's own code has counted: then no other code counts it. */
      Bool (*counts_starts)(const struct _Work* work);
      /* The thread has ended.  Its slots are freed next; S stays. */
      void (*thread_end)(void* s);

      /* --- Code --- */

      /* A jump to the address of NOW runs the code that NOW says.
         landing_for() says the same for each thread while that stands at AT. */
      void (*landing)(Target now);
      void (*landing_for)(void* s, Position at, Target now);
      /* LEN bytes of code were moved from FROM to TO.  The mapping at FROM is
         about to go. */
      void (*moved)(Addr from, Addr to, SizeT len);

      /* The mapping of LEN bytes at A is about to go. */
      void (*unmapped)(Addr a, SizeT len);

      /* Another function is there: the program has told another name, or other
         code is about to run. */
      void (*renamed)(Addr a, SizeT len);

      /* The mapping of LEN bytes at A has changed. */
      void (*mapped)(Addr a, SizeT len, MappingChange change);
   }
   Watcher;

/* Add W to the watchers, before the program runs.  Return the number of W's
   states for DCFG_(thread_state). */
UInt DCFG_(watch)(const Watcher* w);

/* All watchers, by number. */
#define DCFG_MAX_WATCHERS 8
extern const Watcher* DCFG_(watchers)[DCFG_MAX_WATCHERS];
extern UInt           DCFG_(n_watchers);

/* Execute the statement behind this for each watcher, number I, that has a
   function HOOK. */
#define DCFG_EACH_WATCHER(i, hook)                        \
   for (UInt i = 0; i < DCFG_(n_watchers); i++)           \
      if (DCFG_(watchers)[i]->hook != NULL)

#endif /* __DCFG_OUTPUT_H */
