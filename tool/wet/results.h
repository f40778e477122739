/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Results of system calls that have many commands. */

/* Private to wet/. */

#ifndef __DCFG_WET_RESULTS_H
#define __DCFG_WET_RESULTS_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* TellMemory: takes an access; ARG was given together with the function. */
typedef void (*TellMemory)(void* arg, Addr a, SizeT len);

/* Syscall: a system call, and the function to report its accesses to. */
typedef
   struct {
      UInt         sysno;
      const UWord* args;
      TellMemory   tell;
      void*        arg;
   }
   Syscall;

/* Report N bytes at A, unless A is 0. */
static inline void tell(const Syscall* c, Addr a, SizeT n)
{
   if (a != 0)
      c->tell(c->arg, a, n);
}

/* Report the results in memory that the core does not report, or not as long as
   they are.  RESULT is that of the call, no error. */
void DCFG_(tell_results)(const Syscall* c, UWord result);

#endif /* __DCFG_WET_RESULTS_H */
