
/*--------------------------------------------------------------------*/
/*--- In which order threads ran.                          turns.h ---*/
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

#ifndef DCFG_CMD_TURNS_H
#define DCFG_CMD_TURNS_H

#include "cmd/base/names.h"

/* The file that --trace-turns=yes writes: JSON, an array of turns, each
   [thread, instructions, edges]. */
typedef struct Turns Turns;

Turns* turns_open(const char* path);
void   turns_close(Turns* t);

typedef
   struct {
      uint32_t thread;
      uint64_t instrs, edges;   // in this turn
   }
   Turn;

/* The next one; false at the end.  Dies if the file is not sound. */
bool turns_next(Turns* t, Turn* turn);

#endif /* DCFG_CMD_TURNS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
