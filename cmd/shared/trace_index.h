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

/* Slices of W, which FILE has, use its index as USE says: true if there is one.
   A new one has OUTSIDE, as dcfg_slice_make_index() has it.  If it has no name,
   *UNNAMED is a new descriptor of it, for the caller to close; else -1.  UNNAMED
   may be NULL. */
bool use_index(DcfgWet* w, const char* file, IndexUse use,
               const bool* outside, int* unnamed);

/* Slices of W, which FILE has, use its index if there is one, without a
   word. */
bool use_index_there(DcfgWet* w, const char* file);

/* Slices of W use the index that PATH names: true if it is one of W. */
bool use_index_at(DcfgWet* w, const char* path);

/* The use that --index=TEXT asks for: YES if TEXT is NULL or "yes", NO if it is
   "no". */
IndexUse index_use(const char* text, IndexUse yes, IndexUse no);

#define OPT_INDEX(to, help) { "index", OPT_TEXT, to, "no|yes", help }

#endif /* DCFG_CMD_TRACE_INDEX_H */
