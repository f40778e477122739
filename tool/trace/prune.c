/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pruning: phrases that are not worth a row are given up. */

/* Owns: the choice of phrases that are written as two shorter ones.  Handed:
   phrases with their counts by, and taken by: dcfg_trace_enc.c.

   Phrases are chosen from a sample.  Only when the whole trace has been parsed
   is it known how often each one is used.  Then a phrase whose row takes more
   bits than its code word saves is given up.  The trace is not parsed again:
   each use of the phrase is replaced by two other phrases that are in use
   anyway. The lost bits are those of an ideal code.  They follow from the
   counts of the three phrases, and of the second one's context, where more
   words are written. */

#include "tool/base/util.h"
#include "tool/trace/price.h"
#include "tool/trace/prune.h"

/* The largest number of decisions behind a cut. */
#define MAX_CUTS 64

typedef
   struct {
      Phrases* ps;
      Prices*   prices;
      ULong*   total;      // for each edge: sum of the counts in its context
      Split*   splits;     // for each phrase
   }
   Pruner;

static Long n_log_n(const Pruner* pr, ULong n)
{
   return (Long)DCFG_(n_log_n)(pr->prices, n);
}

/* Return the bits, in units of 2^-16, that are lost if N uses of a phrase of
   FIRST's context become FIRST and SECOND. */
static Long bits_lost(const Pruner* pr, ULong n, const Phrase* first,
                      const Phrase* second)
{
   ULong total = pr->total[second->context];

   return n_log_n(pr, n) + n_log_n(pr, first->count)
          - n_log_n(pr, first->count + n)
          + n_log_n(pr, total + n) - n_log_n(pr, total)
          + n_log_n(pr, second->count) - n_log_n(pr, second->count + n);
}

/* Return the phrase after FIRST that has the N decisions of PATH, which is
   backwards; or 0. */
static UInt second_after(const Pruner* pr, UInt first, const UInt* path,
                         UInt n)
{
   const Phrases* ps = pr->ps;
   UInt second = ps->context_of[ps->arrival[ps->phrases[first].edge]];

   while (n > 0 && second != 0)
      second = DCFG_(longer_phrase)(ps, second, path[--n]);
   return second;
}

/* Give P up if that makes the trace shorter. */
static void prune_phrase(Pruner* pr, UInt p)
{
   Phrase* phrases = pr->ps->phrases;
   ULong   n       = phrases[p].count;
   Split   best    = { 0, 0 };
   Long    most    = 0;
   /* A character of the text has six bits. */
   Long    row     = 6 * (Long)(DCFG_(row_chars)(&phrases[p])
                                + DCFG_(chars_of)(pr->prices, p));
   UInt    path[MAX_CUTS], n_path = 0, first = p;

   while (n_path < MAX_CUTS) {
      path[n_path++] = phrases[first].edge;
      first          = phrases[first].parent;
      if (phrases[first].parent == 0)
         break;
      if (phrases[first].count == 0)
         continue;
      UInt second = second_after(pr, first, path, n_path);
      if (second == 0 || phrases[second].count == 0)
         continue;
      Long saved = row - (bits_lost(pr, n, &phrases[first],
                                    &phrases[second]) >> 16);
      if (saved > most) {
         most        = saved;
         best.first  = first;
         best.second = second;
      }
   }
   if (best.first == 0)
      return;
   pr->splits[p]               = best;
   phrases[p].count            = 0;
   phrases[best.first].count  += n;
   phrases[best.second].count += n;
   pr->total[phrases[best.second].context] += n;
}

/* Order by number of edges, the most first, then by number. */
static Bool is_longer(const void* phrases, UInt x, UInt y)
{
   const Phrase* ps = phrases;
   return ps[x].n_edges > ps[y].n_edges
          || (ps[x].n_edges == ps[y].n_edges && x < y);
}

Split* DCFG_(prune)(Phrases* ps)
{
   Pruner pr    = { ps, DCFG_(new_prices)(ps), NULL, NULL };
   UInt*  order = dcfg_alloc("dcfg.prune.order",
                             (SizeT)ps->n_phrases * sizeof(UInt));
   UInt   n     = 0;

   pr.total  = DCFG_CALLOC("dcfg.prune.total", ULong,
                           ps->graph->n_edges + 1);
   pr.splits = DCFG_CALLOC("dcfg.prune.splits", Split, ps->n_phrases);
   for (UInt p = 1; p < ps->n_phrases; p++) {
      if (ps->phrases[p].count == 0)
         continue;
      /* Keep a phrase in which a chunk ends: there its second part may not be
         used at all. */
      if (!ps->phrases[p].is_cut)
         order[n++] = p;
      pr.total[ps->phrases[p].context] += ps->phrases[p].count;
   }
   /* Long phrases first: the parts of a split are shorter, and may be split in
      their turn. */
   DCFG_(sort_uints)(order, n, is_longer, ps->phrases);
   for (UInt i = 0; i < n; i++)
      prune_phrase(&pr, order[i]);
   DCFG_(delete_prices)(pr.prices);
   dcfg_free(pr.total);
   dcfg_free(order);
   return pr.splits;
}
