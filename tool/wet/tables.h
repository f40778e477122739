/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of code in a WET file, and the journal. */

/* Private to wet/. */

#ifndef __DCFG_TABLES_H
#define __DCFG_TABLES_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "format/put.h"
#include "format/wet_sections.h"
#include "tool/files/stream.h"
#include "tool/graph/graph.h"
#include "tool/wet/coding.h"

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
   is that of the process at its begin (tool/wet/process.h).  Not while anything
   is being translated. */
void DCFG_(save_tape)(Stream* tape, UInt n_threads, const Bytes* state);

/* End the journal: it is no longer all that ran, or PARENTS: it is the
   parent's. */
void DCFG_(end_journal)(Bool parents);

#endif /* __DCFG_TABLES_H */
