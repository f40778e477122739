/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading .bb files. */

#ifndef DCFG_CMD_BB_FILE_H
#define DCFG_CMD_BB_FILE_H

#include "cmd/base/cmd.h"

/* Marker: the begin of a slice: execution number COUNT of the instruction at
   PC. */
typedef
   struct {
      uint64_t pc, count;       // 0: not known
      char*    image;           // path; NULL: none
      uint64_t offset;          // in the image
   }
   Marker;

typedef
   struct {
      uint32_t block;           // the block's id
      uint64_t instrs;
   }
   BlockShare;

typedef
   struct {
      Marker      marker;
      uint64_t    instrs;
      size_t      first, n;     // in shares
   }
   Slice;

/* BbFile: a .bb file in memory. */
typedef
   struct {
      Slice*      slices;
      size_t      n_slices, room;
      BlockShare* shares;
      size_t      n_shares, share_room;
   }
   BbFile;

/* Read a file; exit if it is not sound. */
BbFile* bb_read(const char* path);
void    bb_free(BbFile* b);

/* Read the next pair "NUMBER CLUSTER" of a file of SimPoint; *NUMBER is a slice
   or a weight.  Return false at the end.  *LINE counts lines. */
bool    pair_read(FILE* f, const char* path, double* number,
                  uint64_t* cluster, uint64_t* line);

#endif /* DCFG_CMD_BB_FILE_H */
