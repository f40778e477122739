
/*--------------------------------------------------------------------*/
/*--- dcfg diff.                                        cmd_diff.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the subcommand diff.  Handed: a command line.  Taken by: commands.c. */

#include "commands.h"
#include "match.h"
#include "operands.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_KINDS 4

static const char* const kind_text[] = {
   "loops", "routines", "blocks", "edges"
};
static const char* const count_text[] = {
   "iterations", "instructions", "executions", "traversals"
};

typedef
   struct {
      Program  a, b;
      Form     form;
      double   share;           // of A's count, that a change must exceed
      uint64_t top;
      bool     wide;
      uint64_t found;
   }
   Diff;

/*------------------------------------------------------------*/
/*--- Changes                                              ---*/
/*------------------------------------------------------------*/

static uint64_t distance(const Pair* p)
{
   return p->count_a > p->count_b ? p->count_a - p->count_b
          : p->count_b - p->count_a;
}

static bool is_change(const Diff* d, const Pair* p)
{
   if (p->a == DCFG_NONE || p->b == DCFG_NONE)
      return true;
   return (double)distance(p) > d->share / 100 * (double)p->count_a;
}

static int by_distance(const void* x, const void* y)
{
   const Pair* a = x;
   const Pair* b = y;
   uint64_t    m = distance(a), n = distance(b);

   return m > n ? -1 : m < n ? 1
          : a->a != b->a ? (a->a < b->a ? -1 : 1)
          : a->b < b->b ? -1 : a->b > b->b;
}

static const char* change_text(const Pair* p)
{
   double percent;

   if (p->a == DCFG_NONE)
      return "new";
   if (p->b == DCFG_NONE)
      return "gone";
   percent = 100 * ((double)p->count_b - (double)p->count_a)
             / (double)p->count_a;
   if (fabs(percent) >= 1000)
      return text_format("x%.0f", (double)p->count_b / (double)p->count_a);
   return text_format("%+.*f%%", fabs(percent) < 9.95 ? 1 : 0, percent);
}

static uint32_t node_of(const Program* g, Kind kind, uint32_t i)
{
   switch (kind) {
      case MATCH_LOOPS:    return g->p->loops[i].head;
      case MATCH_ROUTINES: return g->p->routines[i].entry;
      case MATCH_BLOCKS:   return i;
      default:             return g->p->edges[i].source;
   }
}

static void put_change(const Diff* d, Table* t, Kind kind, const Pair* p)
{
   /* Names are from B, which is the newer one. */
   const Program* g = p->b != DCFG_NONE ? &d->b : &d->a;
   uint32_t       i = p->b != DCFG_NONE ? p->b : p->a;
   uint32_t       node = node_of(g, kind, i);

   put_text(t, change_text(p));
   put_count(t, p->count_a);
   put_count(t, p->count_b);
   if (kind == MATCH_EDGES) {
      const DcfgEdge* e = &g->p->edges[i];
      put_text(t, node_name(g, e->source));
      put_text(t, node_name(g, e->target));
      put_text(t, dcfg_edge_type_text(e->type));
   } else if (kind == MATCH_LOOPS) {
      const char* source = node_source(g, node);
      put_text(t, source[0] != 0 || d->form != FORM_TEXT ? source
               : node_name(g, node));
      put_text(t, routine_name(g, g->p->loops[i].routine));
   } else {
      put_text(t, node_name(g, node));
      put_text(t, node_source(g, node));
   }
   put_text(t, node < g->p->n_blocks ? image_name(g, g->p->nodes[node].image)
            : "");
   if (d->form != FORM_TEXT) {
      const DcfgNode* n = node < g->p->n_blocks ? &g->p->nodes[node] : NULL;
      if (n != NULL)
         put_hex(t, n->addr - g->p->images[n->image].load_addr);
      else
         put_nothing(t);
   }
}

static Table* new_table(const Diff* d, Kind kind)
{
   Table* t = tab_new(kind_text[kind]);
   size_t name = d->wide ? 0 : 40;

   tab_column(t, COL_TEXT, "change", "change", 0);
   tab_column(t, COL_COUNT, "a", "A", 0);
   tab_column(t, COL_COUNT, "b", "B", 0);
   if (kind == MATCH_EDGES) {
      tab_column(t, COL_NAME, "from", "from", name);
      tab_column(t, COL_NAME, "to", "to", name);
      tab_column(t, COL_TEXT, "type", "type", 0);
   } else if (kind == MATCH_LOOPS) {
      tab_column(t, COL_NAME, "source", "head", name);
      tab_column(t, COL_NAME, "routine", "routine", name);
   } else {
      tab_column(t, COL_NAME, "name", kind == MATCH_BLOCKS ? "block"
                 : "routine", name);
      tab_column(t, COL_TEXT, "source", "source", d->wide ? 0 : 28);
   }
   tab_column(t, COL_TEXT, "image", "image", d->wide ? 0 : 24);
   if (d->form != FORM_TEXT)
      tab_column(t, COL_HEX, "offset", "offset", 0);
   return t;
}

static void show_kind(Diff* d, Kind kind, bool first)
{
   size_t   n, n_changes = 0;
   Pair*    pairs = match(&d->a, &d->b, kind, &n);
   uint64_t gone = 0, added = 0;
   Table*   t = new_table(d, kind);

   for (size_t i = 0; i < n; i++)
      if (is_change(d, &pairs[i])) {
         gone += pairs[i].b == DCFG_NONE;
         added += pairs[i].a == DCFG_NONE;
         pairs[n_changes++] = pairs[i];
      }
   d->found += n_changes;
   qsort(pairs, n_changes, sizeof(*pairs), by_distance);
   for (size_t i = 0; i < n_changes && (d->top == 0 || i < d->top); i++)
      put_change(d, t, kind, &pairs[i]);
   if (d->form == FORM_TEXT) {
      printf("\n%c%s: %s new, %s gone, %s changed", kind_text[kind][0] - 32,
             kind_text[kind] + 1, text_count(added), text_count(gone),
             text_count(n_changes - gone - added));
      if (d->share > 0)
         printf(" by more than %g%%", d->share);
      printf(", of %s%s%s\n", text_count(n), n_changes > 0 ? ", in " : "",
             n_changes > 0 ? count_text[kind] : "");
      if (n_changes > 0)
         tab_print(t, FORM_TEXT, 0);
      if (tab_rows(t) < n_changes)
         printf("... and %s more\n", text_count(n_changes - tab_rows(t)));
   } else if (d->form == FORM_CSV) {
      if (!first)
         putchar('\n');
      tab_print(t, FORM_CSV, 0);
   } else {
      printf("%s\n  \"%s\": ", first ? "" : ",", kind_text[kind]);
      tab_print(t, FORM_JSON, 2);
   }
   tab_free(t);
   free(pairs);
   text_forget();
}

static void show_totals(const Diff* d)
{
   uint64_t a = dcfg_process_instrs(d->a.p, DCFG_ALL_THREADS);
   uint64_t b = dcfg_process_instrs(d->b.p, DCFG_ALL_THREADS);
   Pair     p = { .a = 0, .b = 0, .count_a = a == 0 ? 1 : a, .count_b = b };

   printf("A: %s, process %" PRIu64 ": %s instructions\n",
          program_name(&d->a), d->a.p->id, text_count(a));
   printf("B: %s, process %" PRIu64 ": %s instructions (%s)\n",
          program_name(&d->b), d->b.p->id, text_count(b), a == b ? "the same"
          : change_text(&p));
}

static int run(int argc, char** argv)
{
   bool        kinds[N_KINDS] = { false }, csv = false, json = false;
   bool        mangled = false, any = false, first = true;
   const char* share = "1";
   char*       end;
   Diff        d = { .top = 10 };
   const Opt   opts[] = {
      { "loops", OPT_FLAG, &kinds[MATCH_LOOPS] },
      { "routines", OPT_FLAG, &kinds[MATCH_ROUTINES] },
      { "blocks", OPT_FLAG, &kinds[MATCH_BLOCKS] },
      { "edges", OPT_FLAG, &kinds[MATCH_EDGES] },
      { "share", OPT_TEXT, &share }, { "top", OPT_COUNT, &d.top },
      { "csv", OPT_FLAG, &csv }, { "json", OPT_FLAG, &json },
      { "wide", OPT_FLAG, &d.wide }, { "mangled", OPT_FLAG, &mangled }
   };
   const char* files[2];
   Dcfg*       a;
   Dcfg*       b;

   parse_args(&diff_command, opts, sizeof(opts) / sizeof(opts[0]), argc, argv,
              files, 2, 2);
   if (csv && json)
      die("--csv or --json, not both");
   d.form = csv ? FORM_CSV : json ? FORM_JSON : FORM_TEXT;
   d.share = strtod(share, &end);
   if (end == share || *end != 0 || !(d.share >= 0))
      die("--share needs a percentage, not `%s'", share);
   if (strcmp(files[0], "-") == 0 && strcmp(files[1], "-") == 0)
      die("only one of the files can be the standard input");
   a = load_dcfg(files[0]);
   b = load_dcfg(files[1]);
   d.a = (Program){ a, main_process(a), mangled };
   d.b = (Program){ b, main_process(b), mangled };
   for (int k = 0; k < N_KINDS; k++)
      any = any || kinds[k];
   if (d.form == FORM_TEXT)
      show_totals(&d);
   else if (d.form == FORM_JSON)
      printf("{");
   for (Kind k = 0; k < N_KINDS; k++) {
      if (any && !kinds[k])
         continue;
      show_kind(&d, k, first);
      first = false;
   }
   if (d.form == FORM_JSON)
      printf("\n}\n");
   dcfg_free(a);
   dcfg_free(b);
   return d.found > 0 ? STATUS_FOUND : STATUS_OK;
}

const Command diff_command = {
   "diff", "A B", "what is different in two runs of a program",
   "Compares two runs of one program: loops, routines, blocks and edges that\n"
   "are new in B, gone, or whose count has changed.  Ids and addresses differ\n"
   "from run to run; what is at the same offset in the image of the same name\n"
   "is taken for the same.  Largest differences come first.\n"
   "\n"
   "Counts are iterations of loops, instructions of routines, executions of\n"
   "blocks, traversals of edges.\n"
   "\n"
   "options:\n"
   "  --share=PERCENT    only counts that change by more than PERCENT of that\n"
   "                     in A; 0: all changes [1]\n"
   "  --loops --routines --blocks --edges\n"
   "                     only these sections; all without any of them\n"
   "  --top=N            N rows in a section; 0: all [10]\n"
   "  --wide             long names in full\n"
   "  --mangled          names of C++ and Rust as the linker sees them\n"
   "  --csv, --json      for programs\n"
   "\n"
   "exit status: 0 no difference, 1 differences, 2 a file cannot be read\n",
   run
};

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
