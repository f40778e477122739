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

/* Calls: in their order. */
typedef
   struct {
      DcfgWet* w;
      Syscall* calls;
      size_t   n, room;
   }
   SystemCalls;

/* All system calls, with who wrote what they used, or only their numbers. */
DcfgSlice* all_syscalls(DcfgWet* w, bool* instrs, bool numbers);

/* Those of S, which all_syscalls() made.  The caller frees .calls. */
SystemCalls calls_of(DcfgWet* w, const DcfgSlice* s);

/* The number of system call N of S; UINT32_MAX if it is not known. */
uint32_t call_number(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n);

/* Set *VALUE to its argument K, from 0.  False if that is not known. */
bool call_argument(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n,
                   unsigned k, uint64_t* value);

/* SPARE of each system call's instruction: the registers for arguments that
   none of the calls has used. */
void find_spare(const SystemCalls* c, uint32_t* spare);

/* "NAME" or "NAME#N", the last one or number N from 0 on of these system
   calls, to INSTRS and Q.  Dies if there is none. */
void syscall_criterion(DcfgWet* w, const char* call, const Roles* roles,
                       bool* instrs, uint32_t* spare, DcfgSliceQuery* q);

#endif /* DCFG_CMD_OUTPUT_SYSCALLS_H */
