/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs that do not differ: --deterministic and --cpu. */

#ifndef __DCFG_STEADY_H
#define __DCFG_STEADY_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "tool/base/options.h"

extern const Options DCFG_(steady_options);

/* Begin, before the program runs.  An error in the options is reported and ends
   the tool. */
void DCFG_(start_steady)(void);

/* Replace what code SB asks the machine.  Called at its translation. */
void DCFG_(answer_in_code)(IRSB* sb);

/* Thread TID makes a system call; it has made it.  Return the result that the
   program sees in place of RES. */
void   DCFG_(begin_call)(ThreadId tid, UInt sysno, const UWord* args);
SysRes DCFG_(end_call)(ThreadId tid, UInt sysno, const UWord* args, SysRes res);

/* The events of threads, as in tool/steady/turn.h. */
void DCFG_(steady_created)(ThreadId parent, ThreadId tid);
void DCFG_(steady_ended)(ThreadId tid);
Bool DCFG_(steady_starts)(ThreadId tid);
Bool DCFG_(steady_stops)(ThreadId tid);
void DCFG_(steady_signal)(ThreadId tid);
void DCFG_(steady_forked)(ThreadId tid);

/* Return the words of --deterministic that are in force, as "random,time", or
   "no"; the processor that the program sees, as "x86-64-v2", or "host". */
const HChar* DCFG_(steady_words)(void);
const HChar* DCFG_(shown_processor)(void);

/* Tell what was answered falsely. */
void DCFG_(tell_steady)(void);

#endif
