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

#include "tool/base/util.h"
#include "tool/trace/choose.h"
#include "tool/trace/pairs.h"
#include "tool/trace/price.h"

/* The largest number of joined phrases, and of pairs in a round. */
#define MAX_JOINED (1 << 19)
#define MAX_PAIRS  (1 << 20)

/* Follow: a phrase that follows another one in the sample. */
typedef
   struct {
      UInt first, second;
   }
   Follow;

/* The number of pairs that are counted together. */
#define MAX_WAITING 64u

typedef
   struct {
      Phrases*     ps;
      Prices*       prices;
      const PhraseParams* params;
      ULong        scale;
      UInt         n_joined;
      UInt*        sample;      // see parse()
      UInt         n, room;     // elements now, and at the begin
      UInt*        first_edge;  // for each phrase: its first decision edge
      UInt         n_first, first_room;
      UInt*        path;        // the edges of a phrase
      UInt         path_room;
      PairTable    pairs;       // pairs of phrases
      UInt         max_pairs;
      Follow       waiting[MAX_WAITING];   // not counted yet
      UInt         n_waiting;
   }
   Chooser;

/*--- Counting pairs                                       ---*/

/* Count PAIR of phrases. */
static void count_pair(Chooser* c, const Follow* pair)
{
   PairTable* t = &c->pairs;

   if (t->n < c->max_pairs
       || *DCFG_(find_slot)(t, pair->first, pair->second) != 0) {
      UInt p = DCFG_(intern_pair)(t, pair->first, pair->second);
      t->list[p].count++;
   }
}

/* Count the pairs in .waiting.  Each step fetches what the next one needs into
   the processor's cache. */
static void count_waiting(Chooser* c)
{
   const Follow* w = c->waiting;

   for (UInt i = 0; i < c->n_waiting; i++)
      DCFG_(fetch_slot)(&c->pairs, w[i].first, w[i].second);
   for (UInt i = 0; i < c->n_waiting; i++)
      DCFG_(fetch_pair)(&c->pairs, w[i].first, w[i].second);
   for (UInt i = 0; i < c->n_waiting; i++)
      count_pair(c, &w[i]);
   c->n_waiting = 0;
}

/*--- Parsing the sample                                   ---*/

/* SampleParse: the state of a parse. */
typedef
   struct {
      UInt  p;         // the phrase so far; 0: a piece begins
      UInt  last;      // the phrase before it, or 0
      UInt* out;       // the next element's place
   }
   SampleParse;

static Bool is_context(const Phrases* ps, UInt p)
{
   return ps->phrases[p].parent == 0;
}

/* Complete the phrase so far. */
static void complete(Chooser* c, SampleParse* s)
{
   Phrases* ps = c->ps;

   ps->phrases[s->p].count++;
   *s->out++ = s->p;
   if (s->last != 0) {
      Follow pair = { s->last, s->p };
      c->waiting[c->n_waiting++] = pair;
      if (c->n_waiting == MAX_WAITING)
         count_waiting(c);
   }
   s->last = s->p;
   s->p    = DCFG_(context_after)(ps, ps->phrases[s->p].edge);
}

/* Parse decision edge ID. */
static inline void parse_edge(Chooser* c, SampleParse* s, UInt id)
{
   Phrases* ps     = c->ps;
   UInt     longer = DCFG_(longer_phrase)(ps, s->p, id);

   if (longer == 0 && !is_context(ps, s->p)) {
      complete(c, s);
      longer = DCFG_(longer_phrase)(ps, s->p, id);
   }
   s->p = longer ? longer : DCFG_(extend_phrase)(ps, s->p, id);
}

/* Parse the edges of phrase Q. */
static void parse_edges(Chooser* c, SampleParse* s, UInt q)
{
   const Phrase* phrases = c->ps->phrases;
   UInt          n       = 0;

   for (UInt p = q; !is_context(c->ps, p); p = phrases[p].parent)
      n++;
   if (n > c->path_room) {
      c->path_room = 2 * n;
      c->path      = dcfg_realloc("dcfg.phrase.path", c->path,
                                  (SizeT)c->path_room * sizeof(UInt));
   }
   for (UInt i = n; i > 0; q = phrases[q].parent)
      c->path[--i] = phrases[q].edge;
   for (UInt i = 0; i < n; i++)
      parse_edge(c, s, c->path[i]);
}

/* Parse phrase Q of the round before.  Where one of its phrases began, the
   longest phrase now begins with Q. */
static inline void parse_again(Chooser* c, SampleParse* s, UInt q)
{
   Phrases* ps = c->ps;

   if (!is_context(ps, s->p)
       && DCFG_(longer_phrase)(ps, s->p, c->first_edge[q]) == 0)
      complete(c, s);
   if (is_context(ps, s->p))
      s->p = q;
   else
      parse_edges(c, s, q);
}

/* Note the first decision edge of phrases that are new. */
static void find_first_edges(Chooser* c)
{
   const Phrase* phrases = c->ps->phrases;
   UInt          n       = c->ps->n_phrases;

   if (n > c->first_room) {
      c->first_room = n + n / 4;
      c->first_edge = dcfg_realloc("dcfg.phrase.first", c->first_edge,
                                   (SizeT)c->first_room * sizeof(UInt));
   }
   for (UInt p = c->n_first; p < n; p++) {
      UInt parent = phrases[p].parent;
      c->first_edge[p] = is_context(c->ps, p)      ? 0
                         : is_context(c->ps, parent) ? phrases[p].edge
                         : c->first_edge[parent];
   }
   c->n_first = n;
}

/* Parse the sample, and count phrases and pairs.  The sample is edges in the
   first ROUND, and becomes phrases: the first edge of each piece, its phrases,
   with the incomplete one at the end, and 0. */
static void parse(Chooser* c, UInt round)
{
   Phrases*    ps  = c->ps;
   UInt*       in  = c->sample + c->room - c->n;
   SampleParse s   = { 0, 0, c->sample };

   DCFG_(clear_pairs)(&c->pairs, c->pairs.n);
   for (UInt p = 1; p < ps->n_phrases; p++)
      ps->phrases[p].count = 0;
   find_first_edges(c);
   /* Move the elements to the end.  Those that are written never reach those
      that are still to be read, for each of these is one edge at least. */
   if (in != c->sample)
      dcfg_memmove(in, c->sample, (SizeT)c->n * sizeof(UInt));
   for (UInt i = 0; i < c->n; i++) {
      UInt x = in[i];
      if (x == 0) {
         if (s.p != 0 && !is_context(ps, s.p))
            *s.out++ = s.p;
         *s.out++ = 0;
         s.p = s.last = 0;
      } else if (s.p == 0) {
         *s.out++ = x;
         s.p = DCFG_(context_after)(ps, x);
      } else if (round == 0) {
         parse_edge(c, &s, x);
      } else {
         parse_again(c, &s, x);
      }
   }
   count_waiting(c);
   c->n = s.out - c->sample;
}

/*--- Joining                                              ---*/

static Bool pays(const Chooser* c, const SymbolPair* pair)
{
   const Phrase* first  = &c->ps->phrases[pair->left];
   const Phrase* second = &c->ps->phrases[pair->right];
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
   chars_first  = DCFG_(chars_of)(c->prices, pair->left);
   chars_second = DCFG_(chars_of)(c->prices, pair->right);
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
                           UInt* sample, UInt n, UInt scale)
{
   Chooser* c = DCFG_CALLOC("dcfg.phrase.chooser", Chooser, 1);
   UInt*    order;

   c->ps     = ps;
   c->params = params;
   c->scale  = scale;
   c->sample = sample;
   c->n      = c->room = n;
   c->max_pairs = n < MAX_PAIRS ? n : MAX_PAIRS;
   DCFG_(begin_pairs)(&c->pairs, c->max_pairs);
   c->prices = DCFG_(new_prices)(ps);
   for (UInt round = 0; round < params->n_rounds; round++) {
      UInt n_before;
      parse(c, round);
      DCFG_(assign_code)(ps, &order);
      dcfg_free(order);
      n_before = ps->n_phrases;
      for (UInt i = 0; i < c->pairs.n && c->n_joined < MAX_JOINED; i++) {
         const SymbolPair* pair = &c->pairs.list[i];
         if (pays(c, pair))
            join(c, pair->left, pair->right);
      }
      if (ps->n_phrases == n_before)
         break;
   }
   for (UInt p = 1; p < ps->n_phrases; p++)
      ps->phrases[p].count = 0;
   dcfg_free(c->first_edge);
   dcfg_free(c->path);
   DCFG_(delete_pairs)(&c->pairs);
   DCFG_(delete_prices)(c->prices);
   dcfg_free(c);
}
