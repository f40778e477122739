/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Graph algorithms: reachability, dominators, loops. */

/* Owns: graph algorithms.  Handed: edges.  Taken by: check_routines.c.

   Dominators are found by the simpler version of T. Lengauer and R. Tarjan's
   algorithm ("A Fast Algorithm for Finding Dominators in a Flowgraph", ACM
   TOPLAS 1(1), 1979): M log N steps for M edges, whatever the graph is.  A file
   may be made for the worst case, which iteration and Semi-NCA have, too. No
   function here is recursive: a graph may be as deep as it has nodes. */

#include "cmd/check/flowgraph.h"

#include "cmd/base/cmd.h"

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

/* Sort edges by KEY; ENDS becomes their other ends. */
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

/* Walk depth first, in preorder.  PARENT becomes numbers of nodes.  During the
   walk, .enter is the next edge of each node. */
static void walk(Flowgraph* g, uint32_t root, uint32_t* parent)
{
   uint32_t at = root;

   g->n_reached = 0;
   g->order[g->n_reached] = root;
   g->number[root] = g->n_reached++;
   g->enter[root] = g->first_out[root];
   parent[0] = 0;
   for (;;) {
      if (g->enter[at] < g->first_out[at + 1]) {
         uint32_t next = g->out[g->enter[at]++];
         if (g->number[next] != NOWHERE)
            continue;
         parent[g->n_reached] = g->number[at];
         g->order[g->n_reached] = next;
         g->number[next] = g->n_reached++;
         g->enter[next] = g->first_out[next];
         at = next;
      } else {
         if (at == root)
            break;
         at = g->order[parent[g->number[at]]];
      }
   }
}

/* Search: data for finding dominators, by preorder number. */
typedef
   struct {
      uint32_t* parent;         // in the tree of the walk
      uint32_t* up;             // an ancestor, once linked; else NOWHERE
      uint32_t* semi;           // semidominators
      uint32_t* best;           // node with the least .semi on the way to .up
      uint32_t* idom;
      uint32_t* first;          // list of nodes with this semidominator
      uint32_t* next;
      uint32_t* path;
   }
   Search;

/* Return the node with the least semidominator above V and below the root of
   its tree in the forest.  Compresses the path. */
static uint32_t least(const Search* s, uint32_t v)
{
   uint32_t n = 0;

   if (s->up[v] == NOWHERE)
      return v;
   for (uint32_t u = v; s->up[s->up[u]] != NOWHERE; u = s->up[u])
      s->path[n++] = u;
   while (n > 0) {
      uint32_t u = s->path[--n], above = s->up[u];
      if (s->semi[s->best[above]] < s->semi[s->best[u]])
         s->best[u] = s->best[above];
      s->up[u] = s->up[above];
   }
   return s->best[v];
}

static void find_semidominator(const Flowgraph* g, const Search* s,
                               uint32_t v)
{
   uint32_t node = g->order[v];

   for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++) {
      uint32_t from = g->number[g->in[k]];
      uint32_t semi = from == NOWHERE ? NOWHERE : s->semi[least(s, from)];
      if (semi < s->semi[v])
         s->semi[v] = semi;
   }
   s->next[v] = s->first[s->semi[v]];
   s->first[s->semi[v]] = v;
}

static void find_dominators(Flowgraph* g, const Search* s)
{
   for (uint32_t v = 0; v < g->n_reached; v++) {
      s->semi[v] = s->best[v] = v;
      s->up[v] = s->first[v] = NOWHERE;
   }
   for (uint32_t v = g->n_reached; v-- > 1; ) {
      uint32_t parent = s->parent[v];
      find_semidominator(g, s, v);
      s->up[v] = parent;
      for (uint32_t w = s->first[parent]; w != NOWHERE; w = s->next[w]) {
         uint32_t u = least(s, w);
         s->idom[w] = s->semi[u] < s->semi[w] ? u : parent;
      }
      s->first[parent] = NOWHERE;
   }
   g->idom[g->order[0]] = g->order[0];
   for (uint32_t v = 1; v < g->n_reached; v++) {
      if (s->idom[v] != s->semi[v])
         s->idom[v] = s->idom[s->idom[v]];
      g->idom[g->order[v]] = g->order[s->idom[v]];
   }
}

/* Give each node of the dominator tree an interval.  In preorder, a node comes
   after its dominator: so sizes of subtrees are summed up from the end, and
   places are assigned from the begin. */
static void number_tree(Flowgraph* g)
{
   uint32_t root = g->n_reached > 0 ? g->order[0] : 0;

   for (uint32_t i = 0; i < g->n_reached; i++)
      g->leave[g->order[i]] = 1;
   for (uint32_t i = g->n_reached; i-- > 1; )
      g->leave[g->idom[g->order[i]]] += g->leave[g->order[i]];
   /* Meanwhile, .enter is the next free place below a node. */
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
   size_t    n = g->n;
   uint32_t* work = zalloc(8 * n, sizeof(*work));
   Search    s = { work, work + n, work + 2 * n, work + 3 * n, work + 4 * n,
                   work + 5 * n, work + 6 * n, work + 7 * n };

   sort_edges(g, g->from, g->to, g->first_out, g->out);
   sort_edges(g, g->to, g->from, g->first_in, g->in);
   for (uint32_t i = 0; i < g->n; i++)
      g->number[i] = g->idom[i] = NOWHERE;
   walk(g, root, s.parent);
   find_dominators(g, &s);
   number_tree(g);
   free(work);
}

bool flow_dominates(const Flowgraph* g, uint32_t a, uint32_t b)
{
   return g->number[a] != NOWHERE && g->number[b] != NOWHERE
          && g->enter[a] <= g->enter[b] && g->leave[b] <= g->leave[a];
}

/* Return the outermost loop around V found so far, as a node (union-find). */
static uint32_t outermost(uint32_t* in, uint32_t v)
{
   while (in[v] != v)
      v = in[v] = in[in[v]];
   return v;
}

/* Add the nodes that reach node AT to the loop of HEAD, and to STACK. */
static void gather(const Flowgraph* g, uint32_t head, uint32_t at,
                   uint32_t* parent, uint32_t* in, uint32_t* stack,
                   uint32_t* n)
{
   for (uint32_t k = g->first_in[at]; k < g->first_in[at + 1]; k++) {
      uint32_t from = g->in[k];
      if (g->number[from] == NOWHERE
          || (at == head && !flow_dominates(g, head, from)))
         continue;
      from = outermost(in, from);
      if (from != head) {
         parent[from] = in[from] = head;
         stack[(*n)++] = from;
      }
   }
}

/* Find loops from inner heads to outer ones.  A loop that was found is one
   node, its head: so each edge is visited once. */
static void nest_loops(const Flowgraph* g, uint32_t* parent, bool* is_head)
{
   uint32_t* in = zalloc(g->n, sizeof(*in));
   uint32_t* stack = zalloc(g->n, sizeof(*stack));

   for (uint32_t i = 0; i < g->n; i++) {
      in[i] = i;
      parent[i] = NOWHERE;
   }
   for (uint32_t i = g->n_reached; i-- > 0; ) {
      uint32_t head = g->order[i], n = 0;
      for (uint32_t k = g->first_in[head]; k < g->first_in[head + 1]; k++)
         is_head[head] |= flow_dominates(g, head, g->in[k]);
      gather(g, head, head, parent, in, stack, &n);
      while (n > 0) {
         uint32_t at = stack[--n];
         gather(g, head, at, parent, in, stack, &n);
      }
   }
   free(in);
   free(stack);
}

void flow_loops(const Flowgraph* g, uint32_t* parent, uint32_t* size,
                uint32_t* place)
{
   bool*     is_head = zalloc(g->n, sizeof(*is_head));
   uint32_t* next = zalloc(g->n, sizeof(*next));
   uint32_t  free_place = 0;

   nest_loops(g, parent, is_head);
   for (uint32_t i = 0; i < g->n; i++)
      size[i] = 1;
   /* In preorder, a loop's head comes before its other nodes. */
   for (uint32_t i = g->n_reached; i-- > 0; )
      if (parent[g->order[i]] != NOWHERE)
         size[parent[g->order[i]]] += size[g->order[i]];
   for (uint32_t i = 0; i < g->n_reached; i++) {
      uint32_t  node = g->order[i];
      uint32_t* from = parent[node] == NOWHERE ? &free_place
                                               : &next[parent[node]];
      place[node] = *from;
      next[node] = *from + 1;
      *from += size[node];
   }
   for (uint32_t i = 0; i < g->n; i++)
      if (!is_head[i])
         size[i] = 0;
   free(is_head);
   free(next);
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
