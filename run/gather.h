
/*--------------------------------------------------------------------*/
/*--- From counters to a graph.                       run/gather.h ---*/
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

#ifndef __DCFG_GATHER_H
#define __DCFG_GATHER_H

#include "dcfg_bb.h"
#include "graph/graph.h"

/* From the instruction at ADDR, which an earlier part of the run has, a
   handler was entered that has returned to the node TARGET. */
typedef
   struct {
      UInt image;         // its number (run/image.h)
      Addr addr;
      UInt target;
   }
   PartBypass;

/* What ran, so far. */
typedef
   struct _Gathered {
      UInt   n_images;    // in which code ran
      UInt*  images;      // their numbers (run/image.h), by load address;
                          // an Instr's or Block's image is a place in here
      UInt*  place_of;    // for each image number, that place, or
                          // DCFG_NO_INSTR
      UInt   n_instrs;
      Instr* instrs;
      Graph* graph;
      /* A part of the run: */
      UInt   part;        // its number, from 1
      UInt   first_part;  // since which all was written; 0: this is no part
      UChar* ways_in;     // for each thread: what its ENTRY edge stands for
      ULong* preceding;   // for each thread: instructions since .first_part
      UInt   n_bypasses;
      PartBypass* bypasses;
   }
   Gathered;

/* What a thread's ENTRY edge stands for: an EdgeType, or one of these. */
enum {
   WAY_IN_ONWARD = 0,     // it was in the middle of a block
   WAY_IN_BEGINS = 255    // nothing: there was none before
};

Gathered* DCFG_(gather)(void);

#define DCFG_NO_INSTR 0xFFFFFFFFu

/* The place in .instrs of the instruction at A in image number IMAGE, or
   of the one that runs when T is jumped to; or DCFG_NO_INSTR if it never
   ran. */
UInt DCFG_(find_instr)(const Gathered* p, UInt image, Addr a);
UInt DCFG_(find_landing)(const Gathered* p, Target t);

void DCFG_(delete_gathered)(Gathered* p);

#endif /* __DCFG_GATHER_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
