/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Cuts a run into slices, and writes their basic-block vectors. */

/* Owns: the ends of slices.  Handed: blocks in their order.

   All instructions of a block belong to the slice in which the block began.  No
   slice begins at a REP instruction: see bb_repeats(). */

#include "cmd/simpoint/slices.h"

#include "cmd/simpoint/bb_text.h"
#include "cmd/simpoint/block_vector.h"

#include <inttypes.h>
#include <stdlib.h>

struct RunSlices {
   const Program*     g;
   const DcfgProcess* p;
   FILE*              out;
   uint64_t           size;
   const bool*        heads;
   bool               from_begin;
   uint64_t           n_slices;
   uint64_t           instrs;       // in the present slice
   uint64_t           all_instrs;
   BlockVector        vector;
   uint64_t*          executions;   // for each node
};

RunSlices* slices_new(const Program* g, FILE* out, uint64_t size,
                   const bool* heads, bool from_begin, uint32_t thread)
{
   RunSlices* s = zalloc(1, sizeof(*s));

   s->g = g;
   s->p = g->p;
   s->out = out;
   s->size = size;
   s->heads = heads;
   s->from_begin = from_begin;
   vector_open(&s->vector, s->p);
   s->executions = zalloc(s->p->n_nodes, sizeof(*s->executions));
   bb_put_header(out, g, thread);
   return s;
}

/* Write the vector of the present slice, and begin the next one. */
static void put_vector(RunSlices* s)
{
   vector_sort(&s->vector);
   fprintf(s->out, "# Slice ending at %" PRIu64 "\nT", s->all_instrs);
   vector_put(s->out, &s->vector, s->p, 0);
   putc('\n', s->out);
   vector_clear(&s->vector);
   s->n_slices++;
   s->instrs = 0;
}

void slices_block(RunSlices* s, uint32_t node)
{
   const DcfgNode* n = &s->p->nodes[node];

   if (n->kind != DCFG_NODE_BLOCK)
      return;
   if (s->instrs >= s->size && (s->heads == NULL || s->heads[node])
       && !bb_repeats(s->p, node))
      put_vector(s);
   if (s->all_instrs == 0 && !s->from_begin)
      bb_put_since(s->out, s->g, node);
   if (s->instrs == 0 && s->vector.n_nodes == 0)
      bb_put_marker(s->out, s->g, node, s->executions[node] + 1);
   vector_add(&s->vector, node, n->n_instrs);
   s->instrs += n->n_instrs;
   s->all_instrs += n->n_instrs;
   s->executions[node]++;
}

uint64_t slices_end(RunSlices* s)
{
   uint64_t n;

   if (s->vector.n_nodes > 0)
      put_vector(s);
   n = s->n_slices;
   bb_put_table(s->out, s->g, s->all_instrs, s->size, s->executions);
   vector_close(&s->vector);
   free(s->executions);
   free(s);
   return n;
}
