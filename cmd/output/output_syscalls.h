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
      uint32_t number;          // or UINT32_MAX: it is not known
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

/* Return a slice of all system calls, with the writers of their arguments and
   buffers; with NUMBERS, only with the writers of their numbers. */
DcfgSlice* all_syscalls(DcfgWet* w, bool* instrs, bool numbers);

/* Return the system calls of S, which all_syscalls() made.  The caller frees
   .calls. */
SystemCalls calls_of(DcfgWet* w, const DcfgSlice* s);

/* Return the kernel's number of system call N of S; UINT32_MAX if it is not
   known. */
uint32_t call_number(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n);

/* Set *VALUE to argument K of N, from 0.  Return false if it is not known. */
bool call_argument(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n,
                   unsigned k, uint64_t* value);

/* Set SPARE, by instruction of a system call: the argument registers that none of
   its calls has used. */
void find_spare(const SystemCalls* c, uint32_t* spare);

/* Make a system call the criterion of INSTRS and Q.  CALL is "NAME", the last such
   call, or "NAME#N", number N of them from 0.  Dies if there is none. */
void syscall_criterion(DcfgWet* w, const char* call, const Roles* roles,
                       bool* instrs, uint32_t* spare, DcfgSliceQuery* q);

#endif /* DCFG_CMD_OUTPUT_SYSCALLS_H */
