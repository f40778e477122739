/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory accesses of system calls that the core does not report. */

/* Private to wet/. */

#ifndef __DCFG_WET_SYSCALLS_H
#define __DCFG_WET_SYSCALLS_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* TellMemory: takes an access; ARG was given together with the function. */
typedef void (*TellMemory)(void* arg, Addr a, SizeT len);

/* Report memory that system call SYSNO is about to read. */
void DCFG_(untold_reads)(UInt sysno, const UWord* args, TellMemory to,
                         void* arg);

/* Report memory that system call SYSNO has written.  RESULT is not an error. */
void DCFG_(untold_writes)(UInt sysno, const UWord* args, UWord result,
                          TellMemory to, void* arg);

#endif /* __DCFG_WET_SYSCALLS_H */
