/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's memory, read and written by the tool. */

#ifndef __DCFG_MEMORY_H
#define __DCFG_MEMORY_H

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"

/* Return whether the program may access the N bytes at AT in the way PROT. */
Bool DCFG_(usable)(UWord at, SizeT n, UInt prot);

/* Return how the program may access the mapping S, as mprotect() has it. */
UInt DCFG_(protection)(const NSegment* s);

/* Overwrite the N bytes at AT in the program's memory with those at FROM, even
   if the program itself cannot write there.  Return False if nothing is
   mapped. */
Bool DCFG_(overwrite)(UWord at, const void* from, SizeT n);

/* Let the file with this number of DEVICE be called NAME, as long as the process
   runs.  Return the name of S's file, or NULL: one that was set, or that of the
   core. */
void         DCFG_(call_file)(ULong device, ULong number, const HChar* name);
const HChar* DCFG_(file_of)(const NSegment* s);

#endif
