/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instructions of source lines. */

#ifndef DCFG_CMD_LINE_SUMS_H
#define DCFG_CMD_LINE_SUMS_H

#include "cmd/base/names.h"

/* LineSum: instructions that were executed for a line of a file. */
typedef
   struct {
      uint32_t file;            // index, or DCFG_NONE for code without a line
      uint32_t line;
      uint64_t instrs;
   }
   LineSum;

/* Return the lines of IMAGE, by file and line, to be freed; *N is their number.
   Instructions of code without a line count for file DCFG_NONE.  So do those
   that rows leave ambiguous between lines; *UNKNOWN grows by them. */
LineSum* line_sums(const Program* g, uint32_t image, uint32_t* n,
                   uint64_t* unknown);

#endif /* DCFG_CMD_LINE_SUMS_H */
