/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sections of the source: its functions and lines. */

/* Owns: the sections of the source's functions and lines.  Handed: a process by
   cmd_report.c; counts of lines by the room lines/; with a trace, inclusive
   costs. */

#include "cmd/report/report_views.h"

#include "cmd/lines/coverage.h"
#include "cmd/program/lines.h"
#include "cmd/program/functions.h"
#include "cmd/calls/call_walk.h"
#include "cmd/calls/called.h"

/*--- Functions                                            ---*/

COMPARE(by_self, FunctionCost, DOWN(self) ?: DOWN(calls) ?: UP(function))

/* Return, by function of F, what it cost itself, and if the run has recorded
   that, with what it called; to be freed.  Set *INCLUSIVE to whether it has. */
static FunctionCost* costs_of(const View* v, const Functions* f,
                              bool* inclusive)
{
   uint64_t total;

   *inclusive = v->trace != NULL || v->g->p->calls != NULL;
   return v->trace != NULL
          ? function_costs(f, v->trace, v->thread, &total)
          : called_costs(f, v->thread);
}

static void put_function(const View* v, Table* t, const Functions* f,
                         const FunctionCost* c, bool inclusive)
{
   uint32_t node = f->nodes[c->function];

   put_share(t, c->self, v->total);
   put_count(t, c->self);
   if (inclusive)
      put_count(t, c->all);
   put_count(t, c->calls);
   put_name(t, function_name(f, c->function),
            function_symbol_name(f, c->function));
   put_text(t, node_source(v->g, node));
   if (!v->first)
      put_text(t, image_name(v->g, v->g->p->nodes[node].image));
}

static Table* functions_table(const View* v, uint32_t* n)
{
   Functions*    f = functions_new(v->g);
   bool          inclusive;
   FunctionCost* costs = costs_of(v, f, &inclusive);
   Table*        t = tab_new(v->section->name);

   *n = 0;
   for (uint32_t i = 0; i < f->n; i++) {
      costs[i].function = i;
      if ((costs[i].self > 0 || costs[i].calls > 0)
          && is_selected(v->selected, f->nodes[i]))
         costs[(*n)++] = costs[i];
   }
   qsort(costs, *n, sizeof(*costs), by_self);
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "self", "self", 0);
   if (inclusive)
      tab_column(t, COL_COUNT, "inclusive", "inclusive", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   tab_column(t, COL_NAME, "function", "function", v->name_width);
   tab_column(t, COL_TEXT, "source", "source", v->source_width);
   if (!v->first)
      tab_column(t, COL_TEXT, "image", "image", 24);
   for (uint32_t i = 0; i < n_shown(v, *n); i++)
      put_function(v, t, f, &costs[i], inclusive);
   free(costs);
   functions_free(f);
   return t;
}

const ReportSection report_section_source_functions = {
   .option = { "functions", OPT_FLAG, NULL, NULL,
               "functions of the source, by their own instructions; with TRACE "
               "also with all that they called" },
   .name = "source_functions", .title = "functions", .remark = "", .place = 3,
   .first_rows = 9, .make = functions_table
};

/*--- Lines                                                ---*/

/* LineRow: instructions of a line; with --inline, of one instance of it. */
typedef
   struct {
      uint64_t instrs, times;
      uint64_t key;             // a line_key()
      uint32_t scope;
      uint32_t image;
      bool     counted;         // .times is known
   }
   LineRow;

COMPARE(by_instrs, LineRow, DOWN(instrs) ?: DOWN(times) ?: UP(key)
                            ?: UP(scope))

/* LineRows: the future table. */
typedef
   struct {
      const View* v;
      Coverage*   c;
      LineRow*    rows;
      size_t      n, room;
      KeyMap*     lines;        // with --inline; keys: line_key()
      KeyMap*     numbers;      // likewise: number in .lines, and scope
      SourceReader source;
   }
   LineRows;

/* Add INSTRS at ADDR to the row of the line and of the instance that they are
   in. */
static void add_inlined(void* arg, uint32_t node, uint64_t addr,
                        uint64_t instrs, uint32_t file, uint32_t line)
{
   LineRows*   l = arg;
   InlineView* v = l->v->inlined;
   uint32_t    image = l->v->g->p->nodes[node].image, number;
   uint64_t    end;
   InlinePiece piece = { addr, 1, inlined_at(v->in, image, addr, &end) };

   if (!piece_selected(v->selected, node, &piece))
      return;
   number = keymap_number(l->lines, line_key(file, line));
   number = keymap_number(l->numbers, (uint64_t)number << 32 | piece.scope);
   if (number == l->n) {
      GROW(l->rows, l->n, l->room);
      l->rows[l->n++] = (LineRow){ .key = line_key(file, line),
                                   .scope = piece.scope, .image = image };
   }
   add_count(&l->rows[number].instrs, instrs);
}

static void find_rows(LineRows* l)
{
   RanLine* lines;

   if (l->v->inlined != NULL) {
      cover_each_instr(l->c, add_inlined, l);
      return;
   }
   lines   = cover_ran_lines(l->c, &l->n);
   l->rows = zalloc(l->n + 1, sizeof(*l->rows));
   for (size_t i = 0; i < l->n; i++)
      l->rows[i] = (LineRow){ lines[i].instrs, lines[i].times, lines[i].key,
                              NO_SCOPE, DCFG_NONE, lines[i].counted };
   free(lines);
}

/* Return the line's text without the blanks before it. */
static const char* line_text(LineRows* l, uint64_t key)
{
   char* text = source_reader_code(&l->source,
                                   cover_path(l->c, (uint32_t)(key >> 32)),
                                   (uint32_t)key);

   for (char* at = text; *at != 0; at++)
      *at = *at == '\t' ? ' ' : *at;
   return text_clean(text);
}

/* Return the functions around the row's instance: "leaf, at t1.c:11 branchy";
   "" if the line is not inlined there. */
static const char* chain_of(const LineRows* l, const LineRow* r)
{
   Inlined* in = l->v->inlined->in;

   if (r->scope == NO_SCOPE || inlined_parent(in, r->scope) == NO_SCOPE)
      return "";
   return text_format("%s, at %s %s", inlined_scope_name(in, r->scope),
                      inlined_site(in, r->scope), inlined_around(in, r->scope));
}

#define TEXT_WIDTH 60           // columns of a line's text

static void put_line(LineRows* l, Table* t, const LineRow* r)
{
   const View* v = l->v;
   const char* path = cover_path(l->c, (uint32_t)(r->key >> 32));

   put_share(t, r->instrs, v->total);
   put_count(t, r->instrs);
   if (v->inlined == NULL) {
      if (r->counted)
         put_count(t, r->times);
      else
         put_nothing(t);
   }
   put_text(t, text_format("%s:%" PRIu32, text_base(text_clean(path)),
                           (uint32_t)r->key));
   if (v->inlined != NULL)
      put_text(t, chain_of(l, r));
   put_text(t, line_text(l, r->key));
   if (v->form == FORM_TEXT)
      return;
   put_text(t, text_clean(path));
   put_count(t, (uint32_t)r->key);
}

static Table* put_lines(LineRows* l, uint32_t* n)
{
   const View* v = l->v;
   Table*      t = tab_new("lines");

   *n = l->n > UINT32_MAX ? UINT32_MAX : (uint32_t)l->n;
   SORT(l->rows, l->n, by_instrs);
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "instructions", "instructions", 0);
   if (v->inlined == NULL)
      tab_column(t, COL_COUNT, "times", "times", 0);
   tab_column(t, COL_TEXT, "source", "line", v->source_width);
   if (v->inlined != NULL)
      tab_column(t, COL_TEXT, "inlined", "inlined",
                 v->name_width == 0 ? 0 : TEXT_WIDTH);
   tab_column(t, COL_CODE, "text", "text", v->name_width == 0 ? 0 : TEXT_WIDTH);
   if (v->form != FORM_TEXT) {
      tab_column(t, COL_TEXT, "file", "file", 0);
      tab_column(t, COL_COUNT, "line", "line", 0);
   }
   for (uint32_t i = 0; i < n_shown(v, *n); i++)
      put_line(l, t, &l->rows[i]);
   return t;
}

static Table* lines_table(const View* v, uint32_t* n)
{
   const DcfgProcess* p = v->g->p;
   bool*              chosen = zalloc(p->n_images, sizeof(*chosen));
   CoverageOf         of = { .g = *v->g, .p = p, .chosen = chosen,
                             .code = code_quiet(v->g, v->root),
                             .selected = v->selected, .thread = v->thread,
                             .root = v->root, .quiet = true };
   LineRows           l = { .v = v, .numbers = keymap_new(),
                            .lines = keymap_new() };
   Table*             t;

   for (uint32_t i = 0; i < p->n_images; i++)
      chosen[i] = image_selected(v->selected, i);
   l.c = coverage_new(&of);
   find_rows(&l);
   t = put_lines(&l, n);
   source_reader_close(&l.source);
   coverage_free(l.c);
   code_free(of.code);
   FREE_EACH(keymap_free, l.numbers, l.lines);
   FREE_ALL(l.rows, chosen);
   return t;
}

const ReportSection report_section_lines = {
   .option = { "lines", OPT_FLAG, NULL, NULL,
               "source lines: instructions, and how often each was reached; "
               "with --inline, through which calls" },
   .name = "lines", .title = "lines", .remark = "",
   .none = "No lines: the code has no debug information: compile it with -g, "
           "or install\nit (on Debian, a package NAME-dbgsym).",
   .place = 4,
   .first_rows = 9, .inlines = true, .make = lines_table
};
