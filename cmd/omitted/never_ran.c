/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines that never ran. */

/* Owns: the way back from code that never ran to what was executed.  Handed:
   a whole execution trace, the graph of its program's code.

   The way goes from the line to predecessors that never ran.  From the begin of
   a function it goes to direct calls of the function that never ran. */

#include "cmd/omitted/never_ran.h"

#include "cmd/base/cmd.h"
#include "cmd/omitted/code_graph.h"
#include "cmd/omitted/own_code.h"

#include <stdlib.h>

#define MOST_GUARDS 16

/* Back: by node, the nodes before it: its predecessors and, for the begin of
   a function, calls of the function. */
typedef
   struct {
      uint32_t* first;
      uint32_t* from;
   }
   Back;

/* SourceLine: the code of a line, and seeds of the graph. */
typedef
   struct {
      OwnCode*  own;
      uint32_t  near;
      CodeSeed* seeds;          // code of the line
      size_t    n, room;
   }
   SourceLine;

static void add_seed(void* arg, uint64_t addr)
{
   SourceLine* l = arg;

   GROW(l->own->seeds, l->own->n_seeds, l->own->room);
   l->own->seeds[l->own->n_seeds++] = (CodeSeed){ addr, l->near };
}

static void add_line(void* arg, uint64_t addr)
{
   SourceLine* l = arg;

   add_seed(arg, addr);
   GROW(l->seeds, l->n, l->room);
   l->seeds[l->n++] = (CodeSeed){ addr, l->near };
}

/* Find the code of LINE of SOURCE in the program's images.  Add it to the
   seeds, and all functions of its image. */
static void find_line(SourceLine* l, DcfgWet* w, Variables* names,
                      const char* source, uint64_t line)
{
   size_t   n = l->own->n_seeds;
   uint32_t image = UINT32_MAX;

   for (size_t i = 0; i < n && l->n == 0; i++) {
      l->near = l->own->seeds[i].near;
      if (dcfg_wet_instr(w, l->near)->image == image)
         continue;
      image = dcfg_wet_instr(w, l->near)->image;
      code_of_line(names, l->near, source, line, add_line, l);
      if (l->n > 0)
         code_functions(names, l->near, add_seed, l);
   }
}

/*--- The way back                                         ---*/

static Back go_back(const StaticCode* c)
{
   Back   b = { .first = zalloc(c->n + (size_t)2, sizeof(uint32_t)) };
   size_t n = 0;

   for (uint32_t i = 0; i < c->n; i++) {
      const CodeNode* at = &c->nodes[i];
      n += at->n + (at->callee != NO_NODE);
      for (uint32_t k = 0; k < at->n; k++)
         b.first[code_successor(c, i, k) + 1]++;
      if (at->callee != NO_NODE)
         b.first[at->callee + 1]++;
   }
   b.from = zalloc(n + 1, sizeof(*b.from));
   for (uint32_t i = 0; i < c->n; i++)
      b.first[i + 1] += b.first[i];
   for (uint32_t i = c->n; i-- > 0; ) {
      const CodeNode* at = &c->nodes[i];
      for (uint32_t k = 0; k < at->n; k++)
         b.from[--b.first[code_successor(c, i, k) + 1]] = i;
      if (at->callee != NO_NODE)
         b.from[--b.first[at->callee + 1]] = i;
   }
   /* Now first[n + 1] is the begin of node n, and first[n + 2] its end. */
   return b;
}

/* Return the guard at the executed node AT, which did not go on to OTHER.
   TO has, by node, the next node on the way to the line. */
static Guard guard_at(const StaticCode* c, const DcfgSliceTotal* totals,
                      uint32_t at, uint32_t other, const uint32_t* to)
{
   const CodeNode* n = &c->nodes[at];
   uint64_t        times = totals[n->instr].executed;
   unsigned        others = 0;
   Guard           g = { .times = times, .call = n->call };

   g.branch = (OmittedBranch){ .instr = n->instr, .instance = times - 1,
                               .addr = n->addr,
                               .other = c->nodes[other].addr };
   for (uint32_t k = 0; k < n->n; k++) {
      const CodeNode* next = &c->nodes[code_successor(c, at, k)];
      if (next->instr == NO_NODE)
         continue;
      g.branch.taken = next->addr;
      others++;
   }
   if (others != 1)
      g.branch.taken = 0;
   for (uint32_t i = other; to[i] != NO_NODE; i = to[i])
      if (c->nodes[i].callee == to[i]) {
         GROW(g.calls, g.n_calls, g.room);
         g.calls[g.n_calls++] = c->nodes[i].addr;
      }
   return g;
}

static void find_guards(Guards* g, const StaticCode* c,
                        const DcfgSliceTotal* totals, const SourceLine* l)
{
   Back      b = go_back(c);
   uint32_t* to = zalloc(c->n + (size_t)1, sizeof(*to));
   bool*     seen = zalloc(c->n + (size_t)1, sizeof(*seen));
   uint32_t* todo = zalloc(c->n + (size_t)1, sizeof(*todo));
   size_t    n = 0, room = 0;

   for (size_t i = 0; i < l->n; i++) {
      uint32_t at = code_node_at(c, l->seeds[i].addr, l->seeds[i].near);
      if (at == NO_NODE || seen[at] || c->nodes[at].instr != NO_NODE)
         continue;
      seen[at]  = true;
      to[at]    = NO_NODE;
      todo[n++] = at;
   }
   g->uncalled = true;
   for (size_t i = 0; i < n && g->n < MOST_GUARDS; i++) {
      uint32_t at = todo[i];
      uint32_t end = at + 1 == c->n ? b.first[c->n] : b.first[at + 2];
      for (uint32_t k = b.first[at + 1]; k < end; k++) {
         uint32_t from = b.from[k];
         g->uncalled &= c->nodes[from].callee != at
                        && c->nodes[from].instr == NO_NODE;
         if (seen[from])
            continue;
         seen[from] = true;
         if (c->nodes[from].instr == NO_NODE) {
            to[from]  = at;
            todo[n++] = from;
         } else if (c->nodes[from].callee != at) {
            GROW(g->all, g->n, room);
            g->all[g->n++] = guard_at(c, totals, from, at, to);
         }
      }
   }
   free(b.first);
   free(b.from);
   free(to);
   free(seen);
   free(todo);
}

Guards guards_find(DcfgWet* w, const char* root, const DcfgSliceTotal* totals,
                   const char* source, uint64_t line)
{
   Guards      g = { .names = variables_new(w, root) };
   OwnCode     own = own_code_find(w, NULL, totals);
   SourceLine  l = { .own = &own };
   StaticCode* c;

   find_line(&l, w, g.names, source, line);
   if (l.n > 0) {
      g.near = l.near;
      g.line = l.seeds[0].addr;
      c = code_graph_new(w, g.names, root, own.executed, own.seeds,
                         own.n_seeds);
      find_guards(&g, c, totals, &l);
      code_graph_free(c);
   }
   free(l.seeds);
   own_code_free(&own);
   return g;
}

void guards_free(Guards* g)
{
   for (size_t i = 0; i < g->n; i++)
      free(g->all[i].calls);
   free(g->all);
   variables_free(g->names);
}
