/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines without code of their own. */

#ifndef DCFG_CMD_MERGED_LINES_H
#define DCFG_CMD_MERGED_LINES_H

/* Private to the room variables/. */

#include "cmd/variables/variable_place.h"

/* MergedLine: a statement that the compiler merged with others, and where it
   would begin. */
typedef
   struct {
      uint64_t    pc;           // in the file's addresses
      const char* path;         // as long as the image is open
      uint32_t    line;
   }
   MergedLine;

/* MergedLines: those of the units that were asked for. */
typedef struct MergedLines MergedLines;

MergedLines* merged_lines_new(void);
void         merged_lines_free(MergedLines* m);

/* Those that would begin at S's code, without a header's of the distribution;
   returns how many.  They last until the next call. */
size_t merged_lines_at(MergedLines* m, const Site* s, const MergedLine** lines);

#endif /* DCFG_CMD_MERGED_LINES_H */
