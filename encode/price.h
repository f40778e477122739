/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a phrase costs and saves. */

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
