/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The turn of threads. */

#ifndef __DCFG_TURN_H
#define __DCFG_TURN_H

#include "pub_tool_basics.h"
#include "tool/steady/clock.h"

/* Let threads run by turns from now on; WITH_CLOCK: turns take time of the
   false clock. Return NULL, or why that cannot be. */
const HChar* DCFG_(start_turns)(Bool with_clock);

/* Return whether there are turns, and other threads. */
Bool DCFG_(has_turns)(void);

/* Return whether thread TID goes on after a call whose result was not known
   when it ended. *SYSNO, *ARGS and *RES become the call's. */
Bool DCFG_(take_late)(ThreadId tid, /*OUT*/UInt* sysno,
                      /*OUT*/const UWord** args, /*OUT*/SysRes* res);

/* A signal is about to be delivered to thread TID, which may wait here. */
void DCFG_(turn_interrupted)(ThreadId tid);

/* The events of threads.  PARENT is the running thread. */
void DCFG_(turn_created)(ThreadId parent, ThreadId tid);
void DCFG_(turn_ended)(ThreadId tid);

/* Thread TID is about to run code.  Return False if it must not: it runs
   nothing then and comes again. */
Bool DCFG_(take_turn)(ThreadId tid);

/* Thread TID has ceased to run code.  Return False if it has run none, as
   take_turn() said. */
Bool DCFG_(pause_turn)(ThreadId tid);

/* Thread TID begins a system call, which may last as W says; it has ended it,
   because its time was over if TIMED_OUT.  The latter returns whether that is
   too early for the false clock: the thread does not go on before. */
void DCFG_(turn_calls)(ThreadId tid, UInt sysno, Wait w);
Bool DCFG_(turn_called)(ThreadId tid, Bool timed_out);

/* The running thread has woken others that wait for the word FUTEX, up to N.
   Wake those, too, whose time was over for the kernel, but is not for the false
   clock.  Return how many. */
UInt DCFG_(wake_early)(Addr futex, UInt n);

/* In the child of a fork, thread TID is the only one. */
void DCFG_(turn_forked)(ThreadId tid);

#endif
