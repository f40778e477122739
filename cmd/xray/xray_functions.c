/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Table of functions of XRay logs. */

/* Owns: the table of functions.  Handed: a log that has been read. */

#include "cmd/xray/xray_views.h"

#include <stdlib.h>

/* Merge the threads of a function: the first element has the sum, the others
   are empty. */
COMPARE(by_function, XrayFigures, UP(function) ?: UP(thread))

COMPARE(by_sum, XrayFigures, DOWN(inclusive) ?: DOWN(sum) ?: by_function(x, y))

static void add_figures(XrayFigures* to, XrayFigures* from)
{
   to->calls += from->calls;
   to->sum = capped_sum(to->sum, from->sum);
   to->inclusive = capped_sum(to->inclusive, from->inclusive);
   to->self = capped_sum(to->self, from->self);
   spread_move(&to->spread, &from->spread);
}

/* Move the selected functions to the begin of run->pairs, largest first.
   Return their number. */
static size_t choose_functions(const XrayShow* s, XrayRun* run,
                               const XrayNames* names)
{
   size_t n = 0;

   if (run->n_pairs == 0)
      return 0;
   qsort(run->pairs, run->n_pairs, sizeof(*run->pairs), by_function);
   for (size_t i = 0; i < run->n_pairs; i++) {
      XrayFigures f = run->pairs[i];
      if ((s->thread != 0
           && run->threads[f.thread].id != (int32_t)s->thread)
          || f.calls == 0 || !xray_is_wanted(names, f.function)) {
         spread_free(&run->pairs[i].spread);
         continue;
      }
      if (n > 0 && !s->per_thread && run->pairs[n - 1].function == f.function)
         add_figures(&run->pairs[n - 1], &f);
      else
         run->pairs[n++] = f;
   }
   run->n_pairs = n;
   qsort(run->pairs, n, sizeof(*run->pairs), by_sum);
   return n;
}

uint64_t xray_total(const XrayShow* s, const XrayRun* run)
{
   uint64_t total = 0;

   for (size_t i = 0; i < run->n_threads; i++) {
      const XrayThreadFigures* t = &run->threads[i];
      if (t->begun && (s->thread == 0 || t->id == (int32_t)s->thread))
         total = capped_sum(total, ticks_between(t->first, t->last));
   }
   return total;
}

static Table* make_table(const XrayShow* s, void* state, XrayRun* run,
                         const XrayNames* names, uint64_t* n_functions)
{
   static const struct { const char* key; double rank; } ranks[] = {
      { "min", 0 }, { "median", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }
   };
   Table*   t = tab_new("functions");
   uint64_t total = xray_total(s, run);
   int      n_ranks = s->form == FORM_TEXT ? 2 : 4;
   size_t   n = choose_functions(s, run, names);

   tab_column(t, COL_SHARE, "share", "share", 0);
   if (s->per_thread)
      tab_column(t, COL_COUNT, "thread", "thread", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   tab_column(t, COL_COUNT, "sum", "sum", 0);
   if (s->form != FORM_TEXT)
      tab_column(t, COL_COUNT, "inclusive", "inclusive", 0);
   tab_column(t, COL_COUNT, "self", "self", 0);
   for (int k = 0; k < n_ranks; k++)
      tab_column(t, COL_COUNT, ranks[k].key, ranks[k].key, 0);
   tab_column(t, COL_COUNT, "max", "max", 0);
   tab_column(t, COL_NAME, "function", "function", s->wide ? 0 : 40);
   tab_column(t, COL_TEXT, "source", "source", s->wide ? 0 : 28);
   tab_column(t, COL_TEXT, "image", "image", s->wide ? 0 : 24);
   if (s->form != FORM_TEXT)
      tab_column(t, COL_COUNT, "function_id", "id", 0);
   for (size_t i = 0; i < n && (s->top == 0 || i < s->top); i++) {
      XrayFigures* f = &run->pairs[i];
      put_share(t, f->inclusive, total);
      if (s->per_thread)
         put_count(t, (uint32_t)run->threads[f->thread].id);
      put_count(t, f->calls);
      put_count(t, f->sum);
      if (s->form != FORM_TEXT)
         put_count(t, f->inclusive);
      put_count(t, f->self);
      for (int k = 0; k < n_ranks; k++)
         put_count(t, spread_at(&f->spread, (uint64_t)
                                ((double)f->calls * ranks[k].rank)));
      put_count(t, spread_at(&f->spread, f->calls - 1));
      put_name(t, xray_name(names, f->function),
               xray_symbol(names, f->function));
      put_text(t, xray_source(names, f->function));
      put_text(t, xray_image(names, f->function));
      if (s->form != FORM_TEXT)
         put_count(t, f->function);
   }
   (void)state;
   *n_functions = n;
   return t;
}

const XrayForm xray_form_functions = {
   .choice = { "functions", "functions, by all that they called", NULL },
   .rows = "functions", .table = make_table
};
