
/*--------------------------------------------------------------------*/
/*--- Writing a DCFG-trace.                       dcfg_trace_enc.h ---*/
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

#ifndef __DCFG_TRACE_ENC_H
#define __DCFG_TRACE_ENC_H

#include "base/put.h"
#include "encode/choose.h"
#include "encode/io.h"

typedef
   struct {
      PhraseParams phrases;
      /* Decisions for each edge of the graph from which on .credit is all
         given.  In a shorter trace, few of the phrases it leads to are
         used often enough to pay for their rows. */
      UInt full_credit;
      UInt max_sample;        // decisions that the choice is made from
      UInt text_block;        // characters looked at together
   }
   TraceEffort;

/* What the tool uses. */
extern const TraceEffort DCFG_(trace_effort);

/* The credit, percent, for a trace of N_DECISIONS through a graph of
   N_EDGES. */
UInt DCFG_(credit_for)(const TraceEffort* effort, ULong n_decisions,
                       UInt n_edges);

typedef
   struct {
      UInt               pid;
      const Graph*       graph;
      UInt               n_threads;
      const TraceThread* threads;
      ULong              chunk;      // edges in one, at least 1
      TraceStore         store;
      const TraceEffort* effort;
   }
   TraceJob;

/* Write the DCFG-trace, format 1.00, to OUT: samples of each thread are
   read, and then all of it.  Returns how many edges were written, which
   makes no sense if reading threads or the store failed. */
ULong DCFG_(write_trace)(Put* out, const TraceJob* job);

#endif /* __DCFG_TRACE_ENC_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
