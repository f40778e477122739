/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writing a DCFG. */

#ifndef __DCFG_JSON_H
#define __DCFG_JSON_H

#include "base/put.h"
#include "graph/graph.h"
#include "graph/image_info.h"
#include "graph/loop.h"
#include "graph/routine.h"

/* One row of SOURCE_DATA. */
typedef
   struct {
      UInt  file;         // FILE_NAME_ID
      UInt  line;
      ULong addr;
      UInt  size;         // bytes
      UInt  n_instrs;
   }
   SourceRow;

/* From an instruction, which an earlier part has, to a node. */
typedef
   struct {
      UInt image;         // its number in the whole run
      ULong offset;
      UInt target;
   }
   JsonBypass;

/* An image as it is written; the graph's blocks name it by its place. */
typedef
   struct {
      ImageInfo        info;
      UInt             file;            // FILE_NAME_ID
      SourceRow*       source;
      UInt             n_source;
   }
   JsonImage;

/* What joins a part of a run to the parts before it. */
typedef
   struct {
      UInt         number, first;       // of those that follow one another
      const ULong* preceding;           // for each thread: instructions in them
      const UInt*  image_numbers;       // for each image, in the whole run
      const UChar* ways_in;             // for each thread: what ENTRY stands
                                        // for, an EdgeType; 0: it was within a
                                        // block; 255: there was none before
      UInt         n_bypasses;
      JsonBypass*  bypasses;
   }
   JsonPart;

/* Everything that is in a DCFG. */
typedef
   struct {
      UInt                pid;
      UInt                n_files;      // FILE_NAME_ID is index + 1
      const HChar* const* files;
      UInt                n_images;     // IMAGE_ID is index + 1
      const JsonImage*    images;
      const Graph*        graph;
      const Routines*     routines;     // NULL: leave out, loops too
      const Loops*        loops;
      Bool                with_cfg;     // blocks and edges
      Bool                with_symbols;
      const JsonPart*     part;         // NULL: of no part
   }
   JsonDcfg;

/* Write D, format 1.00, to OUT. */
void DCFG_(write_json)(Put* out, const JsonDcfg* d);

/* The same for N processes, which have their files in common. */
void DCFG_(write_processes)(Put* out, const JsonDcfg* processes, UInt n);

#endif /* __DCFG_JSON_H */
