/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of source as criteria. */

#ifndef DCFG_CMD_SLICE_LINE_H
#define DCFG_CMD_SLICE_LINE_H

#include "cmd/program/debug.h"

#include "lib/dcfg_slice.h"

/* Return whether AT is FILE:LINE or FILE:LINE#N, and not an address. */
bool is_line(const char* at);

/* Set INSTRS, by instruction, to whether the line AT has it, and *NUMBER to
   the N of #N, or DCFG_SLICE_LAST.  Return false if the trace has none of
   the line's instructions: see line_guard().  Die if AT names two files. */
bool line_criterion(DcfgWet* w, const char* at, bool* instrs,
                    uint64_t* number);

/* Die with a message if AT ran, but not as often as its #N says.  S is the
   slice of AT, which has no instance. */
void line_check_times(const char* at, const DcfgSlice* s);

/* Return the instance, as "ADDRESS#N", that kept line AT from running.  Set
   *HEADING to some lines of text that say so, which the caller frees.  Die
   with the nearest lines if no instance did, as for a line without code. */
const char* line_guard(TraceProgram* p, const char* at, char** heading);

#endif /* DCFG_CMD_SLICE_LINE_H */
