/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the division of blocks into routines, the dominator tree, and loops
   with their nesting.  Handed: the graph, and the symbols of its blocks.

   Routines: a virtual root has an edge to every entry.  Take the dominator tree
   of the graph of these edges and of all edges that stay in a routine: each
   child of the root, with all blocks that it dominates, is a routine.  A block
   that two entries reach is dominated by neither, so it becomes a child of the
   root and an entry of its own.  No path leaves a routine and comes back except
   through its entry, so the immediate dominators are also those within the
   routine.

   Entries are: blocks that are called, entered by a context change, or a
   thread's first; blocks that are reached from another image; a function's
   first block if another function jumps to it.  Some blocks are reached by
   none of these: a forked child returns to functions that its parent called.
   There the blocks to which a return led are entries, unless another of them
   reaches them.

   The dominators come from the Semi-NCA algorithm: L. Georgiadis, "Linear-Time
   Algorithms for Dominators and Related Problems", PhD thesis, Princeton
   University, 2005, section 2.3.

   Loops: a back edge is an edge within a routine whose target dominates its
   source.  The loop of a head has the head and all blocks that reach the source
   of one of its back edges without passing the head.  (A. Aho, M. Lam, R.
   Sethi, J. Ullman, "Compilers", 2nd edition, section 9.6.6.)  Two loops with
   different heads are disjoint, or one is inside the other.  So inner loops are
   found first, and a loop that was found counts as a single block from then on.
   (The method is that of R. Tarjan, "Testing flow graph reducibility", JCSS 9,
   1974, but with dominators, which leave irreducible cycles out.)  The node
   lists of N nested loops can have N * N elements, so they are made only when
   they are written. */

#include "tool/base/util.h"
#include "tool/graph/routine.h"

#define NONE 0xFFFFFFFFu

/* Lists: a list of blocks for each block.  The list of block B is
   .items[.start[B] .. .start[B+1]-1]. */
typedef
   struct {
      UInt* start;
      UInt* items;
   }
   Lists;

/*--- Lists of neighbours                                  ---*/

/* Return whether E leads from a block to a block of the same routine, or, if
   ROUTINE_OF is NULL, is of a type that stays in a routine. */
static Bool is_inside(const Edge* e, const UInt* routine_of)
{
   return DCFG_(is_intra_routine)(e->type)
          && e->source >= NodeFirstBlock && e->target >= NodeFirstBlock
          && (routine_of == NULL
              || routine_of[e->source - NodeFirstBlock]
                 == routine_of[e->target - NodeFirstBlock]);
}

/* Make the lists of all blocks' successors, or predecessors, by the edges that
   are inside. */
static void make_lists(const Graph* graph, const UInt* routine_of, Lists* l,
                       Bool by_target)
{
   l->start = DCFG_CALLOC("dcfg.routine.lists", UInt, graph->n_blocks + 2);
   for (Int pass = 0; pass < 2; pass++) {
      UInt n = 0;
      for (UInt i = 0; i < graph->n_edges; i++) {
         const Edge* e = &graph->edges[i];
         if (!is_inside(e, routine_of))
            continue;
         UInt key   = by_target ? e->target : e->source;
         UInt other = by_target ? e->source : e->target;
         n++;
         if (pass == 0)
            l->start[key - NodeFirstBlock + 2]++;
         else
            l->items[l->start[key - NodeFirstBlock + 1]++]
               = other - NodeFirstBlock;
      }
      if (pass == 0) {
         for (UInt b = 0; b < graph->n_blocks; b++)
            l->start[b + 2] += l->start[b + 1];
         l->items = dcfg_alloc("dcfg.routine.lists", (n + 1)
                                                     * sizeof(UInt));
      }
   }
}

static void delete_lists(Lists* l)
{
   DCFG_FREE_ALL(l->start, l->items);
}

/*--- The graph below the root                             ---*/

typedef
   struct {
      const Graph*       g;
      const BlockSymbol* symbols;
      UInt   n;            // number of blocks; N is the root
      Lists  succs, preds; // by edges that stay in a routine
      Bool*  is_entry;
      /* The depth-first search: */
      UInt*  preorder;     // for each block: its number from 1; root: 0
      UInt*  block_at;     // the inverse of .preorder
      UInt*  parent;       // for each number: that of its tree parent
      UInt   n_reached;
   }
   RoutineFinder;

static Bool is_jump(EdgeType type)
{
   return type == EdgeDirectConditionalBranch
          || type == EdgeDirectUnconditionalBranch
          || type == EdgeIndirectUnconditionalBranch;
}

static Bool makes_entry(const RoutineFinder* f, const Edge* e)
{
   UInt target = e->target - NodeFirstBlock;
   UInt source = e->source - NodeFirstBlock;

   switch (e->type) {
      case EdgeEntry: case EdgeDirectCall: case EdgeIndirectCall:
      case EdgeContextChange:
         return True;
      default:
         break;
   }
   if (!is_inside(e, NULL))
      return False;
   if (f->g->blocks[source].image != f->g->blocks[target].image)
      return True;
   if (e->type == EdgeExcludedCodeBypass)
      return f->symbols[source].function != f->symbols[target].function;
   return is_jump(e->type) && f->symbols[target].starts
          && f->symbols[source].function != f->symbols[target].function;
}

/* Number all blocks without a number that can be reached from START. */
static void search(RoutineFinder* f, UInt start, UInt* stack, UInt* next)
{
   UInt depth = 0;

   stack[depth++]     = start;
   f->parent[start]   = 0;
   f->preorder[start] = ++f->n_reached;
   f->block_at[f->n_reached] = start;
   next[start] = f->succs.start[start];
   while (depth > 0) {
      UInt b = stack[depth - 1];
      if (next[b] == f->succs.start[b + 1]) {
         depth--;
         continue;
      }
      UInt t = f->succs.items[next[b]++];
      if (f->preorder[t] != 0)
         continue;
      f->parent[t]   = f->preorder[b];
      f->preorder[t] = ++f->n_reached;
      f->block_at[f->n_reached] = t;
      next[t] = f->succs.start[t];
      stack[depth++] = t;
   }
}

/* Add entries for blocks that no entry reaches.  Candidates are the blocks that
   IS_CANDIDATE marks.  A candidate becomes an entry if no other one reaches it;
   of candidates that reach each other, the first does.  BEGINS has room for all
   blocks.

   Two rounds of searches find them.  After the first round, a candidate that
   began a search can only be reached from a candidate that began a later
   search.  So the second round goes in the opposite order. */
static void add_entries(RoutineFinder* f, const Bool* is_candidate, UInt* stack,
                        UInt* next, UInt* begins)
{
   UInt n = 0, n_reached = f->n_reached;

   for (UInt b = 0; b < f->n; b++)
      if (f->preorder[b] == 0 && is_candidate[b]) {
         begins[n++] = b;
         search(f, b, stack, next);
      }
   while (f->n_reached > n_reached)
      f->preorder[f->block_at[f->n_reached--]] = 0;
   while (n > 0) {
      UInt b = begins[--n];
      if (f->preorder[b] == 0) {
         f->is_entry[b] = True;
         search(f, b, stack, next);
      }
   }
}

/* Mark the entries, and search from each of them. */
static void search_all(RoutineFinder* f)
{
   const Graph* g = f->g;
   UInt* stack  = dcfg_alloc("dcfg.routine.stack", (f->n + 1)
                                                   * sizeof(UInt));
   UInt* next   = dcfg_alloc("dcfg.routine.next", (f->n + 1)
                                                  * sizeof(UInt));
   UInt* begins = dcfg_alloc("dcfg.routine.begins", (f->n + 1)
                                                    * sizeof(UInt));
   Bool* landed = DCFG_CALLOC("dcfg.routine.landed", Bool, f->n + 1);

   for (UInt i = 0; i < g->n_edges; i++) {
      const Edge* e = &g->edges[i];
      if (e->target < NodeFirstBlock)
         continue;
      if (makes_entry(f, e))
         f->is_entry[e->target - NodeFirstBlock] = True;
      if (!DCFG_(is_intra_routine)(e->type))
         landed[e->target - NodeFirstBlock] = True;
   }
   for (UInt b = 0; b < f->n; b++)
      if (f->is_entry[b] && f->preorder[b] == 0)
         search(f, b, stack, next);
   add_entries(f, landed, stack, next, begins);
   /* All other blocks without a number; the graph of a run has none. */
   for (UInt b = 0; b < f->n; b++)
      landed[b] = True;
   add_entries(f, landed, stack, next, begins);
   DCFG_FREE_ALL(stack, next, begins, landed);
}

/*--- Dominators                                           ---*/

/* Return the number with the least semidominator on the path in the forest from
   V up to its root, without the root.  Compresses the path.  All arguments and
   arrays are by preorder number. */
static UInt eval(UInt v, UInt* ancestor, UInt* label, const UInt* semi,
                 UInt* path)
{
   UInt n = 0;

   if (ancestor[v] == NONE)
      return v;
   for (UInt u = v; ancestor[ancestor[u]] != NONE; u = ancestor[u])
      path[n++] = u;
   while (n > 0) {
      UInt u = path[--n];
      UInt a = ancestor[u];
      if (semi[label[a]] < semi[label[u]])
         label[u] = label[a];
      ancestor[u] = ancestor[a];
   }
   return label[v];
}

/* Return the immediate dominators, by preorder number; 0 is the root. */
static UInt* find_dominators(const RoutineFinder* f)
{
   UInt  n        = f->n + 1;
   UInt* semi     = dcfg_alloc("dcfg.routine.semi", n * sizeof(UInt));
   UInt* label    = dcfg_alloc("dcfg.routine.label", n * sizeof(UInt));
   UInt* ancestor = dcfg_alloc("dcfg.routine.ancestor", n * sizeof(UInt));
   UInt* path     = dcfg_alloc("dcfg.routine.path", n * sizeof(UInt));
   UInt* idom     = dcfg_alloc("dcfg.routine.idom", n * sizeof(UInt));
   UInt  v;

   for (v = 0; v < n; v++) {
      semi[v] = label[v] = v;
      ancestor[v] = NONE;
      idom[v] = v == 0 ? 0 : f->parent[f->block_at[v]];
   }
   for (v = n - 1; v >= 1; v--) {
      UInt b = f->block_at[v];
      if (f->is_entry[b])
         semi[v] = 0;
      for (UInt i = f->preds.start[b]; i < f->preds.start[b + 1]; i++) {
         UInt u = eval(f->preorder[f->preds.items[i]], ancestor, label,
                       semi, path);
         if (semi[u] < semi[v])
            semi[v] = semi[u];
      }
      ancestor[v] = idom[v];      // the tree parent so far
   }
   for (v = 1; v < n; v++)
      while (idom[v] > semi[v])
         idom[v] = idom[idom[v]];
   DCFG_FREE_ALL(semi, label, ancestor, path);
   return idom;
}

/*--- Routines                                             ---*/

static Bool* find_exits(const Graph* graph, const UInt* routine_of)
{
   Bool* is_exit = DCFG_CALLOC("dcfg.routine.exit", Bool, graph->n_blocks + 1);

   for (UInt i = 0; i < graph->n_edges; i++) {
      const Edge* e = &graph->edges[i];
      if (e->n_counts == 0 || e->source < NodeFirstBlock)
         continue;
      UInt b = e->source - NodeFirstBlock;
      if (e->target < NodeFirstBlock
          || routine_of[e->target - NodeFirstBlock] != routine_of[b])
         is_exit[b] = True;
   }
   return is_exit;
}

/* Fill R's lists from .routine_of and .idom. */
static void list_routines(const Graph* graph, Routines* r)
{
   UInt  n       = graph->n_blocks;
   Bool* is_exit = find_exits(graph, r->routine_of);
   UInt  first_node = 0, first_exit = 0;
   UInt  b, k;

   r->nodes = DCFG_CALLOC("dcfg.routine.nodes", RoutineNode, n + 1);
   r->exits = DCFG_CALLOC("dcfg.routine.exits", UInt, n + 1);
   for (b = 0; b < n; b++) {
      r->routines[r->routine_of[b]].n_nodes++;
      r->routines[r->routine_of[b]].n_exits += is_exit[b];
   }
   for (k = 0; k < r->n_routines; k++) {
      Routine* rt    = &r->routines[k];
      rt->first_node = first_node;
      rt->first_exit = first_exit;
      first_node    += rt->n_nodes;
      first_exit    += rt->n_exits;
      rt->n_nodes    = rt->n_exits = 0;
   }
   for (b = 0; b < n; b++) {
      Routine*     rt = &r->routines[r->routine_of[b]];
      RoutineNode* rn = &r->nodes[rt->first_node + rt->n_nodes++];
      rn->node = NodeFirstBlock + b;
      rn->idom = NodeFirstBlock + r->idom[b];
      if (is_exit[b])
         r->exits[rt->first_exit + rt->n_exits++] = NodeFirstBlock + b;
   }
   dcfg_free(is_exit);
}

Routines* DCFG_(find_routines)(const Graph* graph, const BlockSymbol* symbols)
{
   Routines* r = DCFG_CALLOC("dcfg.routines", Routines, 1);
   UInt      n = graph->n_blocks;
   RoutineFinder f = { graph, symbols, n, { NULL, NULL }, { NULL, NULL },
                   NULL, NULL, NULL, NULL, 0 };
   UInt      b, v;

   make_lists(graph, NULL, &f.succs, False);
   make_lists(graph, NULL, &f.preds, True);
   f.is_entry = DCFG_CALLOC("dcfg.routine.entry", Bool, n + 1);
   f.preorder = DCFG_CALLOC("dcfg.routine.preorder", UInt, n + 1);
   f.block_at = DCFG_CALLOC("dcfg.routine.at", UInt, n + 1);
   f.parent   = DCFG_CALLOC("dcfg.routine.parent", UInt, n + 1);
   search_all(&f);
   UInt* idom = find_dominators(&f);

   r->routine_of = DCFG_CALLOC("dcfg.routine.of", UInt, n + 1);
   r->idom       = DCFG_CALLOC("dcfg.routine.idoms", UInt, n + 1);
   r->routines   = DCFG_CALLOC("dcfg.routine.list", Routine, n + 1);
   for (b = 0; b < n; b++)
      if (idom[f.preorder[b]] == 0) {
         r->routines[r->n_routines].entry = NodeFirstBlock + b;
         r->routine_of[b] = r->n_routines++;
         r->idom[b]       = b;
      }
   /* A dominator has a lower preorder number than the blocks below it. */
   for (v = 1; v <= n; v++) {
      b = f.block_at[v];
      if (idom[v] == 0)
         continue;
      r->idom[b]       = f.block_at[idom[v]];
      r->routine_of[b] = r->routine_of[r->idom[b]];
   }
   list_routines(graph, r);

   DCFG_FREE_ALL(idom, f.is_entry, f.preorder, f.block_at, f.parent);
   delete_lists(&f.succs);
   delete_lists(&f.preds);
   return r;
}

void DCFG_(delete_routines)(Routines* r)
{
   DCFG_FREE_ALL(r->routines, r->nodes, r->exits, r->routine_of, r->idom, r);
}

/*--- Loops                                                ---*/

typedef
   struct {
      const Routines* r;
      UInt   n;            // number of blocks
      Lists  preds;        // blocks before a block in its routine
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
   LoopFinder;

/* Number the blocks so that A dominates B if and only if B's number is between
   A's .enter and .leave. */
static void number_dominators(LoopFinder* f)
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
   DCFG_FREE_ALL(child, sibling);
}

static Bool dominates(const LoopFinder* f, UInt a, UInt b)
{
   return f->enter[a] <= f->enter[b] && f->enter[b] <= f->leave[a];
}

/* Return the head of the outermost loop found so far around BLOCK, or BLOCK.
   Halves the path (union-find). */
static UInt whole(const LoopFinder* f, UInt block)
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
static UInt take(LoopFinder* f, UInt block, UInt head, UInt n)
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
static void find_members(LoopFinder* f, UInt head)
{
   UInt n = 0;

   for (UInt i = f->preds.start[head]; i < f->preds.start[head + 1]; i++)
      if (dominates(f, head, f->preds.items[i]))
         n = take(f, f->preds.items[i], head, n);
   while (n > 0) {
      UInt b = f->todo[--n];
      for (UInt i = f->preds.start[b]; i < f->preds.start[b + 1]; i++)
         n = take(f, f->preds.items[i], head, n);
   }
}

/* Order the blocks so that the blocks of a loop are neighbours, the head first.
   A head or loop has a smaller number than what is inside it. */
static void place_blocks(LoopFinder* f, Loops* ls)
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
static Bool describe(LoopFinder* f, Loops* ls, UInt head, Loop* l)
{
   l->first_back = ls->n_ids;
   /* The edges are sorted by source, so the list is ascending. */
   for (UInt i = f->preds.start[head]; i < f->preds.start[head + 1]; i++)
      if (dominates(f, head, f->preds.items[i])) {
         if (ls->n_ids == f->room) {
            f->room = f->room ? 2 * f->room : 1024;
            ls->ids = dcfg_realloc("dcfg.loop.ids", ls->ids,
                                   (SizeT)f->room * sizeof(UInt));
         }
         ls->ids[ls->n_ids++] = NodeFirstBlock + f->preds.items[i];
      }
   l->n_backs = ls->n_ids - l->first_back;
   l->routine = f->r->routine_of[head];
   l->head    = NodeFirstBlock + head;
   l->parent  = f->up[head] == NONE ? 0 : NodeFirstBlock + f->up[head];
   l->n_nodes = f->size[head];
   return l->n_backs > 0;
}

Loops* DCFG_(find_loops)(const Graph* graph, const Routines* r)
{
   Loops*     ls = DCFG_CALLOC("dcfg.loops", Loops, 1);
   LoopFinder f  = { .r = r, .n = graph->n_blocks };

   make_lists(graph, r->routine_of, &f.preds, True);
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
   delete_lists(&f.preds);
   DCFG_FREE_ALL(f.enter, f.leave, f.by_number, f.up, f.part_of, f.size,
                 f.todo);
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
   DCFG_FREE_ALL(l->loops, l->ids, l->place, l->blocks, l);
}
