/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory that the core does not tell of. */

/* Private to wet/. */

#ifndef __DCFG_WET_SYSCALLS_H
#define __DCFG_WET_SYSCALLS_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* ARG is what was given with it. */
typedef void (*TellMemory)(void* arg, Addr a, SizeT len);

/* Memory that system call SYSNO is about to read. */
void DCFG_(untold_reads)(UInt sysno, const UWord* args, TellMemory to,
                         void* arg);

/* And that it has written, with that RESULT, which is no error. */
void DCFG_(untold_writes)(UInt sysno, const UWord* args, UWord result,
                          TellMemory to, void* arg);

#endif /* __DCFG_WET_SYSCALLS_H */
