/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory accesses of system calls that the core does not report. */

/* Private to wet/. */

#ifndef __DCFG_WET_SYSCALLS_H
#define __DCFG_WET_SYSCALLS_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/wet/results.h"

/* Report memory that system call SYSNO is about to read. */
void DCFG_(untold_reads)(UInt sysno, const UWord* args, TellMemory to,
                         void* arg);

/* Report memory that system call SYSNO has written. */
void DCFG_(untold_writes)(UInt sysno, const UWord* args, SysRes res,
                          TellMemory to, void* arg);

/* Report the places behind arguments that system call SYSNO may write. */
void DCFG_(places_to_watch)(UInt sysno, const UWord* args, TellMemory to,
                            void* arg);

/* Return whether the system call writes nothing that the core says it does. */
Bool DCFG_(writes_nothing)(UInt sysno, const UWord* args);

#endif /* __DCFG_WET_SYSCALLS_H */
