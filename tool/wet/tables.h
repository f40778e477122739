/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of code in a WET file, states of the process, and the journal. */

#ifndef __DCFG_TABLES_H
#define __DCFG_TABLES_H

#include "pub_tool_basics.h"
#include "pub_tool_threadstate.h"
#include "dcfg_bb.h"
#include "format/put.h"
#include "format/wet_process.h"
#include "format/wet_sections.h"
#include "tool/dcfg_output.h"
#include "tool/files/stream.h"
#include "tool/graph/graph.h"
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

/* Put the head of SECTION, which has LENGTH bytes. */
void DCFG_(put_section)(Put* out, UInt section, ULong length);

/* Put all sections before the tape.  DROPPED: some of the tape is missing.
   Return how many instructions were executed. */
struct _Gathered;
ULong DCFG_(put_tables)(Put* out, const struct _Gathered* g, Bool dropped,
                        Bool ended);

/* Keep a journal beside the output that OPT names with FORMAT.  Called before
   the program runs. */
void DCFG_(keep_journal)(const HChar* opt, const HChar* format);

/* Save TAPE, which has whole chunks, all that ran, of N_THREADS threads, with
   everything that is needed to read it, so that it outlasts the process.  STATE
   is that of the process at its begin (tool/wet/tables.h).  Not while anything
   is being translated. */
void DCFG_(save_tape)(Stream* tape, UInt n_threads, const Bytes* state);

/* End the journal: it is no longer all that ran, or PARENTS: it is the
   parent's. */
void DCFG_(end_journal)(Bool parents);

#endif
