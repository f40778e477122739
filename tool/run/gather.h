/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   From counters to the graph. */

#ifndef __DCFG_GATHER_H
#define __DCFG_GATHER_H

#include "dcfg_bb.h"
#include "format/wet_process.h"
#include "tool/graph/graph.h"

/* PartBypass: a handler that began behind the instruction at ADDR, in an
   earlier part of the run, has returned to the node TARGET. */
typedef
   struct {
      UInt image;         // its number (tool/run/image.h)
      Addr addr;
      UInt target;
   }
   PartBypass;

/* RunEnd: the end of what is written: a value of .kind in format/wet_process.h,
   and the exit status or the signal. */
typedef
   struct {
      UInt kind;
      Int  status;
   }
   RunEnd;

/* InstrIndex: where an image's instructions are in .instrs, by their addresses.
   Those from .first + (k << .shift) on begin at .starts[k]. */
typedef
   struct {
      Addr  first;        // the first instruction's address
      UInt  shift;
      UInt  n;            // the size of .starts, less 1
      UInt* starts;
   }
   InstrIndex;

/* Gathered: all that ran so far. */
typedef
   struct _Gathered {
      UInt   n_images;    // images with executed code
      UInt*  images;      // their numbers (tool/run/image.h), by load address; an
                          // Instr or a Block has an index of this array
      UInt*  place_of;    // for each image number: that index, or DCFG_NO_INSTR
      UInt   n_instrs;
      Instr* instrs;
      InstrIndex* indexes;   // for each image
      Graph* graph;
      /* For a part of the run: */
      UInt   part;        // its number, from 1
      UInt   first_part;  // first part of an unbroken sequence; 0: this is no
                          // part
      UChar* ways_in;     // for each thread: the meaning of its ENTRY edge
      ULong* preceding;   // for each thread: instructions since .first_part
      const HChar* mark;  // the program's name for the part, or NULL
      UInt   n_bypasses;
      PartBypass* bypasses;
      RunEnd end;
   }
   Gathered;

/* Values of .ways_in: an EdgeType, or one of these. */
enum {
   WAY_IN_ONWARD = 0,     // the thread was inside a block
   WAY_IN_BEGINS = 255    // the thread begins in this part
};

Gathered* DCFG_(gather)(void);

#define DCFG_NO_INSTR 0xFFFFFFFFu

/* Return the index in .instrs of the instruction at A in image number IMAGE, or
   of the one that a jump to T runs; or DCFG_NO_INSTR if it never ran. */
UInt DCFG_(find_instr)(const Gathered* gathered, UInt image, Addr a);
UInt DCFG_(find_landing)(const Gathered* gathered, Target t);

void DCFG_(delete_gathered)(Gathered* gathered);

#endif /* __DCFG_GATHER_H */
