/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The choice of the edge sequences that become phrases. */

#ifndef __DCFG_CHOOSE_H
#define __DCFG_CHOOSE_H

#include "tool/trace/phrase.h"

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

#endif /* __DCFG_CHOOSE_H */
