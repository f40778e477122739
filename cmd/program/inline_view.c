/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The inlined functions of a run, for a command. */

/* Owns: an InlineView's parts.  Handed: a process, and the command line's
   selection. */

#include "cmd/program/inline_view.h"

#include <stdlib.h>

InlineView* inline_view_new(const Program* g, const Select* s, Selection* sel,
                            const char* root)
{
   InlineView* v = zalloc(1, sizeof(*v));

   v->in       = inlined_new(g, root);
   v->pieces   = pieces_new(g, v->in);
   v->selected = piece_selection_new(g, v->in, v->pieces, s, sel);
   return v;
}

bool inline_view_has(InlineView* v, const Program* g,
                     const Selection* blocks, const char* name)
{
   uint32_t n;
   bool     found = false;

   for (uint32_t i = 0; i < g->p->n_blocks; i++)
      if (is_selected(blocks, i)
          && dcfg_node_executions(g->p, i, DCFG_ALL_THREADS) > 0)
         pieces_of(v->pieces, i, &n);
   for (uint32_t i = 0; i < inlined_scopes(v->in) && !found; i++) {
      found = inlined_parent(v->in, i) != NO_SCOPE
              && function_is(inlined_function_info(
                                v->in, inlined_function(v->in, i))->name,
                             name);
      text_forget();
   }
   return found;
}

void inline_view_free(InlineView* v)
{
   if (v == NULL)
      return;
   piece_selection_free(v->selected);
   pieces_free(v->pieces);
   inlined_free(v->in);
   free(v);
}
