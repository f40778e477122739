/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reads PinPlay's .bb files, and the files that SimPoint writes about them. */

#ifndef DCFG_CMD_BB_FILE_H
#define DCFG_CMD_BB_FILE_H

#include "cmd/base/cmd.h"

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
void    bb_free(BbFile* b);

/* Return the marker at which SLICE begins; for the number of slices, the one at
   which the last slice ends.  Die if the file does not have it.  B owns the
   marker. */
const Marker* need_marker(const BbFile* b, size_t slice);

/* Return the row of the block that begins at PC; NULL: there is none. */
const BbBlock* block_at(const BbFile* b, uint64_t pc);

/* Return how often BLOCK began in N slices from FIRST on. */
uint64_t executions_in(const BbFile* b, const BbBlock* block, size_t first,
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

#endif /* DCFG_CMD_BB_FILE_H */
