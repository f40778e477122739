
/*--------------------------------------------------------------------*/
/*--- The program's RLIMIT_AS.                     base/spacelimit.h ---*/
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

#ifndef __DCFG_SPACELIMIT_H
#define __DCFG_SPACELIMIT_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Before a system call: keep a limit of address space from the kernel. */
void DCFG_(hold_space_limit)(UInt sysno, const UWord* args);

/* After it: show the program its own limit. */
void DCFG_(show_space_limit)(UInt sysno, const UWord* args, Bool failed);

/* Before execve, when all is written: the new program gets the soft
   limit. */
void DCFG_(pass_space_limit)(void);

/* Execve has failed. */
void DCFG_(take_back_space_limit)(void);

#endif /* __DCFG_SPACELIMIT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
