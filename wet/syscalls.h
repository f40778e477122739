
/*--------------------------------------------------------------------*/
/*--- Memory that the core does not tell of.      wet/syscalls.h ---*/
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

/* Private to wet/. */

#ifndef __DCFG_WET_SYSCALLS_H
#define __DCFG_WET_SYSCALLS_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* ARG is what was given with it. */
typedef void (*TellMemory)(void* arg, Addr a, SizeT len);

/* Memory that system call SYSNO is about to read. */
void DCFG_(untold_reads)(UInt sysno, const UWord* args, TellMemory to,
                         void* arg);

/* And that it has written, with that RESULT, which is no error. */
void DCFG_(untold_writes)(UInt sysno, const UWord* args, UWord result,
                          TellMemory to, void* arg);

#endif /* __DCFG_WET_SYSCALLS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
