/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg diff: which parts of a program did two runs or builds execute more or less? */

/* Owns: the subcommand diff, its tables of changes; which functions of the source
   are the same in two builds, inlined or not.  Handed: a command line.

   cmd/builds/ finds the same images, functions, loops, routines, blocks and edges
   in both runs, and which conditions differ.  With --inline, functions of the source are compared with their
   inlined copies.  They are the same if their names, the names of the files that
   declare them, and their images are.  If each run has only one more function with
   a name, these are the same, too, even in other images: one build may inline a
   header's function that the other build calls in the library. */

#include "cmd/base/keymap.h"
#include "cmd/base/operands.h"
#include "cmd/base/select.h"
#include "cmd/base/table.h"
#include "cmd/builds/builds.h"
#include "cmd/builds/conditions.h"
#include "cmd/calls/called.h"
#include "cmd/commands.h"
#include "cmd/program/inline_view.h"


/*--- Inlined functions                                    ---*/

/* InlineSide: a run with its functions. */
typedef
   struct {
      const Program* g;
      Functions*     f;
      InlineView*    v;
      InlineSums*    sums;
      uint32_t       n;         // functions
   }
   InlineSide;

/* InlineDiff: the functions of two runs.  A side is 0 or 1.  Functions are
   numbered as in Inlined, on each side apart. */
typedef
   struct {
      const Builds* builds;
      InlineSide    side[2];
      Interned*     texts;
      KeyMap*       numbers;       // interned keys of functions
      uint64_t*     inlined[2];    // by pair
      uint32_t*     pair_of[2];    // by function
   }
   InlineDiff;

/*--- Inlined functions: keys                              ---*/

typedef
   struct {
      uint32_t key;
      uint32_t side, function;
   }
   NamedFunction;

COMPARE(by_key, NamedFunction, UP(key) ?: UP(side) ?: UP(function))

/* KeyParts: what the key of a function has besides its name. */
typedef enum { BY_FILE_TOO, BY_IMAGE_TOO, BY_NAME_ALONE } KeyParts;

static FunctionSum sum_of_side(const InlineSide* s, uint32_t function)
{
   static const FunctionSum nothing = { .image = DCFG_NONE,
                                        .node = DCFG_NONE };

   return function < s->sums->n_functions ? s->sums->functions[function]
          : nothing;
}

/* Return the number of a function's key: its name, and the image or file if BY
   says so.  Images have one number in both runs. */
static uint32_t key_of(InlineDiff* d, int side, uint32_t function, KeyParts by)
{
   const InlineSide*      s = &d->side[side];
   const InlinedFunction* f = inlined_function_info(s->v->in, function);
   FunctionSum            sum = sum_of_side(s, function);
   const char*            name = text_demangle(base_name(f->name));

   /* Without a symbol, the name would be an address: take the number of
      builds.h. */
   if (sum.node != DCFG_NONE && f->file[0] == 0
       && dcfg_symbol_of(s->g->p, sum.node) == DCFG_NONE)
      name = text_format("\n%" PRIu64, build_function(d->builds, side,
                                                      s->f->of[sum.node]));
   return keymap_number(d->numbers, (uintptr_t)intern(d->texts, text_format(
                           "%d\n%" PRIu32 "\n%s\n%s", by, by == BY_NAME_ALONE
                           ? 0 : build_image(d->builds, side,
                                             inlined_function_image(s->v->in, function)),
                           name, by == BY_FILE_TOO ? text_base(f->file) : "")));
}

/*--- Inlined functions: pairs                             ---*/

static void add_to_pair(InlineDiff* d, Pair* p, uint32_t number,
                        const NamedFunction* n)
{
   const InlineSide* side = &d->side[n->side];
   FunctionSum       s = sum_of_side(side, n->function);
   uint32_t*         index = n->side == 0 ? &p->a : &p->b;

   d->pair_of[n->side][n->function] = number;
   add_count(n->side == 0 ? &p->count_a : &p->count_b, s.instrs);
   add_count(&d->inlined[n->side][number], s.inlined);
   if (*index == DCFG_NONE
       || s.instrs > sum_of_side(side, *index).instrs)
      *index = n->function;
}

/* Return whether FUNCTION is a stub of a linkage table: builds have these at
   different places. */
static bool is_stub(const InlineSide* s, uint32_t function)
{
   FunctionSum sum = sum_of_side(s, function);

   return sum.node != DCFG_NONE && s->f->of[sum.node] == NO_FUNCTION;
}

/* Store in ALL the functions of both runs that are in no pair, sorted by key.
   Stubs are left out.  Return how many. */
static size_t find_named(InlineDiff* d, NamedFunction* all, KeyParts by)
{
   size_t n = 0;

   for (uint32_t side = 0; side < 2; side++)
      for (uint32_t i = 0; i < d->side[side].n; i++) {
         if (d->pair_of[side][i] != DCFG_NONE
             || is_stub(&d->side[side], i))
            continue;
         all[n++] = (NamedFunction){ key_of(d, (int)side, i, by), side, i };
         text_forget();
      }
   SORT(all, n, by_key);
   return n;
}

/* Pair functions with equal keys.  ONE: only if each run has one such function.
   LONELY: make pairs of those that one run has alone, too. */
static size_t make_pairs(InlineDiff* d, NamedFunction* all, Pair* pairs,
                         size_t n_pairs, KeyParts by, bool one, bool lonely)
{
   size_t n = find_named(d, all, by);

   for (size_t i = 0, end; i < n; i = end) {
      size_t of[2] = { 0, 0 };
      for (end = i; end < n && all[end].key == all[i].key; end++)
         of[all[end].side]++;
      if (!lonely && (of[0] == 0 || of[1] == 0
                      || (one && (of[0] > 1 || of[1] > 1))))
         continue;
      pairs[n_pairs] = (Pair){ DCFG_NONE, DCFG_NONE, 0, 0 };
      for (size_t k = i; k < end; k++)
         add_to_pair(d, &pairs[n_pairs], (uint32_t)n_pairs, &all[k]);
      n_pairs++;
   }
   return n_pairs;
}

/* Return all functions that executed something selected, in no order; *N is
   their number.  Functions that are the same are one pair.  A function that has
   instances, but no code, in a run has the count 0 there. */
static Pair* inline_diff_pairs(InlineDiff* d, size_t* n)
{
   size_t         most = (size_t)d->side[0].n + d->side[1].n, kept = 0;
   NamedFunction* all = zalloc(most + 1, sizeof(*all));
   Pair*          pairs = zalloc(most + 1, sizeof(*pairs));

   for (int k = 0; k < 2; k++) {
      FREE_ALL(d->inlined[k], d->pair_of[k]);
      d->inlined[k] = zalloc(most + 1, sizeof(uint64_t));
      d->pair_of[k] = zalloc(most + 1, sizeof(uint32_t));
      for (size_t i = 0; i < most; i++)
         d->pair_of[k][i] = DCFG_NONE;
   }
   *n = make_pairs(d, all, pairs, 0, BY_FILE_TOO, false, false);
   *n = make_pairs(d, all, pairs, *n, BY_IMAGE_TOO, true, false);
   *n = make_pairs(d, all, pairs, *n, BY_NAME_ALONE, true, false);
   *n = make_pairs(d, all, pairs, *n, BY_FILE_TOO, false, true);
   for (size_t i = 0; i < *n; i++)
      if (pairs[i].count_a > 0 || pairs[i].count_b > 0)
         pairs[kept++] = pairs[i];
   *n = kept;
   free(all);
   return pairs;
}

/*--- Inlined functions of two runs                        ---*/

/* Compare the functions of two runs.  G and SELECTED: of both sides; SELECTED
   gets blocks with selected pieces.  Images' files are looked for below ROOT,
   if that is not NULL. */
static InlineDiff* inline_diff_new(const Builds* builds,
                                   const Program* const g[2],
                                   const Select* what,
                                   Selection* const selected[2],
                                   const char* root)
{
   InlineDiff* d = zalloc(1, sizeof(*d));

   d->builds  = builds;
   d->texts   = interned_new();
   d->numbers = keymap_new();
   for (int k = 0; k < 2; k++) {
      InlineSide* s = &d->side[k];
      s->g    = g[k];
      s->f    = functions_new(g[k]);
      s->v    = inline_view_new(g[k], what, selected[k], root);
      s->sums = inline_sums_new(s->f, s->v, selected[k], DCFG_ALL_THREADS);
      inlined_find_functions(s->v->in);
      s->n = inlined_functions(s->v->in);
   }
   return d;
}

static void inline_diff_free(InlineDiff* d)
{
   if (d == NULL)
      return;
   for (int k = 0; k < 2; k++) {
      inline_sums_free(d->side[k].sums);
      inline_view_free(d->side[k].v);
      functions_free(d->side[k].f);
      FREE_ALL(d->inlined[k], d->pair_of[k]);
   }
   interned_free(d->texts);
   keymap_free(d->numbers);
   free(d);
}

/* Return how many of a pair's instructions on SIDE were inlined. */
static uint64_t inline_diff_inlined(const InlineDiff* d, int side,
                                    const Pair* pair)
{
   uint32_t number = pair->a != DCFG_NONE ? d->pair_of[0][pair->a]
                     : d->pair_of[1][pair->b];

   return d->inlined[side][number];
}

/* Return a function's name, the place of its declaration, or "", and its
   image. */
static const char* inline_diff_name(const InlineDiff* d, int side,
                                    uint32_t function)
{
   return inlined_name(d->side[side].v->in, function);
}

static const char* inline_diff_source(const InlineDiff* d, int side,
                                      uint32_t function)
{
   const InlineSide* s = &d->side[side];
   const char*       source = inlined_source(s->v->in, function);
   uint32_t          node = sum_of_side(s, function).node;

   return source[0] != 0 || node == DCFG_NONE ? source
          : node_source(s->g, node);
}

static uint32_t inline_diff_image(const InlineDiff* d, int side,
                                  uint32_t function)
{
   return inlined_function_image(d->side[side].v->in, function);
}

/*--- The comparison                                       ---*/

/* Sections: one for each Kind, in that order; and functions with what they
   called, if both runs have recorded calls. */
#define N_SECTIONS 6
#define INCLUSIVE  5

static const char* const section_text[] = {
   "functions", "loops", "routines", "blocks", "edges", "inclusive"
};
static const char* const title_text[] = {
   "functions", "loops", "routines", "blocks", "edges",
   "functions with what they called"
};
static const char* const count_text[] = {
   "instructions", "iterations", "instructions", "executions", "traversals",
   "instructions"
};

typedef
   struct {
      Program    a, b;
      int        section;       // the present one
      Builds*    builds;
      InlineDiff* inlined;      // with --inline; or NULL
      Selection* selected[2];
      Form       form;
      double     share;         // part of A's count by which a count must
                                // change to be shown
      double     threshold;     // part of A's instructions that a change must
                                // reach to be shown
      double     fail;          // percent of growth; negative: no --fail
      uint64_t   total_a, total_b;
      uint64_t   top;
      bool       wide;
      uint64_t   found;
      uint64_t   guessed;       // in this section
   }
   Diff;

/*--- Changes                                              ---*/

static uint64_t distance(const Pair* p)
{
   return p->count_a > p->count_b ? p->count_a - p->count_b
          : p->count_b - p->count_a;
}

/* Return how many instructions a count stands for. */
static double weight(const Diff* d, Kind kind, const Pair* p)
{
   const Program* g = p->b != DCFG_NONE ? &d->b : &d->a;
   uint32_t       i = p->b != DCFG_NONE ? p->b : p->a;
   uint64_t       iterations;

   switch (kind) {
      case MATCH_BLOCKS:
         return g->p->nodes[i].n_instrs;
      case MATCH_LOOPS:
         iterations = dcfg_loop_iterations(g->p, i, DCFG_ALL_THREADS);
         return iterations == 0 ? 0
                : (double)dcfg_loop_instrs(g->p, i, DCFG_ALL_THREADS)
                  / (double)iterations;
      default:
         return 1;
   }
}

/* Return whether a change reaches --threshold. */
static bool is_large(const Diff* d, Kind kind, const Pair* p)
{
   return (double)distance(p) * weight(d, kind, p)
          >= d->threshold / 100 * (double)d->total_a;
}

static bool is_change(const Diff* d, Kind kind, const Pair* p)
{
   if (distance(p) == 0 || !is_large(d, kind, p))
      return false;
   if (p->a == DCFG_NONE || p->b == DCFG_NONE)
      return true;
   return (double)distance(p) > d->share / 100 * (double)p->count_a;
}

COMPARE(by_distance, Pair, ORDER(distance(y), distance(x)) ?: UP(a) ?: UP(b))

static const char* change_text(const Pair* p)
{
   return p->a == DCFG_NONE ? "new" : p->b == DCFG_NONE ? "gone"
          : p->count_a == 0 ? "grown" : text_change(p->count_a, p->count_b);
}

/* Return whether KIND is functions of the source, inlined or not. */
static bool is_inlined(const Diff* d, Kind kind)
{
   return kind == MATCH_FUNCTIONS && d->inlined != NULL
          && d->section != INCLUSIVE;
}

static uint32_t node_of(const Diff* d, const Program* program, Kind kind,
                        uint32_t i)
{
   switch (kind) {
      case MATCH_FUNCTIONS:
         return build_functions(d->builds, program == &d->b)->nodes[i];
      case MATCH_LOOPS:    return program->p->loops[i].head;
      case MATCH_ROUTINES: return program->p->routines[i].entry;
      case MATCH_BLOCKS:   return i;
      default:             return program->p->edges[i].source;
   }
}

/* Return whether the output is for programs: plain numbers, more columns. */
static bool for_programs(const Diff* d)
{
   return d->form == FORM_CSV || d->form == FORM_JSON;
}

/* Return whether the pair was matched by the functions' shapes only. */
static bool is_guess(const Diff* d, Kind kind, const Pair* p)
{
   uint32_t node;

   if (p->a == DCFG_NONE || p->b == DCFG_NONE || is_inlined(d, kind))
      return false;
   node = node_of(d, &d->b, kind, p->b);
   return build_is_guess(d->builds, 1, node)
          || (kind == MATCH_EDGES
              && build_is_guess(d->builds, 1, d->b.p->edges[p->b].target));
}

/* Return the name of a pair of functions, B's if it has one. */
static const char* name_of_pair(const Diff* d, const Pair* p)
{
   int      side = p->b != DCFG_NONE;
   uint32_t i = side == 1 ? p->b : p->a;

   return d->inlined != NULL ? inline_diff_name(d->inlined, side, i)
          : function_name(build_functions(d->builds, side), i);
}

static void put_inlined_change(const Diff* d, Table* t, const Pair* p)
{
   int      side = p->b != DCFG_NONE;
   uint32_t i = side == 1 ? p->b : p->a;

   put_text(t, change_text(p));
   put_count(t, p->count_a);
   put_count(t, p->count_b);
   put_count(t, inline_diff_inlined(d->inlined, 0, p));
   put_count(t, inline_diff_inlined(d->inlined, 1, p));
   put_text(t, name_of_pair(d, p));
   put_text(t, inline_diff_source(d->inlined, side, i));
   put_text(t, image_name(side == 1 ? &d->b : &d->a,
                          inline_diff_image(d->inlined, side, i)));
}

/* Return the name of node B of B, or of node A of A if B is DCFG_NONE.  A stub
   that has no name in B, because it was called only once, gets A's. */
static const char* name_of_nodes(const Diff* d, uint32_t a, uint32_t b)
{
   bool in_a = b == DCFG_NONE
               || (a < d->a.p->n_blocks && b < d->b.p->n_blocks
                   && dcfg_symbol_of(d->b.p, b) == DCFG_NONE
                   && stub_target(d->b.p, b) == DCFG_NONE
                   && stub_target(d->a.p, a) != DCFG_NONE);

   return in_a ? node_name(&d->a, a) : node_name(&d->b, b);
}

static void put_change(const Diff* d, Table* t, Kind kind, const Pair* p)
{
   /* Names are B's, the newer run's. */
   const Program* g = p->b != DCFG_NONE ? &d->b : &d->a;
   uint32_t       i = p->b != DCFG_NONE ? p->b : p->a;
   uint32_t       node = node_of(d, g, kind, i);

   put_text(t, change_text(p));
   put_count(t, p->count_a);
   put_count(t, p->count_b);
   if (kind == MATCH_EDGES) {
      const DcfgEdge* e = &g->p->edges[i];
      const DcfgEdge* old = p->a == DCFG_NONE ? NULL : &d->a.p->edges[p->a];
      const DcfgEdge* new = p->b == DCFG_NONE ? NULL : &d->b.p->edges[p->b];
      put_name(t, name_of_nodes(d, old == NULL ? DCFG_NONE : old->source,
                                new == NULL ? DCFG_NONE : new->source),
               node_symbol(g, e->source));
      put_name(t, name_of_nodes(d, old == NULL ? DCFG_NONE : old->target,
                                new == NULL ? DCFG_NONE : new->target),
               node_symbol(g, e->target));
      put_text(t, dcfg_edge_type_text(e->type));
   } else if (kind == MATCH_LOOPS) {
      const char* source = node_source(g, node);
      put_text(t, source[0] != 0 || for_programs(d) ? source
               : node_name(g, node));
      put_name(t, routine_name(g, g->p->loops[i].routine),
               routine_symbol(g, g->p->loops[i].routine));
   } else if (kind == MATCH_FUNCTIONS) {
      /* A guessed function that has no name in B gets A's. */
      bool           in_a = is_guess(d, kind, p)
                            && dcfg_symbol_of(g->p, node) == DCFG_NONE;
      const Program* from = in_a ? &d->a : g;
      const Functions* f = build_functions(d->builds, from == &d->b);
      put_name(t, function_name(f, in_a ? p->a : i),
               function_symbol_name(f, in_a ? p->a : i));
      put_text(t, node_source(from, node_of(d, from, kind, in_a ? p->a : i)));
   } else {
      put_name(t, name_of_nodes(
                     d, p->a == DCFG_NONE ? DCFG_NONE
                        : node_of(d, &d->a, kind, p->a),
                     p->b == DCFG_NONE ? DCFG_NONE
                     : node_of(d, &d->b, kind, p->b)),
               node_symbol(g, node));
      put_text(t, node_source(g, node));
   }
   put_text(t, node < g->p->n_blocks ? image_name(g, g->p->nodes[node].image)
            : "");
   if (for_programs(d)) {
      const DcfgNode* n = node < g->p->n_blocks ? &g->p->nodes[node] : NULL;
      if (n != NULL)
         put_hex(t, n->addr - g->p->images[n->image].load_addr);
      else
         put_nothing(t);
   }
   if (d->guessed > 0)
      put_text(t, is_guess(d, kind, p) ? "guess" : "");
}

static Table* new_table(const Diff* d, Kind kind)
{
   Table* t = tab_new(section_text[d->section]);
   size_t name = d->wide ? 0 : 40;

   tab_column(t, COL_TEXT, "change", "change", 0);
   tab_column(t, COL_COUNT, "a", "A", 0);
   tab_column(t, COL_COUNT, "b", "B", 0);
   if (is_inlined(d, kind)) {
      tab_column(t, COL_COUNT, "inlined_a", "inlined A", 0);
      tab_column(t, COL_COUNT, "inlined_b", "inlined B", 0);
   }
   if (kind == MATCH_EDGES) {
      tab_column(t, COL_NAME, "from", "from", name);
      tab_column(t, COL_NAME, "to", "to", name);
      tab_column(t, COL_TEXT, "type", "type", 0);
   } else if (kind == MATCH_LOOPS) {
      tab_column(t, COL_NAME, "source", "head", name);
      tab_column(t, COL_NAME, "routine", "routine", name);
   } else {
      tab_column(t, COL_NAME, "name", kind == MATCH_BLOCKS ? "block"
                 : kind == MATCH_ROUTINES ? "routine" : "function", name);
      tab_column(t, COL_TEXT, "source", "source", d->wide ? 0 : 28);
   }
   tab_column(t, COL_TEXT, "image", "image", d->wide ? 0 : 24);
   if (for_programs(d) && !is_inlined(d, kind))
      tab_column(t, COL_HEX, "offset", "offset", 0);
   if (d->guessed > 0)
      tab_column(t, COL_TEXT, "match", "match", 0);
   return t;
}

static bool is_wanted(const Diff* d, Kind kind, const Pair* p)
{
   const Program* g[2] = { &d->a, &d->b };
   uint32_t       index[2] = { p->a, p->b };

   for (int k = 0; k < 2; k++) {
      uint32_t i = index[k];
      if (i == DCFG_NONE)
         continue;
      if (is_everything(d->selected[k])
          || is_selected(d->selected[k], node_of(d, g[k], kind, i))
          || (kind == MATCH_EDGES
              && is_selected(d->selected[k], g[k]->p->edges[i].target)))
         return true;
   }
   return false;
}

/* Let pairs of functions count what those called, too. */
static void count_inclusive(const Diff* d, Pair* pairs, size_t n)
{
   FunctionCost* costs[2];

   for (int k = 0; k < 2; k++)
      costs[k] = called_costs(build_functions(d->builds, k), DCFG_ALL_THREADS);
   for (size_t i = 0; i < n; i++) {
      if (pairs[i].a != DCFG_NONE)
         pairs[i].count_a = costs[0][pairs[i].a].all;
      if (pairs[i].b != DCFG_NONE)
         pairs[i].count_b = costs[1][pairs[i].b].all;
   }
   FREE_ALL(costs[0], costs[1]);
}

/* Return all selected pairs of KIND. */
static Pair* find_pairs(Diff* d, Kind kind, size_t* n)
{
   size_t all;
   Pair*  pairs;

   if (is_inlined(d, kind))             // the pairs are of selected code
                                        // already
      return inline_diff_pairs(d->inlined, n);
   pairs = match(d->builds, &d->a, &d->b, kind, &all);
   if (d->section == INCLUSIVE)
      count_inclusive(d, pairs, all);
   *n = 0;
   for (size_t i = 0; i < all; i++)
      if (is_wanted(d, kind, &pairs[i]))
         pairs[(*n)++] = pairs[i];
   return pairs;
}

static void print_heading(const Diff* d, uint64_t added,
                          uint64_t gone, uint64_t changed, uint64_t n)
{
   printf("\n%s%c%s: %s new, %s gone, %s changed",
          d->form == FORM_MARKDOWN ? "**" : "", title_text[d->section][0] - 32,
          title_text[d->section] + 1, text_count(added), text_count(gone),
          text_count(changed));
   if (d->share > 0)
      printf(" by more than %g%%", d->share);
   printf(", of %s%s%s%s%s\n", text_count(n),
          added + gone + changed > 0 ? ", in " : "",
          added + gone + changed > 0 ? count_text[d->section] : "",
          d->guessed == 0 ? "" : text_format("; %s matched by a guess",
                                             text_count(d->guessed)),
          d->form == FORM_MARKDOWN ? "**\n" : "");
}

static void show_section(Diff* d, bool first)
{
   Kind     kind = d->section == INCLUSIVE ? MATCH_FUNCTIONS : (Kind)d->section;
   size_t   n, n_changes = 0;
   Pair*    pairs = find_pairs(d, kind, &n);
   uint64_t gone = 0, added = 0;
   Table*   t;

   d->guessed = 0;
   for (size_t i = 0; i < n; i++) {
      d->guessed += is_guess(d, kind, &pairs[i]);
      if (is_change(d, kind, &pairs[i])) {
         gone += pairs[i].b == DCFG_NONE;
         added += pairs[i].a == DCFG_NONE;
         pairs[n_changes++] = pairs[i];
      }
   }
   d->found += n_changes;
   t = new_table(d, kind);
   qsort(pairs, n_changes, sizeof(*pairs), by_distance);
   for (size_t i = 0; i < n_changes && (d->top == 0 || i < d->top); i++)
      if (is_inlined(d, kind))
         put_inlined_change(d, t, &pairs[i]);
      else
         put_change(d, t, kind, &pairs[i]);
   if (!for_programs(d)) {
      print_heading(d, added, gone, n_changes - gone - added, n);
      if (n_changes > 0)
         tab_print(t, d->form, 0);
      if (tab_rows(t) < n_changes)
         printf("%s... and %s more\n", d->form == FORM_MARKDOWN ? "\n" : "",
                text_count(n_changes - tab_rows(t)));
   } else if (d->form == FORM_CSV) {
      if (!first)
         putchar('\n');
      tab_print(t, FORM_CSV, 0);
   } else {
      printf("%s\n  \"%s\": ", first ? "" : ",",
             section_text[d->section]);
      tab_print(t, FORM_JSON, 2);
   }
   tab_free(t);
   free(pairs);
   text_forget();
}

/*--- Conditions                                           ---*/

/* Show what differs in the conditions of the runs. */
static void show_conditions(const Diff* d)
{
   Differences all = compare_conditions(&d->a, &d->b);

   for (size_t i = 0; i < all.n; i++) {
      const char* text = all.all[i].text;
      if (d->form == FORM_CSV)
         complain("conditions: %s", text);
      else if (d->form == FORM_JSON) {
         printf("%s", i == 0 ? "\n  \"conditions\": [\n    " : ",\n    ");
         put_json_string(text, stdout);
      } else
         printf("%sconditions: %s%s\n",
                i == 0 && d->form == FORM_MARKDOWN ? "\n" : "", text,
                d->form == FORM_MARKDOWN ? "  " : "");
   }
   if (d->form == FORM_JSON && all.n > 0)
      printf("\n  ],");
   differences_free(&all);
   text_forget();
}

/* Show the command lines, if they are recorded. */
static void show_commands(const Diff* d)
{
   const char* const commands[] = { run_command(d->a.p),
                                    run_command(d->b.p) };

   for (int i = 0; i < 2; i++)
      if (commands[i] != NULL)
         printf(d->form == FORM_MARKDOWN ? "%s%c ran `%s`  \n"
                : "%s%c ran %s\n",
                i == 0 && d->form == FORM_MARKDOWN ? "\n" : "", 'A' + i,
                d->form == FORM_MARKDOWN ? commands[i]
                : text_fit(commands[i], 74));
}

static void show_totals(const Diff* d)
{
   uint64_t a = d->total_a, b = d->total_b;
   Pair     p = { .a = 0, .b = 0, .count_a = a == 0 ? 1 : a, .count_b = b };
   bool     rows = d->form == FORM_MARKDOWN;

   if (rows)
      puts("| run | process | instructions |\n|---|--:|--:|");
   printf(rows ? "| A: `%s` | %" PRIu64 " | %s |\n"
          : "A: %s, process %" PRIu64 ": %s instructions\n",
          program_name(&d->a), d->a.p->id, text_count(a));
   printf(rows ? "| B: `%s` | %" PRIu64 " | %s (%s) |\n"
          : "B: %s, process %" PRIu64 ": %s instructions (%s)\n",
          program_name(&d->b), d->b.p->id, text_count(b), a == b ? "the same"
          : change_text(&p));
   show_commands(d);
}

/* Return whether COUNT_A grew by more than --fail.  For a new function, the
   growth is its share of all instructions of A. */
static bool has_grown(const Diff* d, const Pair* p)
{
   uint64_t base = p->a == DCFG_NONE ? d->total_a : p->count_a;

   return p->count_b > p->count_a
          && (double)(p->count_b - p->count_a)
             > d->fail / 100 * (double)base;
}

static void complain_growth(const Diff* d, const char* name, const Pair* p,
                            bool guess)
{
   complain("%s%s grew from %s to %s instructions (%s), beyond %g%%", name,
            guess ? ", matched by a guess," : "", text_count(p->count_a),
            text_count(p->count_b), change_text(p), d->fail);
}

/* Check --fail for the whole run, and for each selected function. */
static bool tell_growth(Diff* d)
{
   Pair   all = { 0, 0, d->total_a, d->total_b };
   size_t n;
   Pair*  pairs = find_pairs(d, MATCH_FUNCTIONS, &n);
   bool   any = has_grown(d, &all);

   if (any)
      complain_growth(d, "the program", &all, false);
   qsort(pairs, n, sizeof(*pairs), by_distance);
   for (size_t i = 0; i < n; i++) {
      if (pairs[i].b == DCFG_NONE || !has_grown(d, &pairs[i])
          || !is_large(d, MATCH_FUNCTIONS, &pairs[i]))
         continue;
      complain_growth(d, text_brief(name_of_pair(d, &pairs[i])), &pairs[i],
                      is_guess(d, MATCH_FUNCTIONS, &pairs[i]));
      any = true;
   }
   free(pairs);
   return any;
}

static Form one_form(bool csv, bool json, bool markdown)
{
   Form form = table_form(csv, json);

   if (markdown && form != FORM_TEXT)
      die("--markdown or --%s, not both", csv ? "csv" : "json");
   return markdown ? FORM_MARKDOWN : form;
}

/* Choose the sections to show without options: those of the same code in both
   runs; if code differs, or for readers who do not know routines, functions.
   Functions with what they called are there if both runs tell. */
static void default_sections(const Diff* d, bool* wanted)
{
   bool has_calls = d->a.p->calls != NULL && d->b.p->calls != NULL;

   if (wanted[INCLUSIVE] && !has_calls)
      die("--inclusive needs two runs with calls: " NO_CALLS " them");
   for (int k = 0; k < N_SECTIONS; k++)
      if (wanted[k])
         return;
   for (int k = 0; k < N_SECTIONS; k++)
      wanted[k] = k != MATCH_FUNCTIONS && d->form != FORM_MARKDOWN;
   wanted[INCLUSIVE] = has_calls;
   wanted[MATCH_FUNCTIONS] = builds_differ(d->builds) || d->inlined != NULL
                            || d->form == FORM_MARKDOWN;
   wanted[MATCH_LOOPS] = true;
}

static void show_all(Diff* d, const bool* wanted)
{
   /* Functions with what they called stand below functions. */
   static const int order[N_SECTIONS] = { 0, INCLUSIVE, 1, 2, 3, 4 };
   bool first = true;

   if (d->form == FORM_JSON)
      printf("{");
   else if (d->form != FORM_CSV)
      show_totals(d);
   show_conditions(d);
   for (int k = 0; k < N_SECTIONS; k++)
      if (wanted[order[k]]) {
         d->section = order[k];
         show_section(d, first);
         first = false;
      }
   d->section = MATCH_FUNCTIONS;
   if (d->form == FORM_JSON)
      printf("\n}\n");
}

/* Set TO to the files of KIND beside the graphs FILES.  Return whether both
   have one; if the first has none, the second is not looked for. */
static bool both_beside(const char* const* files, FileKind kind, char** to)
{
   to[0] = file_beside(files[0], kind);
   to[1] = to[0] == NULL ? NULL : file_beside(files[1], kind);
   return to[1] != NULL;
}

/* If both runs, of the graphs FILES, have whole execution traces or DCFG-traces
   beside them, say what tells where they part. */
static void tell_first(const char* const* files)
{
   char* wet[2];
   char* trace[2] = { NULL, NULL };

   if (both_beside(files, KIND_WET, wet))
      printf("\nwhere they part, and why: dcfg first %s %s\n",
             text_clean(wet[0]), text_clean(wet[1]));
   else if (both_beside(files, KIND_TRACE, trace))
      printf("\nwhere they part: dcfg first %s %s %s %s\n",
             text_clean(files[0]), text_clean(trace[0]), text_clean(files[1]),
             text_clean(trace[1]));
   FREE_ALL(wet[0], wet[1], trace[0], trace[1]);
}

static int run(int argc, char** argv)
{
   bool        wanted[N_SECTIONS] = { false }, csv = false, json = false;
   bool        markdown = false, mangled = false, grown = false;
   const char* share = "1";
   const char* threshold = "0";
   const char* fail = NULL;
   const char* root = NULL;
   Select      what = SELECT_ALL;
   Diff        d = { .top = 10 };
   const Opt   opts[] = {
      { "share", OPT_TEXT, &share, "PERCENT",
        "only counts that changed by more than PERCENT of the count in A; 0: "
        "all changes [1]" },
      { "threshold", OPT_TEXT, &threshold, "PERCENT",
        "only changes of at least PERCENT of all instructions of A [0]" },
      { "fail", OPT_TEXT, &fail, "PERCENT",
        "exit with 1 if the program or a selected function grew by more than "
        "PERCENT, else with 0; stderr names it" },
      { "functions", OPT_FLAG, &wanted[MATCH_FUNCTIONS], NULL, NULL },
      { "inclusive", OPT_FLAG, &wanted[INCLUSIVE], NULL, NULL },
      { "loops", OPT_FLAG, &wanted[MATCH_LOOPS], NULL, NULL },
      { "routines", OPT_FLAG, &wanted[MATCH_ROUTINES], NULL, NULL },
      { "blocks", OPT_FLAG, &wanted[MATCH_BLOCKS], NULL, NULL },
      { "edges", OPT_FLAG, &wanted[MATCH_EDGES], NULL,
        "print only these sections [all; functions only if something was built "
        "anew; inclusive, functions with what they called, only if both have "
        "recorded calls]" },
      OPT_TOP(&d.top), SELECT_PLACES(&what),
      OPT_WIDE(&d.wide), OPT_MANGLED(&mangled),
      OPT_INLINE(&what.inlined, "functions are those of the source, inlined or "
                 "not"),
      OPT_ROOT(&root),
      { "markdown", OPT_FLAG, &markdown, NULL,
        "for a pull request: functions and loops" },
      OPT_CSV_JSON(&csv, &json, "for programs")
   };
   const char* files[2];
   Dcfg*       a;
   Dcfg*       b;

   parse_args(&diff_command, OPTS(opts), argc, argv, files, 2, 2);
   d.form = one_form(csv, json, markdown);
   d.share = percentage("share", share);
   d.threshold = percentage("threshold", threshold);
   d.fail = fail == NULL ? -1 : percentage("fail", fail);
   only_one_input(files, 2);
   a = load_dcfg(files[0]);
   b = load_dcfg(files[1]);
   d.a = (Program){ a, main_process(a), mangled };
   d.b = (Program){ b, main_process(b), mangled };
   d.total_a = dcfg_process_instrs(d.a.p, DCFG_ALL_THREADS);
   d.total_b = dcfg_process_instrs(d.b.p, DCFG_ALL_THREADS);
   d.builds = builds_new(&d.a, &d.b);
   what.quiet = true;
   d.selected[0] = selection_new(&d.a, &what);
   d.selected[1] = selection_new(&d.b, &what);
   if (what.inlined)
      d.inlined = inline_diff_new(d.builds, (const Program* const[])
                                            { &d.a, &d.b }, &what,
                                  d.selected, root);
   need_found((const Program[]){ d.a, d.b }, d.selected, 2, &what);
   default_sections(&d, wanted);
   show_all(&d, wanted);
   if (d.form == FORM_TEXT && strcmp(files[0], "-") != 0
       && strcmp(files[1], "-") != 0)
      tell_first(files);
   if (d.fail >= 0)
      grown = tell_growth(&d);
   inline_diff_free(d.inlined);
   selection_free(d.selected[0]);
   selection_free(d.selected[1]);
   builds_free(d.builds);
   dcfg_free(a);
   dcfg_free(b);
   return (d.fail >= 0 ? grown : d.found > 0) ? STATUS_FOUND : STATUS_OK;
}

const Command diff_command = {
   "diff", "A B", "what differs between two runs, or two builds",
   "Compares two runs of a program, A and B: functions, loops, routines,\n"
   "blocks and edges that are new in B, are gone, or have another count.\n"
   "The largest differences come first.\n"
   "What differs in the conditions of the runs, such as the environment, stands\n"
   "before the tables.\n"
   "\n"
   "Code at the same offset of the same image is the same code.  In an image\n"
   "that was built anew, functions match by name, or by the source line at\n"
   "which they begin.  Within functions, blocks and loops of one line match\n"
   "in their order.  Stubs of linkage tables match by the names of their\n"
   "functions.  Functions without a name match by their blocks and calls:\n"
   "the column `match' says \"guess\" then.\n"
   "\n"
   "Functions and routines count instructions, loops iterations, blocks\n"
   "executions, edges traversals.  With recorded calls, functions are also\n"
   "compared with what they called.\n",
   "\n"
   "exit status: 0 no difference that is shown, 1 differences; with --fail: 0\n"
   "nothing grew by more than PERCENT, 1 the program or a selected function\n"
   "did; 2 wrong use, a file cannot be read, or neither run has what the\n"
   "options select\n",
   run
};
