/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Inlined functions in reports. */

/* Owns: the tables of functions, inlined or not, and of inlined calls' lines.
   Handed: a process by cmd_report.c.  Taken by: cmd_report.c. */

#include "cmd/report/report_views.h"

#include "cmd/inline/inline_sums.h"

#include <stdlib.h>
#include <string.h>

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
      const View* v;
      Functions*  f;
      InlineSums* sums;
      Line*       lines;
      uint32_t    n;
   }
   Listed;

static Listed list_begin(const View* v)
{
   Listed l = { .v = v, .f = functions_new(v->g) };
   size_t most;

   l.sums  = inline_sums_new(l.f, v->inlined->in, v->inlined->pieces,
                             v->inlined->selected, v->selected, v->thread);
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

/*--- Functions                                            ---*/

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
      const char*        source = inlined_source(v->inlined->in,
                                                 l.lines[i].index);
      if (source[0] == 0 && s->node != DCFG_NONE)
         source = node_source(v->g, s->node);
      put_share(t, s->instrs, v->total);
      put_count(t, s->instrs);
      put_count(t, s->inlined);
      put_count(t, s->calls);
      put_count(t, s->entries);
      put_count(t, s->sites);
      put_text(t, inlined_name(v->inlined->in, l.lines[i].index));
      put_text(t, source);
      put_text(t, image_name(v->g, s->image));
   }
   *n = l.n;
   list_end(&l);
   return t;
}

/*--- Sites                                                ---*/

static bool is_wanted(const View* v, uint32_t scope)
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
      if (is_executed_site(v->inlined->in, l.sums, i) && is_wanted(v, i))
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
   .place = 6, .inlines = true, .make = functions_table
};

const ReportSection report_section_sites = {
   .option = { "sites", OPT_TEXT_OR_NOT, NULL, "FUNCTION",
               "where functions, or FUNCTION, were inlined, and what each "
               "place costs" },
   .name = "sites", .title = "places where functions were inlined",
   .remark = "", .place = 7, .inlines = true, .make = sites_table
};
