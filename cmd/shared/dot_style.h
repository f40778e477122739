
/*--------------------------------------------------------------------*/
/*--- What drawings look like.                         dot_style.h ---*/
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

#ifndef DCFG_CMD_DOT_STYLE_H
#define DCFG_CMD_DOT_STYLE_H

#include <stdint.h>
#include <stdio.h>

/* S as a part of a quoted string. */
void dot_text(FILE* out, const char* s);

/* Colours for something that has PART of the hottest one's WHOLE: of an
   area, and of the text in it. */
const char* heat_colour(uint64_t part, uint64_t whole);
const char* ink_colour(uint64_t part, uint64_t whole);

/* How thick a line for COUNT is, where the most frequent has MOST. */
double      line_width(uint64_t count, uint64_t most);

#endif /* DCFG_CMD_DOT_STYLE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
