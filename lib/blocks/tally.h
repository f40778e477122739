
/*--------------------------------------------------------------------*/
/*--- Static and dynamic blocks.                         tally.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
