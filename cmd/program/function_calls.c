/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls between functions, from edges. */

/* Owns: which edges are calls, and of which functions.  Handed: a graph's
   edges. */

#include "cmd/program/function_calls.h"

/* Return the function that a call reaches through the stub at NODE: the most
   frequent target.  Until a name is resolved, a stub may lead to another
   stub. */
static uint32_t behind_stub(const Functions* f, uint32_t node)
{
   const DcfgProcess* p = f->g.p;

   for (int step = 0; step < 3; step++) {
      uint32_t        n, next = DCFG_NONE;
      uint64_t        most = 0;
      const uint32_t* out = dcfg_out_edges(p, node, &n);
      for (uint32_t i = 0; i < n; i++) {
         const DcfgEdge* e = &p->edges[out[i]];
         if (e->target < p->n_blocks && e->count > most
             && dcfg_is_local(e->type)) {
            most = e->count;
            next = e->target;
         }
      }
      if (next == DCFG_NONE || f->of[next] != NO_FUNCTION)
         return next == DCFG_NONE ? NO_FUNCTION : f->of[next];
      node = next;
   }
   return NO_FUNCTION;
}

bool function_call(const Functions* f, const DcfgEdge* e, uint32_t* from,
                   uint32_t* to)
{
   const DcfgProcess* p = f->g.p;

   if (e->source >= p->n_blocks || e->target >= p->n_blocks)
      return false;
   *from = f->of[e->source];
   *to = f->of[e->target];
   if (*from == NO_FUNCTION)
      return false;
   if (!dcfg_is_call(e->type) && e->type != DCFG_EDGE_CONTEXT_CHANGE
       && (dcfg_is_return(e->type) || dcfg_is_bypass(e->type)
           || *from == *to || (*to != NO_FUNCTION && !f->begins[e->target])))
      return false;
   if (*to == NO_FUNCTION)
      *to = behind_stub(f, e->target);
   return *to != NO_FUNCTION;
}
