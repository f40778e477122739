/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Selections of pieces. */

/* Owns: the meaning of --function for inlined functions.  Handed: a process,
   its pieces, and the command line's selection. */

#include "cmd/program/piece_select.h"

#include <stdlib.h>

struct PieceSelection {
   Inlined*         in;
   const Selection* sel;        // whole blocks, and blocks with selected pieces
   bool*            whole;      // by block; NULL: all of SEL are whole
   KeyMap*          seen;       // keys: scopes that were tested
   bool*            has_name;   // by number in .seen
   size_t           n, room;
   const char*      name;       // the function's
};

/* Return whether SCOPE is in an instance of the function. */
static bool is_in_function(PieceSelection* ps, uint32_t scope)
{
   uint32_t parent, number;
   bool     is;

   if (scope == NO_SCOPE
       || (parent = inlined_parent(ps->in, scope)) == NO_SCOPE)
      return false;
   number = keymap_find(ps->seen, scope);
   if (number != UINT32_MAX)
      return ps->has_name[number];
   is = is_in_function(ps, parent)
        || function_is(inlined_function_info(
                          ps->in, inlined_function(ps->in, scope))->name,
                       ps->name);
   text_forget();
   keymap_number(ps->seen, scope);
   GROW(ps->has_name, ps->n, ps->room);
   ps->has_name[ps->n++] = is;
   return is;
}

PieceSelection* piece_selection_new(const Program* g, Inlined* in,
                                    Pieces* pieces, const Select* s,
                                    Selection* sel)
{
   PieceSelection* ps = zalloc(1, sizeof(*ps));
   Select          others = *s;
   Selection*      rest;

   ps->in   = in;
   ps->sel  = sel;
   ps->name = s->function;
   if (s->function == NULL)
      return ps;
   others.function = NULL;
   others.quiet    = true;
   rest      = selection_new(g, &others);
   ps->seen  = keymap_new();
   ps->whole = zalloc(g->p->n_blocks, sizeof(*ps->whole));
   for (uint32_t i = 0; i < g->p->n_blocks; i++) {
      uint32_t     n;
      const InlinePiece* all;
      ps->whole[i] = is_selected(sel, i);
      if (ps->whole[i] || !is_selected(rest, i))
         continue;
      all = pieces_of(pieces, i, &n);
      for (uint32_t k = 0; k < n; k++)
         if (is_in_function(ps, all[k].scope)) {
            select_node(sel, i);
            break;
         }
   }
   selection_free(rest);
   if (!is_found(sel) && !s->quiet)
      say_unfound(g, s);
   return ps;
}

void piece_selection_free(PieceSelection* ps)
{
   if (ps == NULL)
      return;
   free(ps->whole);
   keymap_free(ps->seen);
   free(ps->has_name);
   free(ps);
}

bool piece_selected(const PieceSelection* ps, uint32_t node,
                    const InlinePiece* piece)
{
   return is_selected(ps->sel, node)
          && (ps->whole == NULL || ps->whole[node]
              || is_in_function((PieceSelection*)ps, piece->scope));
}
