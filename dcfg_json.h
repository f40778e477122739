/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The writer of a DCFG. */

#ifndef __DCFG_JSON_H
#define __DCFG_JSON_H

#include "format/put.h"
#include "tool/graph/graph.h"
#include "tool/graph/routine.h"

/* SourceRow: one row of SOURCE_DATA. */
typedef
   struct {
      UInt  file;         // FILE_NAME_ID
      UInt  line;
      ULong addr;
      UInt  size;         // bytes
      UInt  n_instrs;
   }
   SourceRow;

/* JsonBypass: a bypass from an instruction of an earlier part to a node. */
typedef
   struct {
      UInt image;         // its number in the whole run
      ULong offset;
      UInt target;
   }
   JsonBypass;

/* JsonImage: an image.  The graph's blocks refer to its index. */
typedef
   struct {
      ImageInfo        info;
      UInt             file;            // FILE_NAME_ID
      SourceRow*       source;
      UInt             n_source;
   }
   JsonImage;

/* JsonPart: data that joins a part of a run to the parts before it. */
typedef
   struct {
      UInt         number, first;       // the first part of an unbroken
                                        // sequence
      const ULong* preceding;           // for each thread: instructions in
                                        // these parts
      const UInt*  image_numbers;       // for each image: its number in the
                                        // whole run
      const UChar* ways_in;             // for each thread: the EdgeType that
                                        // ENTRY stands for; 0: the thread stood
                                        // inside a block; 255: it is new
      const HChar* mark;                // the program's name for it, or NULL
      UInt         n_bypasses;
      JsonBypass*  bypasses;
   }
   JsonPart;

/* JsonRun: which run a recording is of.  A text that is not known is "". */
typedef
   struct {
      ULong        pid, parent;
      const HChar* command_line;        // words quoted as for a shell
      const HChar* working_dir;
      const HChar* start;               // as "2026-01-31T12:34:56Z"
      const HChar* tool_version;
      const HChar* processor;
      const HChar* deterministic;       // the words of --deterministic
      const HChar* conditions;          // as "kernel=6.1; user=0:0"
   }
   JsonRun;

/* JsonFunction: what a function cost, for each thread: itself, and with all that
   it called. */
typedef
   struct {
      UInt         image;               // IMAGE_ID; 0: none of the file's
      ULong        offset;              // its begin
      ULong*       self;
      ULong*       all;
   }
   JsonFunction;

/* JsonCall: the calls from one function to another, for each thread: how many,
   and what they cost. */
typedef
   struct {
      UInt         caller, callee;      // FUNCTION_ID
      ULong*       counts;
      ULong*       costs;
   }
   JsonCall;

/* JsonCalls: functions and their calls. */
typedef
   struct _JsonCalls {
      UInt                n_functions;  // FUNCTION_ID is index + 1
      const JsonFunction* functions;    // by image, then by offset
      UInt                n_calls;
      const JsonCall*     calls;        // by caller, then by callee
   }
   JsonCalls;

/* JsonDcfg: the contents of a DCFG. */
typedef
   struct {
      UInt                pid;
      const JsonRun*      runs;         // rows of RUN; a sum need not have all
      UInt                n_recorded;   // number of these rows
      ULong               n_runs;       // runs in the counts
      UInt                n_files;      // FILE_NAME_ID is index + 1
      const HChar* const* files;
      UInt                n_images;     // IMAGE_ID is index + 1
      const JsonImage*    images;
      const Graph*        graph;
      const Routines*     routines;     // NULL: leave out routines and loops
      const Loops*        loops;
      Bool                with_cfg;     // blocks and edges
      Bool                with_symbols;
      const HChar*        instr_sizes;  // all blocks', one after the other
                                        // (format/dcfg_tables.h); NULL: leave
                                        // out
      const JsonPart*     part;         // NULL: the whole run
      const JsonCalls*    calls;        // NULL: leave out
      void              (*more)(Put* out, const void* arg);
                                        // writes a further member; or NULL
      const void*         more_arg;
   }
   JsonDcfg;

/* Write DCFG in format 1.00 to OUT. */
void DCFG_(write_json)(Put* out, const JsonDcfg* dcfg);

/* Write N processes, which share one table of files. */
void DCFG_(write_processes)(Put* out, const JsonDcfg* processes, UInt n);

#endif /* __DCFG_JSON_H */
