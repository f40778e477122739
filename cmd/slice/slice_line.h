/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of source as criteria. */

#ifndef DCFG_CMD_SLICE_LINE_H
#define DCFG_CMD_SLICE_LINE_H

#include "lib/dcfg_slice.h"

/* Is AT a line, FILE:LINE or FILE:LINE#N, and not an address? */
bool is_line(const char* at);

/* Sets INSTRS for the line AT and *NUMBER to which execution of it is meant.
   False if none of its instructions is in W: see line_guard().  Dies if nothing
   of its file is. */
bool line_criterion(DcfgWet* w, const char* at, bool* instrs,
                    uint64_t* number);

/* Die, since S, the slice of AT, has no instance, but AT ran: not as often. */
void line_check_times(const char* at, const DcfgSlice* s);

/* Line AT never ran: return the instance, as "ADDRESS#N", that kept it from
   running, and say it in *HEADING, some lines of text that the caller frees.
   Dies if there is none, as of a line without code: says the nearest lines. */
const char* line_guard(DcfgWet* w, const char* at, const char* root,
                       char** heading);

#endif /* DCFG_CMD_SLICE_LINE_H */
