
/*--------------------------------------------------------------------*/
/*--- Functions that change what is collected.      calls/toggle.h ---*/
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

#ifndef __DCFG_TOGGLE_H
#define __DCFG_TOGGLE_H

#include "pub_tool_basics.h"

/* Take ARG if it is one of the options that name such functions. */
Bool DCFG_(toggle_option)(const HChar* arg);
void DCFG_(toggle_usage)(void);

/* What functions can ask for: that what ran so far be written, because of
   REASON, or just be forgotten. */
typedef
   struct {
      void (*dump)(const HChar* reason);
      void (*zero)(void);
   }
   PartMaker;

/* Before the program runs.  Returns True if calls have to be followed. */
Bool DCFG_(start_toggles)(const PartMaker* pm);

/* Are there such functions? */
extern Bool DCFG_(heeds_functions);

/* Are threads, and signal handlers, collected when they begin? */
extern Bool DCFG_(collects_at_start);

/* Function number F is entered while it is not active, or left for the last
   time.  Returns True if that turns the thread's collection over.  AT_END:
   because its thread has ended. */
Bool DCFG_(heed_entry)(UInt f);
Bool DCFG_(heed_exit)(UInt f, Bool at_end);

/* At the end: write what functions wanted that were active when their threads
   ended, and say which of the options' functions were never entered. */
void DCFG_(end_toggles)(void);

#endif /* __DCFG_TOGGLE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
