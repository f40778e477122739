/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A trace as edges. */

/* Owns: the form edges.  Handed: edges in their order. */

#include "cmd/trace/trace_views.h"

#include "cmd/base/table.h"
#include "cmd/base/csv.h"

#include <inttypes.h>
#include <stdio.h>

static void show_edge(Show* s, const DcfgEdge* e)
{
   if (s->csv) {
      printf("%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%s,%" PRIu32 ",%" PRIu32
             ",", s->thread, s->position, e->id, dcfg_edge_type_text(e->type),
             s->p->nodes[e->source].id, s->p->nodes[e->target].id);
      print_csv_string(name_of(s, e->source));
      putchar(',');
      print_csv_string(name_of(s, e->target));
      putchar('\n');
      return;
   }
   printf("%14s  %8" PRIu32 "  %-27.27s  %s -> %s\n", text_count(s->position),
          e->id, dcfg_edge_type_text(e->type), name_of(s, e->source),
          name_of(s, e->target));
}

static bool wants(const Show* s, const DcfgEdge* e)
{
   return is_selected(s->sel, e->source);
}

const TraceForm trace_form_edges = {
   .choice = { "edges", "each edge", NULL },
   .csv_header = "thread,instruction,edge_id,type,from_node_id,to_node_id,from,"
                 "to",
   .header = "   instruction      edge  type                         "
             "from -> to",
   .wants = wants, .show = show_edge
};
