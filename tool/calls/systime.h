/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The number and the time of system calls. */

#ifndef __DCFG_SYSTIME_H
#define __DCFG_SYSTIME_H

#include "pub_tool_basics.h"
#include "tool/calls/calls.h"

/* The events of system calls, in .sys of a Call. */
enum { SysCount, SysTime, SysCpuTime, N_SYS_EVENTS };

typedef enum { NoSysTime, SysTimeMsec, SysTimeUsec, SysTimeNsec } SysTimeUnit;

/* Collect the number and the time of system calls, before the program runs. */
void DCFG_(time_syscalls)(SysTimeUnit unit);

/* Return how many of the events are collected; 0: none. */
UInt DCFG_(n_sys_events)(void);

/* SystemTimes: the sums of a thread; NULL: not wanted. */
struct _CallStack;
typedef struct _SystemTimes SystemTimes;
SystemTimes* DCFG_(new_times)(void);
void         DCFG_(delete_times)(SystemTimes* st);

/* The call of FRAME begins; it ends, and is C; C was there before the thread's
   first frame. */
void DCFG_(times_begin)(SystemTimes* st, UInt frame);
void DCFG_(times_end)(SystemTimes* st, UInt frame, Call* c);
void DCFG_(times_of_base)(SystemTimes* st, Call* c);

/* A handler begins; it ends; all sums begin anew. */
void DCFG_(times_suspend)(SystemTimes* st);
void DCFG_(times_resume)(SystemTimes* st);
void DCFG_(times_forget)(SystemTimes* st);

/* Add to active calls what they have so far; or take it away again. */
void DCFG_(times_of_active)(const struct _CallStack* cs, Bool back);

/* A system call begins; it ends.  Hooks of a Watcher. */
void DCFG_(begin_syscall)(void* s, UInt sysno, const UWord* args);
void DCFG_(end_syscall)(void* s, UInt sysno, const UWord* args, SysRes res);

#endif
