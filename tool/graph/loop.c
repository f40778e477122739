/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Natural loops. */

/* Owns: loops and their nesting.  Handed: the graph and its routines.

   A back edge is an edge within a routine whose target dominates its source.
   The loop of a head has the head and all blocks that reach the source of one
   of its back edges without passing the head.  (A. Aho, M. Lam, R. Sethi, J.
   Ullman, "Compilers", 2nd edition, section 9.6.6.)  Two loops with different
   heads are disjoint, or one is inside the other.  So inner loops are found
   first, and a loop that was found counts as a single block from then on.
   (The method is that of R. Tarjan, "Testing flow graph reducibility", JCSS 9,
   1974, but with dominators, which leave irreducible cycles out.)  The node
   lists of N nested loops can have N * N elements, so they are made only when
   they are written. */

#include "tool/base/util.h"
#include "tool/graph/loop.h"

#define NONE 0xFFFFFFFFu

typedef
   struct {
      const Graph*    g;
      const Routines* r;
      UInt   n;
      UInt*  first_pred;   // for each block: index in .preds
      UInt*  preds;        // blocks before it in the routine
      UInt*  enter;        // for each block: its number in the dominator tree
      UInt*  leave;        // the last number below it
      UInt*  by_number;    // the inverse of .enter
      UInt*  up;           // for each block: the head of the smallest loop
                           // around it other than its own, or NONE
      UInt*  part_of;      // union-find forest: see whole()
      UInt*  size;         // nodes of its loop if it is a head, else 1
      UInt*  todo;
      UInt   room;         // size of Loops.ids
   }
   Finder;

/* Return whether E stays within one routine. */
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

/* Number the blocks so that A dominates B if and only if B's number is between
   A's .enter and .leave. */
static void number_dominators(Finder* f)
{
   const UInt* idom = f->r->idom;
   UInt* child   = dcfg_alloc("dcfg.loop.child", (f->n + 1) * sizeof(UInt));
   UInt* sibling = dcfg_alloc("dcfg.loop.sibl", (f->n + 1) * sizeof(UInt));
   UInt  count   = 0;
   UInt  b;

   f->enter = DCFG_CALLOC("dcfg.loop.enter", UInt, f->n + 1);
   f->leave = DCFG_CALLOC("dcfg.loop.leave", UInt, f->n + 1);
   f->by_number = DCFG_CALLOC("dcfg.loop.number", UInt, f->n + 1);
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
      f->by_number[count - 1] = b;
      for (;;) {
         if (child[b] != NONE) {
            UInt c   = child[b];
            child[b] = sibling[c];
            b = c;
            f->enter[b] = ++count;
            f->by_number[count - 1] = b;
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

/* Return the head of the outermost loop found so far around BLOCK, or BLOCK.
   Halves the path (union-find). */
static UInt whole(const Finder* f, UInt block)
{
   while (f->part_of[block] != block) {
      f->part_of[block] = f->part_of[f->part_of[block]];
      block = f->part_of[block];
   }
   return block;
}

/* Add BLOCK, which reaches a back edge of HEAD without passing HEAD, to HEAD's
   loop.  If BLOCK is in a loop already, that loop is inside, because its head
   has a greater number: add it whole. */
static UInt take(Finder* f, UInt block, UInt head, UInt n)
{
   block = whole(f, block);
   if (block != head) {
      f->up[block]      = head;
      f->part_of[block] = head;
      f->size[head]    += f->size[block];
      f->todo[n++]      = block;
   }
   return n;
}

/* Find the loop of HEAD, if HEAD is the head of one.  Loops of heads with
   greater numbers are known.  Inner loops are added whole, so each block is
   added once and each edge visited twice. */
static void find_members(Finder* f, UInt head)
{
   UInt n = 0;

   for (UInt i = f->first_pred[head]; i < f->first_pred[head + 1]; i++)
      if (dominates(f, head, f->preds[i]))
         n = take(f, f->preds[i], head, n);
   while (n > 0) {
      UInt b = f->todo[--n];
      for (UInt i = f->first_pred[b]; i < f->first_pred[b + 1]; i++)
         n = take(f, f->preds[i], head, n);
   }
}

/* Order the blocks so that the blocks of a loop are neighbours, the head first.
   A head or loop has a smaller number than what is inside it. */
static void place_blocks(Finder* f, Loops* ls)
{
   UInt* next = f->todo;                // the next free index in each head's
                                        // loop
   UInt  free = 0;

   for (UInt i = 0; i < f->n; i++) {
      UInt  b  = f->by_number[i];
      UInt* at = f->up[b] == NONE ? &free : &next[f->up[b]];
      ls->place[b]        = *at;
      ls->blocks[*at]     = b;
      next[b]             = *at + 1;
      *at                += f->size[b];
   }
}

/* Describe HEAD's loop in L.  Return whether HEAD has one. */
static Bool describe(Finder* f, Loops* ls, UInt head, Loop* l)
{
   l->first_back = ls->n_ids;
   /* The edges are sorted by source, so the list is ascending. */
   for (UInt i = f->first_pred[head]; i < f->first_pred[head + 1]; i++)
      if (dominates(f, head, f->preds[i])) {
         if (ls->n_ids == f->room) {
            f->room = f->room ? 2 * f->room : 1024;
            ls->ids = dcfg_realloc("dcfg.loop.ids", ls->ids,
                                   (SizeT)f->room * sizeof(UInt));
         }
         ls->ids[ls->n_ids++] = NodeFirstBlock + f->preds[i];
      }
   l->n_backs = ls->n_ids - l->first_back;
   l->routine = f->r->routine_of[head];
   l->head    = NodeFirstBlock + head;
   l->parent  = f->up[head] == NONE ? 0 : NodeFirstBlock + f->up[head];
   l->n_nodes = f->size[head];
   return l->n_backs > 0;
}

Loops* DCFG_(find_loops)(const Graph* g, const Routines* r)
{
   Loops* ls = DCFG_CALLOC("dcfg.loops", Loops, 1);
   Finder f  = { .g = g, .r = r, .n = g->n_blocks };

   make_preds(&f);
   number_dominators(&f);
   f.up      = DCFG_CALLOC("dcfg.loop.up", UInt, f.n + 1);
   f.part_of = DCFG_CALLOC("dcfg.loop.part", UInt, f.n + 1);
   f.size    = DCFG_CALLOC("dcfg.loop.size", UInt, f.n + 1);
   f.todo    = DCFG_CALLOC("dcfg.loop.todo", UInt, f.n + 1);
   for (UInt b = 0; b < f.n; b++) {
      f.up[b]      = NONE;
      f.part_of[b] = b;
      f.size[b]    = 1;
   }
   for (UInt i = f.n; i-- > 0; )
      find_members(&f, f.by_number[i]);
   ls->place  = DCFG_CALLOC("dcfg.loop.place", UInt, f.n + 1);
   ls->blocks = DCFG_CALLOC("dcfg.loop.blocks", UInt, f.n + 1);
   place_blocks(&f, ls);
   ls->loops = DCFG_CALLOC("dcfg.loop.list", Loop, f.n + 1);
   for (UInt k = 0; k < r->n_routines; k++) {
      const Routine* rt = &r->routines[k];
      for (UInt i = 0; i < rt->n_nodes; i++)
         if (describe(&f, ls, r->nodes[rt->first_node + i].node
                              - NodeFirstBlock,
                      &ls->loops[ls->n_loops]))
            ls->n_loops++;
   }
   dcfg_free(f.first_pred);
   dcfg_free(f.preds);
   dcfg_free(f.enter);
   dcfg_free(f.leave);
   dcfg_free(f.by_number);
   dcfg_free(f.up);
   dcfg_free(f.part_of);
   dcfg_free(f.size);
   dcfg_free(f.todo);
   return ls;
}

static Bool is_lower(const void* unused, UInt x, UInt y)
{
   (void)unused;
   return x < y;
}

void DCFG_(loop_nodes)(const Loops* ls, const Routines* r, const Loop* l,
                       UInt* nodes)
{
   const Routine* rt   = &r->routines[l->routine];
   UInt           from = ls->place[l->head - NodeFirstBlock], n = 0;

   /* Two ways to list the nodes in order: walk over the routine's nodes if the
      loop is a large part of it, or sort the loop's. */
   if (l->n_nodes >= rt->n_nodes / 16) {
      for (UInt i = 0; i < rt->n_nodes; i++) {
         UInt node = r->nodes[rt->first_node + i].node;
         if (ls->place[node - NodeFirstBlock] - from < l->n_nodes)
            nodes[n++] = node;
      }
      return;
   }
   for (UInt i = 0; i < l->n_nodes; i++)
      nodes[i] = NodeFirstBlock + ls->blocks[from + i];
   DCFG_(sort_uints)(nodes, l->n_nodes, is_lower, NULL);
}

void DCFG_(delete_loops)(Loops* l)
{
   dcfg_free(l->loops);
   dcfg_free(l->ids);
   dcfg_free(l->place);
   dcfg_free(l->blocks);
   dcfg_free(l);
}
