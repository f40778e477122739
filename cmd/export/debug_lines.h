
/*--------------------------------------------------------------------*/
/*--- Source lines of ELF files.                     debug_lines.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

#ifndef DCFG_CMD_DEBUG_LINES_H
#define DCFG_CMD_DEBUG_LINES_H

#include "cmd/base/cmd.h"

/* The code from ADDR to END, in the file's addresses, is of this line. */
typedef
   struct {
      uint64_t addr, end;
      uint32_t file;            // in files
      uint32_t line;            // from 1
   }
   DebugLine;

/* A function that has lines. */
typedef
   struct {
      char*    name;
      uint64_t addr, size;
      uint32_t file, line;      // where its code begins
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
