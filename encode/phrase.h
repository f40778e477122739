/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which sequences of edges share a code word. */

#ifndef __DCFG_PHRASE_H
#define __DCFG_PHRASE_H

#include "graph/graph.h"

/* A node whose out-edges were traversed more than once over is a place of
   decision, and its traversed out-edges are decision edges.  What follows
   one up to the next place of decision follows by itself: its tail.  The
   last edge on the way is where it arrives, its arrival; a decision edge
   that leads straight to a place of decision is its own.

   A phrase is a sequence of decision edges with their tails.  Its context
   is the edge before it, an arrival.  A context and its phrases are a
   tree: the phrase without its last decision edge is the parent. */
typedef
   struct {
      UInt  parent;      // 0 for a context
      UInt  edge;        // the last decision edge; of a context, the edge
      UInt  context;     // edge
      UInt  n_edges;
      ULong n_instrs;    // of the edges' source nodes
      ULong count;       // how often it was used
      UInt  word;        // its code word
      UChar n_bits;
      Bool  is_cut;      // a chunk ends within it
   }
   Phrase;

/* The rank of edges whose source has many: each phrase that gets longer there
   would need room for all of them. */
#define DCFG_NO_RANK 0xFFFFFFFFu

/* Edges are named by id. */
typedef
   struct {
      const Graph* graph;
      UInt*   rank;          // by edge: among its source's, or 0; or
                             // DCFG_NO_RANK
      UInt*   arrival;       // by edge
      UInt*   tail_edges;    // by edge: it and its tail
      ULong*  tail_instrs;
      UInt*   only_edge;     // by node: the edge that must follow, or 0
      UInt*   n_decisions;   // by node: traversed out-edges if several
      UInt*   context_of;    // by edge: the context's phrase, or 0
      /* Phrase 0 is none. */
      Phrase* phrases;
      UInt    n_phrases, room;
      UInt*   kids;          // by phrase: where in .kid, or 0
      UInt*   kid;           // by .kids plus rank of the edge: or 0
      SizeT   n_kid, kid_room;
      UInt*   unranked;      // hash table: phrases whose .edge has no rank
      UInt    n_unranked, unranked_room;
      UInt*   path;          // what was spelled last
      UInt    path_room;
   }
   Phrases;

/* Without phrases; these come as they are met or by choose_phrases(). */
Phrases* DCFG_(new_phrases)(const Graph* g);
void     DCFG_(delete_phrases)(Phrases* ps);

/* The phrase that is P, which may be a context, and decision EDGE. */
UInt DCFG_(unranked_phrase)(const Phrases* ps, UInt p, UInt edge);

static inline UInt DCFG_(longer_phrase)(const Phrases* ps, UInt p,
                                        UInt edge)
{
   if (ps->rank[edge] == DCFG_NO_RANK)
      return DCFG_(unranked_phrase)(ps, p, edge);
   return ps->kid[ps->kids[p] + ps->rank[edge]];
}

/* The same, made if there is none; and the context of what follows
   EDGE. */
UInt DCFG_(extend_phrase)(Phrases* ps, UInt p, UInt edge);
UInt DCFG_(context_after)(Phrases* ps, UInt edge);

/* The .tail_edges[id] edges from ID to its arrival, both included; or the
   .n_edges edges of phrase P.  Valid until the next call of either. */
const UInt* DCFG_(spell_tail)(Phrases* ps, UInt id);
const UInt* DCFG_(spell_phrase)(Phrases* ps, UInt p);

/* Give each phrase that has a count a code word of its context.  ORDER,
   which is for the caller to free, receives these phrases sorted by
   context; returns how many. */
UInt DCFG_(assign_code)(Phrases* ps, UInt** order);

#endif /* __DCFG_PHRASE_H */
