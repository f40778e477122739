/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines without code of their own. */

#ifndef DCFG_CMD_MERGED_LINES_H
#define DCFG_CMD_MERGED_LINES_H

/* Private to the room program/. */

#include "cmd/program/variable_place.h"

/* MergedLine: a statement that the compiler merged with others, and the address
   where it would begin. */
typedef
   struct {
      uint64_t    pc;           // address of the file
      const char* path;         // valid while the image is open
      uint32_t    line;
   }
   MergedLine;

/* MergedLines: the merged lines of the units asked for so far. */
typedef struct MergedLines MergedLines;

MergedLines* merged_lines_new(void);
void         merged_lines_free(MergedLines* m);

/* Return the number of merged lines at S's address, without those in headers of
   the distribution.  *LINES gets them, until the next call. */
size_t merged_lines_at(MergedLines* m, const Site* s, const MergedLine** lines);

#endif /* DCFG_CMD_MERGED_LINES_H */
