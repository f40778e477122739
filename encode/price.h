
/*--------------------------------------------------------------------*/
/*--- What a phrase costs and saves.                encode/price.h ---*/
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

/* Private to encode/. */

#ifndef __DCFG_PRICE_H
#define __DCFG_PRICE_H

#include "encode/phrase.h"

typedef
   struct {
      const Phrases* ps;
      UInt*  id_chars;    // by edge: it and its tail, in the table
      ULong  log2[257];   // of 1 + i/256, in units of 2^-16
   }
   Prices;

Prices* DCFG_(new_prices)(const Phrases* ps);
void   DCFG_(delete_prices)(Prices* c);

/* N log2 N in units of 2^-16. */
ULong DCFG_(n_log_n)(const Prices* c, ULong n);

/* What phrase P's NEXT_EDGE_IDS take in characters, and what the rest of
   its row takes: [CONTEXT,"",[...]], */
UInt DCFG_(chars_of)(const Prices* c, UInt p);
UInt DCFG_(row_chars)(const Phrase* p);

#endif /* __DCFG_PRICE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
