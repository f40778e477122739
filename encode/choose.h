
/*--------------------------------------------------------------------*/
/*--- Which sequences of edges become phrases.     encode/choose.h ---*/
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
