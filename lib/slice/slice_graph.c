/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Whether instructions depend on branches. */

/* Owns: the question whether an instruction is control dependent on a
   branch, and which instructions depend on the same branches.  Handed: the
   graph of slice_acts.c, which notes its arcs.

   I depends on B if I post-dominates a successor of B, but not B itself, or is
   B.  Intervals of numbers of the post-dominator tree answer that.
   Instructions that depend on the same branches are a group.  The key of a
   group is the sum of its branches' hashes.  This is a sum over a subtree: each
   arc of a branch counts from the arc's target up to the branch's
   post-dominator. */

#include "lib/slice/slice_graph.h"
#include "lib/wet/wet_graph.h"

static bool find_successors(ControlGraph* c, uint32_t n)
{
   const WetGraph* g = &c->arcs;
   uint32_t        sum = 0;

   c->n_successors = g->arcs.n + 1;
   c->successors   = job_calloc(c->job, c->n_successors, sizeof(uint32_t));
   if (c->successors == NULL)
      return false;
   for (size_t i = 0; i < g->arcs.room; i++)
      if (g->arcs.keys[i] != 0)
         c->nodes[(g->arcs.keys[i] >> 32) - 1].n++;
   for (uint32_t i = 0; i < n; i++) {
      c->nodes[i].first = sum;
      sum += c->nodes[i].n;
      c->nodes[i].n = 0;
   }
   for (size_t i = 0; i < g->arcs.room; i++)
      if (g->arcs.keys[i] != 0) {
         GraphNode* from = &c->nodes[(g->arcs.keys[i] >> 32) - 1];
         c->successors[from->first + from->n++] = (uint32_t)g->arcs.keys[i] - 1;
      }
   return true;
}

/* Number the trees in preorder and postorder, and sum the groups on the way
   up. */
static void number_tree(ControlGraph* c, uint32_t n, uint32_t* child,
                        uint32_t* sibling)
{
   uint32_t  clock = 0;
   GraphNode* nodes = c->nodes;

   for (uint32_t root = 0; root < n; root++) {
      uint32_t at = root;
      if (c->arcs.ipdom[root] != DCFG_NONE)
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
         c->groups[c->arcs.ipdom[at]] += c->groups[at];
         at = c->arcs.ipdom[at];
      }
   }
}

static bool make_index(ControlGraph* c)
{
   uint32_t        n = GRAPH_EXIT(&c->arcs) + 1;
   const uint32_t* ipdom = c->arcs.ipdom;
   uint32_t*       child   = job_nones(c->job, n);
   uint32_t*       sibling = job_nones(c->job, n);
   HashKey         key = hash_key();
   bool            ok;

   c->nodes  = job_calloc(c->job, n, sizeof(GraphNode));
   c->groups = job_calloc(c->job, n, sizeof(uint64_t));
   ok = child != NULL && sibling != NULL && c->nodes != NULL
        && c->groups != NULL && find_successors(c, n);
   for (uint32_t i = 0; ok && i < n; i++) {
      if (ipdom[i] != DCFG_NONE) {
         sibling[i] = child[ipdom[i]];
         child[ipdom[i]] = i;
      }
      if (!c->arcs.branches[i])
         continue;
      uint64_t hash = hash_bytes(&key, &i, sizeof(i));
      for (uint32_t k = 0; k < c->nodes[i].n; k++) {
         c->groups[c->successors[c->nodes[i].first + k]] += hash;
         if (ipdom[i] != DCFG_NONE)
            c->groups[ipdom[i]] -= hash;
      }
   }
   if (ok)
      number_tree(c, n, child, sibling);
   job_free(c->job, child, n * sizeof(*child));
   job_free(c->job, sibling, n * sizeof(*sibling));
   return ok;
}

bool graph_start(ControlGraph* c, Job* job, const DcfgWet* w)
{
   *c = (ControlGraph){ .job = job };
   return wet_graph_new(job, w, &c->arcs);
}

bool graph_finish(ControlGraph* c)
{
   if (!wet_graph_finish(&c->arcs) || !make_index(c))
      return false;
   wet_graph_forget_arcs(&c->arcs);
   return true;
}

static inline bool post_dominates(const GraphNode* a, const GraphNode* b)
{
   return a->pre <= b->pre && b->post <= a->post;
}

bool graph_depends(const ControlGraph* c, uint32_t i, uint32_t b)
{
   const GraphNode* me = &c->nodes[i];
   const GraphNode* branch = &c->nodes[b];
   uint32_t         exit = GRAPH_EXIT(&c->arcs);

   if (i != b && post_dominates(me, branch))
      return false;
   for (uint32_t k = 0; k < branch->n; k++) {
      uint32_t s = c->successors[branch->first + k];
      if ((s == exit || c->arcs.ipdom[s] != DCFG_NONE)
          && post_dominates(me, &c->nodes[s]))
         return true;
   }
   return false;
}

void graph_free(ControlGraph* c)
{
   size_t n = c->arcs.job == NULL ? 0 : GRAPH_EXIT(&c->arcs) + (size_t)1;

   job_free(c->job, c->nodes, n * sizeof(GraphNode));
   job_free(c->job, c->groups, n * sizeof(uint64_t));
   job_free(c->job, c->successors, c->n_successors * sizeof(uint32_t));
   if (c->arcs.job != NULL)
      wet_graph_free(&c->arcs);
}
