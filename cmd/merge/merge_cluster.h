
/*--------------------------------------------------------------------*/
/*--- Blocks that share bytes, divided.          merge_cluster.h ---*/
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

/* For merge_blocks.c only. */

#ifndef DCFG_CMD_MERGE_CLUSTER_H
#define DCFG_CMD_MERGE_CLUSTER_H

#include "cmd/merge/merge.h"

/* A block of one of the lists, or, if both have it, of both. */
typedef
   struct {
      const MergedBlock* block;
      uint32_t           in_a, in_b;    // numbers; UINT32_MAX
      size_t             first_start;   // of its pieces, in Cluster.starts
      size_t             n_starts;
   }
   Member;

/* Blocks that share no bytes with anything else, and what they are divided
   into. */
typedef
   struct {
      DecodeFn     decode;
      void*        arg;
      Member*      members;
      size_t       n_members, members_room;
      MergedBlock* pieces;      // in order, each once
      size_t       n_pieces, pieces_room;
      uint64_t*    starts;      // of the pieces of one member after the other
      size_t       n_starts, starts_room;
      uint64_t     where;       // something is wrong
   }
   Cluster;

uint64_t     block_end(const MergedBlock* b);
bool         same_block(const MergedBlock* a, const MergedBlock* b);
int          by_offset(const void* a, const void* b);

/* The pieces of all members: as the code says, or numbers of instructions,
   which they can where no two blocks of a list overlap. */
DivideResult divide_by_code(Cluster* c);
DivideResult divide_by_numbers(Cluster* c);

#endif /* DCFG_CMD_MERGE_CLUSTER_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
