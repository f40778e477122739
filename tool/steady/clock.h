/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The false clock. */

#ifndef __DCFG_CLOCK_H
#define __DCFG_CLOCK_H

#include "pub_tool_basics.h"

/* Wait: a system call that may end by itself at a time. */
typedef
   struct {
      Bool  timed;             // is there such a time?
      ULong deadline;          // the time, in nanoseconds of the false clock
      ULong due;               // and in those of the kernel's
      Addr  futex;             // the word that a futex call waits for, or 0
      UInt  expected;          // its value before
      UInt  sysno;
      UWord args[8];
   }
   Wait;

/* Return the clock, in nanoseconds since the start.  A look takes a
   microsecond. */
ULong DCFG_(look_at_clock)(void);
ULong DCFG_(clock_now)(void);
/* Return what the clocks since booting show now; the same with the false clock. */
ULong DCFG_(since_boot)(Bool falsely);
/* Let the clock stand at TIME, if it is behind that. */
void DCFG_(advance_clock)(ULong time);

/* Return whether SYSNO is a system call that only asks for the time. */
Bool DCFG_(is_look)(UInt sysno);

/* Return the kernel's time, on the scale of .due. */
ULong DCFG_(true_now)(void);

/* Call these before and after each system call of thread TID. The first
   returns how long the call may last. If NOT_THERE, the kernel lets no wait
   for a futex last, as if the time was over: the thread waits elsewhere. The
   second returns the result that the program shall see in place of RES;
   *TIMED_OUT becomes whether the call has ended because its time was over. */
Wait   DCFG_(begin_wait)(ThreadId tid, UInt sysno, const UWord* args,
                         Bool not_there);
SysRes DCFG_(end_wait)(ThreadId tid, UInt sysno, const UWord* args, SysRes res,
                       Bool* timed_out);
/* W's time was over for the kernel.  Return what the call would find now: its
   result, 0 if there is still nothing. */
UWord  DCFG_(look_again)(const Wait* w);
/* Return the deadline of thread TID's last call. */
ULong  DCFG_(deadline_of)(ThreadId tid);
/* Thread TID's system call is over, also if a signal has ended it. */
void DCFG_(restore_deadline)(ThreadId tid);

#endif
