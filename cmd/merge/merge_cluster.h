/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks that share bytes, divided. */

/* For merge_blocks.c only. */

#ifndef DCFG_CMD_MERGE_CLUSTER_H
#define DCFG_CMD_MERGE_CLUSTER_H

#include "cmd/merge/merge.h"

/* A block of one of the lists, or, if both have it, of both. */
typedef
   struct {
      const MergedBlock* block;
      uint32_t           in_a, in_b;    // numbers; UINT32_MAX
      size_t             first_start;   // first of its pieces' begins, in
                                        // Cluster.starts
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
      uint64_t*    starts;      // begins of pieces, one member after the other
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
