/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The choice of the edge sequences that become phrases. */

/* Owns: the choice of the edge sequences in TRANSITION_TABLE.  Handed: samples
   of a trace by, and taken by: dcfg_trace_enc.c.

   Parse trees that grow where a sequence is frequent are due to B. Tunstall
   ("Synthesis of Noiseless Compression Codes", 1967).  Here a trace is parsed
   from left to right, always by the longest phrase that fits.  If one phrase
   follows another so often that a code word for both saves more than it costs,
   the two are joined.  A few rounds do this: parse the sample, count pairs,
   join.

   A joined phrase costs a row in the table.  It also costs bits, because a
   reader must tell its first phrase from the joined one.  If a phrase found A
   times is followed by the second one N times, an ideal code tells the two
   cases apart with A log A - N log N - (A-N) log (A-N) bits.  Often only
   several decisions together determine the next one, so that no join of two
   pays by itself.  To get across, a saved code word counts for more than it
   saves. */

#include "base/util.h"
#include "encode/choose.h"
#include "encode/price.h"

/* The largest number of joined phrases, and of pairs in a round. */
#define MAX_JOINED (1 << 19)
#define MAX_PAIRS  (1 << 20)

typedef
   struct {
      UInt first, second;   // phrases
      UInt count;
   }
   EdgePair;

/*--- Joining                                              ---*/

typedef
   struct {
      Phrases*     ps;
      Prices*       prices;
      const PhraseParams* params;
      ULong        scale;
      UInt         n_joined;
      EdgePair*        pairs;       // in the order of their first occurrence
      UInt         n_pairs, max_pairs;
      UInt*        slots;       // hash table: index in .pairs + 1
      UInt         n_slots;     // a power of two
   }
   Chooser;

static void count_pair(Chooser* c, UInt first, UInt second)
{
   ULong key  = ((ULong)first << 32 | second) * 0x9E3779B97F4A7C15ULL;
   UInt  slot = (UInt)(key >> 32) & (c->n_slots - 1);

   for (; c->slots[slot] != 0; slot = (slot + 1) & (c->n_slots - 1)) {
      EdgePair* p = &c->pairs[c->slots[slot] - 1];
      if (p->first == first && p->second == second) {
         p->count++;
         return;
      }
   }
   if (c->n_pairs < c->max_pairs) {
      EdgePair fresh = { first, second, 1 };
      c->pairs[c->n_pairs++] = fresh;
      c->slots[slot] = c->n_pairs;
   }
}

static void parse(Chooser* c, const UInt* sample, UInt n)
{
   Phrases* ps = c->ps;
   UInt     p, last = 0;

   c->n_pairs = 0;
   dcfg_memset(c->slots, 0, (SizeT)c->n_slots * sizeof(UInt));
   for (p = 1; p < ps->n_phrases; p++)
      ps->phrases[p].count = 0;
   p = 0;
   for (UInt i = 0; i < n; i++) {
      UInt id = sample[i], longer;
      if (id == 0 || p == 0) {
         p    = id ? DCFG_(context_after)(ps, id) : 0;
         last = 0;
         continue;
      }
      longer = DCFG_(longer_phrase)(ps, p, id);
      if (longer == 0 && ps->phrases[p].parent != 0) {
         ps->phrases[p].count++;
         if (last != 0)
            count_pair(c, last, p);
         last   = p;
         p      = DCFG_(context_after)(ps, ps->phrases[p].edge);
         longer = DCFG_(longer_phrase)(ps, p, id);
      }
      p = longer ? longer : DCFG_(extend_phrase)(ps, p, id);
   }
}

static Bool pays(const Chooser* c, const EdgePair* pair)
{
   const Phrase* first  = &c->ps->phrases[pair->first];
   const Phrase* second = &c->ps->phrases[pair->second];
   UInt n = pair->count;
   ULong saved, told;
   Long  table, chars_first, chars_second;

   /* A pair that occurs once in a sample may occur only once in the trace. */
   if (n == 1 && c->scale > 1)
      return False;
   if (first->n_edges + second->n_edges > c->params->max_edges)
      return False;
   saved = ((ULong)n * second->n_bits << 16) * c->params->credit / 100;
   told  = DCFG_(n_log_n)(c->prices, first->count)
           - DCFG_(n_log_n)(c->prices, n)
           - DCFG_(n_log_n)(c->prices, first->count - n);
   chars_first  = DCFG_(chars_of)(c->prices, pair->first);
   chars_second = DCFG_(chars_of)(c->prices, pair->second);
   table = DCFG_(row_chars)(first) + chars_first + chars_second + 3;
   if (n == first->count)
      table -= DCFG_(row_chars)(first) + chars_first;
   if (n == second->count)
      table -= DCFG_(row_chars)(second) + chars_second;
   /* A character of the text has six bits. */
   return ((Long)(saved - told) >> 16) * (Long)c->scale > 6 * table;
}

/* Make a phrase of FIRST and SECOND after it. */
static void join(Chooser* c, UInt first, UInt second)
{
   Phrases* ps      = c->ps;
   UInt     n_steps = 0, p = first;
   UInt*    steps;

   for (UInt q = second; ps->phrases[q].parent != 0;
        q = ps->phrases[q].parent)
      n_steps++;
   steps = dcfg_alloc("dcfg.phrase.join", n_steps * sizeof(UInt));
   for (UInt q = second, i = n_steps; i > 0; q = ps->phrases[q].parent)
      steps[--i] = ps->phrases[q].edge;
   for (UInt i = 0; i < n_steps; i++)
      p = DCFG_(extend_phrase)(ps, p, steps[i]);
   c->n_joined += n_steps;
   dcfg_free(steps);
}

void DCFG_(choose_phrases)(Phrases* ps, const PhraseParams* params,
                           const UInt* sample, UInt n, UInt scale)
{
   Chooser* c = DCFG_CALLOC("dcfg.phrase.chooser", Chooser, 1);
   UInt*    order;

   c->ps     = ps;
   c->params = params;
   c->scale  = scale;
   c->max_pairs = n < MAX_PAIRS ? n : MAX_PAIRS;
   for (c->n_slots = 4096; c->n_slots < 2 * c->max_pairs; )
      c->n_slots *= 2;
   c->pairs  = dcfg_alloc("dcfg.phrase.pairs",
                          (SizeT)c->max_pairs * sizeof(EdgePair));
   c->slots  = dcfg_alloc("dcfg.phrase.slots",
                          (SizeT)c->n_slots * sizeof(UInt));
   c->prices = DCFG_(new_prices)(ps);
   for (UInt round = 0; round < params->n_rounds; round++) {
      UInt n_before;
      parse(c, sample, n);
      DCFG_(assign_code)(ps, &order);
      dcfg_free(order);
      n_before = ps->n_phrases;
      for (UInt i = 0; i < c->n_pairs && c->n_joined < MAX_JOINED; i++)
         if (pays(c, &c->pairs[i]))
            join(c, c->pairs[i].first, c->pairs[i].second);
      if (ps->n_phrases == n_before)
         break;
   }
   for (UInt p = 1; p < ps->n_phrases; p++)
      ps->phrases[p].count = 0;
   dcfg_free(c->pairs);
   dcfg_free(c->slots);
   DCFG_(delete_prices)(c->prices);
   dcfg_free(c);
}
