/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The cost of phrases. */

/* Owns: the length of rows of TRANSITION_TABLE, and logarithms of counts,
   without floating point.  Handed: phrases.  Taken by: tool/trace/choose.c and
   tool/trace/prune.c. */

#include "tool/base/util.h"
#include "tool/trace/price.h"

static void measure_ids(Prices* c)
{
   const Phrases* ps = c->ps;

   c->id_chars = DCFG_CALLOC("dcfg.phrase.chars", UInt,
                             ps->graph->n_edges + 1);
   for (UInt first = 1; first <= ps->graph->n_edges; first++) {
      if (ps->n_decisions[ps->graph->edges[first - 1].source] == 0
          || ps->graph->edges[first - 1].n_counts == 0)
         continue;
      for (UInt id = first; id != 0;
           id = ps->only_edge[ps->graph->edges[id - 1].target])
         c->id_chars[first] += DCFG_(decimal_digits)(id) + 1;
   }
}

/* Compute logarithms digit by digit: squaring doubles the logarithm. */
static void make_logarithms(Prices* c)
{
   for (UInt i = 0; i <= 256; i++) {
      ULong x = (ULong)(256 + i) << 22, log = 0;
      for (UInt bit = 0; bit < 16; bit++) {
         log <<= 1;
         if (i < 256) {
            x = x * x >> 30;
            if (x >> 31) {
               x >>= 1;
               log |= 1;
            }
         }
      }
      c->log2[i] = i < 256 ? log : 1 << 16;
   }
}

ULong DCFG_(n_log_n)(const Prices* c, ULong n)
{
   UInt  high = 0, i, rest;
   ULong log;

   if (n < 2)
      return 0;
   while (n >> high > 1)
      high++;
   /* The leading one, eight bits for the table, and the rest to interpolate. */
   ULong x = high < 32 ? n << (32 - high) : n >> (high - 32);
   i    = x >> 24 & 255;
   rest = x & 0xFFFFFF;
   log  = c->log2[i] + ((c->log2[i + 1] - c->log2[i]) * rest >> 24);
   return n * (((ULong)high << 16) + log);
}

UInt DCFG_(chars_of)(const Prices* c, UInt p)
{
   UInt chars = 0;

   for (; c->ps->phrases[p].parent != 0; p = c->ps->phrases[p].parent)
      chars += c->id_chars[c->ps->phrases[p].edge];
   return chars;
}

UInt DCFG_(row_chars)(const Phrase* p)
{
   return DCFG_(decimal_digits)(p->context) + 8 + p->n_bits;
}

Prices* DCFG_(new_prices)(const Phrases* ps)
{
   Prices* c = DCFG_CALLOC("dcfg.cost", Prices, 1);

   c->ps = ps;
   measure_ids(c);
   make_logarithms(c);
   return c;
}

void DCFG_(delete_prices)(Prices* c)
{
   dcfg_free(c->id_chars);
   dcfg_free(c);
}
