
/*--------------------------------------------------------------------*/
/*--- Which sequences of edges share a code word.    dcfg_phrase.c ---*/
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

/* Owns: the choice of the edge sequences that TRANSITION_TABLE holds.
   Handed: the graph, and samples of a trace by dcfg_trace_enc.c.  Taken
   by: the same.

   Parse trees that grow with what follows what are due to B. Tunstall
   ("Synthesis of Noiseless Compression Codes", 1967).  Here a trace is
   parsed from left to right, always by the longest phrase there is, and
   where two phrases are found one after the other so often that a code
   word for both saves more than it costs, the two become one.  This is
   done in a few rounds: parse the sample, count pairs, join.

   What it costs: a row in the table, and that the phrase before has to be
   told from the longer one.  If a phrase found A times is followed by this
   phrase N times, an ideal code tells the two cases apart with
   A log A - N log N - (A-N) log (A-N) bits.  Often what follows depends
   only on several decisions together, so that no join of two pays by
   itself.  To get across, the code word saved is given more credit than
   it is worth. */

#include "dcfg_price.h"
#include "dcfg_huffman.h"
#include "dcfg_phrase.h"
#include "dcfg_util.h"

/* At most so many phrases are joined, and pairs counted in a round. */
#define MAX_JOINED (1 << 19)
#define MAX_PAIRS  (1 << 20)

typedef
   struct {
      UInt first, second;   // phrases
      UInt count;
   }
   Pair;

/*------------------------------------------------------------*/
/*--- What follows by itself                               ---*/
/*------------------------------------------------------------*/

static const Edge* edge(const Phrases* ps, UInt id)
{
   return &ps->graph->edges[id - 1];
}

static ULong instrs_of(const Graph* g, UInt node)
{
   return node < NodeFirstBlock ? 0
                                : g->blocks[node - NodeFirstBlock].n_instrs;
}

static void find_decisions(Phrases* ps)
{
   const Graph* g = ps->graph;
   UInt         n_nodes = NodeFirstBlock + g->n_blocks;

   ps->rank        = DCFG_CALLOC("dcfg.phrase.edge", UInt, g->n_edges + 1);
   ps->n_decisions = DCFG_CALLOC("dcfg.phrase.node", UInt, n_nodes);
   ps->only_edge   = DCFG_(only_edges)(g);
   for (UInt id = 1; id <= g->n_edges; id++) {
      UInt source = edge(ps, id)->source;
      if (edge(ps, id)->n_counts > 0 && ps->only_edge[source] == 0)
         ps->rank[id] = ps->n_decisions[source]++;
   }
}

static void find_tails(Phrases* ps)
{
   const Graph* g     = ps->graph;
   UInt*        way   = dcfg_alloc("dcfg.phrase.way",
                                   ((SizeT)g->n_edges + 1) * sizeof(UInt));

   ps->arrival     = DCFG_CALLOC("dcfg.phrase.edge", UInt, g->n_edges + 1);
   ps->tail_edges  = DCFG_CALLOC("dcfg.phrase.edge", UInt, g->n_edges + 1);
   ps->tail_instrs = DCFG_CALLOC("dcfg.phrase.edge", ULong, g->n_edges + 1);
   for (UInt first = 1; first <= g->n_edges; first++) {
      UInt n_way = 0, id = first, next = 0;
      if (edge(ps, first)->n_counts == 0)
         continue;
      /* Down to the end or to an edge that is done, and back.  Every
         thread comes to an end, so no way leads round in a circle. */
      for (; id != 0 && ps->arrival[id] == 0;
           id = ps->only_edge[edge(ps, id)->target]) {
         dcfg_assert(n_way <= g->n_edges);
         way[n_way++] = id;
      }
      for (next = id; n_way > 0; next = id) {
         id = way[--n_way];
         ps->arrival[id]     = next ? ps->arrival[next] : id;
         ps->tail_edges[id]  = (next ? ps->tail_edges[next] : 0) + 1;
         ps->tail_instrs[id] = (next ? ps->tail_instrs[next] : 0)
                               + instrs_of(g, edge(ps, id)->source);
      }
   }
   dcfg_free(way);
}

/*------------------------------------------------------------*/
/*--- The trees                                            ---*/
/*------------------------------------------------------------*/

Phrases* DCFG_(new_phrases)(const Graph* g)
{
   Phrases* ps       = DCFG_CALLOC("dcfg.phrase", Phrases, 1);
   UInt     most     = 0;

   ps->graph = g;
   find_decisions(ps);
   find_tails(ps);
   ps->context_of = DCFG_CALLOC("dcfg.phrase.edge", UInt, g->n_edges + 1);
   ps->room       = 4096;
   ps->phrases    = DCFG_CALLOC("dcfg.phrase.list", Phrase, ps->room);
   ps->kids       = DCFG_CALLOC("dcfg.phrase.kids", UInt, ps->room);
   ps->n_phrases  = 1;
   /* A phrase without longer ones finds none at .kid[0 ..]. */
   for (UInt node = 0; node < NodeFirstBlock + g->n_blocks; node++)
      if (ps->n_decisions[node] > most)
         most = ps->n_decisions[node];
   ps->n_kid    = most;
   ps->kid_room = 2 * (SizeT)most + 4096;
   ps->kid      = DCFG_CALLOC("dcfg.phrase.kid", UInt, ps->kid_room);
   return ps;
}

void DCFG_(delete_phrases)(Phrases* ps)
{
   dcfg_free(ps->rank);
   dcfg_free(ps->arrival);
   dcfg_free(ps->tail_edges);
   dcfg_free(ps->tail_instrs);
   dcfg_free(ps->only_edge);
   dcfg_free(ps->n_decisions);
   dcfg_free(ps->context_of);
   dcfg_free(ps->phrases);
   dcfg_free(ps->kids);
   dcfg_free(ps->kid);
   dcfg_free(ps->path);
   dcfg_free(ps);
}

static UInt add_phrase(Phrases* ps, const Phrase* fresh)
{
   if (ps->n_phrases == ps->room) {
      ps->room   += ps->room / 2;
      ps->phrases = dcfg_realloc("dcfg.phrase.list", ps->phrases,
                                 (SizeT)ps->room * sizeof(Phrase));
      ps->kids    = dcfg_realloc("dcfg.phrase.kids", ps->kids,
                                 (SizeT)ps->room * sizeof(UInt));
   }
   ps->kids[ps->n_phrases]    = 0;
   ps->phrases[ps->n_phrases] = *fresh;
   return ps->n_phrases++;
}

/* The room for the phrases that are one decision longer than P. */
static void make_kids(Phrases* ps, UInt p, UInt n)
{
   if (ps->n_kid + n > ps->kid_room) {
      ps->kid_room += ps->kid_room / 2 + n;
      ps->kid       = dcfg_realloc("dcfg.phrase.kid", ps->kid,
                                   ps->kid_room * sizeof(UInt));
   }
   dcfg_memset(ps->kid + ps->n_kid, 0, n * sizeof(UInt));
   dcfg_assert(ps->n_kid + n <= 0xFFFFFFFFu);
   ps->kids[p] = ps->n_kid;
   ps->n_kid  += n;
}

UInt DCFG_(extend_phrase)(Phrases* ps, UInt p, UInt id)
{
   UInt   kid   = DCFG_(longer_phrase)(ps, p, id);
   Phrase fresh = ps->phrases[p];

   if (kid != 0)
      return kid;
   if (ps->kids[p] == 0)
      make_kids(ps, p, ps->n_decisions[edge(ps, id)->source]);
   fresh.parent    = p;
   fresh.edge      = id;
   fresh.n_edges  += ps->tail_edges[id];
   fresh.n_instrs += ps->tail_instrs[id];
   fresh.count     = 0;
   fresh.is_cut    = False;
   kid = add_phrase(ps, &fresh);
   ps->kid[ps->kids[p] + ps->rank[id]] = kid;
   return kid;
}

UInt DCFG_(context_after)(Phrases* ps, UInt id)
{
   UInt context = ps->arrival[id];

   if (ps->context_of[context] == 0) {
      Phrase fresh = { 0, context, context, 0, 0, 0, 0, 0, False };
      ps->context_of[context] = add_phrase(ps, &fresh);
   }
   return ps->context_of[context];
}

static void make_path(Phrases* ps, UInt n)
{
   if (n > ps->path_room) {
      ps->path_room = 2 * n;
      ps->path      = dcfg_realloc("dcfg.phrase.path", ps->path,
                                   (SizeT)ps->path_room * sizeof(UInt));
   }
}

static void spell(const Phrases* ps, UInt id, UInt* path)
{
   while (id != 0) {
      *path++ = id;
      id      = ps->only_edge[edge(ps, id)->target];
   }
}

const UInt* DCFG_(spell_tail)(Phrases* ps, UInt id)
{
   make_path(ps, ps->tail_edges[id]);
   spell(ps, id, ps->path);
   return ps->path;
}

const UInt* DCFG_(spell_phrase)(Phrases* ps, UInt p)
{
   UInt left = ps->phrases[p].n_edges;

   make_path(ps, left);
   for (; ps->phrases[p].parent != 0; p = ps->phrases[p].parent) {
      left -= ps->tail_edges[ps->phrases[p].edge];
      spell(ps, ps->phrases[p].edge, ps->path + left);
   }
   dcfg_assert(left == 0);
   return ps->path;
}

/*------------------------------------------------------------*/
/*--- Code words                                           ---*/
/*------------------------------------------------------------*/

/* By count, then by number. */
static Bool is_less_used(const void* phrases, UInt x, UInt y)
{
   const Phrase* ps = phrases;
   return ps[x].count < ps[y].count
          || (ps[x].count == ps[y].count && x < y);
}

/* The code of the N phrases in ORDER, all of one context. */
static void code_context(Phrases* ps, UInt* order, UInt n)
{
   ULong* weights = dcfg_alloc("dcfg.phrase.code", n * sizeof(ULong));
   UInt*  words   = dcfg_alloc("dcfg.phrase.code", n * sizeof(UInt));
   UChar* lengths = dcfg_alloc("dcfg.phrase.code", n);

   DCFG_(sort_uints)(order, n, is_less_used, ps->phrases);
   for (UInt i = 0; i < n; i++)
      weights[i] = ps->phrases[order[i]].count;
   DCFG_(code_lengths)(weights, n, lengths);
   DCFG_(code_words)(lengths, n, words);
   for (UInt i = 0; i < n; i++) {
      ps->phrases[order[i]].word   = words[i];
      ps->phrases[order[i]].n_bits = lengths[i];
   }
   dcfg_free(weights);
   dcfg_free(words);
   dcfg_free(lengths);
}

UInt DCFG_(assign_code)(Phrases* ps, UInt** order)
{
   UInt* start = DCFG_CALLOC("dcfg.phrase.start", UInt,
                             ps->graph->n_edges + 2);
   UInt  n_used, n, p;

   for (p = 1; p < ps->n_phrases; p++)
      if (ps->phrases[p].count > 0)
         start[ps->phrases[p].context + 1]++;
   for (UInt id = 0; id <= ps->graph->n_edges; id++)
      start[id + 1] += start[id];
   n_used = start[ps->graph->n_edges + 1];
   *order = dcfg_alloc("dcfg.phrase.order", (n_used + 1) * sizeof(UInt));
   for (p = 1; p < ps->n_phrases; p++)
      if (ps->phrases[p].count > 0)
         (*order)[start[ps->phrases[p].context]++] = p;
   for (UInt i = 0; i < n_used; i += n) {
      UInt context = ps->phrases[(*order)[i]].context;
      n = start[context] - i;
      code_context(ps, *order + i, n);
   }
   dcfg_free(start);
   return n_used;
}

/*------------------------------------------------------------*/
/*--- Joining                                              ---*/
/*------------------------------------------------------------*/

typedef
   struct {
      Phrases*     ps;
      Prices*       prices;
      const PhraseParams* params;
      ULong        scale;
      UInt         n_joined;
      Pair*        pairs;       // in the order in which they were met
      UInt         n_pairs, max_pairs;
      UInt*        slots;       // hash table of .pairs, index + 1
      UInt         n_slots;     // a power of two
   }
   Chooser;

static void count_pair(Chooser* c, UInt first, UInt second)
{
   ULong key  = ((ULong)first << 32 | second) * 0x9E3779B97F4A7C15ULL;
   UInt  slot = (UInt)(key >> 32) & (c->n_slots - 1);

   for (; c->slots[slot] != 0; slot = (slot + 1) & (c->n_slots - 1)) {
      Pair* p = &c->pairs[c->slots[slot] - 1];
      if (p->first == first && p->second == second) {
         p->count++;
         return;
      }
   }
   if (c->n_pairs < c->max_pairs) {
      Pair fresh = { first, second, 1 };
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

static Bool pays(const Chooser* c, const Pair* pair)
{
   const Phrase* first  = &c->ps->phrases[pair->first];
   const Phrase* second = &c->ps->phrases[pair->second];
   UInt n = pair->count;
   ULong saved, told;
   Long  table, chars_first, chars_second;

   /* Something that was met once in a sample may be all there is. */
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
   /* Six bits make a character. */
   return ((Long)(saved - told) >> 16) * (Long)c->scale > 6 * table;
}

/* Make FIRST and then SECOND a phrase. */
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
                          (SizeT)c->max_pairs * sizeof(Pair));
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
