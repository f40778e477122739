/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines of ELF files. */

#ifndef DCFG_CMD_DEBUG_LINES_H
#define DCFG_CMD_DEBUG_LINES_H

#include "cmd/base/cmd.h"

/* The code from ADDR to END, in the file's addresses, is of this line. */
typedef
   struct {
      uint64_t addr, end;
      uint32_t file;            // in files
      uint32_t line, column;    // from 1; column 0: unknown
      bool     is_only;         // no other line's code is empty at ADDR
   }
   DebugLine;

/* A function that has lines. */
typedef
   struct {
      char*    name;
      uint64_t addr, size;
      uint32_t file, line;      // declaration, as gcov has it
      bool     is_named;        // NAME is what the compiler calls it
   }
   DebugFunction;

/* All that an ELF file and its debug information, which may be a file of its
   own, say of lines. */
typedef
   struct {
      char**         files;     // paths
      uint32_t       n_files;
      DebugLine*     lines;     // in order of address, not overlapping
      size_t         n_lines, room;
      DebugFunction* functions; // likewise, one for an address
      size_t         n_functions, function_room;
   }
   DebugLines;

/* NULL, and WHY, if there is nothing, or debug information of another build
   than BUILD_ID (NULL: any). */
DebugLines* debug_lines_read(const char* path, const char* build_id,
                             const char** why);
void        debug_lines_free(DebugLines* d);

/* The line that has the code at ADDR; NULL. */
const DebugLine* debug_line_at(const DebugLines* d, uint64_t addr);

#endif /* DCFG_CMD_DEBUG_LINES_H */
