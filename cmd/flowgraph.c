
/*--------------------------------------------------------------------*/
/*--- Graphs: what is reached, dominators, loops.      flowgraph.c ---*/
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

/* Owns: graph algorithms.  Handed: edges.  Taken by: check_routines.c.

   Dominators are found by the iteration of Cooper, Harvey and Kennedy ("A
   Simple, Fast Dominance Algorithm", 2001), over nodes in reverse postorder.
   No function here is recursive: a graph may be as deep as it has nodes. */

#include "flowgraph.h"

#include "cmd.h"

#include <stdlib.h>
#include <string.h>

static void resize(uint32_t** a, size_t n)
{
   *a = need(realloc(*a, (n == 0 ? 1 : n) * sizeof(uint32_t)));
}

void flow_reset(Flowgraph* g, uint32_t n)
{
   g->n_edges = 0;
   g->n = n;
   resize(&g->first_out, (size_t)n + 1);
   resize(&g->first_in, (size_t)n + 1);
   resize(&g->order, n);
   resize(&g->number, n);
   resize(&g->idom, n);
   resize(&g->enter, n);
   resize(&g->leave, n);
}

void flow_edge(Flowgraph* g, uint32_t from, uint32_t to)
{
   if (g->n_edges == g->room) {
      g->room = g->room == 0 ? 256 : 2 * g->room;
      resize(&g->from, g->room);
      resize(&g->to, g->room);
      resize(&g->out, g->room);
      resize(&g->in, g->room);
   }
   g->from[g->n_edges] = from;
   g->to[g->n_edges++] = to;
}

/* Edges sorted by KEY; the other ends go to ENDS. */
static void sort_edges(const Flowgraph* g, const uint32_t* key,
                       const uint32_t* other, uint32_t* first,
                       uint32_t* ends)
{
   memset(first, 0, ((size_t)g->n + 1) * sizeof(*first));
   for (uint32_t i = 0; i < g->n_edges; i++)
      first[key[i] + 1]++;
   for (uint32_t i = 0; i < g->n; i++)
      first[i + 1] += first[i];
   for (uint32_t i = 0; i < g->n_edges; i++)
      ends[first[key[i]]++] = other[i];
   for (uint32_t i = g->n; i > 0; i--)
      first[i] = first[i - 1];
   first[0] = 0;
}

/* A depth-first walk.  While it runs, idom has the node from which a node
   was reached, enter which of its edges is next. */
static void walk(Flowgraph* g, uint32_t root)
{
   uint32_t at = root, left = g->n;

   g->idom[root] = root;
   g->enter[root] = g->first_out[root];
   g->number[root] = 0;
   for (;;) {
      if (g->enter[at] < g->first_out[at + 1]) {
         uint32_t next = g->out[g->enter[at]++];
         if (g->number[next] != NOWHERE)
            continue;
         g->number[next] = 0;
         g->idom[next] = at;
         g->enter[next] = g->first_out[next];
         at = next;
      } else {
         g->order[--left] = at;
         if (at == root)
            break;
         at = g->idom[at];
      }
   }
   g->n_reached = g->n - left;
   memmove(g->order, g->order + left, g->n_reached * sizeof(*g->order));
   for (uint32_t i = 0; i < g->n_reached; i++)
      g->number[g->order[i]] = i;
}

static uint32_t meet(const Flowgraph* g, uint32_t a, uint32_t b)
{
   while (a != b)
      if (g->number[a] > g->number[b])
         a = g->idom[a];
      else
         b = g->idom[b];
   return a;
}

static void find_dominators(Flowgraph* g, uint32_t root)
{
   bool changed = true;

   for (uint32_t i = 0; i < g->n; i++)
      g->idom[i] = NOWHERE;
   g->idom[root] = root;
   while (changed) {
      changed = false;
      for (uint32_t i = 1; i < g->n_reached; i++) {
         uint32_t node = g->order[i], best = NOWHERE;
         for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++) {
            uint32_t from = g->in[k];
            if (g->idom[from] != NOWHERE)
               best = best == NOWHERE ? from : meet(g, best, from);
         }
         if (g->idom[node] != best) {
            g->idom[node] = best;
            changed = true;
         }
      }
   }
}

/* An interval for each node of the tree of dominators.  In reverse postorder
   a node comes after its dominator: sizes of subtrees are summed up from the
   end, and places given out from the beginning. */
static void number_tree(Flowgraph* g)
{
   uint32_t root = g->n_reached > 0 ? g->order[0] : 0;

   for (uint32_t i = 0; i < g->n_reached; i++)
      g->leave[g->order[i]] = 1;
   for (uint32_t i = g->n_reached; i-- > 1; )
      g->leave[g->idom[g->order[i]]] += g->leave[g->order[i]];
   /* Meanwhile enter is the next free place below a node. */
   for (uint32_t i = 0; i < g->n_reached; i++) {
      uint32_t node = g->order[i], up = g->idom[node], size = g->leave[node];
      uint32_t place = node == root ? 0 : g->enter[up];
      if (node != root)
         g->enter[up] += size;
      g->enter[node] = place + 1;
      g->leave[node] = size;
   }
   for (uint32_t i = 0; i < g->n_reached; i++) {
      uint32_t node = g->order[i];
      /* All places below it are taken: go back to the first of them. */
      g->enter[node] -= g->leave[node] - 1;
      g->leave[node] += g->enter[node] - 1;
   }
}

void flow_analyse(Flowgraph* g, uint32_t root)
{
   sort_edges(g, g->from, g->to, g->first_out, g->out);
   sort_edges(g, g->to, g->from, g->first_in, g->in);
   for (uint32_t i = 0; i < g->n; i++)
      g->number[i] = NOWHERE;
   walk(g, root);
   find_dominators(g, root);
   number_tree(g);
}

bool flow_dominates(const Flowgraph* g, uint32_t a, uint32_t b)
{
   return g->number[a] != NOWHERE && g->number[b] != NOWHERE
          && g->enter[a] <= g->enter[b] && g->leave[b] <= g->leave[a];
}

uint32_t flow_loop(const Flowgraph* g, uint32_t head, uint32_t* mark,
                   uint32_t* nodes)
{
   uint32_t n = 0;

   for (uint32_t k = g->first_in[head]; k < g->first_in[head + 1]; k++) {
      uint32_t from = g->in[k];
      if (!flow_dominates(g, head, from))
         continue;
      if (n == 0) {
         nodes[n++] = head;
         mark[head] = head;
      }
      if (mark[from] != head) {
         mark[from] = head;
         nodes[n++] = from;
      }
   }
   for (uint32_t i = 1; i < n; i++)
      for (uint32_t k = g->first_in[nodes[i]];
           k < g->first_in[nodes[i] + 1]; k++) {
         uint32_t from = g->in[k];
         if (g->number[from] != NOWHERE && mark[from] != head) {
            mark[from] = head;
            nodes[n++] = from;
         }
      }
   return n;
}

void flow_free(Flowgraph* g)
{
   free(g->from);
   free(g->to);
   free(g->first_out);
   free(g->out);
   free(g->first_in);
   free(g->in);
   free(g->order);
   free(g->number);
   free(g->idom);
   free(g->enter);
   free(g->leave);
   memset(g, 0, sizeof(*g));
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
