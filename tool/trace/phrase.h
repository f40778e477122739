/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Phrases: sequences of edges that share a code word. */

/* Private to trace/. */

#ifndef __DCFG_PHRASE_H
#define __DCFG_PHRASE_H

#include "format/port.h"
#include "tool/graph/graph.h"

/* The longest TRANSITION_CODE that the format allows, in bits. */
#define MAX_CODE_BITS 32

/* Compute the lengths of N code words, at most MAX_CODE_BITS each, so that the
   sum of length times weight is minimal.  WEIGHTS are ascending and their sum
   is below 2^58.  A single symbol gets the empty code word. */
void DCFG_(code_lengths)(const ULong* weights, UInt n, UChar* lengths);

/* Compute code words of these lengths, none a prefix of another.  LENGTHS are
   descending, as code_lengths() makes them. */
void DCFG_(code_words)(const UChar* lengths, UInt n, UInt* words);

/* Terms: a decision edge is a counted edge whose source has several counted
   out-edges.  Its tail is the edges that must follow, up to the next node with
   a decision.  Its arrival is the last edge of the tail, or the decision edge
   itself if the tail is empty.

   Phrase: a sequence of decision edges with their tails.  Its context is the
   edge before it, which is an arrival.  A context and its phrases are a tree:
   the parent of a phrase is the phrase without its last decision edge. */
typedef
   struct {
      UInt  parent;      // 0 for a context
      UInt  edge;        // the last decision edge; in a context, the edge
                         // itself
      UInt  context;     // edge id
      UInt  n_edges;
      ULong n_instrs;    // in the edges' source nodes
      ULong count;       // uses
      UInt  word;        // the code word
      UChar n_bits;
      Bool  is_cut;      // does a chunk end within it?
   }
   Phrase;

/* The rank of an edge whose source has too many decision edges.  Ranks would
   need room for all of them in each phrase. */
#define DCFG_NO_RANK 0xFFFFFFFFu

/* Phrases: the trees of all contexts.  Edges are ids. */
typedef
   struct {
      const Graph* graph;
      UInt*   rank;          // for each edge: its index among those of its
                             // source, 0 if it is no decision, or DCFG_NO_RANK
      UInt*   arrival;       // for each edge
      UInt*   tail_edges;    // for each edge: length of itself and its tail
      ULong*  tail_instrs;
      UInt*   only_edge;     // for each node: the edge that must follow, or 0
      UInt*   n_decisions;   // for each node: counted out-edges if several, or
                             // 0
      UInt*   context_of;    // for each edge: the phrase of the context, or 0
      /* Phrase 0 is not used. */
      Phrase* phrases;
      UInt    n_phrases, room;
      UInt*   kids;          // for each phrase: index in .kid, or 0
      UInt*   kid;           // at .kids plus the edge's rank: a phrase, or 0
      SizeT   n_kid, kid_room;
      UInt*   unranked;      // hash table: phrases whose .edge has no rank
      UInt    n_unranked, unranked_room;
      UInt*   path;          // the edges that were spelled last
      UInt    path_room;
   }
   Phrases;

/* Make the tables of GRAPH, without phrases.  Readers and choose_phrases() add
   phrases. */
Phrases* DCFG_(new_phrases)(const Graph* graph);
void     DCFG_(delete_phrases)(Phrases* ps);

/* Return the phrase that continues P, a phrase or context, with decision EDGE;
   or 0. */
UInt DCFG_(unranked_phrase)(const Phrases* ps, UInt p, UInt edge);

static inline UInt DCFG_(longer_phrase)(const Phrases* ps, UInt p,
                                        UInt edge)
{
   if (ps->rank[edge] == DCFG_NO_RANK)
      return DCFG_(unranked_phrase)(ps, p, edge);
   return ps->kid[ps->kids[p] + ps->rank[edge]];
}

/* Return the phrase that continues P with EDGE, or the context after EDGE. Both
   are made if they do not exist. */
UInt DCFG_(extend_phrase)(Phrases* ps, UInt p, UInt edge);
UInt DCFG_(context_after)(Phrases* ps, UInt edge);

/* Return the .tail_edges[id] edges from ID to its arrival, both included, or
   the .n_edges edges of phrase P.  Valid until the next call of either
   function. */
const UInt* DCFG_(spell_tail)(Phrases* ps, UInt id);
const UInt* DCFG_(spell_phrase)(Phrases* ps, UInt p);

/* Give each phrase that has a count a code word in its context.  *ORDER
   receives these phrases sorted by context, and the caller frees it.  Return
   their number. */
UInt DCFG_(assign_code)(Phrases* ps, UInt** order);

#endif
