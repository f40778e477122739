/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Logs of calls: active functions, and the choice of what is logged. */

#ifndef __DCFG_ACTIVE_H
#define __DCFG_ACTIVE_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/calls/function.h"

/* LogOptions: the choice of calls in all logs, which their options set before
   the first log starts. */
typedef
   struct {
      Int          min_instrs;    // leave out calls with fewer instructions
      Int          depth;         // leave out deeper calls; 0: none
      const HChar* functions;     // globs of functions to log, or NULL
      const HChar* images;        // globs of their images, or NULL
   }
   LogOptions;

extern LogOptions DCFG_(log_options);

/* The number of a function's arguments in a log. */
#define DCFG_N_ARGS 6

/* Active: the active functions of a thread. */
typedef struct _Active Active;

/* The number of the first stack that a thread changes to, in place of that of a
   thread; further ones follow.  Threads have lower ones. */
#define DCFG_FIRST_STACK 1000000u

/* Moment: when a function is entered or left.  TICK is 1 plus the instructions
   that the thread has executed on its stack: ticks count costs.  TIME is 1 plus those
   of all threads and stacks, in the order in which they ran: times are the one
   base of all logs.  Neither ever decreases in a log, nor does their difference:
   what others executed meanwhile. */
typedef
   struct {
      ULong tick;
      ULong time;
   }
   Moment;

/* CallLog: a format of logs.  Each thread has a log in each format, and so has each
   of these stacks.  IDs are numbers of functions in logs, see DCFG_(named). */
typedef
   struct {
      /* Return a new log of thread number THREAD, whose functions are A.  NULL:
         it has no room. */
      void* (*begin)(UInt thread, const Active* a);
      void  (*delete)(void* log);
      /* A function is entered or left at depth DEPTH of logged functions. ARGS
         are DCFG_N_ARGS words, or NULL. */
      void  (*enter)(void* log, UInt id, UInt depth, Moment at,
                     const UWord* args);
      void  (*leave)(void* log, UInt id, UInt depth, Moment at,
                     Bool by_jump);
      /* The program puts the mark TEXT here; NULL: the format has no marks. Not
         called for a log that IS_FULL. */
      void  (*text)(void* log, const HChar* text, Moment at);
      Bool  (*is_full)(const void* log);
      /* No more will be logged: free unused memory. */
      void  (*finish)(void* log);
      /* All logs are deleted, and new ones begin; may be NULL. */
      void  (*restart)(void);
   }
   CallLog;

/* Reserve the next number for F, before the program runs. */
void DCFG_(reserve_id)(const Function* f);

/* Return functions by number, 1 .. n_ids. */
UInt            DCFG_(n_ids)(void);
const Function* DCFG_(named)(UInt id);

/* Log calls in format L, WITH_ARGS if it needs arguments.  Called before the
   program runs.  Return the number of the format. */
#define DCFG_MAX_CALL_LOGS 4
UInt DCFG_(log_calls)(const CallLog* l, Bool with_args);

/* Return whether anything has been executed on THREAD's own stack, by it or by
   another thread. */
Bool DCFG_(has_run_on_own)(UInt thread);

/* Return how many stacks have logs. */
UInt DCFG_(n_logged_stacks)(void);

/* Return THREAD's or a stack's log in a format, for writing, or NULL.  *ACTIVE are the
   functions that are active at *NOW: get their exits from
   DCFG_(leave_active). */
void* DCFG_(log_of_thread)(UInt format, UInt thread,
                           /*OUT*/const Active** active, /*OUT*/Moment* now);

/* Return the tick at which the present turn of ACTIVE's thread or stack began, or
   its last turn. */
ULong DCFG_(begin_of_turn)(const Active* active);

/* Return the number of logged functions in ACTIVE that have not been left: 0
   when the thread has ended.  Call TELL, with LOG, for each of them, the
   innermost first, as if it were left at AT; they stay active. */
UInt DCFG_(n_active)(const Active* active);
void DCFG_(leave_active)(const Active* active, Moment at,
                         void (*tell)(void* log, UInt id, UInt depth,
                                      Moment at, Bool by_jump),
                         void* log);

/* Put the mark TEXT into the logs of THREAD, which is not in generated code. */
void DCFG_(mark_log)(UInt thread, const HChar* text);

#endif
