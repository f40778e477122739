/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The writer of a DCFG-trace. */

#ifndef __DCFG_TRACE_ENC_H
#define __DCFG_TRACE_ENC_H

#include "format/put.h"
#include "tool/trace/choose.h"

typedef
   struct {
      PhraseParams phrases;
      /* The number of decisions for each edge of the graph at which a trace
         gets the full .credit.  In a shorter trace, few of the phrases that the
         credit allows are used often enough to pay for their rows. */
      UInt full_credit;
      /* The decisions in the sample: .min_sample and so many for each edge of
         the graph, but no more than .max_sample.  In a small graph, a few
         phrases make up most of the trace, and a small sample shows them. */
      UInt min_sample, sample_per_edge, max_sample;
      UInt text_block;        // characters of text that are compressed together
   }
   TraceEffort;

/* The parameters of the tool. */
extern const TraceEffort DCFG_(trace_effort);

/* Return the credit in percent for a trace of N_DECISIONS through a graph of
   N_EDGES. */
UInt DCFG_(credit_for)(const TraceEffort* effort, ULong n_decisions,
                       UInt n_edges);

/* TraceStore: keeps data until the table is known.  A stream is written from
   beginning to end, and then read once from beginning to end. */
enum { StreamPhrases, StreamChunks, StreamText, StreamDictionary,
       N_TRACE_STREAMS };

typedef
   struct {
      void  (*append)(void* arg, UInt stream, const void* bytes, UInt n);
      /* Return how many bytes were read: ROOM, or fewer at the end. */
      UInt  (*read)(void* arg, UInt stream, void* bytes, UInt room);
      void* arg;
   }
   TraceStore;

typedef
   struct {
      UInt               pid;
      const Graph*       graph;
      UInt               n_threads;
      const TraceThread* threads;
      ULong              chunk;      // edges in a chunk, at least 1
      TraceStore         store;
      const TraceEffort* effort;
   }
   TraceJob;

/* Write the DCFG-trace, format 1.00, to OUT.  The threads are read twice: for
   samples, and whole.  Return how many edges were written; the number means
   nothing if reading a thread or the store failed. */
ULong DCFG_(write_trace)(Put* out, const TraceJob* job);

#endif /* __DCFG_TRACE_ENC_H */
