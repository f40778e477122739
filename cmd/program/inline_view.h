/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The inlined functions of a run, for a command. */

#ifndef DCFG_CMD_INLINE_VIEW_H
#define DCFG_CMD_INLINE_VIEW_H

#include "cmd/program/inline_sums.h"

/* InlineView: the inlined functions of a process, and the selection of its
   pieces. */
typedef
   struct {
      Inlined*        in;
      Pieces*         pieces;
      PieceSelection* selected;
   }
   InlineView;

/* Make the view.  S, which has .inlined, selects whole blocks to SEL.  SEL also
   gets blocks of which S selects only pieces, and must outlive the view.
   Images' files are looked for below ROOT, if that is not NULL. */
InlineView* inline_view_new(const Program* g, const Select* s, Selection* sel,
                            const char* root);
/* Return whether a function called NAME was inlined into code of BLOCKS that
   ran. */
bool        inline_view_has(InlineView* v, const Program* g,
                            const Selection* blocks, const char* name);
void        inline_view_free(InlineView* v);

#endif /* DCFG_CMD_INLINE_VIEW_H */
