
/*--------------------------------------------------------------------*/
/*--- Files for results.                                result.h ---*/
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

#ifndef DCFG_CMD_RESULT_H
#define DCFG_CMD_RESULT_H

#include <stdbool.h>
#include <stdio.h>

/* A file for a result, which gets its name when all is complete; nothing is
   left of it if that does not happen.  A link goes on being one, and what is no
   regular file is written to.  If PATH ends in .gz, .bz2, .xz or .zst the text
   goes through that program.  NULL: the standard output.  Dies if that cannot
   be done, as all of these. */
FILE* open_result(const char* path);

/* F, which is not the standard output, is complete. */
void  finish_result(FILE* f);

/* All results are: they get their names. */
void  name_results(void);

/* Both, for all that are open. */
void  close_results(void);

/* The suffix of PATH that names a compressor, or the end of PATH. */
const char* compressed_suffix(const char* path);

/* Is PATH a device, a pipe or the like?  Such a thing is written to; only a
   regular file may be replaced by another one. */
bool  is_special_file(const char* path);

#endif /* DCFG_CMD_RESULT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
