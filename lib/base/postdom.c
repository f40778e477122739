/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Immediate post-dominators. */

/* Owns: post-dominators of a graph.  Handed: its arcs.  Taken by: wet_graph.c.

   They are the dominators of the reversed graph, from EXIT on.  Semidominators
   and the nearest common ancestors of these give them (L. Georgiadis,
   "Linear-Time Algorithms for Dominators and Related Problems", 2005: SNCA).
   Below, most arrays use the preorder numbers of a depth-first search. */

#include "lib/base/postdom.h"

#include <stdlib.h>

/* Ends: arcs sorted by one end: those of node i are .others from .first[i] up
   to .first[i + 1]. */
typedef
   struct {
      uint32_t* first;
      uint32_t* others;
   }
   Ends;

typedef
   struct {
      Job*      job;
      uint32_t  n;
      size_t    n_arcs;
      Ends      into, out;
      uint32_t  n_reached;
      uint32_t* number;         // for each node; DCFG_NONE: not reached
      uint32_t* node;           // for each number
      uint32_t* parent;         // in the search's tree
      uint32_t* ancestor;       // likewise, with compressed paths
      uint32_t* label;          // least semidominator on these paths
      uint32_t* semi;
      uint32_t* stack;
   }
   Search;

static bool sort_arcs(Search* s, Ends* e, const Arc* arcs, bool by_to)
{
   e->first  = job_calloc(s->job, (size_t)s->n + 2, sizeof(uint32_t));
   e->others = job_calloc(s->job, s->n_arcs, sizeof(uint32_t));
   if (e->first == NULL || e->others == NULL)
      return false;
   for (size_t i = 0; i < s->n_arcs; i++)
      e->first[(by_to ? arcs[i].to : arcs[i].from) + 2]++;
   for (uint32_t v = 2; v < s->n + 2; v++)
      e->first[v] += e->first[v - 1];
   for (size_t i = 0; i < s->n_arcs; i++)
      e->others[e->first[(by_to ? arcs[i].to : arcs[i].from) + 1]++]
         = by_to ? arcs[i].from : arcs[i].to;
   return true;
}

/* Search depth first, against the arcs. */
static void search(Search* s, uint32_t exit)
{
   uint32_t  depth = 0, n = 0;
   uint32_t* next = s->semi;    // for each node, index of the next arc; .semi
                                // is not in use yet

   for (uint32_t v = 0; v < s->n; v++)
      next[v] = s->into.first[v];
   s->number[exit] = n;
   s->node[n++]    = exit;
   s->stack[depth++] = exit;
   while (depth > 0) {
      uint32_t v = s->stack[depth - 1];
      if (next[v] == s->into.first[v + 1]) {
         depth--;
         continue;
      }
      uint32_t u = s->into.others[next[v]++];
      if (s->number[u] != DCFG_NONE)
         continue;
      s->number[u]      = n;
      s->parent[n]      = s->number[v];
      s->node[n++]      = u;
      s->stack[depth++] = u;
   }
   s->n_reached = n;
}

/* Return the number with the least semidominator on the path from V up to below
   LAST. */
static uint32_t evaluate(Search* s, uint32_t v, uint32_t last)
{
   uint32_t depth = 0;

   if (v < last)
      return v;
   for (uint32_t u = v; s->ancestor[u] >= last; u = s->ancestor[u])
      s->stack[depth++] = u;
   while (depth > 0) {
      uint32_t u = s->stack[--depth], a = s->ancestor[u];
      if (s->label[a] < s->label[u])
         s->label[u] = s->label[a];
      s->ancestor[u] = s->ancestor[a];
   }
   return s->label[v];
}

static void find_dominators(Search* s, uint32_t* idom)
{
   for (uint32_t i = 0; i < s->n_reached; i++) {
      s->label[i]    = i;
      s->ancestor[i] = s->parent[i];
   }
   for (uint32_t i = s->n_reached; i-- > 1; ) {
      uint32_t v = s->node[i];
      s->semi[i] = s->parent[i];
      for (uint32_t k = s->out.first[v]; k < s->out.first[v + 1]; k++) {
         uint32_t u = s->number[s->out.others[k]];
         if (u == DCFG_NONE)
            continue;
         u = evaluate(s, u, i + 1);
         if (u < s->semi[i])
            s->semi[i] = u;
      }
      s->label[i] = s->semi[i];
   }
   /* .label becomes the immediate dominators, as preorder numbers. */
   for (uint32_t i = 1; i < s->n_reached; i++) {
      uint32_t d = s->parent[i];
      while (d > s->semi[i])
         d = s->label[d];
      s->label[i]      = d;
      idom[s->node[i]] = s->node[d];
   }
}

uint32_t* find_postdominators(Job* job, uint32_t n, const Arc* arcs,
                              size_t n_arcs, uint32_t exit)
{
   Search     s = { .job = job, .n = n, .n_arcs = n_arcs };
   uint32_t*  idom = job_nones(job, n);
   uint32_t** arrays[] = { &s.node, &s.parent, &s.ancestor, &s.label, &s.semi,
                           &s.stack };
   bool       ok = idom != NULL && sort_arcs(&s, &s.into, arcs, true)
                   && sort_arcs(&s, &s.out, arcs, false)
                   && (s.number = job_nones(job, n)) != NULL;

   for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]) && ok; i++)
      ok = (*arrays[i] = job_calloc(job, n, sizeof(uint32_t))) != NULL;
   if (ok) {
      search(&s, exit);
      find_dominators(&s, idom);
   }
   for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
      job_free(job, *arrays[i], (size_t)n * sizeof(uint32_t));
   job_free(job, s.number, (size_t)n * sizeof(uint32_t));
   job_free(job, s.into.first, ((size_t)n + 2) * sizeof(uint32_t));
   job_free(job, s.into.others, n_arcs * sizeof(uint32_t));
   job_free(job, s.out.first, ((size_t)n + 2) * sizeof(uint32_t));
   job_free(job, s.out.others, n_arcs * sizeof(uint32_t));
   if (!ok) {
      job_free(job, idom, (size_t)n * sizeof(uint32_t));
      return NULL;
   }
   return idom;
}
