/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The journal: what a killed process leaves. */

/* Private to wet/. */

#ifndef __DCFG_JOURNAL_H
#define __DCFG_JOURNAL_H

#include "pub_tool_basics.h"
#include "tool/files/stream.h"
#include "tool/wet/packed.h"

/* Keep a journal beside the output that OPT names with FORMAT, for a file of
   VERSION.  Called before the program runs. */
void DCFG_(keep_journal)(const HChar* opt, const HChar* format, UInt version);

/* Save TAPE, which has whole chunks, all that ran, of N_THREADS threads, with
   everything that is needed to read it, so that it outlasts the process. STATE
   is that of the process at its begin (tool/wet/process.h).  Not while anything is
   being translated. */
void DCFG_(save_tape)(Stream* tape, UInt n_threads, const Bytes* state);

/* End the journal: it is no longer all that ran, or PARENTS: it is the
   parent's. */
void DCFG_(end_journal)(Bool parents);

#endif /* __DCFG_JOURNAL_H */
