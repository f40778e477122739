/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The state of the process: registers, mappings, stacks. */

/* Private to wet/. */

#ifndef __DCFG_WET_PROCESS_H
#define __DCFG_WET_PROCESS_H

#include "pub_tool_basics.h"
#include "pub_tool_threadstate.h"
#include "format/put.h"
#include "tool/dcfg_output.h"
#include "format/wet_process.h"
#include "tool/run/gather.h"
#include "tool/wet/coding.h"

/* GuestRegisters: all registers of a thread at some time. */
typedef struct _GuestRegisters GuestRegisters;

/* Return the registers of TID as they are now.  The caller frees them. */
GuestRegisters* DCFG_(read_registers)(ThreadId tid);

/* Add to B, as pieces (format/wet_process.h), the registers NOW; if BEFORE is
   not NULL, only registers that differ from those in BEFORE. */
void DCFG_(add_registers)(Bytes* b, const GuestRegisters* now,
                          const GuestRegisters* before);

/* Add to B, as a piece, the SIZE bytes at OFFSET in TID's guest state: a
   register. */
void DCFG_(add_register)(Bytes* b, ThreadId tid, Int offset, SizeT size);

/* TellMapping: takes LEN bytes of memory at A that are mapped in one way, HOW,
   which has MappedRead and so on and, for a file, an offset and a name. */
typedef void (*TellMapping)(Addr a, SizeT len, const Bytes* how);

/* Report to TO how the LEN bytes at A are mapped after CHANGE. */
void DCFG_(tell_mappings)(Addr a, SizeT len, MappingChange change,
                          TellMapping to);

/* Copy the auxiliary vector, which the program may change.  Called before the
   program runs. */
void DCFG_(keep_auxv)(void);

/* Add the state of the process to B: the auxiliary vector, mappings, all
   threads with their registers, and at most MOST bytes of each thread's stack.
   Return 1 more than the largest number of a thread.  AT_START: the program
   begins. */
UInt DCFG_(add_state)(Bytes* b, Bool at_start, SizeT most);

/* Put the section of STATE, and of the end of what was recorded.  STATE may be
   empty: nothing is known. */
void DCFG_(put_state)(Put* out, const Bytes* state, const RunEnd* end);

#endif /* __DCFG_WET_PROCESS_H */
