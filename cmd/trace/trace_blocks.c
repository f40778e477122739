/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A trace as blocks. */

/* Owns: the form blocks.  Handed: edges in their order. */

#include "cmd/trace/trace_views.h"

#include "cmd/base/table.h"
#include "cmd/base/csv.h"

#include <inttypes.h>
#include <stdio.h>

static void show_block(Show* s, const DcfgEdge* e)
{
   const DcfgNode* n = &s->p->nodes[e->target];
   const char*     source;
   uint64_t        position = s->position + s->p->nodes[e->source].n_instrs;

   if (n->kind != DCFG_NODE_BLOCK)
      return;
   source = source_of(s, e->target);
   if (s->csv) {
      printf("%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",0x%" PRIx64 ",%" PRIu32
             ",", s->thread, position, n->id, n->addr, n->n_instrs);
      print_csv_string(name_of(s, e->target));
      putchar(',');
      print_csv_string(source);
      putchar('\n');
      return;
   }
   printf("%14s  %8" PRIu32 "  %#14" PRIx64 "  %6" PRIu32 "  %s%s%s\n",
          text_count(position), n->id, n->addr, n->n_instrs,
          name_of(s, e->target), source[0] != 0 ? "  " : "", source);
}

/* Show the first block, which is no edge's target. */
static void begin(Show* s, const DcfgEdge* e)
{
   DcfgEdge       first = *e;
   const uint64_t at = s->position;

   first.target = e->source;
   s->position -= s->p->nodes[e->source].n_instrs;
   show_block(s, &first);
   s->position = at;
}

const TraceForm trace_form_blocks = {
   .choice = { "blocks", "each block executed", NULL },
   .csv_header = "thread,instruction,node_id,address,instructions,name,source",
   .header = "   instruction     block         address  instrs  name",
   .begin = begin, .show = show_block
};
