/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   System calls as criteria. */

#ifndef DCFG_CMD_SLICE_OUTPUT_H
#define DCFG_CMD_SLICE_OUTPUT_H

#include "lib/dcfg_slice.h"
#include "cmd/machine/roles.h"

/* "NAME" or "NAME#N", the last one or number N from 0 on of these system
   calls, to INSTRS and Q.  SPARE of each instruction that makes system calls
   gets the registers for arguments that none of them has used.  Dies if there
   is none. */
void syscall_criterion(DcfgWet* w, const char* call, const Roles* roles,
                       bool* instrs, uint32_t* spare, DcfgSliceQuery* q);

/* The last system call that wrote TEXT, and those bytes; or several that wrote
   it one after the other to one file descriptor.  Q's parts are to be freed. */
void output_criterion(DcfgWet* w, const char* text, bool* instrs,
                      uint32_t* spare, DcfgSliceQuery* q);

#endif /* DCFG_CMD_SLICE_OUTPUT_H */
