
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

#include "dcfg_json.h"
#include "dcfg_phrase.h"

/* The way of one thread through the graph.  Edges are named by id.  A
   thread may have none. */
typedef
   struct {
      UInt  thread;           // THREAD_ID
      ULong n_decisions;      // about how many edges .read gives in all
      UInt  n_places;
      void* arg;
      /* Get ready to read from the beginning; then, be done with it. */
      void  (*start)(void* arg);
      void  (*stop)(void* arg);
      /* On to the I-th, from 0 up, of .n_places, which are spread over the
         way, for a sample.  Returns False, and does nothing, if it
         cannot. */
      Bool  (*skip)(void* arg, UInt i);
      /* The next edges, at most ROOM; 0 after the last one.  First the
         ENTRY edge, then each traversed edge whose source has several
         traversed out-edges. */
      UInt  (*read)(void* arg, UInt* edge_ids, UInt room);
      /* The same as phrases, always the longest there is: at most ROOM,
         and no more once they have LIMIT edges.  *PHRASE is how far the
         first one has been read, from its context on; the same of the next
         one is left there, or 0 at the end. */
      UInt  (*parse)(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                     UInt room, ULong limit);
   }
   TraceThread;

/* What has to be put away until the table is known.  A stream is written
   from its beginning to its end and then read the same way, once. */
enum { StreamPhrases, StreamChunks, StreamText, StreamDictionary,
       N_TRACE_STREAMS };

typedef
   struct {
      void  (*append)(void* arg, UInt stream, const void* bytes, UInt n);
      /* Returns how many: ROOM, but for the end of the stream. */
      UInt  (*read)(void* arg, UInt stream, void* bytes, UInt room);
      void* arg;
   }
   TraceStore;

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

/* What was written. */
typedef
   struct {
      ULong n_edges;
      ULong n_chars;
   }
   TraceSize;

/* Write the DCFG-trace, format 1.00, to OUT, whose .write and .arg are
   set.  Samples of each thread are read, and then all of it.  What was
   written makes no sense if reading threads or the store failed. */
void DCFG_(write_trace)(JsonOut* out, const TraceJob* job,
                        /*OUT*/TraceSize* size);

#endif /* __DCFG_TRACE_ENC_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
