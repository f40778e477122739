/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a killed process leaves. */

/* Private to wet/. */

#ifndef __DCFG_JOURNAL_H
#define __DCFG_JOURNAL_H

#include "pub_tool_basics.h"
#include "delivery/stream.h"

/* Before the program runs: keep a journal beside the output that OPT names with
   FORMAT. */
void DCFG_(keep_journal)(const HChar* opt, const HChar* format);

/* TAPE has whole chunks, all that ran, of N_THREADS threads: make sure that it
   outlasts the process, with all that is needed to read it.  Not while anything
   is being translated. */
void DCFG_(save_tape)(Stream* tape, UInt n_threads);

/* What is in the journal is no longer all that ran, or it is the PARENTS. */
void DCFG_(end_journal)(Bool parents);

#endif /* __DCFG_JOURNAL_H */
