
/*--------------------------------------------------------------------*/
/*--- What the core tells of threads.                  run/event.h ---*/
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

#ifndef __DCFG_EVENT_H
#define __DCFG_EVENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Ask the core for the events of threads. */
void DCFG_(track_threads)(void);

/* TID is about to make this system call, or has made it. */
void DCFG_(note_syscall)(ThreadId tid, UInt sysno, const UWord* args);
void DCFG_(note_syscall_done)(ThreadId tid, UInt sysno, const UWord* args,
                              SysRes res);

/* Call DO_IT each time that a thread has left generated code. */
void DCFG_(when_code_is_left)(void (*do_it)(void));

#endif /* __DCFG_EVENT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
