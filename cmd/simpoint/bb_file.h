
/*--------------------------------------------------------------------*/
/*--- Reading .bb files.                                 bb_file.h ---*/
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

#ifndef DCFG_CMD_BB_FILE_H
#define DCFG_CMD_BB_FILE_H

#include "cmd/base/cmd.h"

/* Where a slice begins: the COUNTth time that the instruction at PC runs. */
typedef
   struct {
      uint64_t pc, count;       // 0: unknown
      char*    image;           // path; NULL: none
      uint64_t offset;          // in the image
   }
   Marker;

typedef
   struct {
      uint32_t block;           // its id
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

/* A .bb file in memory. */
typedef
   struct {
      Slice*      slices;
      size_t      n_slices, room;
      BlockShare* shares;
      size_t      n_shares, share_room;
   }
   BbFile;

/* Dies if the file is not sound. */
BbFile* bb_read(const char* path);
void    bb_free(BbFile* b);

/* The next pair "NUMBER CLUSTER" of a file that SimPoint wrote, whose slice
   or weight is *NUMBER; false at the end.  *LINE counts lines. */
bool    pair_read(FILE* f, const char* path, double* number,
                  uint64_t* cluster, uint64_t* line);

#endif /* DCFG_CMD_BB_FILE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
