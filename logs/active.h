/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which functions are active, for a log. */

#ifndef __DCFG_ACTIVE_H
#define __DCFG_ACTIVE_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* What all logs of calls leave out, and the names of functions that one of
   them may ask for.  To be set before the first of them starts. */
typedef
   struct {
      Int          min_instrs;    // calls that are shorter are left out
      Int          depth;         // and those that are deeper, or 0
      const HChar* functions;     // only these: globs, or NULL
      const HChar* images;        // only in these
   }
   LogOptions;

extern LogOptions DCFG_(log_options);

/* Arguments of a function that are logged. */
#define DCFG_N_ARGS 6

/* The functions that are active in a thread. */
typedef struct _Active Active;

/* A format of logs.  Each thread has a log of each format.  IDs are those of
   logs/ids.h, ticks never become less. */
typedef
   struct {
      /* Of thread number THREAD, whose functions are A.  NULL: no more
         fits. */
      void* (*begin)(UInt thread, const Active* a);
      void  (*delete)(void* log);
      /* A function is entered or left, with DEPTH logged ones around it.
         ARGS are DCFG_N_ARGS words, or NULL. */
      void  (*enter)(void* log, UInt id, UInt depth, ULong tick,
                     const UWord* args);
      void  (*leave)(void* log, UInt id, UInt depth, ULong tick,
                     Bool by_jump);
      /* The program says TEXT; NULL: the format has no texts.  No log that
         IS_FULL is told any. */
      void  (*text)(void* log, const HChar* text, ULong tick);
      Bool  (*is_full)(const void* log);
      /* No more will be logged: keep no memory to spare. */
      void  (*finish)(void* log);
      /* All logs are gone, and others begin; may be NULL. */
      void  (*restart)(void);
   }
   CallLog;

/* From now on log calls in this format, too, WITH_ARGS if it wants them.
   Before the program runs.  Returns the format's number. */
#define DCFG_MAX_CALL_LOGS 4
UInt DCFG_(log_calls)(const CallLog* l, Bool with_args);

/* THREAD's log in a format, to be written, or NULL; and what is active there,
   as of *TICK: that gets its exits from DCFG_(leave_active). */
void* DCFG_(log_of_thread)(UInt format, UInt thread,
                           /*OUT*/const Active** a, /*OUT*/ULong* tick);

/* How many of A have been entered and not left, which is 0 when the thread has
   ended; and TELL, given LOG, of each, from the innermost out, as if
   they were left at TICK.  They stay active. */
UInt DCFG_(n_active)(const Active* a);
void DCFG_(leave_active)(const Active* a, ULong tick,
                         void (*tell)(void* log, UInt id, UInt depth,
                                      ULong tick, Bool by_jump),
                         void* log);

/* THREAD, which is not in generated code, says TEXT. */
void DCFG_(mark_log)(UInt thread, const HChar* text);

#endif /* __DCFG_ACTIVE_H */
