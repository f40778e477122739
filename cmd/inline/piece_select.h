/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Selections of pieces. */

#ifndef DCFG_CMD_PIECE_SELECT_H
#define DCFG_CMD_PIECE_SELECT_H

#include "cmd/base/select.h"
#include "cmd/inline/pieces.h"

/* PieceSelection: the pieces that options select.  With --function=NAME those are
   all of blocks that begin in NAME, and of others those in which NAME was
   inlined. */
typedef struct PieceSelection PieceSelection;

/* SEL is what S, which has .inlined, selects of whole blocks; blocks of which it
   selects only pieces are added.  It has to outlive what is returned. */
PieceSelection* piece_selection_new(const Program* g, Inlined* in,
                                    Pieces* pieces, const Select* s,
                                    Selection* sel);
void            piece_selection_free(PieceSelection* ps);

/* Is PIECE of block NODE selected? */
bool            piece_selected(const PieceSelection* ps, uint32_t node,
                               const InlinePiece* piece);

#endif /* DCFG_CMD_PIECE_SELECT_H */
