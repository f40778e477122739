/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs that do not differ: --deterministic and --cpu. */

#ifndef __DCFG_STEADY_H
#define __DCFG_STEADY_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "tool/base/options.h"

extern const Options DCFG_(steady_options);

/* Begin, before the program runs. An error in the options is reported and ends
   the tool. FILLED is called when the program's memory has been overwritten. */
void DCFG_(start_steady)(void (*filled)(Addr a, SizeT len));

/* Let these functions answer instructions that ask for the time, for 32 random bits,
   or for something else that ASK asks this machine. */
void DCFG_(answer_with)(ULong (*ticks)(void), ULong (*random)(void),
                        ULong (*other)(ULong (*ask)(void)));

/* Replace what code SB asks the machine.  Called at its translation. */
void DCFG_(answer_in_code)(IRSB* sb);

/* Thread TID makes a system call; it has made it.  *RES becomes the result that
   the program sees.  Return False if that is not known yet: see
   DCFG_(take_late). */
void DCFG_(begin_call)(ThreadId tid, UInt sysno, const UWord* args);
Bool DCFG_(end_call)(ThreadId tid, UInt sysno, const UWord* args, SysRes* res);

/* Return whether the memory that system call SYSNO writes may be overwritten
   when it is answered: until then nobody shall look at it. */
Bool DCFG_(may_overwrite)(UInt sysno);

/* Return the words of --deterministic that are in force, as "random,time", or
   "no"; the processor that the program sees, as "x86-64-v2", or "host". */
const HChar* DCFG_(steady_words)(void);
const HChar* DCFG_(shown_processor)(void);

/* Return the time since booting, in nanoseconds, as the program's clocks show it
   now. */
ULong DCFG_(time_of_program)(void);

/* Tell what was answered falsely. */
void DCFG_(tell_steady)(void);

#endif
