/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores that did not run, beside the lines of a listing. */

#ifndef DCFG_CMD_SLICE_BESIDE_H
#define DCFG_CMD_SLICE_BESIDE_H

#include "cmd/slice/slice_views.h"

/* ListedLine: a line of a listing.  .source is NULL for a row without a
   line. */
typedef
   struct {
      const char* source;
      uint32_t    line;
   }
   ListedLine;

/* Beside: a sentence that stands below row .row. */
typedef
   struct {
      size_t   row;
      unsigned depth;           // 1: about the branch of the sentence before
      char*    text;
   }
   Beside;

typedef
   struct {
      Beside* all;              // in the order of rows
      size_t  n, room;
      size_t  more;             // sentences left out
   }
   BesideList;

/* Return sentences about stores that did not run but could have changed
   values of the first rows of V's listing.  The listing has N LINES.  Free
   the result with slice_beside_free(). */
BesideList slice_beside(const SliceView* v, const ListedLine* lines, size_t n);
void       slice_beside_free(BesideList* l);

#endif /* DCFG_CMD_SLICE_BESIDE_H */
