/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The cost of phrases. */

/* Private to trace/. */

#ifndef __DCFG_PRICE_H
#define __DCFG_PRICE_H

#include "tool/trace/phrase.h"

typedef
   struct {
      const Phrases* ps;
      UInt*  id_chars;    // for each edge: characters of itself and its tail in
                          // the table
      ULong  log2[257];   // log2 of 1 + i/256, in units of 2^-16
   }
   Prices;

Prices* DCFG_(new_prices)(const Phrases* ps);
void   DCFG_(delete_prices)(Prices* c);

/* Return N log2 N in units of 2^-16. */
ULong DCFG_(n_log_n)(const Prices* c, ULong n);

/* Return the characters of phrase P's NEXT_EDGE_IDS, and those of the rest of
   its row: [CONTEXT,"",[...]], */
UInt DCFG_(chars_of)(const Prices* c, UInt p);
UInt DCFG_(row_chars)(const Phrase* p);

#endif /* __DCFG_PRICE_H */
