/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The choice of the edge sequences that become phrases. */

/* Private to trace/. */

#ifndef __DCFG_CHOOSE_H
#define __DCFG_CHOOSE_H

#include "tool/trace/phrase.h"

/* TraceThread: reads the path of one thread through the graph, as edge ids. The
   path may be empty. */
typedef
   struct {
      UInt  thread;           // THREAD_ID
      ULong n_decisions;      // about as many as .read returns in all
      UInt  n_places;
      void* arg;
      /* Prepare to read from the beginning; end reading. */
      void  (*start)(void* arg);
      void  (*stop)(void* arg);
      /* Move to place I of .n_places, counted from 0.  Places are spread over
         the path, for sampling.  Return False, and stay, if that is not
         possible. */
      Bool  (*skip)(void* arg, UInt i);
      /* Read the next edges, at most ROOM; return their number, 0 at the end.
         The first one is the ENTRY edge.  After it come the decision edges:
         counted edges whose source has several counted out-edges. */
      UInt  (*read)(void* arg, UInt* edge_ids, UInt room);
      /* Read the same edges as phrases, always the longest that fits: at most
         ROOM phrases, and no more once they have LIMIT edges.  *PHRASE is the
         phrase that has been read so far, which begins with its context.  At
         the return it is the beginning of the next phrase, or 0 at the end. */
      UInt  (*parse)(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                     UInt room, ULong limit);
   }
   TraceThread;

/* Sample: decisions of all threads. */
typedef
   struct {
      UInt* ids;       // decision edges, with a 0 after each place
      UInt  n, room;
      ULong scale;     // edges of the trace for each of them
   }
   Sample;

/* Take about MAX decision edges of the N THREADS, or all if they have no more.
   The caller frees S->ids. */
void DCFG_(take_sample)(Sample* s, const TraceThread* threads, UInt n,
                        UInt max);

/* PhraseParams: how phrases are chosen. */
typedef
   struct {
      UInt n_rounds;     // each one may double the lengths of phrases
      UInt credit;       // value of a saved code word, in percent of its bits
      UInt max_edges;    // in a phrase at most
   }
   PhraseParams;

/* Choose phrases for a trace from a SAMPLE of it: N decision edges, with 0
   between pieces.  A pair that occurs N times in the sample is expected N *
   SCALE times in the trace.  The sample is overwritten. */
void DCFG_(choose_phrases)(Phrases* ps, const PhraseParams* params,
                           UInt* sample, UInt n, UInt scale);

/* Split: two phrases that replace a third one. */
typedef
   struct {
      UInt first, second;   // 0: not split
   }
   Split;

/* Decide which phrases to split.  The phrases' counts are those of the whole
   trace, and their code is made for these counts.  Return, for each phrase, its
   split; the two parts may be split as well.  Counts become those of the
   remaining phrases. */
Split* DCFG_(prune)(Phrases* ps);

#endif
