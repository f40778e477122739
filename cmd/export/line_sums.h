/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instructions of source lines. */

#ifndef DCFG_CMD_LINE_SUMS_H
#define DCFG_CMD_LINE_SUMS_H

#include "cmd/base/names.h"

/* LineSum: instructions that were executed for a line of a file. */
typedef
   struct {
      uint32_t file;            // index; DCFG_NONE: of no line
      uint32_t line;
      uint64_t instrs;
   }
   LineSum;

/* The lines of IMAGE, by file and line, to be freed; their number goes to *N.
   Instructions of code without a line are those of no file.  *UNKNOWN grows by
   instructions of which rows do not tell to which of several lines they belong;
   these are of no file, too. */
LineSum* line_sums(const Program* g, uint32_t image, uint32_t* n,
                   uint64_t* unknown);

#endif /* DCFG_CMD_LINE_SUMS_H */
