/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks, divided by what was inlined. */

#ifndef DCFG_CMD_PIECES_H
#define DCFG_CMD_PIECES_H

#include "cmd/inline/inlined.h"

/* InlinePiece: instructions of a block, one behind the other, with one innermost
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

/* The pieces of block NODE, in their order, at least one; they last until the
   next call. */
const InlinePiece* pieces_of(Pieces* p, uint32_t node, uint32_t* n);

/* The scope of the block's first and last instruction. */
uint32_t     piece_first_scope(Pieces* p, uint32_t node);
uint32_t     piece_last_scope(Pieces* p, uint32_t node);

#endif /* DCFG_CMD_PIECES_H */
