/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Basic-block vectors of slices of a run. */

/* Owns: the ends of slices, and PinPlay's .bb format.  Handed: blocks in their
   order.  Taken by: cmd_bbv.c.

   A slice has a marker for its begin, an address and the number of its
   execution (lines S: and M:), and a vector (line T:).  All instructions of a
   block belong to the slice in which the block began.  REP instructions are not
   used as markers: each repetition would be an execution. */

#include "cmd/simpoint/slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct RunSlices {
   const Program*     g;
   const DcfgProcess* p;
   FILE*              out;
   uint64_t           size;
   const bool*        heads;
   uint64_t           n_slices;
   uint64_t           instrs;       // in the present slice
   uint64_t           all_instrs;
   uint64_t*          in_slice;     // for each node: instructions in the slice
   uint32_t*          nodes;        // nodes whose number is not 0
   uint32_t           n_nodes;
   uint64_t*          executions;   // for each node
};

RunSlices* slices_new(const Program* g, FILE* out, uint64_t size,
                   const bool* heads, uint32_t thread)
{
   RunSlices* s = zalloc(1, sizeof(*s));

   s->g = g;
   s->p = g->p;
   s->out = out;
   s->size = size;
   s->heads = heads;
   s->in_slice = zalloc(s->p->n_nodes, sizeof(*s->in_slice));
   s->nodes = zalloc(s->p->n_nodes, sizeof(*s->nodes));
   s->executions = zalloc(s->p->n_nodes, sizeof(*s->executions));
   fputs("I: 0\n", out);
   if (thread != DCFG_ALL_THREADS)
      fprintf(out, "P: %" PRIu32 "\n", thread);
   fprintf(out, "C: sum:dummy Command: %s\n", program_name(g));
   return s;
}

/* Write the marker of a slice.  A path with blanks would not be one field, and
   a path that must be cleaned would name another file. */
static void put_marker(RunSlices* s, uint32_t node)
{
   const DcfgNode* n = &s->p->nodes[node];
   const char*     path = image_path(s->g, n->image);
   const char*     source = node_source(s->g, node);
   uint64_t        low = n->image < s->p->n_images
                         ? s->p->images[n->image].load_addr : 0;

   if (path[0] != '/' || strchr(path, ' ') != NULL
       || strcmp(path, image_file(s->g, n->image)) != 0) {
      fprintf(s->out, "M: 0x%" PRIx64 " %" PRIu64 " no_image 0\n", n->addr,
              s->executions[node] + 1);
      return;
   }
   fprintf(s->out, "S: 0x%" PRIx64 " %" PRIu64 " %s 0x%" PRIx64 " + 0x%"
           PRIx64 " # %s\n", n->addr, s->executions[node] + 1, path, low,
           n->addr - low, source[0] != 0 ? source : "Unknown:0");
}

COMPARE(by_number, uint32_t, ORDER(*x, *y))

/* Return the file's number of a block. */
static uint32_t block_id(const RunSlices* s, uint32_t node)
{
   return s->p->nodes[node].id;
}

static void put_vector(RunSlices* s)
{
   qsort(s->nodes, s->n_nodes, sizeof(*s->nodes), by_number);
   fprintf(s->out, "# Slice ending at %" PRIu64 "\nT", s->all_instrs);
   for (uint32_t i = 0; i < s->n_nodes; i++) {
      uint32_t node = s->nodes[i];
      fprintf(s->out, ":%" PRIu32 ":%" PRIu64 " ", block_id(s, node),
              s->in_slice[node]);
      s->in_slice[node] = 0;
   }
   putc('\n', s->out);
   s->n_slices++;
   s->n_nodes = 0;
   s->instrs = 0;
}

static bool repeats(const RunSlices* s, uint32_t node)
{
   uint32_t edge = dcfg_edge_between(s->p, node, node);

   return edge != DCFG_NONE && s->p->edges[edge].type == DCFG_EDGE_REP;
}

void slices_block(RunSlices* s, uint32_t node)
{
   const DcfgNode* n = &s->p->nodes[node];

   if (n->kind != DCFG_NODE_BLOCK)
      return;
   if (s->instrs >= s->size && (s->heads == NULL || s->heads[node])
       && !repeats(s, node))
      put_vector(s);
   if (s->instrs == 0 && s->n_nodes == 0)
      put_marker(s, node);
   if (s->in_slice[node] == 0 && n->n_instrs > 0)
      s->nodes[s->n_nodes++] = node;
   s->in_slice[node] += n->n_instrs;
   s->instrs += n->n_instrs;
   s->all_instrs += n->n_instrs;
   s->executions[node]++;
}

uint64_t slices_end(RunSlices* s)
{
   uint64_t n;

   if (s->n_nodes > 0)
      put_vector(s);
   n = s->n_slices;
   fprintf(s->out, "Dynamic instruction count %" PRIu64 "\nSliceSize: %"
           PRIu64 "\n", s->all_instrs, s->size);
   for (uint32_t i = 0; i < s->p->n_blocks; i++) {
      const DcfgNode* b = &s->p->nodes[i];
      if (s->executions[i] > 0)
         fprintf(s->out, "Block id: %" PRIu32 " 0x%" PRIx64 ":0x%" PRIx64
                 " static instructions: %" PRIu32 " block count: %" PRIu64
                 " block size: %" PRIu32 "\n", block_id(s, i), b->addr,
                 b->addr + b->last_offset, b->n_instrs, s->executions[i],
                 b->size);
   }
   free(s->in_slice);
   free(s->nodes);
   free(s->executions);
   free(s);
   return n;
}
