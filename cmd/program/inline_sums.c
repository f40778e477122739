/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Counts of functions, inlined or not. */

/* Owns: sums by function of the source and by scope.  Handed: a graph with
   its pieces. */

#include "cmd/program/inline_sums.h"

#include "cmd/program/entries.h"
#include "cmd/base/sums.h"

#include <stdlib.h>

typedef
   struct {
      const Functions*      f;
      Inlined*              in;
      Pieces*               pieces;
      const PieceSelection* selected;
      const Selection*      blocks;
      uint32_t              thread;
      InlineSums*           s;
      uint32_t              room;       // in .functions
   }
   Summing;

/*--- Functions                                            ---*/

static uint32_t function_without_scope(const Functions* f, Inlined* in,
                                       uint32_t node)
{
   uint32_t function = f->of[node];
   uint32_t s = function == NO_FUNCTION ? DCFG_NONE
                : function_symbol(f, function);

   return inlined_function_named(in, f->g.p->nodes[node].image,
                                 s != DCFG_NONE ? f->g.p->symbols[s].name
                                 : function == NO_FUNCTION
                                   ? node_name(&f->g, node)
                                   : function_name(f, function));
}

uint32_t source_function(const Functions* f, Inlined* in, Pieces* pieces,
                         uint32_t node)
{
   uint32_t scope = piece_first_scope(pieces, node);

   return scope == NO_SCOPE ? function_without_scope(f, in, node)
          : inlined_function(in, inlined_outer(in, scope));
}

static FunctionSum* sum_of(Summing* m, uint32_t function)
{
   InlineSums* s = m->s;

   while (s->n_functions <= function) {
      GROW(s->functions, s->n_functions, m->room);
      s->functions[s->n_functions++] = (FunctionSum){ .image = DCFG_NONE,
                                                      .node = DCFG_NONE };
   }
   return &s->functions[function];
}

/*--- Counts                                               ---*/

/* Add the pieces of block NODE that have a scope, or those that have none. */
static void add_block(Summing* m, uint32_t node, bool scopes)
{
   const DcfgProcess* p = m->f->g.p;
   uint64_t           times = dcfg_node_executions(p, node, m->thread);
   uint32_t           n, scope;
   FunctionSum*       f;

   if (times == 0 || !is_selected(m->blocks, node))
      return;
   pieces_of(m->pieces, node, &n);
   for (uint32_t i = 0; i < n; i++) {
      const InlinePiece piece = pieces_of(m->pieces, node, &n)[i];
      uint64_t    instrs;
      if (__builtin_mul_overflow(times, piece.n_instrs, &instrs))
         instrs = UINT64_MAX;
      scope = piece.scope;
      if ((scope != NO_SCOPE) != scopes
          || !piece_selected(m->selected, node, &piece))
         continue;
      if (scopes)
         add_count(&m->s->scopes[scope].instrs, instrs);
      f = sum_of(m, scopes ? inlined_function(m->in, scope)
                    : function_without_scope(m->f, m->in, node));
      add_count(&f->instrs, instrs);
      f->image   = p->nodes[node].image;
      if (scopes && inlined_parent(m->in, scope) != NO_SCOPE)
         add_count(&f->inlined, instrs);
   }
}

static void add_calls(Summing* m, uint32_t node)
{
   const DcfgProcess* p = m->f->g.p;
   uint32_t           function = m->f->of[node], of;
   FunctionSum*       f;

   if (!is_selected(m->blocks, node)
       || dcfg_node_executions(p, node, m->thread) == 0)
      return;
   of = source_function(m->f, m->in, m->pieces, node);
   f  = sum_of(m, of);
   if (function == NO_FUNCTION || !m->f->begins[node]) {
      f->node = f->node == DCFG_NONE ? node : f->node;
      return;
   }
   f->node  = node;
   f->image = p->nodes[node].image;
   add_count(&f->calls, count_calls(m->f, m->in, m->pieces, node, of,
                                    m->thread));
}

/* Return whether the entry instruction of an instance is selected.  All of the
   instance's pieces may be elsewhere. */
static bool entry_selected(const Summing* m, uint32_t scope)
{
   uint64_t entry = inlined_entry(m->in, scope);

   return entry != NO_ADDR
          && is_selected(m->blocks, image_node_at(m->f->g.p,
                                                   inlined_image(m->in, scope),
                                                   entry));
}

static void add_scopes(Summing* m, const uint64_t* entries)
{
   InlineSums* s = m->s;

   for (uint32_t i = s->n_scopes; i-- > 0; ) {
      uint32_t     parent = inlined_parent(m->in, i);
      ScopeSum*    sum = &s->scopes[i];
      FunctionSum* f;
      add_count(&sum->inclusive, sum->instrs);
      if (parent == NO_SCOPE)
         continue;
      add_count(&s->scopes[parent].inclusive, sum->inclusive);
      if (sum->inclusive > 0 || (entries[i] > 0 && entry_selected(m, i)))
         sum->entries = entries[i];
      if (!is_executed_site(m->in, s, i))
         continue;
      f = sum_of(m, inlined_function(m->in, i));
      add_count(&f->entries, sum->entries);
      f->sites++;
      if (f->image == DCFG_NONE)
         f->image = inlined_image(m->in, i);
      text_forget();
   }
}

bool is_executed_site(const Inlined* in, const InlineSums* s, uint32_t scope)
{
   return inlined_parent(in, scope) != NO_SCOPE
          && (s->scopes[scope].inclusive > 0
              || s->scopes[scope].entries > 0);
}

/*--- The whole                                            ---*/

InlineSums* inline_sums_new(const Functions* f, Inlined* in, Pieces* pieces,
                            const PieceSelection* selected,
                            const Selection* blocks, uint32_t thread)
{
   InlineSums* s = zalloc(1, sizeof(*s));
   Summing     m = { f, in, pieces, selected, blocks, thread, s, 0 };
   uint32_t    n = f->g.p->n_blocks, k;
   uint64_t*   entries;

   /* Read all images before counting: scopes are numbered as they are read. */
   for (uint32_t i = 0; i < n; i++)
      if (is_selected(blocks, i)
          && dcfg_node_executions(f->g.p, i, thread) > 0)
         pieces_of(pieces, i, &k);
   s->n_scopes = inlined_scopes(in);
   s->scopes   = zalloc(s->n_scopes, sizeof(*s->scopes));
   for (int scopes = 1; scopes >= 0; scopes--)
      for (uint32_t i = 0; i < n; i++) {
         add_block(&m, i, scopes == 1);
         if (i % 256 == 0)
            text_forget();
      }
   for (uint32_t i = 0; i < n; i++) {
      add_calls(&m, i);
      if (i % 256 == 0)
         text_forget();
   }
   entries = count_entries(f, in, pieces, thread);
   add_scopes(&m, entries);
   free(entries);
   return s;
}

void inline_sums_free(InlineSums* s)
{
   if (s == NULL)
      return;
   free(s->functions);
   free(s->scopes);
   free(s);
}
