/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's RLIMIT_AS. */

#ifndef __DCFG_SPACELIMIT_H
#define __DCFG_SPACELIMIT_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Before a system call: hide a new limit of address space from the kernel. */
void DCFG_(hold_space_limit)(UInt sysno, const UWord* args);

/* After the system call: show the program its own limit. */
void DCFG_(show_space_limit)(UInt sysno, const UWord* args, Bool failed);

/* Before execve, when all files are written: give the soft limit to the kernel,
   and so to the new program. */
void DCFG_(pass_space_limit)(void);

/* After any system call, which may be an execve that failed: give the tool its
   memory back. */
void DCFG_(take_back_space_limit)(void);

#endif /* __DCFG_SPACELIMIT_H */
