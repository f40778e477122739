/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   From counters to a graph. */

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
