
/*--------------------------------------------------------------------*/
/*--- Which functions are active, for a log.         logs/active.h ---*/
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

#ifndef __DCFG_ACTIVE_H
#define __DCFG_ACTIVE_H

#include "pub_tool_basics.h"
#include "base/put.h"

/* What is to be logged of each thread.  To be set before the program runs. */
typedef
   struct {
      Bool  for_xray;      // an XRay log
      Bool  for_uftrace;   // uftrace's records
      ULong min_instrs;    // calls that are shorter are left out
      UInt  depth;         // and those that are deeper, or 0
      Bool  with_args;
   }
   ActiveOptions;
extern ActiveOptions DCFG_(active_options);

/* From now on log calls.  Before the program runs, once. */
void DCFG_(log_calls)(void);

/* Put the part of an XRay log that is of THREAD.  What is active gets its
   exit, but stays active.  Returns False if there is none. */
Bool DCFG_(put_log_of_thread)(Put* out, UInt thread);

/* The same for uftrace. */
Bool DCFG_(put_records_of_thread)(Put* out, UInt thread);

/* THREAD, which is not in generated code, says TEXT. */
void DCFG_(mark_log)(UInt thread, const HChar* text);

#endif /* __DCFG_ACTIVE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
