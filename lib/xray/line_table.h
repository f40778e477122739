
/*--------------------------------------------------------------------*/
/*--- DWARF's line number programs.                   line_table.h ---*/
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

#ifndef DCFG_LINE_TABLE_H
#define DCFG_LINE_TABLE_H

#include "lib/base/job.h"

/* The code from ADDR to END is of this line. */
typedef
   struct {
      uint64_t    addr, end;
      const char* file;         // lives as long as the arena and the data
      uint64_t    line;
   }
   LineRow;

/* Tell of each row in the SIZE bytes of a section .debug_line, of DWARF 4,
   little-endian.  TELL returns false to end it.  *WHY: what is wrong with the
   section, or NULL; *AT: where in it.  False without memory, or if TELL
   wants no more. */
bool read_line_table(Job* job, Arena* names, const uint8_t* data,
                     size_t size, bool (*tell)(void* arg, const LineRow* row),
                     void* arg, const char** why, uint64_t* at);

#endif /* DCFG_LINE_TABLE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
