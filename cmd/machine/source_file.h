
/*--------------------------------------------------------------------*/
/*--- Lines of a source file.                        source_file.h ---*/
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

#ifndef DCFG_CMD_SOURCE_FILE_H
#define DCFG_CMD_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct SourceFile SourceFile;

/* NULL if it cannot be read. */
SourceFile* source_file_open(const char* path);

/* F may be NULL. */
void source_file_close(SourceFile* f);

uint32_t source_file_lines(const SourceFile* f);

/* Line N, from 1, without its end; whatever bytes it has.  NULL if there is
   none. */
const char* source_file_line(const SourceFile* f, uint32_t n, size_t* length);

#endif /* DCFG_CMD_SOURCE_FILE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
