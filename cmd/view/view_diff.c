/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the older run of a page. */

/* Owns: the columns of counts of the older run, A, the tables of changes from A
   to B, and the pane First.  Handed: both runs; for First, their whole execution
   traces, and partings by cmd/parting/.

   cmd/builds/ finds the same parts in both runs, as for dcfg diff. */

#include "cmd/view/view.h"

#include "cmd/builds/builds.h"
#include "cmd/program/functions.h"
#include "cmd/calls/called.h"
#include "cmd/parting/parting.h"

#define ALL DCFG_ALL_THREADS

/*--- Counts of A, by rows, blocks, edges, loops of B      ---*/

/* Return, for each of B's N things of KIND, the number of the same thing in A,
   or DCFG_NONE if A did not execute it.  The caller frees the array. */
static uint32_t* old_of(const RunView* view, Kind kind, uint32_t n)
{
   uint32_t* of = zalloc(n + (size_t)1, sizeof(*of));
   size_t    n_pairs;
   Pair*     pairs = match(view->old->builds, &view->old->g, &view->g, kind,
                           &n_pairs);

   for (uint32_t i = 0; i < n; i++)
      of[i] = DCFG_NONE;
   for (size_t i = 0; i < n_pairs; i++)
      if (pairs[i].b != DCFG_NONE)
         of[pairs[i].b] = pairs[i].a;
   free(pairs);
   return of;
}

typedef uint64_t CountOf(const DcfgProcess* p, uint32_t i, uint32_t thread);

/* OldColumn: a column of A's counts. */
typedef
   struct {
      const char* name;
      CountOf*    count;
   }
   OldColumn;

static void put_old(const RunView* view, uint32_t old, CountOf* count)
{
   if (old == DCFG_NONE)
      fputs("-1", view->out);
   else
      view_count(view->out, count(view->old->p, old, ALL));
}

static void put_old_rows(const RunView* view)
{
   uint32_t* of = old_of(view, MATCH_ROUTINES, view->p->n_routines);

   page_column(view->out, "rOld");
   for (uint32_t i = 0; i < view->n_rows; i++) {
      page_between(view->out, i == 0);
      put_old(view, of[view->rows[i]], dcfg_routine_instrs);
   }
   putc(']', view->out);
   free(of);
}

static void put_old_blocks(const RunView* view)
{
   static const OldColumn columns[] = {
      { "bOld", dcfg_node_executions }, { "bOldInstrs", dcfg_node_instrs }
   };
   uint32_t* of = old_of(view, MATCH_BLOCKS, view->p->n_nodes);

   for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
      page_column(view->out, columns[c].name);
      for (uint32_t i = 0; i < view->n_blocks; i++) {
         page_between(view->out, i == 0);
         put_old(view, of[view->blocks[i]], columns[c].count);
      }
      putc(']', view->out);
   }
   free(of);
}

static void put_old_edge(const RunView* view, uint32_t edge, const void* arg)
{
   const uint32_t* of = arg;

   put_old(view, of[edge], dcfg_edge_count);
}

static void put_old_edges(const RunView* view)
{
   uint32_t* of = old_of(view, MATCH_EDGES, view->p->n_edges);

   view_edge_column(view, "eOld", put_old_edge, of);
   free(of);
}

static void put_old_loops(const RunView* view)
{
   uint32_t* of = old_of(view, MATCH_LOOPS, view->p->n_loops);

   page_column(view->out, "lOldIterations");
   for (uint32_t i = 0; i < view->p->n_loops; i++) {
      page_between(view->out, i == 0);
      put_old(view, of[i], dcfg_loop_iterations);
   }
   putc(']', view->out);
   free(of);
}

/*--- Functions                                            ---*/

/* Return an array with a function of B for each number that MAP gives to the
   functions of B, by build_function(); it enters them there.  If a compiler has
   split a function, it is the first part.  The caller frees the array. */
static uint32_t* functions_by_number(const RunView* view, KeyMap* map)
{
   uint32_t* first = zalloc(view->f->n + (size_t)1, sizeof(*first));

   for (uint32_t i = 0; i < view->f->n; i++) {
      uint32_t n = keymap_size(map);
      uint32_t k = keymap_number(map, build_function(view->old->builds, 1, i));
      if (k == n)
         first[k] = i;
   }
   return first;
}

/* Return the function of B that is the same as FUNCTION of A; DCFG_NONE: there
   is none. */
static uint32_t function_in_b(const RunView* view, const KeyMap* map,
                              const uint32_t* first, uint32_t function)
{
   uint32_t k = keymap_find(map,
                            build_function(view->old->builds, 0, function));

   return k == UINT32_MAX ? DCFG_NONE : first[k];
}

/* Write the inclusive costs of A's functions, by function of B. */
static void put_old_costs(const RunView* view, const KeyMap* map,
                          const uint32_t* first)
{
   const Functions* f = build_functions(view->old->builds, 0);
   uint64_t*        all = zalloc(view->f->n + (size_t)1, sizeof(*all));
   uint64_t         total;
   FunctionCost*    costs = view->trace != NULL
                            ? function_costs(f, view->old->trace, ALL, &total)
                            : called_costs(f, ALL);

   for (uint32_t i = 0; i < f->n; i++) {
      uint32_t to = function_in_b(view, map, first, i);
      if (to != DCFG_NONE)
         add_count(&all[to], costs[i].all);
   }
   view_counts(view, "fOldInclusive", all, view->f->n);
   FREE_ALL(costs, all);
}

/* OldCalls: the calls of A between functions that B has, too. */
typedef
   struct {
      const RunView*  view;
      const KeyMap*   map;
      const uint32_t* first;
      KeyMap*         pairs;    // keys: functions of B, caller and callee
      uint64_t*       counts;
      uint64_t*       costs;
      size_t          room, costs_room;
   }
   OldCalls;

/* Add calls between FROM and TO, functions of A. */
static void add_old_call(OldCalls* o, uint32_t from, uint32_t to,
                         uint64_t count, uint64_t cost)
{
   uint32_t k, n = keymap_size(o->pairs);

   from = function_in_b(o->view, o->map, o->first, from);
   to   = function_in_b(o->view, o->map, o->first, to);
   if (from == DCFG_NONE || to == DCFG_NONE)
      return;
   k = keymap_number(o->pairs, (uint64_t)from << 32 | to);
   if (k == n) {
      GROW(o->counts, n, o->room);
      GROW(o->costs, n, o->costs_room);
      o->counts[n] = o->costs[n] = 0;
   }
   add_count(&o->counts[k], count);
   add_count(&o->costs[k], cost);
}

static void add_old_calls(OldCalls* o)
{
   const DcfgProcess* p = o->view->old->p;
   const Functions*   f = build_functions(o->view->old->builds, 0);

   for (uint32_t i = 0; o->view->recorded && i < p->calls->n_pairs; i++) {
      uint32_t from = called_function(f, p->calls->pairs[i].caller);
      uint32_t to = called_function(f, p->calls->pairs[i].callee);
      if (from != NO_FUNCTION && to != NO_FUNCTION)
         add_old_call(o, from, to, dcfg_pair_calls(p, i, ALL),
                      dcfg_pair_inclusive(p, i, ALL));
   }
   for (uint32_t i = 0; !o->view->recorded && i < p->n_edges; i++) {
      uint64_t count = dcfg_edge_count(p, i, ALL);
      uint32_t from, to;
      if (count > 0 && function_call(f, &p->edges[i], &from, &to))
         add_old_call(o, from, to, count, 0);
   }
}

/* Write these calls as oFrom, oTo, oCount and oCost. */
static void put_old_calls(const RunView* view, const KeyMap* map,
                          const uint32_t* first)
{
   OldCalls o = { .view = view, .map = map, .first = first,
                  .pairs = keymap_new() };
   uint32_t n;

   add_old_calls(&o);
   n = keymap_size(o.pairs);
   for (int c = 0; c < 2; c++) {
      page_column(view->out, c == 0 ? "oFrom" : "oTo");
      for (uint32_t k = 0; k < n; k++) {
         uint64_t key = keymap_key(o.pairs, k);
         page_between(view->out, k == 0);
         page_number(view->out, c == 0 ? key >> 32 : (uint32_t)key);
      }
      putc(']', view->out);
   }
   view_counts(view, "oCount", o.counts, n);
   if (view->recorded)
      view_counts(view, "oCost", o.costs, n);
   FREE_ALL(o.counts, o.costs);
   keymap_free(o.pairs);
}

/*--- Tables of changes                                    ---*/

typedef enum {
   C_NAME, C_SOURCE, C_IMAGE, C_A, C_B, C_ROW, C_GUESS, N_CHANGE_COLUMNS
} ChangeColumn;

/* Changes: a table of changes. */
typedef
   struct {
      const char* letter;       // with which the names of columns begin
      Kind        kind;
   }
   Changes;

/* Return the run whose thing stands for pair P: B if B has it, else A.  Set
   *NODE to the thing's node. */
static const Program* place_of(const RunView* view, Kind kind, const Pair* p,
                               uint32_t* node)
{
   int            side = p->b != DCFG_NONE;
   const Program* g = side == 1 ? &view->g : &view->old->g;
   uint32_t       i = side == 1 ? p->b : p->a;

   *node = kind == MATCH_LOOPS ? g->p->loops[i].head
           : build_functions(view->old->builds, side)->nodes[i];
   return g;
}

static const char* name_of_change(const RunView* view, Kind kind, const Pair* p)
{
   int side = p->b != DCFG_NONE;

   if (kind == MATCH_FUNCTIONS)
      return function_name(build_functions(view->old->builds, side),
                           side == 1 ? p->b : p->a);
   return side == 1 ? routine_name(&view->g, view->p->loops[p->b].routine)
          : routine_name(&view->old->g, view->old->p->loops[p->a].routine);
}

static void put_change(const RunView* view, Kind kind, const Pair* p,
                       ChangeColumn c)
{
   uint32_t       node;
   const Program* g = place_of(view, kind, p, &node);

   switch (c) {
      case C_NAME:
         page_number(view->out,
                     page_text(view->texts, name_of_change(view, kind, p)));
         break;
      case C_SOURCE:
         page_number(view->out, page_text(view->texts, node_source(g, node)));
         break;
      case C_IMAGE:
         page_number(view->out, page_text(view->texts,
                           node >= g->p->n_blocks ? ""
                           : image_name(g, g->p->nodes[node].image)));
         break;
      case C_A:
      case C_B:
         if ((c == C_A ? p->a : p->b) == DCFG_NONE)
            fputs("-1", view->out);
         else
            view_count(view->out, c == C_A ? p->count_a : p->count_b);
         break;
      case C_ROW:
         fprintf(view->out, "%" PRId64,
                 p->b == DCFG_NONE ? -1 : view_row_of(view, node));
         break;
      default:
         putc(p->a != DCFG_NONE && p->b != DCFG_NONE
              && build_is_guess(view->old->builds, 1, node)
              ? '1' : '0', view->out);
   }
}

/* Write the table WHAT: all pairs of its kind, changed or not. */
static void put_changes(const RunView* view, const Changes* what)
{
   static const char* const columns[N_CHANGE_COLUMNS] = {
      "Name", "Source", "Image", "A", "B", "Row", "Guess"
   };
   size_t n;
   Pair*  pairs = match(view->old->builds, &view->old->g, &view->g, what->kind,
                        &n);

   for (ChangeColumn c = 0; c < N_CHANGE_COLUMNS; c++) {
      page_column(view->out, text_format("%s%s", what->letter, columns[c]));
      for (size_t i = 0; i < n; i++) {
         page_between(view->out, i == 0);
         put_change(view, what->kind, &pairs[i], c);
         text_forget();
      }
      putc(']', view->out);
   }
   free(pairs);
}

/*--- The whole                                            ---*/

void view_diff(const RunView* view)
{
   static const Changes tables[] = {
      { "d", MATCH_FUNCTIONS }, { "x", MATCH_LOOPS }
   };
   const ViewOld* o = view->old;
   KeyMap*        map;
   uint32_t*      first;

   if (o == NULL)
      return;
   page_member(view->out, ",\"old\":{\"program\":", program_name(&o->g));
   page_member(view->out, ",\"command\":", run_command(o->p));
   page_member(view->out, ",\"file\":", text_clean(text_base(o->file)));
   page_member(view->out, ",\"trace\":",
               o->trace == NULL ? NULL : text_clean(text_base(o->trace)));
   fprintf(view->out, ",\"process\":%" PRIu64 ",\"threads\":%" PRIu32
           ",\"nodes\":%" PRIu32 ",\"edges\":%" PRIu32 ",\"rebuilt\":%s"
           ",\"instrs\":", o->p->id, o->p->n_threads, o->p->n_blocks,
           o->p->n_edges, builds_differ(o->builds) ? "true" : "false");
   view_count(view->out, dcfg_process_instrs(o->p, ALL));
   putc('}', view->out);
   put_old_rows(view);
   put_old_blocks(view);
   put_old_edges(view);
   put_old_loops(view);
   map   = keymap_new();
   first = functions_by_number(view, map);
   if (view->trace != NULL ? o->trace != NULL : view->recorded)
      put_old_costs(view, map, first);
   put_old_calls(view, map, first);
   keymap_free(map);
   free(first);
   for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
      put_changes(view, &tables[i]);
}

/*--- Where both runs part                                 ---*/

/* The most partings of a thread that a page has. */
#define VIEW_PARTINGS 5

void view_first(FILE* out, const char* old, const char* wet, const char* root)
{
   const char* files[2] = { old, wet };
   Runs*       r = runs_new(files, 2, root);
   Causes*     c = causes_new(r, root);
   uint32_t    n[2] = { r->side[0].n_threads, r->side[1].n_threads };
   uint64_t    after = runs_after(r, NULL);

   fputs(",\"first\":[", out);
   for (uint32_t i = 0; i < n[0] || i < n[1]; i++) {
      PartThread* t = part_thread(r, i, i == 0 ? after : 0, VIEW_PARTINGS);
      page_between(out, i == 0);
      parting_put_json(out, r, c, "main", t);
      part_thread_free(t);
   }
   putc(']', out);
   causes_free(c);
   runs_free(r);
}
