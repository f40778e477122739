/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   System calls: memory that they access, and the core does not say. */

#ifndef __DCFG_SYSCALLS_H
#define __DCFG_SYSCALLS_H

#include "pub_tool_basics.h"

/* TellMemory: takes an access; ARG was given together with the function. */
typedef void (*TellMemory)(void* arg, Addr a, SizeT len);

/* Report memory that system call SYSNO is about to read. */
void DCFG_(untold_reads)(UInt sysno, const UWord* args, TellMemory to,
                         void* arg);

/* Report memory that system call SYSNO has written. */
void DCFG_(untold_writes)(UInt sysno, const UWord* args, SysRes res,
                          TellMemory to, void* arg);

/* Return whether the system call writes nothing that the core says it does. */
Bool DCFG_(writes_nothing)(UInt sysno, const UWord* args);

/* Report the places behind arguments that system call SYSNO may write. */
void DCFG_(places_to_watch)(UInt sysno, const UWord* args, TellMemory to,
                            void* arg);

#endif /* __DCFG_SYSCALLS_H */
