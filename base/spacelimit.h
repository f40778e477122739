/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's RLIMIT_AS. */

#ifndef __DCFG_SPACELIMIT_H
#define __DCFG_SPACELIMIT_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Before a system call: keep a limit of address space from the kernel. */
void DCFG_(hold_space_limit)(UInt sysno, const UWord* args);

/* After it: show the program its own limit. */
void DCFG_(show_space_limit)(UInt sysno, const UWord* args, Bool failed);

/* Before execve, when all is written: the new program gets the soft
   limit. */
void DCFG_(pass_space_limit)(void);

/* After any system call: if that was execve, it has failed, and the tool has its
   memory again. */
void DCFG_(take_back_space_limit)(void);

#endif /* __DCFG_SPACELIMIT_H */
