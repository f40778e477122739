/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writing all of it. */

#ifndef __DCFG_WRITEALL_H
#define __DCFG_WRITEALL_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Write N bytes to FD.  Returns 0 or an errno.  The signals that may come
   with that do not come to the program, and what it may write itself
   (ulimit -f) is no limit, where it can be raised. */
Int DCFG_(write_all)(Int fd, const void* data, SizeT n);

/* Raise the limit of files' sizes as far as possible. */
void DCFG_(raise_file_limit)(/*OUT*/ULong before[2]);

/* The size that a file of write_all() can reach. */
ULong DCFG_(largest_file)(void);

#endif /* __DCFG_WRITEALL_H */
