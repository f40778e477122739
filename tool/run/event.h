/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The core's events of threads. */

#ifndef __DCFG_EVENT_H
#define __DCFG_EVENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Register for the core's events of threads. */
void DCFG_(track_threads)(void);

/* Note that TID is about to make a system call, or has made it. */
void DCFG_(note_syscall)(ThreadId tid, UInt sysno, const UWord* args);
void DCFG_(note_syscall_done)(ThreadId tid, UInt sysno, const UWord* args,
                              SysRes res);

/* Call DO_IT each time a thread has left generated code. */
void DCFG_(when_code_is_left)(void (*do_it)(void));

#endif /* __DCFG_EVENT_H */
