/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: which sequences get a row in TRANSITION_TABLE: chosen from a sample
   before the trace is parsed, and given up again after it.  Handed: the
   readers of the threads, and the phrases' counts by dcfg_trace_enc.c.

   The sample.  A trace of up to MAX decisions is its own sample.  Of a longer
   one, each thread gives pieces that begin at its checkpoints, or else windows
   at equal distances.

   The choice.  Parse trees that grow where a sequence is frequent are due to
   B. Tunstall ("Synthesis of Noiseless Compression Codes", 1967).  Here a
   trace is parsed from left to right, always by the longest phrase that fits.
   If one phrase follows another so often that a code word for both saves more
   than it costs, the two are joined.  A few rounds do this: parse the sample,
   count pairs, join.

   A joined phrase costs a row in the table.  It also costs bits, because a
   reader must tell its first phrase from the joined one.  If a phrase found A
   times is followed by the second one N times, an ideal code tells the two
   cases apart with A log A - N log N - (A-N) log (A-N) bits.  Often only
   several decisions together determine the next one, so that no join of two
   pays by itself.  To get across, a saved code word counts for more than it
   saves.  Logarithms are computed without floating point.

   Pruning.  Only when the whole trace has been parsed is it known how often
   each phrase is used.  Then a phrase whose row takes more bits than its code
   word saves is given up.  The trace is not parsed again: each use of the
   phrase is replaced by two other phrases that are in use anyway.  The lost
   bits are those of an ideal code.  They follow from the counts of the three
   phrases, and of the second one's context, where more words are written. */

#include "tool/base/util.h"
#include "tool/trace/choose.h"
#include "tool/trace/repeat.h"
#include "tool/trace/phrase.h"

/*--- Prices                                               ---*/

/* Prices: the length of rows of TRANSITION_TABLE, and logarithms of counts. */
typedef
   struct {
      const Phrases* ps;
      UInt*  id_chars;    // for each edge: characters of itself and its tail in
                          // the table
      ULong  log2[257];   // log2 of 1 + i/256, in units of 2^-16
   }
   Prices;

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

/* Return N log2 N in units of 2^-16. */
static Long n_log_n(const Prices* c, ULong n)
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

/* Return the characters of phrase P's NEXT_EDGE_IDS. */
static UInt chars_of(const Prices* c, UInt p)
{
   UInt chars = 0;

   for (; c->ps->phrases[p].parent != 0; p = c->ps->phrases[p].parent)
      chars += c->id_chars[c->ps->phrases[p].edge];
   return chars;
}

/* Return the characters of the rest of P's row: [CONTEXT,"",[...]], */
static UInt row_chars(const Phrase* p)
{
   return DCFG_(decimal_digits)(p->context) + 8 + p->n_bits;
}

static Prices* new_prices(const Phrases* ps)
{
   Prices* c = DCFG_CALLOC("dcfg.cost", Prices, 1);

   c->ps = ps;
   measure_ids(c);
   make_logarithms(c);
   return c;
}

static void delete_prices(Prices* c)
{
   DCFG_FREE_ALL(c->id_chars, c);
}

/*--- The sample                                           ---*/

/* The number of neighbouring decisions in a sample of a thread without
   places. */
#define WINDOW 4096

/* The largest number of places in a thread. */
#define MAX_PLACES 128

/* Read up to N edges of THREAD into the sample. */
static void sample_some(Sample* s, const TraceThread* thread, UInt n)
{
   UInt got;

   if (n > s->room - s->n - 1)
      n = s->room - s->n - 1;
   while (n > 0 && (got = thread->read(thread->arg, s->ids + s->n, n)) > 0) {
      s->n += got;
      n    -= got;
   }
   s->ids[s->n++] = 0;
}

/* Read all of THREAD, and keep one window in SCALE.  *PLACE counts the windows
   of all threads. */
static void sample_windows(Sample* s, const TraceThread* thread, ULong scale,
                           ULong* place)
{
   UInt* unwanted = dcfg_alloc("dcfg.trace.unwanted", WINDOW * sizeof(UInt));

   for (; s->room - s->n > 1; ++*place) {
      UInt n = s->n;
      if (*place % scale == 0) {
         sample_some(s, thread, WINDOW);
         if (s->n == n + 1)
            break;
      } else if (thread->read(thread->arg, unwanted, WINDOW) == 0) {
         break;
      }
   }
   dcfg_free(unwanted);
}

/* Sample one part in SCALE of THREAD. */
static void sample_thread(Sample* s, const TraceThread* thread, ULong scale,
                          ULong* place)
{
   UInt  n_places = thread->n_places;
   ULong n        = thread->n_decisions / scale / (n_places + 1) + 1;

   thread->start(thread->arg);
   if (scale == 1) {
      sample_some(s, thread, s->room);
   } else if (n_places == 0 || !thread->skip(thread->arg, 0)) {
      sample_windows(s, thread, scale, place);
   } else {
      for (UInt i = 0; i < n_places && s->room - s->n > 1; i++)
         if (thread->skip(thread->arg, i))
            sample_some(s, thread, (UInt)n);
   }
   thread->stop(thread->arg);
}

void DCFG_(take_sample)(Sample* s, const TraceThread* threads, UInt n,
                        UInt max)
{
   ULong total = 0, place = 0;

   for (UInt t = 0; t < n; t++)
      total += threads[t].n_decisions;
   s->n     = 0;
   s->scale = total / max + 1;
   s->room  = (UInt)(total / s->scale) + n * (MAX_PLACES + 1) + WINDOW;
   s->ids   = dcfg_alloc("dcfg.sample", (SizeT)s->room * sizeof(UInt));
   for (UInt t = 0; t < n; t++)
      sample_thread(s, &threads[t], s->scale, &place);
}

/*--- The choice                                           ---*/

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
      Prices*      prices;
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
   told  = n_log_n(c->prices, first->count) - n_log_n(c->prices, n)
           - n_log_n(c->prices, first->count - n);
   chars_first  = chars_of(c->prices, pair->left);
   chars_second = chars_of(c->prices, pair->right);
   table = row_chars(first) + chars_first + chars_second + 3;
   if (n == first->count)
      table -= row_chars(first) + chars_first;
   if (n == second->count)
      table -= row_chars(second) + chars_second;
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
   c->prices = new_prices(ps);
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
   DCFG_FREE_ALL(c->first_edge, c->path);
   DCFG_(delete_pairs)(&c->pairs);
   delete_prices(c->prices);
   dcfg_free(c);
}

/*--- Pruning                                              ---*/

/* The largest number of decisions behind a cut. */
#define MAX_CUTS 64

typedef
   struct {
      Phrases* ps;
      Prices*  prices;
      ULong*   total;      // for each edge: sum of the counts in its context
      Split*   splits;     // for each phrase
   }
   Pruner;

/* Return the bits, in units of 2^-16, that are lost if N uses of a phrase of
   FIRST's context become FIRST and SECOND. */
static Long bits_lost(const Pruner* pr, ULong n, const Phrase* first,
                      const Phrase* second)
{
   const Prices* c     = pr->prices;
   ULong         total = pr->total[second->context];

   return n_log_n(c, n) + n_log_n(c, first->count)
          - n_log_n(c, first->count + n)
          + n_log_n(c, total + n) - n_log_n(c, total)
          + n_log_n(c, second->count) - n_log_n(c, second->count + n);
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
   Long    row     = 6 * (Long)(row_chars(&phrases[p])
                                + chars_of(pr->prices, p));
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
   Pruner pr    = { ps, new_prices(ps), NULL, NULL };
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
   delete_prices(pr.prices);
   DCFG_FREE_ALL(pr.total, order);
   return pr.splits;
}
