/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines of ELF files. */

#ifndef DCFG_CMD_DEBUG_LINES_H
#define DCFG_CMD_DEBUG_LINES_H

#include "cmd/base/cmd.h"

/* DebugLine: the source line of the code from ADDR to END, addresses of the
   file. */
typedef
   struct {
      uint64_t addr, end;
      uint32_t file;            // index in .files
      uint32_t line, column;    // from 1; column 0 if unknown
      bool     is_only;         // no empty row of another line is at ADDR
   }
   DebugLine;

/* DebugFunction: a function that has lines. */
typedef
   struct {
      char*    name;
      uint64_t addr, size;
      uint32_t file, line;      // the declaration's, as gcov has it
      bool     is_named;        // NAME is from debug information
      bool     is_optimised;    // the compiler changed the order of branches
   }
   DebugFunction;

/* DebugLines: lines and functions of an ELF file, from its debug information or
   from that in a separate file. */
typedef
   struct {
      char**         files;
      uint32_t       n_files;
      DebugLine*     lines;     // in order of address, not overlapping
      size_t         n_lines, room;
      DebugFunction* functions; // in order of address; one at an address
      size_t         n_functions, function_room;
   }
   DebugLines;

/* Read the lines of the file at PATH.  Return NULL, and the reason in *WHY, if
   there is no debug information, or only another build's than BUILD_ID (NULL:
   any). */
DebugLines* debug_lines_read(const char* path, const char* build_id,
                             const char** why);
void        debug_lines_free(DebugLines* d);

/* Return the line of the code at ADDR, or NULL. */
const DebugLine* debug_line_at(const DebugLines* d, uint64_t addr);

/* Return the function that has the code at ADDR, or NULL. */
const DebugFunction* debug_function_at(const DebugLines* d, uint64_t addr);

#endif /* DCFG_CMD_DEBUG_LINES_H */
