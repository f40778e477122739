/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Changes of memory that a system call was given. */

#ifndef __DCFG_COPIES_H
#define __DCFG_COPIES_H

#include "pub_tool_basics.h"

#include "tool/base/buffer.h"
#include "tool/wet/syscalls.h"

/* Add a copy of the LEN bytes at A to COPIES, as far as they can be read, and
   up to a limit.  OFFERED: the call was given this memory for its results. */
void DCFG_(copy_memory)(Bytes* copies, Addr a, SizeT len, Bool offered);

/* Copy once more what COPIES has of the LEN bytes at A. */
void DCFG_(renew_copies)(Bytes* copies, Addr a, SizeT len);

/* Call TO with ARG for each piece of memory that is not as it was copied; of
   memory that was not offered only if ALONE. */
void DCFG_(tell_changes)(const Bytes* copies, Bool alone, TellMemory to,
                         void* arg);

#endif /* __DCFG_COPIES_H */
