
/*--------------------------------------------------------------------*/
/*--- Putting the DCFG together.                dcfg/output_dcfg.h ---*/
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

#ifndef __DCFG_OUTPUT_DCFG_H
#define __DCFG_OUTPUT_DCFG_H

#include "pub_tool_basics.h"
#include "profile/output_profile.h"
#include "trace/output_trace.h"

typedef
   struct {
      const HChar* out_file;
      Bool         symbols, source, analysis, cfg;
      TraceOptions trace;
      CallgrindOptions callgrind;
   }
   ReportOptions;

/* Write the DCFG of what ran so far to OPTS' .out_file, the trace and the
   Callgrind profile to their own; or, if FILE is not NULL, the DCFG alone
   to FILE.  Say so.  REASON is why, for the profile. */
void DCFG_(report)(const ReportOptions* opts, const HChar* file,
                   const HChar* reason);

/* What ran so far, in short. */
typedef
   struct {
      UInt  blocks, edges;
      ULong instrs;
   }
   Progress;

void DCFG_(progress)(/*OUT*/Progress* p);

#endif /* __DCFG_OUTPUT_DCFG_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
