/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of reports that need a trace. */

/* Owns: the section of iterations of each entry to a loop.  Handed: a trace by
   cmd_report.c.  Taken by: cmd_report.c. */

#include "cmd/shared/loop_trips.h"
#include "cmd/report/report_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- Iterations of each entry                             ---*/

static const char* describe_bins(const LoopTrips* t)
{
   const char* text = "";

   for (int i = 0; i < TRIP_BINS; i++) {
      uint64_t low = (uint64_t)1 << i, high = low + (low - 1);
      if (t->bins[i] == 0)
         continue;
      text = text_format("%s%s%s", text, text[0] != 0 ? "  " : "",
                         text_count(low));
      if (high > low)
         text = text_format("%s-%s", text, text_count(high));
      text = text_format("%s: %s", text, text_count(t->bins[i]));
   }
   return text;
}

typedef
   struct {
      uint64_t instrs;
      uint32_t loop;
   }
   Hot;

static int by_instrs(const void* a, const void* b)
{
   const Hot* x = a;
   const Hot* y = b;

   return x->instrs > y->instrs ? -1 : x->instrs < y->instrs ? 1
          : x->loop < y->loop ? -1 : x->loop > y->loop;
}

static void put_trips(const View* v, Table* t, uint32_t loop, const LoopTrips* s)
{
   const DcfgLoop* l = &v->g->p->loops[loop];

   put_count(t, s->entries);
   put_count(t, s->iterations);
   put_count(t, s->least);
   put_count(t, s->most);
   put_text(t, node_source(v->g, l->head));
   put_name(t, routine_name(v->g, l->routine),
            routine_symbol(v->g, l->routine));
   put_text(t, describe_bins(s));
   put_count(t, v->g->p->nodes[l->head].id);
}

static Table* trips_table(const View* v, uint32_t* n)
{
   const DcfgProcess* p = v->g->p;
   Functions*         f = functions_new(v->g);
   LoopTrips**        trips = loop_trips(f, v->trace, v->thread);
   Hot*               hot = zalloc(p->n_loops, sizeof(*hot));
   Table*             t = tab_new("trips");

   *n = 0;
   for (uint32_t i = 0; i < p->n_loops; i++)
      if (trips[i] != NULL && is_selected(v->selected, p->loops[i].head))
         hot[(*n)++] = (Hot){ dcfg_loop_instrs(p, i, v->thread), i };
   qsort(hot, *n, sizeof(*hot), by_instrs);
   tab_column(t, COL_COUNT, "entries", "entries", 0);
   tab_column(t, COL_COUNT, "iterations", "iterations", 0);
   tab_column(t, COL_COUNT, "least", "least", 0);
   tab_column(t, COL_COUNT, "most", "most", 0);
   tab_column(t, COL_TEXT, "source", "head", v->source_width);
   tab_column(t, COL_NAME, "routine", "routine", v->name_width);
   tab_column(t, COL_TEXT, "histogram", "iterations: entries", 0);
   tab_column(t, COL_COUNT, "node_id", "node", 0);
   for (uint32_t i = 0; i < n_shown(v, *n); i++)
      put_trips(v, t, hot[i].loop, trips[hot[i].loop]);
   loop_trips_free(f, trips);
   free(hot);
   functions_free(f);
   return t;
}

const ReportSection report_section_trips = {
   .option = { "trips", OPT_FLAG, NULL, NULL,
               "loops, by the iterations of each entry; needs TRACE" },
   .name = "trips", .title = "loops, by iterations of each entry",
   .remark = "", .place = 4, .needs_trace = true, .make = trips_table
};
