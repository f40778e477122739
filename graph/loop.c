
/*--------------------------------------------------------------------*/
/*--- Natural loops.                                  graph/loop.c ---*/
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

/* Owns: loops and their nesting.  Handed: the graph and its routines.
   Taken by: dcfg_json.c.

   A back edge is an edge within a routine whose target dominates its
   source.  The loop of a head is the head and all that reaches the source
   of one of its back edges without passing the head (A. Aho, M. Lam,
   R. Sethi, J. Ullman, "Compilers", 2nd edition, section 9.6.6).  Two
   such loops with different heads are disjoint or one is in the other. */

#include "base/util.h"
#include "graph/loop.h"

#define NONE 0xFFFFFFFFu

typedef
   struct {
      const Graph*    g;
      const Routines* r;
      UInt   n;
      UInt*  first_pred;   // of each block, in .preds
      UInt*  preds;        // blocks, by edges within a routine
      UInt*  enter;        // of each block in the dominator tree:
      UInt*  leave;        // its number, the last one below it
      UInt*  ids;          // Loops.ids in the making
      UInt   n_ids, room;
   }
   Finder;

/* Is E an edge within one routine? */
static Bool is_inside(const Finder* f, const Edge* e)
{
   return DCFG_(is_intra_routine)(e->type)
          && e->source >= NodeFirstBlock && e->target >= NodeFirstBlock
          && f->r->routine_of[e->source - NodeFirstBlock]
             == f->r->routine_of[e->target - NodeFirstBlock];
}

static void make_preds(Finder* f)
{
   const Graph* g = f->g;

   f->first_pred = DCFG_CALLOC("dcfg.loop.preds", UInt, f->n + 2);
   f->preds      = DCFG_CALLOC("dcfg.loop.preds", UInt, g->n_edges + 1);
   for (UInt i = 0; i < g->n_edges; i++)
      if (is_inside(f, &g->edges[i]))
         f->first_pred[g->edges[i].target - NodeFirstBlock + 2]++;
   for (UInt b = 0; b < f->n; b++)
      f->first_pred[b + 2] += f->first_pred[b + 1];
   for (UInt i = 0; i < g->n_edges; i++)
      if (is_inside(f, &g->edges[i]))
         f->preds[f->first_pred[g->edges[i].target - NodeFirstBlock + 1]++]
            = g->edges[i].source - NodeFirstBlock;
}

/* Number the dominator trees so that A dominates B if and only if B's
   number is between A's .enter and .leave. */
static void number_dominators(Finder* f)
{
   const UInt* idom = f->r->idom;
   UInt* child   = dcfg_alloc("dcfg.loop.child", (f->n + 1) * sizeof(UInt));
   UInt* sibling = dcfg_alloc("dcfg.loop.sibl", (f->n + 1) * sizeof(UInt));
   UInt  count   = 0;
   UInt  b;

   f->enter = DCFG_CALLOC("dcfg.loop.enter", UInt, f->n + 1);
   f->leave = DCFG_CALLOC("dcfg.loop.leave", UInt, f->n + 1);
   for (b = 0; b < f->n; b++)
      child[b] = NONE;
   for (b = f->n; b-- > 0; )
      if (idom[b] != b) {
         sibling[b]     = child[idom[b]];
         child[idom[b]] = b;
      }
   for (UInt root = 0; root < f->n; root++) {
      if (idom[root] != root)
         continue;
      b = root;
      f->enter[b] = ++count;
      for (;;) {
         if (child[b] != NONE) {
            UInt c   = child[b];
            child[b] = sibling[c];
            b = c;
            f->enter[b] = ++count;
         } else {
            f->leave[b] = count;
            if (b == root)
               break;
            b = idom[b];
         }
      }
   }
   dcfg_free(child);
   dcfg_free(sibling);
}

static Bool dominates(const Finder* f, UInt a, UInt b)
{
   return f->enter[a] <= f->enter[b] && f->enter[b] <= f->leave[a];
}

static void add_id(Finder* f, UInt block)
{
   if (f->n_ids == f->room) {
      f->room = f->room ? 2 * f->room : 1024;
      f->ids  = dcfg_realloc("dcfg.loop.ids", f->ids,
                             (SizeT)f->room * sizeof(UInt));
   }
   f->ids[f->n_ids++] = NodeFirstBlock + block;
}

static Bool is_lower(const void* unused, UInt x, UInt y)
{
   (void)unused;
   return x < y;
}

/* If HEAD heads a loop, describe it in L.  SEEN[b] is HEAD + 1 for the
   members that have been found. */
static Bool find_loop(Finder* f, UInt head, UInt* seen, Loop* l)
{
   UInt end = f->first_pred[head + 1];

   /* Edges are in order of their sources, so these come in order. */
   l->first_back = f->n_ids;
   for (UInt i = f->first_pred[head]; i < end; i++)
      if (dominates(f, head, f->preds[i]))
         add_id(f, f->preds[i]);
   l->n_backs = f->n_ids - l->first_back;
   if (l->n_backs == 0)
      return False;
   l->routine    = f->r->routine_of[head];
   l->head       = NodeFirstBlock + head;
   l->parent     = 0;
   l->first_node = f->n_ids;
   seen[head]    = head + 1;
   add_id(f, head);
   for (UInt i = 0; i < l->n_backs; i++) {
      UInt b = f->ids[l->first_back + i] - NodeFirstBlock;
      if (seen[b] != head + 1) {
         seen[b] = head + 1;
         add_id(f, b);
      }
   }
   /* The list of members is also the list of those still to be done. */
   for (UInt i = l->first_node + 1; i < f->n_ids; i++) {
      UInt b = f->ids[i] - NodeFirstBlock;
      for (UInt p = f->first_pred[b]; p < f->first_pred[b + 1]; p++)
         if (seen[f->preds[p]] != head + 1) {
            seen[f->preds[p]] = head + 1;
            add_id(f, f->preds[p]);
         }
   }
   l->n_nodes = f->n_ids - l->first_node;
   DCFG_(sort_uints)(f->ids + l->first_node, l->n_nodes, is_lower, NULL);
   return True;
}

/* Loops from large to small: what a head is in when its own loop's turn
   comes is the smallest loop around it. */
static void nest(Loops* ls, UInt n_blocks)
{
   UInt* inner = DCFG_CALLOC("dcfg.loop.inner", UInt, n_blocks + 1);
   UInt* order = DCFG_CALLOC("dcfg.loop.order", UInt, ls->n_loops + 1);
   UInt* start = DCFG_CALLOC("dcfg.loop.sizes", UInt, n_blocks + 2);
   UInt  i;

   for (i = 0; i < ls->n_loops; i++)
      start[n_blocks - ls->loops[i].n_nodes + 1]++;
   for (i = 0; i <= n_blocks; i++)
      start[i + 1] += start[i];
   for (i = 0; i < ls->n_loops; i++)
      order[start[n_blocks - ls->loops[i].n_nodes]++] = i;
   for (i = 0; i < ls->n_loops; i++) {
      Loop* l   = &ls->loops[order[i]];
      l->parent = inner[l->head - NodeFirstBlock];
      for (UInt k = 0; k < l->n_nodes; k++)
         inner[ls->ids[l->first_node + k] - NodeFirstBlock] = l->head;
   }
   dcfg_free(inner);
   dcfg_free(order);
   dcfg_free(start);
}

Loops* DCFG_(find_loops)(const Graph* g, const Routines* r)
{
   Loops* ls   = DCFG_CALLOC("dcfg.loops", Loops, 1);
   Finder f    = { g, r, g->n_blocks, NULL, NULL, NULL, NULL, NULL, 0, 0 };
   UInt*  seen = DCFG_CALLOC("dcfg.loop.seen", UInt, g->n_blocks + 1);

   make_preds(&f);
   number_dominators(&f);
   ls->loops = DCFG_CALLOC("dcfg.loop.list", Loop, g->n_blocks + 1);
   for (UInt k = 0; k < r->n_routines; k++) {
      const Routine* rt = &r->routines[k];
      for (UInt i = 0; i < rt->n_nodes; i++)
         if (find_loop(&f, r->nodes[rt->first_node + i].node
                           - NodeFirstBlock,
                       seen, &ls->loops[ls->n_loops]))
            ls->n_loops++;
   }
   ls->ids = f.ids;
   nest(ls, g->n_blocks);
   dcfg_free(seen);
   dcfg_free(f.first_pred);
   dcfg_free(f.preds);
   dcfg_free(f.enter);
   dcfg_free(f.leave);
   return ls;
}

void DCFG_(delete_loops)(Loops* l)
{
   dcfg_free(l->loops);
   dcfg_free(l->ids);
   dcfg_free(l);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
