/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Selections of pieces. */

#ifndef DCFG_CMD_PIECE_SELECT_H
#define DCFG_CMD_PIECE_SELECT_H

#include "cmd/base/select.h"
#include "cmd/program/pieces.h"

/* PieceSelection: the pieces that options select.  --function=NAME selects all
   pieces of blocks in NAME, and the pieces of other blocks that were inlined
   from NAME. */
typedef struct PieceSelection PieceSelection;

/* Make the selection of S, which has .inlined.  SEL has the whole blocks that S
   selects, gets those of which S selects only pieces, and must outlive the
   result. */
PieceSelection* piece_selection_new(const Program* g, Inlined* in,
                                    Pieces* pieces, const Select* s,
                                    Selection* sel);
void            piece_selection_free(PieceSelection* ps);

/* Return whether PIECE of block NODE is selected. */
bool            piece_selected(const PieceSelection* ps, uint32_t node,
                               const InlinePiece* piece);

#endif /* DCFG_CMD_PIECE_SELECT_H */
