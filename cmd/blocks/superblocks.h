/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The most frequent ways. */

#ifndef DCFG_CMD_SUPERBLOCKS_H
#define DCFG_CMD_SUPERBLOCKS_H

#include "cmd/blocks/block_rows.h"

/* A sequence of blocks, entered at the first of them only: control that
   comes to another one from elsewhere is not in it. */
typedef
   struct {
      uint32_t first, n;        // in the order of all paths
      uint64_t n_instrs;        // of its blocks together
      uint64_t entered;         // executions of the first block
      uint64_t completed;       // to the end of the last
      uint64_t executed;        // instructions of it until it was left
   }
   Path;

typedef
   struct {
      const DcfgBlockTable* t;
      Path*                 paths;      // most instructions first
      uint32_t              n;
      uint32_t*             order;      // blocks of the paths, one after the
                                        // other
      uint32_t*             path_of;    // by block
      uint32_t*             place_of;   // by block: its number in its path
      uint32_t              path, place;        // while they are counted
      bool                  counted;    // not estimated
   }
   Paths;

/* All paths of a table: grown from the most executed block that is in none,
   along its most frequent edge while at least LIKELY of the block's
   departures take it.  What is counted is estimated from the edges. */
Paths* paths_new(const DcfgBlockTable* t, Percent likely);
void   paths_free(Paths* p);

/* Count instead: all blocks in the order of execution go to paths_visit(),
   which has the form that dcfg_blocks_visit() wants. */
void   paths_begin_count(Paths* p);
void   paths_visit(void* paths, uint32_t block);
void   paths_end_count(Paths* p);

/* Only those that begin with such a block, by block of the table. */
void   paths_keep(Paths* p, const bool* wanted);

/* The TOP first of them; INSTRS were executed in all. */
void   print_paths(const RowStyle* style, const Paths* p, uint64_t top,
                   uint64_t instrs);

#endif /* DCFG_CMD_SUPERBLOCKS_H */
