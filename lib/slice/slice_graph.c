/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Whether instructions depend on branches. */

/* Owns: the question whether an instruction is control dependent on a branch,
   and which of them have all such branches in common.  Handed: the graph of
   slice_acts.c.  Taken by: slice_open.c, slice_back.c.

   I depends on B if it post-dominates one of B's successors, but not B itself,
   unless it is B: two intervals of the tree of post-dominators are compared.
   Instructions that depend on the same branches are a group; its key is the
   sum of the branches' hashes, which is a sum over a subtree: each arc of a
   branch counts from where it leads up to the branch's post-dominator. */

#include "lib/slice/slice.h"

static bool find_successors(Slicer* z, uint32_t n)
{
   const WetGraph* g = &z->graph;
   uint32_t        sum = 0;

   z->successors = job_calloc(z->job, g->arcs.n + 1, sizeof(uint32_t));
   if (z->successors == NULL)
      return false;
   for (size_t i = 0; i < g->arcs.room; i++)
      if (g->arcs.keys[i] != 0)
         z->nodes[(g->arcs.keys[i] >> 32) - 1].n++;
   for (uint32_t i = 0; i < n; i++) {
      z->nodes[i].first = sum;
      sum += z->nodes[i].n;
      z->nodes[i].n = 0;
   }
   for (size_t i = 0; i < g->arcs.room; i++)
      if (g->arcs.keys[i] != 0) {
         GraphNode* from = &z->nodes[(g->arcs.keys[i] >> 32) - 1];
         z->successors[from->first + from->n++] = (uint32_t)g->arcs.keys[i] - 1;
      }
   return true;
}

/* Preorder and postorder of the trees, and the groups on the way up. */
static void number_tree(Slicer* z, uint32_t n, uint32_t* child,
                        uint32_t* sibling)
{
   uint32_t  clock = 0;
   GraphNode* nodes = z->nodes;

   for (uint32_t root = 0; root < n; root++) {
      uint32_t at = root;
      if (z->graph.ipdom[root] != DCFG_NONE)
         continue;
      nodes[at].pre = ++clock;
      for (;;) {
         if (child[at] != DCFG_NONE) {
            uint32_t next = child[at];
            child[at] = sibling[next];
            at = next;
            nodes[at].pre = ++clock;
            continue;
         }
         nodes[at].post = ++clock;
         if (at == root)
            break;
         z->groups[z->graph.ipdom[at]] += z->groups[at];
         at = z->graph.ipdom[at];
      }
   }
}

bool slice_graph_index(Slicer* z)
{
   uint32_t        n = GRAPH_EXIT(&z->graph) + 1;
   const uint32_t* ipdom = z->graph.ipdom;
   uint32_t*       child   = job_nones(z->job, n);
   uint32_t*       sibling = job_nones(z->job, n);
   HashKey         key = hash_key();
   bool            ok;

   z->nodes  = job_calloc(z->job, n, sizeof(GraphNode));
   z->groups = job_calloc(z->job, n, sizeof(uint64_t));
   ok = child != NULL && sibling != NULL && z->nodes != NULL
        && z->groups != NULL && find_successors(z, n);
   for (uint32_t i = 0; ok && i < n; i++) {
      if (ipdom[i] != DCFG_NONE) {
         sibling[i] = child[ipdom[i]];
         child[ipdom[i]] = i;
      }
      if (!z->graph.branches[i])
         continue;
      for (uint32_t k = 0; k < z->nodes[i].n; k++) {
         z->groups[z->successors[z->nodes[i].first + k]] += hash_bytes(&key, &i, sizeof(i));
         if (ipdom[i] != DCFG_NONE)
            z->groups[ipdom[i]] -= hash_bytes(&key, &i, sizeof(i));
      }
   }
   if (ok)
      number_tree(z, n, child, sibling);
   job_free(z->job, child, n * sizeof(*child));
   job_free(z->job, sibling, n * sizeof(*sibling));
   return ok;
}

static inline bool post_dominates(const GraphNode* a, const GraphNode* b)
{
   return a->pre <= b->pre && b->post <= a->post;
}

bool slice_depends(const Slicer* z, uint32_t i, uint32_t b)
{
   const GraphNode* me = &z->nodes[i];
   const GraphNode* branch = &z->nodes[b];
   uint32_t         exit = GRAPH_EXIT(&z->graph);

   if (i != b && post_dominates(me, branch))
      return false;
   for (uint32_t k = 0; k < branch->n; k++) {
      uint32_t s = z->successors[branch->first + k];
      if ((s == exit || z->graph.ipdom[s] != DCFG_NONE)
          && post_dominates(me, &z->nodes[s]))
         return true;
   }
   return false;
}

void slice_free_graph(Slicer* z)
{
   size_t n = z->graph.job == NULL ? 0 : GRAPH_EXIT(&z->graph) + (size_t)1;

   job_free(z->job, z->nodes, n * sizeof(GraphNode));
   job_free(z->job, z->groups, n * sizeof(uint64_t));
   job_free(z->job, z->successors,
            (z->graph.arcs.n + 1) * sizeof(uint32_t));
}
