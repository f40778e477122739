/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A sample of a trace. */
/* JOINED from choose.h: */
/* The choice of the edge sequences that become phrases. */
/* JOINED from prune.h: */
/* Pruning: phrases that are not worth a row are given up. */

#ifndef __DCFG_CHOOSE_H
#define __DCFG_CHOOSE_H

#include "tool/trace/io.h"
#include "tool/trace/phrase.h"

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
