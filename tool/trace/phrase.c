/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the trees of phrases, and the phrases' code words.  Handed: the graph
   and counts by dcfg_trace_enc.c, joined phrases by tool/trace/choose.c.

   tool/trace/phrase.h says what a phrase is.  Each context has a tree of
   phrases; to continue a phrase by a decision, look the decision's rank up
   among the kids of the tree's node.  Sources with hundreds of decisions, such
   as an interpreter's dispatch, have no ranks; their phrases are in a hash
   table.

   The phrases of a context have a Huffman code whose words have a limited
   length.  Package-merge finds it (L. Larmore, D. Hirschberg, "A Fast
   Algorithm for Optimal Length-Limited Huffman Codes", JACM 37, 1990).  Each
   symbol is a coin of its weight in each of the denominations 2^-1 ..
   2^-LIMIT.  Choose the cheapest coins with the sum N-1: a symbol's code word
   is as long as the number of its coins that are chosen.  To find them, pair
   the coins of the smallest denomination to packages, merge these with the
   coins of the next one, and so on.

   For each merged list, the code keeps only which elements are coins and which
   are packages.  Coins and packages are both ascending.  So the coins among
   the first M elements are those of the lightest symbols, and the packages are
   made of the first elements of the list below. */

#include "tool/base/util.h"
#include "tool/trace/phrase.h"

/*--- Huffman codes                                        ---*/

/* Merge the weights with packages of two neighbours in OLD into NEW.  Return
   the length of NEW.  IS_COIN tells which elements are weights. */
static UInt merge(const ULong* weights, UInt n, const ULong* old, UInt n_old,
                  ULong* new, UChar* is_coin)
{
   UInt n_new = 0, coin = 0, pair = 0;

   while (coin < n || 2 * pair + 1 < n_old) {
      ULong package = 2 * pair + 1 < n_old
                      ? old[2 * pair] + old[2 * pair + 1] : 0;
      Bool  is      = coin < n
                      && (2 * pair + 1 >= n_old || weights[coin] <= package);
      is_coin[n_new] = is;
      new[n_new++]   = is ? weights[coin++] : package;
      if (!is)
         pair++;
   }
   return n_new;
}

void DCFG_(code_lengths)(const ULong* weights, UInt n, UChar* lengths)
{
   /* In a Huffman code of N symbols, no word is longer than N-1. */
   UInt   limit   = n - 1 < MAX_CODE_BITS ? n - 1 : MAX_CODE_BITS;
   UInt   n_list  = 0, m;
   ULong* list    = NULL;
   ULong* other   = NULL;
   UChar* is_coin = NULL;

   dcfg_memset(lengths, 0, n);
   if (n <= 2) {
      for (UInt i = 0; i < n; i++)
         lengths[i] = n - 1;
      return;
   }
   list    = dcfg_alloc("dcfg.huffman", 2 * (SizeT)n * sizeof(ULong));
   other   = dcfg_alloc("dcfg.huffman", 2 * (SizeT)n * sizeof(ULong));
   is_coin = dcfg_alloc("dcfg.huffman", 2 * (SizeT)n * limit);
   for (UInt level = 0; level < limit; level++) {
      ULong* swap = list;
      n_list = merge(weights, n, list, n_list, other,
                     is_coin + 2 * (SizeT)n * level);
      list   = other;
      other  = swap;
   }
   dcfg_assert(n_list >= 2 * n - 2);
   m = 2 * n - 2;
   for (UInt level = limit; level-- > 0; ) {
      const UChar* is = is_coin + 2 * (SizeT)n * level;
      UInt         coins = 0;
      for (UInt i = 0; i < m; i++)
         coins += is[i];
      for (UInt i = 0; i < coins; i++)
         lengths[i]++;
      m = 2 * (m - coins);
   }
   DCFG_FREE_ALL(list, other, is_coin);
}

void DCFG_(code_words)(const UChar* lengths, UInt n, UInt* words)
{
   /* The canonical code: from the shortest word up, each word is the one before
      plus one, extended by zeros to its own length. */
   ULong word = 0;
   UInt  bits = 0;

   for (UInt i = n; i-- > 0; ) {
      dcfg_assert(lengths[i] >= bits && lengths[i] <= MAX_CODE_BITS);
      word   <<= lengths[i] - bits;
      bits     = lengths[i];
      dcfg_assert(word >> bits == 0);
      words[i] = (UInt)word++;
   }
}

/*--- Tails                                                ---*/

static const Edge* edge(const Phrases* ps, UInt id)
{
   return &ps->graph->edges[id - 1];
}

static ULong instrs_of(const Graph* graph, UInt node)
{
   return node < NodeFirstBlock ? 0
                                : graph->blocks[node - NodeFirstBlock].n_instrs;
}

/* A node with more decision edges than this has no ranks. */
#define MAX_RANKED 256u

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
   for (UInt id = 1; id <= g->n_edges; id++)
      if (ps->n_decisions[edge(ps, id)->source] > MAX_RANKED)
         ps->rank[id] = DCFG_NO_RANK;
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
      /* Follow the tail to its end, or to an edge that has its arrival, and
         then go back over it.  Every thread ends, so no tail is a circle. */
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

/*--- The trees                                            ---*/

Phrases* DCFG_(new_phrases)(const Graph* graph)
{
   Phrases* ps = DCFG_CALLOC("dcfg.phrase", Phrases, 1);

   ps->graph = graph;
   find_decisions(ps);
   find_tails(ps);
   ps->context_of = DCFG_CALLOC("dcfg.phrase.edge", UInt, graph->n_edges + 1);
   ps->room       = 4096;
   ps->phrases    = DCFG_CALLOC("dcfg.phrase.list", Phrase, ps->room);
   ps->kids       = DCFG_CALLOC("dcfg.phrase.kids", UInt, ps->room);
   ps->n_phrases  = 1;
   /* A phrase that no other one continues finds zeros at .kid[0 ..]. */
   ps->n_kid    = MAX_RANKED;
   ps->kid_room = 4096;
   ps->kid      = DCFG_CALLOC("dcfg.phrase.kid", UInt, ps->kid_room);
   return ps;
}

void DCFG_(delete_phrases)(Phrases* ps)
{
   DCFG_FREE_ALL(ps->rank, ps->arrival, ps->tail_edges, ps->tail_instrs,
                 ps->only_edge, ps->n_decisions, ps->context_of, ps->phrases,
                 ps->kids, ps->kid, ps->unranked, ps->path, ps);
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

/* Make room for the phrases that continue P by one decision, of N. */
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

/* Return the slot of the phrase that continues PARENT with decision ID, or the
   free slot for it. */
static UInt* unranked_slot(const Phrases* ps, UInt parent, UInt id)
{
   ULong hash = ((ULong)parent << 32 | id) * 0x9E3779B97F4A7C15ULL;
   UInt  i    = (UInt)(hash >> 32) & (ps->unranked_room - 1);

   for (; ps->unranked[i] != 0; i = (i + 1) & (ps->unranked_room - 1)) {
      const Phrase* p = &ps->phrases[ps->unranked[i]];
      if (p->parent == parent && p->edge == id)
         break;
   }
   return &ps->unranked[i];
}

UInt DCFG_(unranked_phrase)(const Phrases* ps, UInt p, UInt id)
{
   return ps->n_unranked == 0 ? 0 : *unranked_slot(ps, p, id);
}

static void add_unranked(Phrases* ps, UInt kid)
{
   UInt* old  = ps->unranked;
   UInt  room = ps->unranked_room;

   if (2 * ps->n_unranked >= room) {
      ps->unranked_room = room == 0 ? 4096 : 2 * room;
      ps->unranked = DCFG_CALLOC("dcfg.phrase.unranked", UInt,
                                 ps->unranked_room);
      for (UInt i = 0; i < room; i++)
         if (old[i] != 0)
            *unranked_slot(ps, ps->phrases[old[i]].parent,
                           ps->phrases[old[i]].edge) = old[i];
      dcfg_free(old);
   }
   *unranked_slot(ps, ps->phrases[kid].parent, ps->phrases[kid].edge) = kid;
   ps->n_unranked++;
}

UInt DCFG_(extend_phrase)(Phrases* ps, UInt p, UInt id)
{
   UInt   kid   = DCFG_(longer_phrase)(ps, p, id);
   Phrase fresh = ps->phrases[p];

   if (kid != 0)
      return kid;
   if (ps->rank[id] != DCFG_NO_RANK && ps->kids[p] == 0)
      make_kids(ps, p, ps->n_decisions[edge(ps, id)->source]);
   fresh.parent    = p;
   fresh.edge      = id;
   fresh.n_edges  += ps->tail_edges[id];
   fresh.n_instrs += ps->tail_instrs[id];
   fresh.count     = 0;
   fresh.is_cut    = False;
   kid = add_phrase(ps, &fresh);
   if (ps->rank[id] == DCFG_NO_RANK)
      add_unranked(ps, kid);
   else
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

/*--- Code words                                           ---*/

/* Order by count, then by number. */
static Bool is_less_used(const void* phrases, UInt x, UInt y)
{
   const Phrase* ps = phrases;
   return ps[x].count < ps[y].count
          || (ps[x].count == ps[y].count && x < y);
}

/* Assign code words to the N phrases in ORDER, all of one context. */
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
   DCFG_FREE_ALL(weights, words, lengths);
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
