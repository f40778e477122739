/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Superblocks: the most frequent paths. */

#ifndef DCFG_CMD_SUPERBLOCKS_H
#define DCFG_CMD_SUPERBLOCKS_H

#include "cmd/blocks/block_rows.h"

/* Path: a sequence of blocks that is only entered at the first.  When control
   comes to another one from elsewhere, it is not in the path. */
typedef
   struct {
      uint32_t first, n;        // index and number in .order
      uint64_t n_instrs;        // sum over its blocks
      uint64_t entered;         // executions of its first block
      uint64_t completed;       // executions to the end of its last block
      uint64_t executed;        // instructions executed in it until it was left
   }
   Path;

typedef
   struct {
      const DcfgBlockTable* t;
      Path*                 paths;      // by instructions, most first
      uint32_t              n;
      uint32_t*             order;      // blocks of all paths
      uint32_t*             path_of;    // for each block
      uint32_t*             place_of;   // for each block: its index in its path
      uint32_t              path, place;        // present place, while counting
      bool                  counted;    // counts are not estimates
   }
   Paths;

/* Find all paths of a table.  A path begins with the most executed block that
   is in none.  It continues along the most frequent edge while at least LIKELY
   of the block's departures take it.  Counts are estimated from edges. */
Paths* paths_new(const DcfgBlockTable* t, Percent likely);
void   paths_free(Paths* p);

/* Count exactly: call paths_visit(), a function for dcfg_blocks_visit(), for
   all blocks in the order of execution. */
void   paths_begin_count(Paths* p);
void   paths_visit(void* paths, uint32_t block);
void   paths_end_count(Paths* p);

/* Keep paths that begin with a wanted block; WANTED has an element for each
   block of the table. */
void   paths_keep(Paths* p, const bool* wanted);

/* Print the first TOP paths; INSTRS were executed in all. */
void   print_paths(const RowStyle* style, const Paths* p, uint64_t top,
                   uint64_t instrs);

#endif /* DCFG_CMD_SUPERBLOCKS_H */
