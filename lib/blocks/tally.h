/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of static and dynamic blocks. */

#ifndef DCFG_TALLY_H
#define DCFG_TALLY_H

#include "lib/dcfg_blocks.h"
#include "lib/blocks/passages.h"

/* Piece: straight code that was only entered at its begin, and left at its
   end. */
typedef
   struct {
      uint64_t addr, last;      // addresses of first and last instruction
      uint64_t end;             // the address behind it; 0: the end of all
                                // addresses
      uint32_t order;           // its order among pieces with the same address
      uint32_t n_instrs;
      uint32_t next;            // the piece that followed without a jump, at a
                                // higher address; or DCFG_NONE
      bool     jumps;           // does it jump at its end?
   }
   Piece;

/* Tally: a DcfgBlockTable and its arrays. */
typedef
   struct {
      DcfgBlockTable shown;
      Array          blocks;    // DcfgStreamBlock
      Array          edges;     // DcfgStreamEdge
      uint32_t*      of_piece;  // for each piece: the block that begins with
                                // it, or DCFG_NONE
      uint32_t       n_pieces;
      uint64_t       instrs;    // executed, for complete executions of pieces
   }
   Tally;

/* Make the tables of N PIECES and the PASSAGES between them, whose numbers are
   pieces; PASSAGES is changed.  If DYNAMIC is NULL, passages may lead from one
   piece's end to the next only. */
bool tally(Job* job, const Piece* pieces, uint32_t n, Array* passages,
           Tally* statics, Tally* dynamics);

void tally_free(Job* job, Tally* t);

#endif /* DCFG_TALLY_H */
