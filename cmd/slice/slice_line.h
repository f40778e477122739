/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of source as criteria. */

#ifndef DCFG_CMD_SLICE_LINE_H
#define DCFG_CMD_SLICE_LINE_H

#include "lib/dcfg_slice.h"

/* Is AT a line, FILE:LINE or FILE:LINE#N, and not an address? */
bool is_line(const char* at);

/* Sets INSTRS for the line AT and returns which execution of it is meant.  Dies
   if none of its instructions is in W: see line_never_ran(). */
uint64_t line_criterion(DcfgWet* w, const char* at, const char* root,
                        bool* instrs);

/* Die, since S, the slice of AT, has no instance: the line never ran, or not as
   often. */
_Noreturn void line_has_none(DcfgWet* w, const char* at, const char* root,
                             const DcfgSlice* s);

/* Die, since LINE of SOURCE never ran: say whether it has code, the nearest
   lines that did run, and what to ask next. */
_Noreturn void line_never_ran(DcfgWet* w, const char* source, uint64_t line,
                              const char* root);

#endif /* DCFG_CMD_SLICE_LINE_H */
