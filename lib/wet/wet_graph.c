/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The graph of a wet file's instructions. */

/* Owns: which instruction led to which within a routine, the static closure of
   that, and post-dominators.  Handed: arcs by wet_control.c.

   Nodes are the file's executed instructions, then those not executed, then one
   for the end of all routines.  A direct conditional branch leads to both its
   outcomes.  Code that was not executed leads on as its instructions say; out
   of its function, to the end.

   Post-dominators are the dominators of the reversed graph, from the end on.
   Semidominators and the nearest common ancestors of these give them (L.
   Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems",
   2005: SNCA).  Most arrays of this part use the preorder numbers of a
   depth-first search. */

#include "lib/wet/wet_graph.h"

#include "lib/base/sort.h"
#include "lib/wet/wet.h"
#include "lib/wet/wet_images.h"

#include <stdlib.h>

COMPARE(by_value, uint64_t, ORDER(*x, *y))

/*--- Post-dominators                                      ---*/

typedef
   struct {
      Job*      job;
      uint32_t  n;
      size_t    n_arcs;
      ArcEnds      into, out;
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

/* Return an end of the arc KEY. */
static inline uint32_t end_of(uint64_t key, bool to)
{
   return (uint32_t)(to ? key : key >> 32) - 1;
}

bool ends_start(ArcEnds* e, Job* job, uint32_t n, const uint64_t* keys,
                size_t n_arcs, bool by_to)
{
   e->first  = job_calloc(job, (size_t)n + 2, sizeof(uint32_t));
   e->others = job_calloc(job, n_arcs, sizeof(uint32_t));
   if (e->first == NULL || e->others == NULL)
      return false;
   for (size_t i = 0; i < n_arcs; i++)
      e->first[end_of(keys[i], by_to) + 2]++;
   for (uint32_t v = 2; v < n + 2; v++)
      e->first[v] += e->first[v - 1];
   for (size_t i = 0; i < n_arcs; i++)
      e->others[e->first[end_of(keys[i], by_to) + 1]++]
         = end_of(keys[i], !by_to);
   return true;
}

void ends_free(ArcEnds* e, Job* job, uint32_t n, size_t n_arcs)
{
   job_free(job, e->first, ((size_t)n + 2) * sizeof(uint32_t));
   job_free(job, e->others, n_arcs * sizeof(uint32_t));
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

/* Return the immediate post-dominator of each node, 0 to N-1, or NULL if there
   is no memory.  EXIT is a node.  A node from which EXIT cannot be reached has
   DCFG_NONE, and so has EXIT. */
static uint32_t* find_postdominators(Job* job, uint32_t n, const uint64_t* keys,
                                     size_t n_arcs, uint32_t exit)
{
   Search     s = { .job = job, .n = n, .n_arcs = n_arcs };
   uint32_t*  idom = job_nones(job, n);
   uint32_t** arrays[] = { &s.node, &s.parent, &s.ancestor, &s.label, &s.semi,
                           &s.stack };
   bool       ok = idom != NULL && ends_start(&s.into, job, n, keys, n_arcs, true)
                   && ends_start(&s.out, job, n, keys, n_arcs, false)
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
   ends_free(&s.into, job, n, n_arcs);
   ends_free(&s.out, job, n, n_arcs);
   if (!ok) {
      job_free(job, idom, (size_t)n * sizeof(uint32_t));
      return NULL;
   }
   return idom;
}

/*--- The graph                                            ---*/

bool wet_graph_new(Job* job, const DcfgWet* w, WetGraph* g)
{
   *g = (WetGraph){ .job = job, .w = w };
   g->last = job_nones(g->job, 2 * (w->instrs.n + w->unexecuted.n + 1));
   g->scanned = job_calloc(g->job, w->sbs.n, sizeof(*g->scanned));
   return g->last != NULL && g->scanned != NULL;
}

void wet_graph_free(WetGraph* g)
{
   size_t n = GRAPH_EXIT(g) + (size_t)1;

   job_free(g->job, g->keys, (g->arcs.n + 1) * sizeof(*g->keys));
   map_free(g->job, &g->arcs);
   job_free(g->job, g->last, 2 * n * sizeof(*g->last));
   job_free(g->job, g->ipdom, n * sizeof(*g->ipdom));
   job_free(g->job, g->branches, n);
   job_free(g->job, g->scanned, g->w->sbs.n * sizeof(*g->scanned));
}

/* Add an arc.  Keys of the table number nodes from 1. */
bool wet_graph_arc(WetGraph* g, uint32_t from, uint32_t to)
{
   uint32_t* last = &g->last[2 * (size_t)from];

   if (last[0] == to || last[1] == to)
      return true;
   last[1] = last[0];
   last[0] = to;
   return map_add(g->job, &g->arcs, ((uint64_t)from + 1) << 32 | (to + 1))
          != NULL;
}

bool wet_graph_within(WetGraph* g, uint32_t sb, uint32_t n)
{
   const InstrPlan* at = &g->w->places[ELEM(g->w->sbs, WetSb, sb).instrs.first];

   for (uint16_t* k = &g->scanned[sb]; *k + 1u < n; (*k)++)
      if (!wet_graph_arc(g, at[*k].instr, at[*k + 1].instr))
         return false;
   return true;
}

/*--- The static closure                                   ---*/

static bool is_at(const Array* all, size_t i, uint32_t image, uint64_t addr)
{
   return i < all->n && ELEM(*all, WetInstr, i).image == image
          && ELEM(*all, WetInstr, i).addr == addr;
}

/* Return the index of the instruction at ADDR in ALL, sorted by image and
   address; likely LIKELY. */
static uint32_t find_instr(const Array* all, uint32_t image, uint64_t addr,
                           uint32_t likely)
{
   size_t low = 0, high = all->n;

   if (is_at(all, likely, image, addr))
      return likely;
   while (low < high) {
      size_t          mid = low + (high - low) / 2;
      const WetInstr* i = &ELEM(*all, WetInstr, mid);
      if (i->image < image || (i->image == image && i->addr < addr))
         low = mid + 1;
      else
         high = mid;
   }
   return is_at(all, low, image, addr) ? (uint32_t)low : DCFG_NONE;
}

/* Add an arc from FROM, node NODE, to the code at ADDR. */
static bool add_way(WetGraph* g, const WetInstr* from, uint32_t node,
                    uint64_t addr)
{
   const DcfgWet* w = g->w;
   uint32_t       to = DCFG_NONE;

   if (wet_function_at(w, from->image, from->addr, &g->near)
       == wet_function_at(w, from->image, addr, &g->near)) {
      to = find_instr(&w->instrs, from->image, addr, node + 1);
      if (to == DCFG_NONE) {
         to = find_instr(&w->unexecuted, from->image, addr,
                         node + 1 - (uint32_t)w->instrs.n);
         to = to == DCFG_NONE ? to : (uint32_t)w->instrs.n + to;
      }
   }
   return wet_graph_arc(g, node, to == DCFG_NONE ? GRAPH_EXIT(g) : to);
}

static uint64_t target_of(const DcfgWet* w, const WetInstr* i)
{
   return w->machine->target(&ELEM(w->code, uint8_t, i->code), i->len,
                             i->addr);
}

/* Add all arcs that the code of NODE allows. */
static bool add_static(WetGraph* g, const WetInstr* i, uint32_t node)
{
   uint64_t next = i->addr + i->len;

   switch (i->kind) {
      case InsnCond:
         return add_way(g, i, node, next)
                && add_way(g, i, node, target_of(g->w, i));
      case InsnJump:
         return add_way(g, i, node, target_of(g->w, i));
      case InsnIndirectJump:
      case InsnReturn:
         return wet_graph_arc(g, node, GRAPH_EXIT(g));
      default:
         return add_way(g, i, node, next);
   }
}

/* Add the static closure.  Instructions that were translated but not executed
   count as not executed. */
static bool add_closure(WetGraph* g)
{
   const DcfgWet* w = g->w;
   uint32_t       n = (uint32_t)w->instrs.n;

   for (uint32_t i = 0; i < n; i++) {
      const WetInstr* in = &ELEM(w->instrs, WetInstr, i);
      if ((g->last[2 * (size_t)i] == DCFG_NONE || in->kind == InsnCond)
          && !add_static(g, in, i))
         return false;
   }
   for (uint32_t i = 0; i < w->unexecuted.n; i++)
      if (!add_static(g, &ELEM(w->unexecuted, WetInstr, i), n + i))
         return false;
   return true;
}

/* Return the keys of G's arcs, sorted; NULL if memory is exhausted. */
static uint64_t* sort_arcs(WetGraph* g)
{
   uint64_t* keys = job_calloc(g->job, g->arcs.n + 1, sizeof(*keys));
   size_t    n = 0;

   for (size_t i = 0; keys != NULL && i < g->arcs.room; i++)
      if (g->arcs.keys[i] != 0)
         keys[n++] = g->arcs.keys[i];
   if (n > 1)
      qsort(keys, n, sizeof(*keys), by_value);
   return keys;
}

bool wet_graph_finish(WetGraph* g)
{
   uint32_t n = GRAPH_EXIT(g) + 1;

   if (!add_closure(g))
      return false;
   g->keys     = sort_arcs(g);
   g->branches = job_calloc(g->job, n, 1);
   if (g->keys == NULL || g->branches == NULL)
      return false;
   for (size_t i = 1; i < g->arcs.n; i++)
      if (end_of(g->keys[i], false) == end_of(g->keys[i - 1], false))
         g->branches[end_of(g->keys[i], false)] = 1;
   g->ipdom = find_postdominators(g->job, n, g->keys, g->arcs.n, n - 1);
   return g->ipdom != NULL;
}
