/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of reports that need a trace. */

/* Owns: what functions cost with what they called, and iterations of each entry
   to a loop.  Handed: a trace by cmd_report.c.  Taken by: cmd_report.c. */

#include "cmd/shared/call_walk.h"
#include "cmd/report/report_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- Functions with what they called                      ---*/

typedef
   struct {
      uint64_t calls, self, all;
      uint64_t from;            // when the outermost active call began
      uint32_t active;
      uint32_t function;
   }
   Spent;

typedef
   struct {
      Spent*    spent;          // by function
      uint32_t* open;           // functions of active calls
      size_t    n, room;
      uint64_t  last;
   }
   Costs;

static void spend(Costs* c, uint64_t at)
{
   if (c->n > 0)
      c->spent[c->open[c->n - 1]].self += at - c->last;
   c->last = at;
}

static void costs_begin(void* arg, uint32_t thread)
{
   Costs* c = arg;

   (void)thread;
   c->last = 0;
}

static void costs_enter(void* arg, uint32_t function, uint64_t at)
{
   Costs* c = arg;
   Spent* s = &c->spent[function];

   spend(c, at);
   GROW(c->open, c->n, c->room);
   c->open[c->n++] = function;
   s->calls++;
   if (s->active++ == 0)
      s->from = at;
}

static void costs_leave(void* arg, uint64_t at)
{
   Costs* c = arg;
   Spent* s = &c->spent[c->open[c->n - 1]];

   spend(c, at);
   c->n--;
   if (--s->active == 0)
      s->all += at - s->from;
}

static int by_all(const void* a, const void* b)
{
   const Spent* x = a;
   const Spent* y = b;

   return x->all > y->all ? -1 : x->all < y->all ? 1
          : x->function < y->function ? -1 : x->function > y->function;
}

static Table* inclusive_table(const View* v, uint32_t* n)
{
   const DcfgProcess* p = v->g->p;
   Functions*         f = functions_new(v->g);
   Costs              c = { .spent = zalloc(f->n, sizeof(Spent)) };
   CallWatcher        w = { .begin = costs_begin, .enter = costs_enter,
                            .leave = costs_leave, .all = true, .arg = &c };
   uint64_t           total = walk_calls(f, v->trace, v->thread, &w);
   Table*             t = tab_new("functions");

   *n = 0;
   for (uint32_t i = 0; i < f->n; i++) {
      c.spent[i].function = i;
      if (c.spent[i].all > 0 && is_selected(v->selected, f->nodes[i]))
         c.spent[(*n)++] = c.spent[i];
   }
   qsort(c.spent, *n, sizeof(*c.spent), by_all);
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "inclusive", "inclusive", 0);
   tab_column(t, COL_COUNT, "self", "self", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   tab_column(t, COL_NAME, "function", "function", v->name_width);
   tab_column(t, COL_TEXT, "source", "source", v->source_width);
   tab_column(t, COL_TEXT, "image", "image", 24);
   for (uint32_t i = 0; i < n_shown(v, *n); i++) {
      const Spent* s = &c.spent[i];
      uint32_t     node = f->nodes[s->function];
      put_share(t, s->all, total);
      put_count(t, s->all);
      put_count(t, s->self);
      put_count(t, s->calls);
      put_text(t, function_name(f, s->function));
      put_text(t, node_source(v->g, node));
      put_text(t, image_name(v->g, p->nodes[node].image));
   }
   free(c.spent);
   free(c.open);
   functions_free(f);
   return t;
}

/*--- Iterations of each entry                             ---*/

/* How often an entry had 1, 2 to 3, 4 to 7 iterations, and so on. */
#define N_BINS 64

typedef
   struct {
      uint64_t entries, iterations, least, most;
      uint64_t bins[N_BINS];
   }
   Trips;

/* A loop that is being executed by the call at a depth; the same loop may be
   at another depth, too. */
typedef
   struct {
      uint64_t iterations;
      size_t   depth;
      uint32_t loop;
      uint32_t before;          // the Turning before for the same loop, as its
                                // index; or DCFG_NONE
   }
   Turning;

typedef
   struct {
      const DcfgProcess* p;
      Trips**            trips; // by loop; NULL: not entered
      uint32_t*          last;  // by loop: place in .turning; DCFG_NONE
      Turning*           turning;
      size_t             n, room;
   }
   Loops;

/* The loop on top has ended, or the thread has. */
static void end_loop(Loops* l)
{
   const Turning* top = &l->turning[--l->n];
   Trips*         t = l->trips[top->loop];
   int            bin = 63 - __builtin_clzll(top->iterations);

   l->last[top->loop] = top->before;
   if (t == NULL) {
      t = l->trips[top->loop] = zalloc(1, sizeof(*t));
      t->least = UINT64_MAX;
   }
   t->entries++;
   t->iterations += top->iterations;
   t->bins[bin]++;
   if (top->iterations < t->least)
      t->least = top->iterations;
   if (top->iterations > t->most)
      t->most = top->iterations;
}

/* Did control come to the head from within the loop?  From what it called, it
   comes from the block that called. */
static bool is_inside(const DcfgProcess* p, uint32_t loop, const DcfgEdge* e)
{
   uint32_t        n;
   const uint32_t* in;

   if (e->type != DCFG_EDGE_RETURN)
      return dcfg_loop_contains(p, loop, e->source);
   in = dcfg_in_edges(p, e->target, &n);
   for (uint32_t i = 0; i < n; i++)
      if (p->edges[in[i]].type == DCFG_EDGE_CALL_BYPASS
          && dcfg_loop_contains(p, loop, p->edges[in[i]].source))
         return true;
   return false;
}

static void loops_edge(void* arg, const DcfgEdge* e, size_t depth)
{
   Loops*   l = arg;
   uint32_t loop, at;

   while (l->n > 0 && l->turning[l->n - 1].depth > depth)
      end_loop(l);
   loop = dcfg_loop_by_head(l->p, e->target);
   if (loop == DCFG_NONE)
      return;
   at = l->last[loop];
   if (is_inside(l->p, loop, e) && at != DCFG_NONE) {
      l->turning[at].iterations++;
      return;
   }
   /* Entered anew by the same call: what it entered before is over, and so is
      what came behind that in this call. */
   while (at != DCFG_NONE && l->turning[at].depth == depth && l->n > at)
      end_loop(l);
   GROW(l->turning, l->n, l->room);
   l->turning[l->n] = (Turning){ 1, depth, loop, l->last[loop] };
   l->last[loop] = (uint32_t)l->n++;
}

static void loops_end(void* arg, uint64_t at)
{
   Loops* l = arg;

   (void)at;
   while (l->n > 0)
      end_loop(l);
}

static const char* describe_bins(const Trips* t)
{
   const char* text = "";

   for (int i = 0; i < N_BINS; i++) {
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

static void put_trips(const View* v, Table* t, uint32_t loop, const Trips* s)
{
   const DcfgLoop* l = &v->g->p->loops[loop];

   put_count(t, s->entries);
   put_count(t, s->iterations);
   put_count(t, s->least);
   put_count(t, s->most);
   put_text(t, node_source(v->g, l->head));
   put_text(t, routine_name(v->g, l->routine));
   put_text(t, describe_bins(s));
   put_count(t, v->g->p->nodes[l->head].id);
}

static Table* trips_table(const View* v, uint32_t* n)
{
   const DcfgProcess* p = v->g->p;
   Functions*         f = functions_new(v->g);
   Loops              l = { .p = p };
   CallWatcher        w = { .edge = loops_edge, .end = loops_end, .arg = &l };
   Hot*               hot = zalloc(p->n_loops, sizeof(*hot));
   Table*             t = tab_new("trips");

   l.trips = zalloc(p->n_loops, sizeof(*l.trips));
   l.last = zalloc(p->n_loops, sizeof(*l.last));
   memset(l.last, 0xFF, p->n_loops * sizeof(*l.last));
   walk_calls(f, v->trace, v->thread, &w);
   *n = 0;
   for (uint32_t i = 0; i < p->n_loops; i++)
      if (l.trips[i] != NULL && is_selected(v->selected, p->loops[i].head))
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
      put_trips(v, t, hot[i].loop, l.trips[hot[i].loop]);
   for (uint32_t i = 0; i < p->n_loops; i++)
      free(l.trips[i]);
   free(l.trips);
   free(l.last);
   free(l.turning);
   free(hot);
   functions_free(f);
   return t;
}

const ReportSection report_section_functions = {
   .option = { "inclusive", OPT_FLAG, NULL, NULL,
               "functions of the source with all that they called; this and "
               "the next one need TRACE" },
   .name = "functions", .title = "functions, with what they called",
   .remark = "", .place = 2, .needs_trace = true, .make = inclusive_table
};

const ReportSection report_section_trips = {
   .option = { "trips", OPT_FLAG, NULL, NULL,
               "of loops, how many iterations each entry had" },
   .name = "trips", .title = "loops, by iterations of each entry",
   .remark = "", .place = 4, .needs_trace = true, .make = trips_table
};
