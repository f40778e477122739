/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of simpoint/: .bb files, the order of blocks, slices and their vectors. */

/* Private to simpoint/. */

#ifndef DCFG_CMD_SIMPOINT_H
#define DCFG_CMD_SIMPOINT_H

#include "cmd/base/cmd.h"
#include "cmd/base/names.h"

/*--- Writing .bb files: slices.c                          ---*/

/* Die if an image's path has a blank, a comma or the like, so that it cannot be
   a field of a .bb file or of the files that are made from it. */
void need_one_field(const char* path);

/* Return whether a block is one REP instruction: each of its iterations counts
   as an execution, so it is no marker. */
bool bb_repeats(const DcfgProcess* process, uint32_t node);

/*--- Reading .bb files and SimPoint's: slices.c           ---*/

/* Marker: the begin of a slice: execution number COUNT of the instruction at
   PC. */
typedef
   struct {
      uint64_t pc, count;       // .count is 0 if the file has no marker
      char*    image;           // path; NULL: none
      uint64_t offset;          // in the image
   }
   Marker;

/* BlockShare: an element of a vector: the instructions that a slice executed in
   a block. */
typedef
   struct {
      uint32_t block;           // the block's id
      uint64_t instrs;
   }
   BlockShare;

/* Slice: a slice of the run, and its vector. */
typedef
   struct {
      Marker      marker;       // the slice's begin
      uint64_t    instrs;       // sum of the vector
      uint64_t    unfiltered;   // instructions, with those of skipped images
      size_t      first, n;     // the vector: .n elements of .shares
   }
   Slice;

/* BbBlock: a row of the table of blocks. */
typedef
   struct {
      uint64_t pc;
      uint64_t executions;      // in the whole run
      uint32_t id, n_instrs;
   }
   BbBlock;

/* BbFile: a .bb file in memory. */
typedef
   struct {
      Slice*      slices;
      size_t      n_slices, room;
      BlockShare* shares;
      size_t      n_shares, share_room;
      BbBlock*    blocks;       // sorted by .pc
      size_t      n_blocks, block_room;
      Marker      end;          // behind the last slice; .count is 0: none
      char*       program;      // path; NULL: not known
      uint64_t    thread;       // NOT_GIVEN: the file is of all threads
      bool        has_unfiltered;
   }
   BbFile;

/* Return the contents of the file at PATH, for bb_free().  Die if the file is
   malformed.  In concatenated vectors, the blocks of all threads get their own
   ids again. */
BbFile* bb_read(const char* path);
void    bb_free(BbFile* file);

/* Return the marker at which SLICE begins; for the number of slices, the one at
   which the last slice ends.  Die if the file does not have it.  FILE owns the
   marker. */
const Marker* need_marker(const BbFile* file, size_t slice);

/* Return the row of the block that begins at PC; NULL: there is none. */
const BbBlock* block_at(const BbFile* file, uint64_t pc);

/* Return how often BLOCK began in N slices from FIRST on. */
uint64_t executions_in(const BbFile* file, const BbBlock* block, size_t first,
                       size_t n);

/* Read the next line "NUMBER CLUSTER" of F, SimPoint's file at PATH; *NUMBER
   becomes a slice or a weight.  Add 1 to *LINE.  Return false at the end of the
   file; die if the line is malformed. */
bool    pair_read(FILE* f, const char* path, double* number,
                  uint64_t* cluster, uint64_t* line);

/* Read likewise the next line of a file of SimPoint's -saveLabels, which has
   the cluster of a slice. */
bool    label_read(FILE* f, const char* path, uint64_t* cluster,
                   uint64_t* line);

/*--- The order of blocks: slices.c                        ---*/

/* Return the edge with ID.  Die if PROCESS has none: trace and DCFG do not
   belong together. */
const DcfgEdge* need_edge(const DcfgProcess* process, uint32_t id);

/* The most threads of ordered_blocks(), which opens the trace once for each. */
#define MAX_ORDERED 256

/* Call BEGIN with ARG for each block that a thread of the trace at PATH begins,
   in the order of the file at TURNS.  Return the number of turns.  Die after an
   error, and if the turns do not have all instructions of each thread. */
uint64_t ordered_blocks(const DcfgProcess* process, const char* path,
                        const char* turns,
                        void (*begin)(void* arg, uint32_t thread,
                                      uint32_t node),
                        void* arg);

/*--- Slices and their vectors: slices.c                   ---*/

/* RunSlices: the slices of a run.  The vector of a slice has the number of
   instructions that it executed in each block.  The output is a PinPlay .bb
   file, which SimPoint reads, too. */
typedef struct RunSlices RunSlices;

/* Return the slices of a run, for slices_end(), which write to OUT; the caller
   owns it.  A slice ends before the first block that begins when the slice has
   at least SIZE instructions.  If HEADS is not NULL, it has an element for each
   node, and a slice ends only before one of these.  FROM_BEGIN is the result of
   counts_from_begin().  THREAD is the thread of the blocks; DCFG_ALL_THREADS:
   all threads, in the order in which they begin blocks. */
RunSlices* slices_new(const Program* program, FILE* out, uint64_t size,
                   const bool* heads, bool from_begin, uint32_t thread);

/* Add the block NODE, which begins.  Nodes that are no blocks are ignored. */
void slices_block(RunSlices* s, uint32_t node);

/* Write the last slice and the table of blocks, and free S.  Return the number
   of slices. */
uint64_t slices_end(RunSlices* s);

/* LoopRules: the rules for the ends of slices and for the vectors.  Arrays have
   an element for each node. */
typedef
   struct {
      uint64_t    size;         // instructions of all threads in a slice
      const bool* heads;        // a slice ends before one of these blocks
      const bool* skipped;      // these are in no vector, and not counted
      const bool* own;          // the end of the run is at one of these
      bool        from_begin;   // see counts_from_begin()
   }
   LoopRules;

/* LoopSlices: cuts a run of several threads into slices. */
typedef struct LoopSlices LoopSlices;

/* Return the slices of a run, for loop_slices_end(), and write the heads of
   files.  GLOBAL and CONCATENATED are the files for all threads; THREADS has a
   file for each thread.  The caller owns the files and RULES, which must last
   until the end. */
LoopSlices* loop_slices_new(const Program* program, const LoopRules* rules,
                            FILE* global, FILE* concatenated, FILE** threads);

/* Add the block NODE, which THREAD begins.  Blocks come in the order in which
   they ran. */
void loop_slices_block(LoopSlices* slices, uint32_t thread, uint32_t node);

/* Write the last slice and the tables of blocks, and free SLICES.  Return the
   number of slices.  Die if the blocks were not those of the DCFG. */
uint64_t loop_slices_end(LoopSlices* slices);

#endif /* DCFG_CMD_SIMPOINT_H */
