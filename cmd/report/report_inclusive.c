/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions with what they called in reports. */

/* Owns: the section of inclusive costs of functions, inlined ones among them.
   Handed: a trace by cmd_report.c.  Taken by: cmd_report.c. */

#include "cmd/inline/inline_sums.h"
#include "cmd/inline/inline_walk.h"
#include "cmd/shared/function_costs.h"
#include "cmd/report/report_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/*--- Costs                                                ---*/

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
   c->sums = inline_sums_new(c->f, v->in, v->pieces, v->selected,
                             c->v->selected, c->v->thread);
   for (uint32_t i = 0; i < c->f->n; i++)
      numbers[i] = source_function(c->f, v->in, v->pieces, c->f->nodes[i]);
   for (uint32_t i = 0; i < inlined_scopes(v->in); i++)
      inlined_function(v->in, i);
   c->numbers     = numbers;
   c->n           = inlined_functions(v->in);
   c->stack.spent = zalloc(c->n, sizeof(*c->stack.spent));
   total          = walk_inlined(c->f, v, c->v->trace, c->v->thread, &w);
   free(numbers);
   return total;
}

/*--- The table                                            ---*/

COMPARE(by_all, FunctionCost, DOWN(all) ?: UP(function))

static bool is_wanted(const Costs* c, uint32_t function)
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
   const View*        v = c->v;
   const FunctionSum* s;
   const char*        source;
   uint32_t           node;

   if (c->sums == NULL) {
      node = c->f->nodes[function];
      put_name(t, function_name(c->f, function),
               function_symbol_name(c->f, function));
      put_text(t, node_source(v->g, node));
      put_text(t, image_name(v->g, v->g->p->nodes[node].image));
      return;
   }
   s      = &c->sums->functions[function];
   source = inlined_source(v->inlined->in, function);
   put_text(t, inlined_name(v->inlined->in, function));
   put_text(t, source[0] != 0 || s->node == DCFG_NONE ? source
            : node_source(v->g, s->node));
   put_text(t, image_name(v->g, s->image));
}

static Table* inclusive_table(const View* v, uint32_t* n)
{
   Costs         c = { .v = v, .f = functions_new(v->g) };
   uint64_t      total = v->inlined != NULL ? walk_with_inlined(&c)
                         : walk_functions(&c);
   FunctionCost* spent = c.stack.spent;
   Table*        t = tab_new("functions");

   *n = 0;
   for (uint32_t i = 0; i < c.n; i++) {
      spent[i].function = i;
      if (is_wanted(&c, i))
         spent[(*n)++] = spent[i];
   }
   qsort(spent, *n, sizeof(*spent), by_all);
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "inclusive", "inclusive", 0);
   tab_column(t, COL_COUNT, "self", "self", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   if (c.sums != NULL)
      tab_column(t, COL_COUNT, "entries", "entries", 0);
   tab_column(t, COL_NAME, "function", "function", v->name_width);
   tab_column(t, COL_TEXT, "source", "source", v->source_width);
   tab_column(t, COL_TEXT, "image", "image", 24);
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
   free(spent);
   free(c.stack.open);
   inline_sums_free(c.sums);
   functions_free(c.f);
   return t;
}

const ReportSection report_section_functions = {
   .option = { "inclusive", OPT_FLAG, NULL, NULL,
               "functions of the source, each with all that it called; needs "
               "TRACE" },
   .name = "functions", .title = "functions, with what they called",
   .remark = "", .place = 2, .needs_trace = true, .inlines = true,
   .make = inclusive_table
};
