/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions in reports: inlined ones, and what functions cost with callees. */

/* Owns: the sections inline, sites and functions.  Handed: a process by
   cmd_report.c, and for inclusive costs its trace. */

#include "cmd/report/report_views.h"

#include "cmd/program/inline_view.h"
#include "cmd/calls/called.h"
#include "cmd/calls/inline_walk.h"
#include "cmd/calls/call_walk.h"

/* Line: a future row of a table. */
typedef
   struct {
      uint64_t instrs, second;
      uint32_t index;
   }
   Line;

COMPARE(by_instrs, Line, DOWN(instrs) ?: DOWN(second) ?: UP(index))

typedef
   struct {
      Functions*  f;
      InlineSums* sums;
      Line*       lines;
      uint32_t    n;
   }
   Listed;

static Listed list_begin(const View* v)
{
   Listed l = { .f = functions_new(v->g) };
   size_t most;

   l.sums  = inline_sums_new(l.f, v->inlined, v->selected, v->thread);
   most    = l.sums->n_functions > l.sums->n_scopes ? l.sums->n_functions
             : l.sums->n_scopes;
   l.lines = zalloc(most + 1, sizeof(*l.lines));
   return l;
}

static void list_end(Listed* l)
{
   free(l->lines);
   inline_sums_free(l->sums);
   functions_free(l->f);
}

static void sort_lines(Listed* l)
{
   qsort(l->lines, l->n, sizeof(*l->lines), by_instrs);
}

/*--- Functions, inlined or not                            ---*/

/* Put a function of the source: its name, source line and image. */
static void put_source_function(const View* v, Table* t, const InlineSums* sums,
                                uint32_t function)
{
   const FunctionSum* s = &sums->functions[function];
   const char*        source = inlined_source(v->inlined->in, function);

   put_text(t, inlined_name(v->inlined->in, function));
   put_text(t, source[0] != 0 || s->node == DCFG_NONE ? source
            : node_source(v->g, s->node));
   put_text(t, image_name(v->g, s->image));
}

static Table* functions_table(const View* v, uint32_t* n)
{
   Listed l = list_begin(v);
   Table* t = tab_new("inline");

   for (uint32_t i = 0; i < l.sums->n_functions; i++) {
      const FunctionSum* s = &l.sums->functions[i];
      if (s->instrs > 0 || s->entries > 0 || s->sites > 0)
         l.lines[l.n++] = (Line){ s->instrs, s->entries, i };
   }
   sort_lines(&l);
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "instructions", "instructions", 0);
   tab_column(t, COL_COUNT, "inlined", "inlined", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   tab_column(t, COL_COUNT, "entries", "entries", 0);
   tab_column(t, COL_COUNT, "sites", "sites", 0);
   tab_column(t, COL_NAME, "function", "function", v->name_width);
   tab_column(t, COL_TEXT, "source", "source", v->source_width);
   tab_column(t, COL_TEXT, "image", "image", 24);
   for (uint32_t i = 0; i < n_shown(v, l.n); i++) {
      const FunctionSum* s = &l.sums->functions[l.lines[i].index];
      put_share(t, s->instrs, v->total);
      put_count(t, s->instrs);
      put_count(t, s->inlined);
      put_count(t, s->calls);
      put_count(t, s->entries);
      put_count(t, s->sites);
      put_source_function(v, t, l.sums, l.lines[i].index);
   }
   *n = l.n;
   list_end(&l);
   return t;
}

/*--- Places where functions were inlined                  ---*/

static bool is_site_wanted(const View* v, uint32_t scope)
{
   uint32_t function = inlined_function(v->inlined->in, scope);

   return v->what[0] == 0
          || function_is(inlined_function_info(v->inlined->in, function)->name,
                         v->what);
}

static void put_site(const View* v, Table* t, const Listed* l, uint32_t scope)
{
   Inlined*        in = v->inlined->in;
   const ScopeSum* s = &l->sums->scopes[scope];
   uint32_t        outer = inlined_outer(in, scope);
   const char*     name;

   put_share(t, s->instrs, v->total);
   put_count(t, s->instrs);
   put_count(t, s->inclusive);
   put_count(t, s->entries);
   put_text(t, inlined_name(in, inlined_function(in, scope)));
   put_text(t, inlined_site(in, scope));
   name = inlined_name(in, inlined_function(in, outer));
   put_text(t, name[0] != '?' ? name : inlined_scope_name(in, outer));
   put_text(t, image_name(v->g, inlined_image(in, scope)));
   if (v->form != FORM_TEXT)
      put_text(t, inlined_around(in, scope));
}

static Table* sites_table(const View* v, uint32_t* n)
{
   Listed l = list_begin(v);
   Table* t = tab_new("sites");

   for (uint32_t i = 0; i < l.sums->n_scopes; i++) {
      const ScopeSum* s = &l.sums->scopes[i];
      if (is_executed_site(v->inlined->in, l.sums, i)
          && is_site_wanted(v, i))
         l.lines[l.n++] = (Line){ s->instrs, s->inclusive, i };
      text_forget();
   }
   sort_lines(&l);
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "instructions", "instructions", 0);
   tab_column(t, COL_COUNT, "inclusive", "inclusive", 0);
   tab_column(t, COL_COUNT, "entries", "entries", 0);
   tab_column(t, COL_NAME, "function", "function", v->name_width);
   tab_column(t, COL_TEXT, "site", "site", v->source_width);
   tab_column(t, COL_NAME, "in", "in", v->name_width);
   tab_column(t, COL_TEXT, "image", "image", 24);
   if (v->form != FORM_TEXT)
      tab_column(t, COL_TEXT, "around", "around", 0);
   for (uint32_t i = 0; i < n_shown(v, l.n); i++)
      put_site(v, t, &l, l.lines[i].index);
   *n = l.n;
   list_end(&l);
   return t;
}

const ReportSection report_section_inline = {
   .option = { "inline", OPT_FLAG, NULL, NULL,
               "functions of the source, inlined or not; --inclusive has "
               "inlined functions, too" },
   .name = "inline", .title = "functions, inlined or not", .remark = "",
   .place = 8, .inlines = true, .make = functions_table
};

const ReportSection report_section_sites = {
   .option = { "sites", OPT_TEXT_OR_NOT, NULL, "FUNCTION",
               "where functions, or FUNCTION, were inlined, and what each "
               "place costs" },
   .name = "sites", .title = "places where functions were inlined",
   .remark = "", .place = 9, .inlines = true, .make = sites_table
};

/*--- Functions with what they called                      ---*/

typedef
   struct {
      const View*     v;
      Functions*      f;
      InlineSums*     sums;     // with --inline; or NULL
      uint32_t        n;        // functions
      const uint32_t* numbers;  // with --inline, by function: its number in the
                                // source
      CostStack       stack;    // calls and instances, with costs
   }
   Costs;

static void begin(void* arg, uint32_t thread)
{
   Costs* c = arg;

   (void)thread;
   costs_begin(&c->stack);
}

static void enter(void* arg, uint32_t function, uint64_t at)
{
   Costs* c = arg;

   costs_enter(&c->stack, c->numbers[function], at);
   c->stack.spent[c->numbers[function]].calls++;
}

static void enter_inlined(void* arg, uint32_t scope, uint64_t at)
{
   Costs* c = arg;

   costs_enter(&c->stack, inlined_function(c->v->inlined->in, scope), at);
}

static void leave(void* arg, uint64_t at)
{
   Costs* c = arg;

   costs_leave(&c->stack, at);
}

static uint64_t walk_functions(Costs* c)
{
   uint64_t total;

   c->n           = c->f->n;
   c->stack.spent = function_costs(c->f, c->v->trace, c->v->thread, &total);
   return total;
}

static uint64_t walk_with_inlined(Costs* c)
{
   InlineView*   v = c->v->inlined;
   InlineWatcher w = { .begin = begin, .enter = enter,
                       .enter_inlined = enter_inlined, .leave = leave,
                       .all = true, .arg = c };
   uint32_t*     numbers = zalloc(c->f->n, sizeof(*numbers));
   uint64_t      total;

   walk_inlined_prepare(c->f, v);
   c->sums = inline_sums_new(c->f, v, c->v->selected, c->v->thread);
   for (uint32_t i = 0; i < c->f->n; i++)
      numbers[i] = source_function(c->f, v->pieces, c->f->nodes[i]);
   for (uint32_t i = 0; i < inlined_scopes(v->in); i++)
      inlined_function(v->in, i);
   c->numbers     = numbers;
   c->n           = inlined_functions(v->in);
   c->stack.spent = zalloc(c->n, sizeof(*c->stack.spent));
   total          = walk_inlined(c->f, v, c->v->trace, c->v->thread, &w);
   free(numbers);
   return total;
}

COMPARE(by_all, FunctionCost, DOWN(all) ?: UP(function))

static bool has_costs(const Costs* c, uint32_t function)
{
   const InlineSums* s = c->sums;

   if (c->stack.spent[function].all == 0)
      return false;
   if (s == NULL)
      return is_selected(c->v->selected, c->f->nodes[function]);
   return function < s->n_functions
          && (s->functions[function].instrs > 0
              || s->functions[function].entries > 0);
}

static void put_function(const Costs* c, Table* t, uint32_t function)
{
   const View* v = c->v;

   if (c->sums != NULL) {
      put_source_function(v, t, c->sums, function);
   } else {
      uint32_t node = c->f->nodes[function];
      put_name(t, function_name(c->f, function),
               function_symbol_name(c->f, function));
      put_text(t, node_source(v->g, node));
      put_text(t, image_name(v->g, v->g->p->nodes[node].image));
   }
}

/* Return an empty table; ENTRIES: with their number. */
static Table* costs_table(const View* v, bool entries)
{
   Table* t = tab_new("functions");

   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "inclusive", "inclusive", 0);
   tab_column(t, COL_COUNT, "self", "self", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   if (entries)
      tab_column(t, COL_COUNT, "entries", "entries", 0);
   tab_column(t, COL_NAME, "function", "function", v->name_width);
   tab_column(t, COL_TEXT, "source", "source", v->source_width);
   tab_column(t, COL_TEXT, "image", "image", 24);
   return t;
}

static Table* inclusive_table(const View* v, uint32_t* n)
{
   Costs         c = { .v = v, .f = functions_new(v->g) };
   uint64_t      total = v->inlined != NULL ? walk_with_inlined(&c)
                         : walk_functions(&c);
   FunctionCost* spent = c.stack.spent;
   Table*        t = costs_table(v, c.sums != NULL);

   *n = 0;
   for (uint32_t i = 0; i < c.n; i++) {
      spent[i].function = i;
      if (has_costs(&c, i))
         spent[(*n)++] = spent[i];
   }
   qsort(spent, *n, sizeof(*spent), by_all);
   for (uint32_t i = 0; i < n_shown(v, *n); i++) {
      const FunctionCost* s = &spent[i];
      put_share(t, s->all, total);
      put_count(t, s->all);
      put_count(t, s->self);
      put_count(t, s->calls);
      if (c.sums != NULL)
         put_count(t, c.sums->functions[s->function].entries);
      put_function(&c, t, s->function);
   }
   FREE_ALL(spent, c.stack.open);
   inline_sums_free(c.sums);
   functions_free(c.f);
   return t;
}

/*--- The same, by recorded calls                          ---*/

static bool is_called_selected(const View* v, uint32_t function)
{
   const DcfgFunction* f = &v->g->p->calls->functions[function];

   if (is_everything(v->selected))
      return true;
   return f->image != DCFG_NONE
          && is_selected(v->selected,
                         image_node_at(v->g->p, f->image, f->addr));
}

static Table* recorded_table(const View* v, uint32_t* n)
{
   const DcfgCallSums* calls = v->g->p->calls;
   uint64_t*           counts = called_counts(v->g->p, v->thread);
   Line*               lines = zalloc(calls->n_functions, sizeof(*lines));
   Table*              t = costs_table(v, false);

   *n = 0;
   for (uint32_t i = 0; i < calls->n_functions; i++) {
      uint64_t all = dcfg_function_inclusive(v->g->p, i, v->thread);
      if (all > 0 && is_called_selected(v, i))
         lines[(*n)++] = (Line){ all, 0, i };
   }
   qsort(lines, *n, sizeof(*lines), by_instrs);
   for (uint32_t i = 0; i < n_shown(v, *n); i++) {
      uint32_t f = lines[i].index;
      put_share(t, lines[i].instrs, v->total);
      put_count(t, lines[i].instrs);
      put_count(t, dcfg_function_self(v->g->p, f, v->thread));
      put_count(t, counts[f]);
      put_name(t, called_name(v->g, f), called_symbol(v->g, f));
      put_text(t, called_source(v->g, f));
      put_text(t, called_image(v->g, f));
   }
   FREE_ALL(counts, lines);
   return t;
}

static Table* functions_with_callees(const View* v, uint32_t* n)
{
   if (v->trace != NULL)
      return inclusive_table(v, n);
   if (v->inlined != NULL)
      die("--inclusive with --inline needs a trace behind the DCFG: it is "
          "written with --trace=yes");
   if (v->g->p->calls == NULL)
      die("--inclusive needs a trace behind the DCFG, which --trace=yes "
          "writes, or a DCFG with calls: " NO_CALLS " them");
   return recorded_table(v, n);
}

const ReportSection report_section_functions = {
   .option = { "inclusive", OPT_FLAG, NULL, NULL,
               "functions of the source, each with all that it called; needs "
               "a DCFG with calls, or TRACE" },
   .name = "functions", .title = "functions, with what they called",
   .remark = "", .place = 2, .needs_calls = true, .inlines = true,
   .make = functions_with_callees
};
