/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Guesses from their shapes which functions of two builds are the same. */

/* Owns: the guesses.  Handed: two runs.

   The algorithm is that of H. Flake, "Structural Comparison of Executable
   Objects" (DIMVA 2004), on which BinDiff is built.  A function's signature is
   its numbers of blocks, edges and calls.  Two functions are a pair if no other
   function has their signature.  The search begins among the callers and the
   callees of known pairs, and goes on in the whole image.  Each new pair has
   neighbours to search in.

   A DCFG also has counts.  The strictest signature has the numbers of
   instructions and of entries, too.  The last signatures, for neighbours only,
   have counts in place of the shape, which a compiler may change.  A single
   entry is weak evidence: then the function must be the only neighbour. */

#include "cmd/builds/pairing.h"
#include "cmd/base/cmd.h"

#include <stdlib.h>

/* Class: all functions with the same number, so far. */
typedef
   struct {
      uint32_t side;            // 0, 1 or BOTH
      uint32_t image, name, same; // .same: the class with which this one was
                                  // paired
      bool     open;            // may be paired
      uint64_t blocks, edges, calls, instrs, entries;
   }
   Class;

#define BOTH 2

/* ClassCall: calls from one class to another, in a run. */
typedef
   struct {
      uint32_t side, from, to;
   }
   ClassCall;

/* Shapes: all classes and calls of both runs. */
typedef
   struct {
      const ShapeSide* side;
      KeyMap*          numbers; // keys: numbers of classes
      Class*           classes;
      size_t           n, room;
      ClassCall*       calls;
      size_t           n_calls, calls_room;
   }
   Shapes;

/* Candidate: a class, and the keys that it must have in common with the other
   class of its pair. */
#define N_KEYS 7
typedef
   struct {
      uint64_t key[N_KEYS];
      uint32_t side, class;
   }
   Candidate;

/* Signature: the kinds of signatures, strictest first. */
typedef
   enum { SAME_CODE, SAME_GRAPH, SAME_CALLS, SAME_ENTRIES, ONLY_ONE }
   Signature;

/* A shape of fewer blocks is evidence only among neighbours. */
#define FEWEST_BLOCKS 5

/* The most rounds.  Each makes at least one pair. */
#define MOST_ROUNDS 200

/* The most stubs, such as those of the PLT, through which a call is
   followed. */
#define MOST_STUBS 3

/*--- Calls and signatures                                 ---*/

static void add_function(Shapes* x, uint32_t side, uint32_t function)
{
   const ShapeSide* s = &x->side[side];
   uint32_t         u = keymap_number(x->numbers, s->number[function]);

   if (u == x->n) {
      GROW(x->classes, x->n, x->room);
      x->classes[x->n++] = (Class){ .side = side, .image = s->image[function],
                                 .name = s->name[function], .same = u,
                                 .open = s->open[function] };
   } else if (x->classes[u].side != side) {
      x->classes[u].side = BOTH;
   }
}

static uint32_t class_of(const Shapes* x, uint32_t side, uint32_t function)
{
   return keymap_find(x->numbers, x->side[side].number[function]);
}

static void add_call(Shapes* x, uint32_t side, uint32_t from, uint32_t to)
{
   GROW(x->calls, x->n_calls, x->calls_room);
   x->calls[x->n_calls++] = (ClassCall){ side, from, to };
}

/* Add the calls from class FROM to the functions that stubs at NODE lead to. */
static void follow(Shapes* x, uint32_t side, uint32_t from, uint32_t node,
                   unsigned stubs)
{
   const ShapeSide* s = &x->side[side];
   uint32_t         n;
   const uint32_t*  out;

   if (node >= s->g->p->n_blocks)
      return;
   if (s->f->of[node] != NO_FUNCTION) {
      uint32_t to = class_of(x, side, s->f->of[node]);
      if (to != from)
         add_call(x, side, from, to);
      return;
   }
   out = dcfg_out_edges(s->g->p, node, &n);
   for (uint32_t i = 0; i < n && i < 8 && stubs > 0; i++)
      follow(x, side, from, s->g->p->edges[out[i]].target, stubs - 1);
}

/* Return whether an edge of TYPE leads where its source sent control. */
static bool is_sent(DcfgEdgeType type)
{
   return (type >= DCFG_EDGE_CALL && type <= DCFG_EDGE_INDIRECT_CALL)
          || (type >= DCFG_EDGE_BRANCH
              && type <= DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH);
}

/* Count the blocks, edges and calls of a run's classes. */
static void add_side(Shapes* x, uint32_t side)
{
   const ShapeSide*   s = &x->side[side];
   const DcfgProcess* p = s->g->p;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      Class* u;
      if (s->f->of[i] == NO_FUNCTION)
         continue;
      u = &x->classes[class_of(x, side, s->f->of[i])];
      u->blocks++;
      u->instrs += p->nodes[i].n_instrs;
   }
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      uint32_t        f = e->source < p->n_blocks ? s->f->of[e->source]
                          : NO_FUNCTION, to;
      Class*           u;
      to = e->target < p->n_blocks ? s->f->of[e->target] : NO_FUNCTION;
      if (to != NO_FUNCTION && to != f && s->f->begins[e->target]
          && e->type != DCFG_EDGE_RETURN)
         add_count(&x->classes[class_of(x, side, to)].entries, e->count);
      if (f == NO_FUNCTION)
         continue;
      u = &x->classes[class_of(x, side, f)];
      if (e->type >= DCFG_EDGE_CALL && e->type <= DCFG_EDGE_INDIRECT_CALL)
         u->calls++;
      else
         u->edges += to == f;
      if (is_sent(e->type) && (to != f || to == NO_FUNCTION))
         follow(x, side, class_of(x, side, f), e->target, MOST_STUBS);
   }
}

/*--- Pairs                                                ---*/

/* Return whether CLASS may still be paired. */
static bool is_left(const Shapes* x, uint32_t class)
{
   const Class* u = &x->classes[class];

   return u->open && u->side != BOTH && u->same == class;
}

static int by_keys(const Candidate* a, const Candidate* b)
{
   for (unsigned i = 0; i < N_KEYS; i++)
      if (a->key[i] != b->key[i])
         return a->key[i] < b->key[i] ? -1 : 1;
   return 0;
}

COMPARE(by_candidate, Candidate, by_keys(x, y) ?: UP(side) ?: UP(class))

/* Return the candidate for CLASS with signature WHAT.  CONTEXT stands for a
   paired class, and for whether that calls CLASS or is called by it; 0: for the
   whole image. */
static Candidate candidate(const Shapes* x, uint32_t class, Signature what,
                           uint64_t context)
{
   const Class* u = &x->classes[class];
   Candidate   c = { { context, u->image }, u->side, class };

   if (what == SAME_CODE || what == SAME_GRAPH) {
      c.key[2] = u->blocks;
      c.key[3] = u->edges;
   }
   if (what <= SAME_CALLS)
      c.key[4] = u->calls;
   if (what == SAME_CODE)
      c.key[5] = u->instrs;
   if (what != SAME_GRAPH && what != ONLY_ONE)
      c.key[6] = u->entries;
   return c;
}

/* Make A and B a pair.  Return false if signature WHAT is too weak for that. */
static bool unite(Shapes* x, uint32_t a, uint32_t b, Signature what)
{
   Class* u = &x->classes[a];
   Class* v = &x->classes[b];

   if (!is_left(x, a) || !is_left(x, b)
       || (what >= SAME_CALLS && u->entries != v->entries)
       || ((what == SAME_CALLS || what == SAME_ENTRIES) && u->entries < 2)
       || (u->name != 0 && v->name != 0 && u->name != v->name))
      return false;
   u->side = BOTH;
   v->same = a;
   return true;
}

/* Pair classes whose keys only one class of each run has.  Return the number of
   pairs. */
static size_t pair_unique(Shapes* x, Candidate* c, size_t n, Signature what)
{
   size_t paired = 0;

   qsort(c, n, sizeof(*c), by_candidate);
   for (size_t i = 0, end; i < n; i = end) {
      size_t   there[2] = { 0, 0 };
      uint32_t one[2] = { 0, 0 };
      for (end = i; end < n && by_keys(&c[i], &c[end]) == 0; end++)
         if (end == i || c[end].class != c[end - 1].class) {
            there[c[end].side]++;
            one[c[end].side] = c[end].class;
         }
      if (there[0] == 1 && there[1] == 1)
         paired += unite(x, one[0], one[1], what);
   }
   return paired;
}

/* Pair the callers, and the callees, of functions that are paired already.  C
   has room for all candidates.  Return the number of new pairs. */
static size_t pair_neighbours(Shapes* x, Candidate* c, Signature what)
{
   size_t n = 0;

   for (size_t i = 0; i < x->n_calls; i++) {
      uint32_t from = x->classes[x->calls[i].from].same;
      uint32_t to = x->classes[x->calls[i].to].same;
      if (x->classes[from].side == BOTH && is_left(x, to))
         c[n++] = candidate(x, to, what, 1 + 2 * (uint64_t)from);
      else if (x->classes[to].side == BOTH && is_left(x, from))
         c[n++] = candidate(x, from, what, 2 + 2 * (uint64_t)to);
   }
   return pair_unique(x, c, n, what);
}

/* Make pairs likewise in whole images. */
static size_t pair_images(Shapes* x, Candidate* c, Signature what)
{
   size_t n = 0;

   for (uint32_t i = 0; i < x->n; i++)
      if (is_left(x, i)
          && (what == SAME_CODE || x->classes[i].blocks >= FEWEST_BLOCKS))
         c[n++] = candidate(x, i, what, 0);
   return pair_unique(x, c, n, what);
}

/* Make pairs with the strictest signature that makes any.  Return how many. */
static size_t pair_some(Shapes* x, Candidate* c)
{
   for (Signature what = SAME_CODE; what <= ONLY_ONE; what++) {
      size_t n = pair_neighbours(x, c, what);
      if (n == 0 && what <= SAME_GRAPH)
         n = pair_images(x, c, what);
      if (n > 0)
         return n;
   }
   return 0;
}

void match_shapes(const ShapeSide side[2], KeyMap* guesses)
{
   Shapes     x = { .side = side, .numbers = keymap_new() };
   Candidate* c;

   for (uint32_t k = 0; k < 2; k++)
      for (uint32_t i = 0; i < side[k].f->n; i++)
         add_function(&x, k, i);
   for (uint32_t k = 0; k < 2; k++)
      add_side(&x, k);
   c = zalloc(x.n + x.n_calls, sizeof(*c));
   for (unsigned i = 0; i < MOST_ROUNDS && pair_some(&x, c) > 0; i++)
      ;
   for (uint32_t i = 0; i < side[1].f->n; i++) {
      uint32_t u = keymap_find(x.numbers, side[1].number[i]);
      if (u == UINT32_MAX || x.classes[u].same == u)
         continue;
      side[1].number[i] = keymap_key(x.numbers, x.classes[u].same);
      keymap_number(guesses, side[1].number[i]);
   }
   free(c);
   keymap_free(x.numbers);
   free(x.classes);
   free(x.calls);
}
