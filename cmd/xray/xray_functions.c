/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of the functions of an XRay log, and of those that changed between two logs. */

/* Owns: the form functions; matching the functions of two logs, and the changes.
   Handed: logs that have been read, with the numbers of their functions.

   Ids differ from run to run.  Functions of two logs with one name, in objects with
   one file name, are matched, and their numbers are added.  Functions without a
   name are matched by id. */

#include "cmd/xray/xray_views.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*--- Functions of a log                                   ---*/

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
static size_t choose_functions(const XrayShow* show, XrayRun* run,
                               const XrayNames* names)
{
   size_t n = 0;

   if (run->n_pairs == 0)
      return 0;
   qsort(run->pairs, run->n_pairs, sizeof(*run->pairs), by_function);
   for (size_t i = 0; i < run->n_pairs; i++) {
      XrayFigures f = run->pairs[i];
      if ((show->thread != 0
           && run->threads[f.thread].id != (int32_t)show->thread)
          || f.calls == 0 || !xray_is_wanted(names, f.function)) {
         spread_free(&run->pairs[i].spread);
         continue;
      }
      if (n > 0 && !show->per_thread
          && run->pairs[n - 1].function == f.function)
         add_figures(&run->pairs[n - 1], &f);
      else
         run->pairs[n++] = f;
   }
   run->n_pairs = n;
   qsort(run->pairs, n, sizeof(*run->pairs), by_sum);
   return n;
}

uint64_t xray_total(const XrayShow* show, const XrayRun* run)
{
   uint64_t total = 0;

   for (size_t i = 0; i < run->n_threads; i++) {
      const XrayThreadFigures* t = &run->threads[i];
      if (t->begun && (show->thread == 0 || t->id == (int32_t)show->thread))
         total = capped_sum(total, ticks_between(t->first, t->last));
   }
   return total;
}

static Table* make_table(const XrayShow* show, void* state, XrayRun* run,
                         const XrayNames* names, uint64_t* n_functions)
{
   static const struct { const char* key; double rank; } ranks[] = {
      { "min", 0 }, { "median", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }
   };
   Table*   t = tab_new("functions");
   uint64_t total = xray_total(show, run);
   int      n_ranks = show->form == FORM_TEXT ? 2 : 4;
   size_t   n = choose_functions(show, run, names);

   tab_column(t, COL_SHARE, "share", "share", 0);
   if (show->per_thread)
      tab_column(t, COL_COUNT, "thread", "thread", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   tab_column(t, COL_COUNT, "sum", "sum", 0);
   if (show->form != FORM_TEXT)
      tab_column(t, COL_COUNT, "inclusive", "inclusive", 0);
   tab_column(t, COL_COUNT, "self", "self", 0);
   for (int k = 0; k < n_ranks; k++)
      tab_column(t, COL_COUNT, ranks[k].key, ranks[k].key, 0);
   tab_column(t, COL_COUNT, "max", "max", 0);
   tab_column(t, COL_NAME, "function", "function", show->wide ? 0 : 40);
   tab_column(t, COL_TEXT, "source", "source", show->wide ? 0 : 28);
   tab_column(t, COL_TEXT, "image", "image", show->wide ? 0 : 24);
   if (show->form != FORM_TEXT)
      tab_column(t, COL_COUNT, "function_id", "id", 0);
   for (size_t i = 0; i < n && (show->top == 0 || i < show->top); i++) {
      XrayFigures* f = &run->pairs[i];
      put_share(t, f->inclusive, total);
      if (show->per_thread)
         put_count(t, (uint32_t)run->threads[f->thread].id);
      put_count(t, f->calls);
      put_count(t, f->sum);
      if (show->form != FORM_TEXT)
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
      if (show->form != FORM_TEXT)
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

/*--- Two logs                                             ---*/

typedef
   struct {
      uint64_t calls, inclusive, self;
   }
   Figures;

/* Item: a function in log A, in B or in both. */
typedef
   struct {
      const char* name;
      const char* image;
      const char* source;
      bool        in[2];
      Figures     run[2];
   }
   Function;

typedef
   struct {
      Function* all;
      size_t    n, room;
   }
   List;

static void add_run(List* l, const XrayRun* run, const XrayNames* names,
                    int side)
{
   for (size_t i = 0; i < run->n_pairs; i++) {
      const XrayFigures* p = &run->pairs[i];
      Function           f = {
         .name = xray_name(names, p->function),
         .image = xray_image(names, p->function),
         .source = xray_source(names, p->function)
      };
      if (!xray_is_wanted(names, p->function))
         continue;
      f.in[side] = true;
      f.run[side] = (Figures){ p->calls, p->inclusive, p->self };
      GROW(l->all, l->n, l->room);
      l->all[l->n++] = f;
   }
}

COMPARE(by_name, Function,
        strcmp(x->image, y->image) ?: strcmp(x->name, y->name))

/* Merge equal functions. */
static void join(List* l)
{
   size_t n = 0;

   if (l->n > 0)
      qsort(l->all, l->n, sizeof(*l->all), by_name);
   for (size_t i = 0; i < l->n; i++) {
      const Function* f = &l->all[i];
      Function*       to;
      if (n == 0 || by_name(&l->all[n - 1], f) != 0) {
         l->all[n++] = *f;
         continue;
      }
      to = &l->all[n - 1];
      for (int s = 0; s < 2; s++) {
         to->in[s] = to->in[s] || f->in[s];
         to->run[s].calls = capped_sum(to->run[s].calls, f->run[s].calls);
         to->run[s].inclusive = capped_sum(to->run[s].inclusive,
                                           f->run[s].inclusive);
         to->run[s].self = capped_sum(to->run[s].self, f->run[s].self);
      }
      if (f->in[1] || to->source[0] == 0)
         to->source = f->source;
   }
   l->n = n;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
   return a > b ? a - b : b - a;
}

static bool is_change(const Function* f, double share)
{
   const Figures* a = &f->run[0];
   const Figures* b = &f->run[1];

   return f->in[0] != f->in[1]
          || (double)distance(a->inclusive, b->inclusive)
             > share / 100 * (double)a->inclusive
          || (double)distance(a->self, b->self)
             > share / 100 * (double)a->self
          || (double)distance(a->calls, b->calls)
             > share / 100 * (double)a->calls;
}

static int by_distance(const void* x, const void* y)
{
   const Function* f = x;
   const Function* g = y;
   uint64_t        m = distance(f->run[0].inclusive, f->run[1].inclusive);
   uint64_t        n = distance(g->run[0].inclusive, g->run[1].inclusive);

   if (m == n) {
      m = distance(f->run[0].self, f->run[1].self);
      n = distance(g->run[0].self, g->run[1].self);
   }
   return m != n ? (m > n ? -1 : 1) : by_name(f, g);
}

static const char* change_text(const Function* f)
{
   double a = (double)f->run[0].inclusive, b = (double)f->run[1].inclusive;
   double percent;

   if (!f->in[0])
      return "new";
   if (!f->in[1])
      return "gone";
   if (a == b)
      return "0";
   if (a == 0)
      return "";
   percent = 100 * (b - a) / a;
   if (fabs(percent) >= 1000)
      return text_format("x%.0f", b / a);
   return text_format("%+.*f%%", fabs(percent) < 9.95 ? 1 : 0, percent);
}

Table* xray_diff_table(const XrayRun* a, const XrayNames* names_a,
                       const XrayRun* b, const XrayNames* names_b,
                       double share, uint64_t top, bool wide,
                       uint64_t* changes, uint64_t* functions)
{
   static const char* const keys[][2] = {
      { "instructions_a", "instructions_b" }, { "calls_a", "calls_b" },
      { "self_a", "self_b" }
   };
   static const char* const heads[][2] = {
      { "A", "B" }, { "calls A", "calls B" }, { "self A", "self B" }
   };
   List   l = { 0 };
   Table* t = tab_new("functions");
   size_t n = 0;

   tab_column(t, COL_TEXT, "change", "change", 0);
   for (int k = 0; k < 3; k++)
      for (int s = 0; s < 2; s++)
         tab_column(t, COL_COUNT, keys[k][s], heads[k][s], 0);
   tab_column(t, COL_NAME, "function", "function", wide ? 0 : 40);
   tab_column(t, COL_TEXT, "source", "source", wide ? 0 : 28);
   tab_column(t, COL_TEXT, "image", "image", wide ? 0 : 24);
   add_run(&l, a, names_a, 0);
   add_run(&l, b, names_b, 1);
   join(&l);
   *functions = l.n;
   for (size_t i = 0; i < l.n; i++)
      if (is_change(&l.all[i], share))
         l.all[n++] = l.all[i];
   if (n > 0)
      qsort(l.all, n, sizeof(*l.all), by_distance);
   *changes = n;
   for (size_t i = 0; i < n && (top == 0 || i < top); i++) {
      const Function* f = &l.all[i];
      put_text(t, change_text(f));
      for (int s = 0; s < 2; s++)
         put_count(t, f->run[s].inclusive);
      for (int s = 0; s < 2; s++)
         put_count(t, f->run[s].calls);
      for (int s = 0; s < 2; s++)
         put_count(t, f->run[s].self);
      put_text(t, f->name);
      put_text(t, f->source);
      put_text(t, f->image);
   }
   free(l.all);
   return t;
}
