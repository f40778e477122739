/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of recorded calls. */

/* Owns: what functions of CALLS are called.  Handed: a process that has CALLS.

   A function is there by the address of its begin.  Other than functions.h's, a
   cold part is a function of its own, as in Callgrind. */

#include "cmd/calls/called.h"

#include "cmd/base/sums.h"

#include <stdlib.h>

#include <inttypes.h>

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

uint32_t* called_functions(const Functions* f)
{
   const DcfgProcess*  p = f->g.p;
   const DcfgCallSums* calls = p->calls;
   uint32_t*           of = zalloc(calls->n_functions, sizeof(*of));

   for (uint32_t i = 0; i < calls->n_functions; i++) {
      const DcfgFunction* c = &calls->functions[i];
      uint32_t node = c->image == DCFG_NONE ? DCFG_NONE
                      : image_node_at(p, c->image, c->addr);
      of[i] = node < p->n_blocks ? f->of[node] : NO_FUNCTION;
   }
   return of;
}

uint64_t* called_inclusive(const Functions* f, uint32_t thread)
{
   const DcfgProcess* p = f->g.p;
   uint64_t*          all = zalloc(f->n, sizeof(*all));
   uint32_t*          of = called_functions(f);

   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (f->of[i] != NO_FUNCTION)
         add_count(&all[f->of[i]], dcfg_node_instrs(p, i, thread));
   for (uint32_t i = 0; i < p->calls->n_functions; i++) {
      uint64_t n = dcfg_function_inclusive(p, i, thread);
      if (of[i] != NO_FUNCTION && n > all[of[i]])
         all[of[i]] = n;
   }
   free(of);
   return all;
}

uint64_t* called_counts(const DcfgProcess* p, uint32_t thread)
{
   const DcfgCallSums* calls = p->calls;
   uint64_t*           n = zalloc(calls->n_functions, sizeof(*n));

   for (uint32_t i = 0; i < calls->n_pairs; i++)
      add_count(&n[calls->pairs[i].callee], dcfg_pair_calls(p, i, thread));
   return n;
}
