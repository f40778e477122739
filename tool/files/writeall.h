/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writing to descriptors. */

#ifndef __DCFG_WRITEALL_H
#define __DCFG_WRITEALL_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Write N bytes to FD.  Return 0 or an errno.  Signals that this causes do not
   reach the program, and its limit of file size (ulimit -f) does not apply
   where it can be raised. */
Int DCFG_(write_all)(Int fd, const void* data, SizeT n);

/* Raise the limit of file sizes as far as possible.  BEFORE is the old
   limit. */
void DCFG_(raise_file_limit)(/*OUT*/ULong before[2]);

/* Return the largest size in bytes of a file that write_all() writes. */
ULong DCFG_(largest_file)(void);

#endif /* __DCFG_WRITEALL_H */
