/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks, divided by what was inlined. */

#ifndef DCFG_CMD_PIECES_H
#define DCFG_CMD_PIECES_H

#include "cmd/program/inlined.h"

/* InlinePiece: consecutive instructions of a block with the same innermost
   scope. */
typedef
   struct {
      uint64_t addr;            // its first instruction's, in the run
      uint32_t n_instrs;
      uint32_t scope;           // or NO_SCOPE
   }
   InlinePiece;

typedef struct Pieces Pieces;

Pieces*      pieces_new(const Program* g, Inlined* in);
void         pieces_free(Pieces* p);

/* Return the pieces of block NODE, in order; *N is their number, at least 1.
   They are valid until the next call. */
const InlinePiece* pieces_of(Pieces* p, uint32_t node, uint32_t* n);

/* Return the scope of the block's first instruction; of its last one. */
uint32_t     piece_first_scope(Pieces* p, uint32_t node);
uint32_t     piece_last_scope(Pieces* p, uint32_t node);

#endif /* DCFG_CMD_PIECES_H */
