/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which sequences of edges become phrases. */

#ifndef __DCFG_CHOOSE_H
#define __DCFG_CHOOSE_H

#include "encode/phrase.h"

/* How phrases are chosen. */
typedef
   struct {
      UInt n_rounds;     // each may double their lengths
      UInt credit;       // percent at which a saved code word counts
      UInt max_edges;    // in one phrase
   }
   PhraseParams;

/* Choose phrases for a trace of which SAMPLE is a part: N decision edges,
   with 0 wherever something was left out.  What is found N times in it is
   expected N * SCALE times in all. */
void DCFG_(choose_phrases)(Phrases* ps, const PhraseParams* params,
                           const UInt* sample, UInt n, UInt scale);

#endif /* __DCFG_CHOOSE_H */
