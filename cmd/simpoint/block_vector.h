/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Basic-block vectors. */

#ifndef DCFG_CMD_BLOCK_VECTOR_H
#define DCFG_CMD_BLOCK_VECTOR_H

#include "lib/dcfg.h"

#include <stdio.h>

/* BlockVector: instructions that a slice executed in each block. */
typedef
   struct {
      uint64_t* instrs;         // for each node
      uint32_t* nodes;          // nodes whose number is not 0
      uint32_t  n_nodes;
   }
   BlockVector;

/* Make V empty, with room for the nodes of P. */
void vector_open(BlockVector* v, const DcfgProcess* p);
void vector_close(BlockVector* v);

/* Add INSTRS instructions of NODE. */
void vector_add(BlockVector* v, uint32_t node, uint32_t instrs);

/* Sort the elements by node. */
void vector_sort(BlockVector* v);

/* Write the elements, with block ids higher by ADD. */
void vector_put(FILE* out, const BlockVector* v, const DcfgProcess* p,
                uint64_t add);

/* Set all numbers to 0. */
void vector_clear(BlockVector* v);

#endif /* DCFG_CMD_BLOCK_VECTOR_H */
