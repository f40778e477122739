/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: what functions of CALLS are called, and what the source's functions cost
   by a graph, with CALLS or without.  Handed: a process.

   A function of CALLS is there by the address of its begin.  Other than
   functions.h's, a cold part is a function of its own, as in Callgrind.

   A stub of a linkage table is in no function.  Its instructions count for the
   function that called it, as they do in a Callgrind profile.  What a stub runs
   on its first call, to find its target, counts for none. */

#include "cmd/calls/called.h"

const char* called_symbol(const Program* g, uint32_t function)
{
   const DcfgFunction* f = &g->p->calls->functions[function];
   uint32_t            s = f->image == DCFG_NONE ? DCFG_NONE
                           : dcfg_symbol_at(g->p, f->image, f->addr);

   return s == DCFG_NONE ? NULL : g->p->symbols[s].name;
}

const char* called_name(const Program* g, uint32_t function)
{
   const DcfgFunction* f = &g->p->calls->functions[function];
   const char*         symbol = called_symbol(g, function);

   if (symbol != NULL)
      return symbol_name(g, symbol);
   if (f->image == DCFG_NONE)
      return "(code that did not run here)";
   return text_format("%s+0x%" PRIx64, image_name(g, f->image),
                      f->addr - g->p->images[f->image].load_addr);
}

const char* called_source(const Program* g, uint32_t function)
{
   const DcfgFunction* f = &g->p->calls->functions[function];

   return f->image == DCFG_NONE ? "" : source_place(g, f->image, f->addr);
}

const char* called_image(const Program* g, uint32_t function)
{
   const DcfgFunction* f = &g->p->calls->functions[function];

   return f->image == DCFG_NONE ? "?" : image_name(g, f->image);
}

uint32_t called_node(const Program* g, uint32_t function)
{
   const DcfgFunction* f = &g->p->calls->functions[function];
   uint32_t            node = f->image == DCFG_NONE ? DCFG_NONE
                              : image_node_at(g->p, f->image, f->addr);

   return node < g->p->n_blocks ? node : DCFG_NONE;
}

uint32_t called_function(const Functions* f, uint32_t function)
{
   uint32_t node = called_node(&f->g, function);

   return node == DCFG_NONE || !f->begins[node] ? NO_FUNCTION : f->of[node];
}

uint64_t* called_counts(const DcfgProcess* p, uint32_t thread)
{
   const DcfgCallSums* calls = p->calls;
   uint64_t*           n = zalloc(calls->n_functions, sizeof(*n));

   for (uint32_t i = 0; i < calls->n_pairs; i++)
      add_count(&n[calls->pairs[i].callee], dcfg_pair_calls(p, i, thread));
   return n;
}

/*--- Costs of the source's functions                      ---*/

/* Add what edge E adds: a call, and the stub that it enters. */
static void add_edge(const Functions* f, uint32_t e, uint32_t thread,
                     FunctionCost* costs)
{
   const DcfgProcess* p = f->g.p;
   const DcfgEdge*    edge = &p->edges[e];
   uint64_t           n = dcfg_edge_count(p, e, thread);
   uint32_t           from, to;

   if (function_call(f, edge, &from, &to))
      add_count(&costs[to].calls, n);
   if (edge->source >= p->n_blocks || edge->target >= p->n_blocks
       || f->of[edge->source] == NO_FUNCTION
       || f->of[edge->target] != NO_FUNCTION)
      return;
   add_count(&costs[f->of[edge->source]].self,
             capped_product(n, p->nodes[edge->target].n_instrs));
}

/* Return, by function of CALLS, the function of F, or NO_FUNCTION. */
static uint32_t* functions_of_calls(const Functions* f)
{
   uint32_t  n = f->g.p->calls->n_functions;
   uint32_t* of = zalloc(n, sizeof(*of));

   for (uint32_t i = 0; i < n; i++) {
      uint32_t node = called_node(&f->g, i);
      of[i] = node == DCFG_NONE ? NO_FUNCTION : f->of[node];
   }
   return of;
}

/* Set inclusive costs and calls of COSTS as CALLS has them.  A function that has
   parts in CALLS costs as much as the most expensive one of them. */
static void add_recorded(const Functions* f, uint32_t thread,
                         FunctionCost* costs)
{
   const DcfgProcess*  p = f->g.p;
   const DcfgCallSums* calls = p->calls;
   uint32_t*           of = functions_of_calls(f);
   uint64_t*           counts = called_counts(p, thread);

   for (uint32_t i = 0; i < f->n; i++) {
      costs[i].all   = costs[i].self;
      costs[i].calls = 0;
   }
   for (uint32_t i = 0; i < calls->n_functions; i++) {
      uint64_t all = dcfg_function_inclusive(p, i, thread);
      if (of[i] == NO_FUNCTION)
         continue;
      if (all > costs[of[i]].all)
         costs[of[i]].all = all;
      add_count(&costs[of[i]].calls, counts[i]);
   }
   FREE_ALL(of, counts);
}

FunctionCost* called_costs(const Functions* f, uint32_t thread)
{
   const DcfgProcess* p = f->g.p;
   FunctionCost*      costs = zalloc(f->n, sizeof(*costs));

   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (f->of[i] != NO_FUNCTION)
         add_count(&costs[f->of[i]].self, dcfg_node_instrs(p, i, thread));
   for (uint32_t i = 0; i < p->n_edges; i++)
      add_edge(f, i, thread, costs);
   if (p->calls != NULL)
      add_recorded(f, thread, costs);
   return costs;
}
