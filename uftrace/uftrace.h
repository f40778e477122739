
/*--------------------------------------------------------------------*/
/*--- A directory that uftrace reads.               uftrace/uftrace.h ---*/
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

#ifndef __DCFG_UFTRACE_H
#define __DCFG_UFTRACE_H

#include "pub_tool_basics.h"
#include "logs/active.h"

/* Threads' records. */
extern const CallLog DCFG_(uftrace_calls);

/* Before the program runs: the directory that option OPT names with FORMAT
   will be written.  If it cannot be made, say so and exit. */
void DCFG_(claim_uftrace)(const HChar* opt, const HChar* format);

/* Write it, with the records of FORMAT, a number of logs/active.h. */
void DCFG_(write_uftrace)(const HChar* opt, const HChar* name, UInt format);

#endif /* __DCFG_UFTRACE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
