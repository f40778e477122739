/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks that share bytes, divided. */

/* Private to cmd/merge/merge_blocks.c and merge_cluster.c. */

#ifndef DCFG_CMD_MERGE_CLUSTER_H
#define DCFG_CMD_MERGE_CLUSTER_H

#include "cmd/merge/merge.h"

/* Member: a block of one list, or of both. */
typedef
   struct {
      const MergedBlock* block;
      uint32_t           in_a, in_b;    // numbers in the lists, or UINT32_MAX
      size_t             first_start;   // index in Cluster.starts of its
                                        // pieces' begins
      size_t             n_starts;
   }
   Member;

/* Cluster: blocks that share bytes, directly or through others, and the pieces
   that they are divided into. */
typedef
   struct {
      DecodeFn     decode;
      void*        arg;
      Member*      members;
      size_t       n_members, members_room;
      MergedBlock* pieces;      // by offset, each once
      size_t       n_pieces, pieces_room;
      uint64_t*    starts;      // begins of pieces, member by member
      size_t       n_starts, starts_room;
      uint64_t     where;       // offset of a contradiction
   }
   Cluster;

uint64_t     block_end(const MergedBlock* b);
bool         same_block(const MergedBlock* a, const MergedBlock* b);
int          by_offset(const void* a, const void* b);

/* Divide all members: by the code; by numbers of instructions, if no two blocks
   of a list overlap. */
DivideResult divide_by_code(Cluster* c);
DivideResult divide_by_numbers(Cluster* c);

#endif /* DCFG_CMD_MERGE_CLUSTER_H */
