
/*--------------------------------------------------------------------*/
/*--- From records to a file.                 trace/output_trace.h ---*/
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

#ifndef __DCFG_OUTPUT_TRACE_H
#define __DCFG_OUTPUT_TRACE_H

#include "run/gather.h"

typedef
   struct {
      Bool         on;
      const HChar* out_file;
      const HChar* threads;     // "all", or numbers with commas between
      Int          chunk;       // edges in one
   }
   TraceOptions;

/* Before the program runs: get ready to record if OPTS say so.  DCFG_FILE
   is where the graph is to be written, NULL if it will be without edges.
   What is wrong is told, and ends the tool. */
void DCFG_(prepare_trace)(const TraceOptions* opts, const HChar* dcfg_file);

/* Write the DCFG-trace of what ran so far, which is P, and say so. */
void DCFG_(report_trace)(const TraceOptions* opts, const Gathered* p);

#endif /* __DCFG_OUTPUT_TRACE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
