/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The file of a trace's index. */

#ifndef DCFG_CMD_TRACE_INDEX_H
#define DCFG_CMD_TRACE_INDEX_H

#include "lib/dcfg_slice.h"

typedef
   enum {
      INDEX_IF_THERE,
      INDEX_MADE,               // if it is not there, or wrong
      INDEX_NEVER
   }
   IndexUse;

/* Slices of W, which FILE has, use its index as USE says: true if there is one.
   A new one has OUTSIDE, as dcfg_slice_make_index() has it. */
bool use_index(DcfgWet* w, const char* file, IndexUse use,
               const bool* outside);

/* The use that --index=TEXT asks for; OTHERWISE if TEXT is NULL or "yes". */
IndexUse index_use(const char* text, IndexUse otherwise);

#define OPT_INDEX(to, help) { "index", OPT_TEXT, to, "no|yes", help }

#endif /* DCFG_CMD_TRACE_INDEX_H */
