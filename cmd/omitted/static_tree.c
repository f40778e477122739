/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Post-dominators of code. */

/* Owns: immediate post-dominators.  Handed: the graph.

   K. Cooper, T. Harvey and K. Kennedy: A Simple, Fast Dominance Algorithm, on
   the reversed graph.  All ways out of functions lead to one exit. */

#include "cmd/omitted/static_tree.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>

/* Reversed: the reversed graph: predecessors of each node, those of the exit
   last, and the nodes in postorder. */
typedef
   struct {
      uint32_t* first;          // n + 2
      uint32_t* from;
      uint32_t* number;         // by node, in postorder, from 1; 0: no way
                                // leaves its function
      uint32_t* order;          // nodes by number
      uint32_t  n_order;
      uint32_t* up;
   }
   Reversed;

static bool leaves(const CodeNode* n)
{
   return n->n == 0 || n->open || n->ends;
}

static void reverse(const StaticCode* c, Reversed* r)
{
   size_t n_edges = 0;

   for (uint32_t n = 0; n < c->n; n++) {
      for (uint32_t k = 0; k < c->nodes[n].n; k++)
         r->first[code_successor(c, n, k) + 1]++;
      r->first[c->n + 1] += leaves(&c->nodes[n]);
      n_edges += c->nodes[n].n + leaves(&c->nodes[n]);
   }
   for (uint32_t n = 0; n <= c->n; n++)
      r->first[n + 1] += r->first[n];
   r->from = zalloc(n_edges + 1, sizeof(*r->from));
   for (uint32_t n = c->n; n-- > 0; ) {
      for (uint32_t k = 0; k < c->nodes[n].n; k++)
         r->from[--r->first[code_successor(c, n, k) + 1]] = n;
      if (leaves(&c->nodes[n]))
         r->from[--r->first[c->n + 1]] = n;
   }
}

/* Return the index in .from of the first predecessor of N, which reverse()
   has left in .first[N + 1]. */
static uint32_t begin_of(const Reversed* r, uint32_t n)
{
   return r->first[n + 1];
}

static uint32_t end_of(const StaticCode* c, const Reversed* r, uint32_t n,
                       uint32_t n_edges)
{
   return n == c->n ? n_edges : r->first[n + 2];
}

static void number_nodes(const StaticCode* c, Reversed* r, uint32_t n_edges)
{
   uint32_t* stack = zalloc(c->n + (size_t)2, sizeof(*stack));
   uint32_t* at = zalloc(c->n + (size_t)2, sizeof(*at));
   bool*     seen = zalloc(c->n + (size_t)2, sizeof(*seen));
   size_t    n = 0;

   stack[n++]  = c->n;
   seen[c->n]  = true;
   at[c->n]    = begin_of(r, c->n);
   while (n > 0) {
      uint32_t node = stack[n - 1];
      if (at[node] < end_of(c, r, node, n_edges)) {
         uint32_t to = r->from[at[node]++];
         if (!seen[to]) {
            seen[to]   = true;
            at[to]     = begin_of(r, to);
            stack[n++] = to;
         }
         continue;
      }
      n--;
      r->order[r->n_order] = node;
      r->number[node]      = ++r->n_order;
   }
   free(stack);
   free(at);
   free(seen);
}

static uint32_t meet(const Reversed* r, uint32_t a, uint32_t b)
{
   while (a != b) {
      while (r->number[a] < r->number[b])
         a = r->up[a];
      while (r->number[b] < r->number[a])
         b = r->up[b];
   }
   return a;
}

/* Return the immediate post-dominator of NODE, from those of its successors
   that have one already. */
static uint32_t find_up(const StaticCode* c, const Reversed* r, uint32_t node)
{
   uint32_t up = leaves(&c->nodes[node]) ? c->n : NO_NODE;

   for (uint32_t k = 0; k < c->nodes[node].n; k++) {
      uint32_t to = code_successor(c, node, k);
      if (r->number[to] == 0 || r->up[to] == NO_NODE)
         continue;
      up = up == NO_NODE ? to : meet(r, up, to);
   }
   return up;
}

void static_tree_make(StaticCode* c)
{
   Reversed r = { .first = zalloc(c->n + (size_t)3, sizeof(uint32_t)),
                  .number = zalloc(c->n + (size_t)2, sizeof(uint32_t)),
                  .order = zalloc(c->n + (size_t)2, sizeof(uint32_t)),
                  .up = zalloc(c->n + (size_t)2, sizeof(uint32_t)) };
   bool     changed = true;
   uint32_t n_edges = 0;

   reverse(c, &r);
   for (uint32_t n = 0; n < c->n; n++)
      n_edges += c->nodes[n].n + leaves(&c->nodes[n]);
   number_nodes(c, &r, n_edges);
   for (uint32_t n = 0; n < c->n; n++)
      r.up[n] = NO_NODE;
   r.up[c->n] = c->n;
   while (changed) {
      changed = false;
      for (uint32_t k = r.n_order - 1; k-- > 0; ) {
         uint32_t up = find_up(c, &r, r.order[k]);
         changed |= up != r.up[r.order[k]];
         r.up[r.order[k]] = up;
      }
   }
   for (uint32_t n = 0; n < c->n; n++)
      c->nodes[n].up = r.up[n] == c->n ? NO_NODE : r.up[n];
   free(r.first);
   free(r.from);
   free(r.number);
   free(r.order);
   free(r.up);
}
