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
      INDEX_UNNAMED,            // a new one, without a name
      INDEX_NEVER
   }
   IndexUse;

/* Let slices of W, the trace in FILE, use its index as USE says.  Return whether
   there is an index.  OUTSIDE is for a new index, as in
   dcfg_slice_make_index().  If a new index has no name, *UNNAMED becomes its
   descriptor, which the caller closes; else -1.  UNNAMED may be NULL. */
bool use_index(DcfgWet* w, const char* file, IndexUse use,
               const bool* outside, int* unnamed);

/* Let slices of W, the trace in FILE, use its index if there is one.  Print
   nothing.  Return whether there is an index. */
bool use_index_there(DcfgWet* w, const char* file);

/* Slices of W use the index that PATH names: true if it is one of W. */
bool use_index_at(DcfgWet* w, const char* path);

/* The use that --index=TEXT asks for: YES if TEXT is NULL or "yes", NO if it is
   "no". */
IndexUse index_use(const char* text, IndexUse yes, IndexUse no);

#define OPT_INDEX(to, help) { "index", OPT_TEXT, to, "no|yes", help }

#endif /* DCFG_CMD_TRACE_INDEX_H */
