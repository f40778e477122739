/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Basic-block vectors. */

/* Owns: the vector of a slice.  Handed: blocks that were executed. */

#include "cmd/simpoint/block_vector.h"

#include "cmd/simpoint/bb_text.h"

#include <stdlib.h>

void vector_open(BlockVector* v, const DcfgProcess* p)
{
   v->instrs  = zalloc(p->n_nodes, sizeof(*v->instrs));
   v->nodes   = zalloc(p->n_nodes, sizeof(*v->nodes));
   v->n_nodes = 0;
}

void vector_close(BlockVector* v)
{
   free(v->instrs);
   free(v->nodes);
}

void vector_add(BlockVector* v, uint32_t node, uint32_t instrs)
{
   if (v->instrs[node] == 0 && instrs > 0)
      v->nodes[v->n_nodes++] = node;
   v->instrs[node] += instrs;
}

COMPARE(by_number, uint32_t, ORDER(*x, *y))

void vector_sort(BlockVector* v)
{
   if (v->n_nodes > 0)
      qsort(v->nodes, v->n_nodes, sizeof(*v->nodes), by_number);
}

void vector_put(FILE* out, const BlockVector* v, const DcfgProcess* p,
                uint64_t add)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      bb_put_share(out, p->nodes[v->nodes[i]].id + add,
                   v->instrs[v->nodes[i]]);
}

void vector_clear(BlockVector* v)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      v->instrs[v->nodes[i]] = 0;
   v->n_nodes = 0;
}
