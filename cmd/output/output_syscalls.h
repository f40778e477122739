/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   System calls as criteria. */

#ifndef DCFG_CMD_OUTPUT_SYSCALLS_H
#define DCFG_CMD_OUTPUT_SYSCALLS_H

#include "lib/dcfg_slice.h"
#include "cmd/machine/roles.h"

typedef
   struct {
      uint32_t instr;
      uint32_t number;          // the kernel's; UINT32_MAX: not known
      uint64_t instance;
   }
   Syscall;

/* SystemCalls: system calls of a trace, in the order of their execution. */
typedef
   struct {
      DcfgWet* w;
      Syscall* calls;
      size_t   n, room;
   }
   SystemCalls;

/* Return a slice of all system calls, and set INSTRS to their instructions.
   The slice has the writers of arguments and buffers; with NUMBERS, only the
   writers of the calls' numbers. */
DcfgSlice* all_syscalls(DcfgWet* w, bool* instrs, bool numbers);

/* Return the system calls of S, which all_syscalls() must have made.  The
   caller frees .calls. */
SystemCalls calls_of(DcfgWet* w, const DcfgSlice* s);

/* Return the kernel's number of system call N of S; UINT32_MAX if it is not
   known. */
uint32_t call_number(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n);

/* Set *VALUE to argument K, from 0, of call N.  Return false if it is not
   known. */
bool call_argument(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n,
                   unsigned k, uint64_t* value);

/* Set SPARE, by instruction of a system call, to the argument registers that
   none of its calls uses. */
void find_spare(const SystemCalls* c, uint32_t* spare);

/* Make a system call the criterion of INSTRS and Q.  CALL is "NAME" for the
   last such call, or "NAME#N" for number N of them, from 0.  Set SPARE as
   find_spare() does.  Die if there is no such call. */
void syscall_criterion(DcfgWet* w, const char* call, const Roles* roles,
                       bool* instrs, uint32_t* spare, DcfgSliceQuery* q);

#endif /* DCFG_CMD_OUTPUT_SYSCALLS_H */
