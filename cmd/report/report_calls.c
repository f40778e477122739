/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Callers and callees in reports. */

/* Owns: the sections of callers and callees.  Handed: a process by
   cmd_report.c.

   If the run has recorded calls, a row is a pair of CALLS, with what its calls
   cost.  Else the graph's edges tell how often functions called each other, and
   nothing tells the cost. */

#include "cmd/report/report_views.h"
#include "cmd/calls/called.h"
#include "cmd/program/functions.h"

/* CallSide: the sections that calls_table() makes. */
typedef enum { CALLERS, CALLEES } CallSide;

/* CallRow: a future row.  .of is the function that was asked for, .other its
   caller or callee. */
typedef
   struct {
      uint64_t cost, calls;
      uint32_t other, of;
   }
   CallRow;

COMPARE(by_cost, CallRow, DOWN(cost) ?: DOWN(calls) ?: UP(other) ?: UP(of))

static void add_columns(const View* v, Table* t, bool with_cost, bool several)
{
   bool callers = v->section->which == CALLERS;

   tab_column(t, COL_SHARE, "share", "share", 0);
   if (with_cost)
      tab_column(t, COL_SHARE, "share_of_function", callers ? "of callee"
                 : "of caller", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   if (with_cost)
      tab_column(t, COL_COUNT, "instructions", "instructions", 0);
   tab_column(t, COL_NAME, "function", callers ? "caller" : "callee",
              v->name_width);
   if (several)
      tab_column(t, COL_NAME, "of", callers ? "callee" : "caller",
                 v->name_width);
   tab_column(t, COL_TEXT, "source", "source", v->source_width);
   tab_column(t, COL_TEXT, "image", "image", 24);
}

/* Return whether SYMBOL is what the user named; it begins at ADDR. */
static bool is_meant(const View* v, const char* symbol, uint64_t addr)
{
   const DcfgProcess* p = v->g->p;

   if (symbol != NULL && function_is(symbol, v->named))
      return true;
   return v->routine != DCFG_NONE
          && p->nodes[p->routines[v->routine].entry].addr == addr;
}

/*--- Recorded calls                                       ---*/

static void put_pair(const View* v, Table* t, const CallRow* r, bool several)
{
   const Program* g = v->g;

   put_share(t, r->cost, v->total);
   put_share(t, r->cost, dcfg_function_inclusive(g->p, r->of, v->thread));
   put_count(t, r->calls);
   put_count(t, r->cost);
   put_name(t, called_name(g, r->other), called_symbol(g, r->other));
   if (several)
      put_name(t, called_name(g, r->of), called_symbol(g, r->of));
   put_text(t, called_source(g, r->other));
   put_text(t, called_image(g, r->other));
}

static Table* pairs_table(const View* v, uint32_t* n)
{
   const DcfgCallSums* calls = v->g->p->calls;
   CallRow*            rows = zalloc(calls->n_pairs, sizeof(*rows));
   bool*               meant = zalloc(calls->n_functions, sizeof(*meant));
   Table*              t = tab_new(v->section->name);
   uint32_t            n_meant = 0;
   bool                several;

   *n = 0;
   for (uint32_t i = 0; i < calls->n_functions; i++) {
      meant[i] = is_meant(v, called_symbol(v->g, i), calls->functions[i].addr);
      n_meant += meant[i];
   }
   for (uint32_t i = 0; i < calls->n_pairs; i++) {
      const DcfgPair* c = &calls->pairs[i];
      bool            callers = v->section->which == CALLERS;
      CallRow         r = { dcfg_pair_inclusive(v->g->p, i, v->thread),
                            dcfg_pair_calls(v->g->p, i, v->thread),
                            callers ? c->caller : c->callee,
                            callers ? c->callee : c->caller };
      if (meant[r.of] && (r.cost > 0 || r.calls > 0))
         rows[(*n)++] = r;
   }
   qsort(rows, *n, sizeof(*rows), by_cost);
   several = n_meant > 1 || v->form != FORM_TEXT;
   add_columns(v, t, true, several);
   for (uint32_t i = 0; i < n_shown(v, *n); i++)
      put_pair(v, t, &rows[i], several);
   FREE_ALL(meant, rows);
   return t;
}

/*--- Calls by edges                                       ---*/

/* Set the bits of functions that the user named.  Return how many there are. */
static uint32_t find_meant(const View* v, const Functions* f, bool* meant)
{
   const DcfgProcess* p = v->g->p;
   uint32_t           n = 0;

   if (v->routine != DCFG_NONE) {
      uint32_t entry = p->routines[v->routine].entry;
      if (entry >= p->n_blocks || f->of[entry] == NO_FUNCTION)
         return 0;
      meant[f->of[entry]] = true;
      return 1;
   }
   for (uint32_t i = 0; i < f->n; i++) {
      const char* symbol = function_symbol_name(f, i);
      meant[i] = symbol != NULL && function_is(symbol, v->named);
      n += meant[i];
   }
   return n;
}

/* Return the rows of all meant functions, their number in *N, and all their
   calls in *ALL. */
static CallRow* rows_of_edges(const View* v, const Functions* f,
                              const bool* meant, uint32_t* n, uint64_t* all)
{
   const DcfgProcess* p = v->g->p;
   bool               callers = v->section->which == CALLERS;
   KeyMap*            keys = keymap_new();
   CallRow*           rows = NULL;
   uint32_t           room = 0;

   *n = 0;
   for (uint32_t i = 0; i < p->n_edges; i++) {
      uint32_t from, to, row;
      uint64_t count = dcfg_edge_count(p, i, v->thread);
      if (count == 0 || !function_call(f, &p->edges[i], &from, &to)
          || !meant[callers ? to : from])
         continue;
      row = keymap_number(keys, (uint64_t)from << 32 | to);
      if (row == *n) {
         GROW(rows, *n, room);
         rows[(*n)++] = (CallRow){ 0, 0, callers ? from : to,
                                   callers ? to : from };
      }
      add_count(&rows[row].calls, count);
      add_count(all, count);
   }
   keymap_free(keys);
   return rows;
}

static Table* edges_table(const View* v, uint32_t* n)
{
   Functions* f = functions_new(v->g);
   bool*      meant = zalloc(f->n, sizeof(*meant));
   uint32_t   n_meant = find_meant(v, f, meant);
   uint64_t   all = 0;
   CallRow*   rows = rows_of_edges(v, f, meant, n, &all);
   Table*     t = tab_new(v->section->name);
   bool       several = n_meant > 1 || v->form != FORM_TEXT;

   SORT(rows, *n, by_cost);
   add_columns(v, t, false, several);
   for (uint32_t i = 0; i < n_shown(v, *n); i++) {
      const CallRow* r = &rows[i];
      uint32_t       node = f->nodes[r->other];
      put_share(t, r->calls, all);
      put_count(t, r->calls);
      put_name(t, function_name(f, r->other),
               function_symbol_name(f, r->other));
      if (several)
         put_name(t, function_name(f, r->of), function_symbol_name(f, r->of));
      put_text(t, node_source(v->g, node));
      put_text(t, image_name(v->g, v->g->p->nodes[node].image));
   }
   FREE_ALL(meant, rows);
   functions_free(f);
   return t;
}

static Table* calls_table(const View* v, uint32_t* n)
{
   return v->g->p->calls != NULL ? pairs_table(v, n) : edges_table(v, n);
}

static const char* calls_hint(const Program* g)
{
   return g->p->calls != NULL ? NULL
          : NO_CALLS " what calls cost.";
}

bool calls_know(const Program* g, const char* pattern)
{
   const DcfgProcess* p = g->p;

   for (uint32_t i = 0; p->calls != NULL && i < p->calls->n_functions; i++) {
      const char* symbol = called_symbol(g, i);
      if (symbol != NULL && function_is(symbol, pattern))
         return true;
   }
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      uint32_t s = dcfg_symbol_of(p, i);
      if (s != DCFG_NONE && function_is(p->symbols[s].name, pattern))
         return true;
      text_forget();
   }
   return false;
}

const ReportSection report_section_callers = {
   .option = { "callers", OPT_TEXT, NULL, "WHAT", NULL },
   .name = "callers", .title = "callers",
   .remark = "", .place = 10, .of_all = true,
   .which = CALLERS, .make = calls_table, .hint = calls_hint
};

const ReportSection report_section_callees = {
   .option = { "callees", OPT_TEXT, NULL, "WHAT",
               "who called a routine, and what it called; a WHAT with * ? [ "
               "chooses all functions that match" },
   .name = "callees", .title = "callees",
   .remark = "", .place = 11, .of_all = true,
   .which = CALLEES, .make = calls_table, .hint = calls_hint
};
