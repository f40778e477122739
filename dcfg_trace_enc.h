/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writing a DCFG-trace. */

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
