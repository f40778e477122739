/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Static and dynamic blocks. */

#ifndef DCFG_TALLY_H
#define DCFG_TALLY_H

#include "lib/dcfg_blocks.h"
#include "lib/blocks/passages.h"

/* A piece of straight code that was only ever entered at its beginning, and
   left at its end. */
typedef
   struct {
      uint64_t addr, last;      // of the first and the last instruction
      uint64_t end;             // behind it; 0 for the end of all addresses
      uint32_t order;           // among those with the same address
      uint32_t n_instrs;
      uint32_t next;            // piece that followed without a jump, at a
                                // higher address; or DCFG_NONE
      bool     jumps;           // at its end
   }
   Piece;

/* A DcfgBlockTable and the arrays it is made of. */
typedef
   struct {
      DcfgBlockTable shown;
      Array          blocks;    // DcfgStreamBlock
      Array          edges;     // DcfgStreamEdge
      uint32_t*      of_piece;  // the block that begins with it, or DCFG_NONE
      uint32_t       n_pieces;
      uint64_t       instrs;    // of all pieces, executed as a whole
   }
   Tally;

/* The tables of PIECES and the PASSAGES (by number of piece) between them,
   which are used up.  DYNAMIC may be NULL: then passages need not be more
   than from one piece's end to the next. */
bool tally(Job* job, const Piece* pieces, uint32_t n, Array* passages,
           Tally* statics, Tally* dynamics);

void tally_free(Job* job, Tally* t);

#endif /* DCFG_TALLY_H */
