
/*--------------------------------------------------------------------*/
/*--- In which order threads ran.                       schedule.h ---*/
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

/* Private to trace/. */

#ifndef __DCFG_SCHEDULE_H
#define __DCFG_SCHEDULE_H

#include "base/put.h"
#include "trace/ways.h"

/* A thread's turn is what it runs until another one does. */

/* Before the program runs: from now on note the turns. */
void DCFG_(note_turns)(void);

/* Write them to OUT as JSON: an array of turns, each [thread, instructions,
   edges].  An edge belongs to the turn in which its source's last instruction
   ran.  All threads must have been traced.  *N: how many turns in which
   something was collected.  Returns False if they disagree with the graph,
   which has been told. */
Bool DCFG_(write_turns)(Put* out, const Ways* w, ULong* n);

#endif /* __DCFG_SCHEDULE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
