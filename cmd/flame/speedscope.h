
/*--------------------------------------------------------------------*/
/*--- Calls for speedscope.                         speedscope.h ---*/
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

#ifndef DCFG_CMD_SPEEDSCOPE_H
#define DCFG_CMD_SPEEDSCOPE_H

#include "cmd/shared/call_walk.h"

/* Write all calls of a trace in their order, as speedscope reads them: see
   https://www.speedscope.app/file-format-schema.json; a profile for each
   thread, in instructions of the part that is meant. */
void write_speedscope(const Functions* f, const char* path, const Selection* sel,
                      FILE* out);

#endif /* DCFG_CMD_SPEEDSCOPE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
