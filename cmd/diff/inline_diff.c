/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of two builds, inlined or not. */

/* Owns: which functions of the source are the same in two builds.  Handed:
   two processes, and builds by builds.c.

   Functions are the same if their names, the names of the files that declare
   them, and their images are.  If each run has only one more function with a
   name, these are the same, too, even in other images: one build may inline a
   header's function that the other build calls in the library. */

#include "cmd/diff/inline_diff.h"

#include "cmd/base/interned.h"
#include "cmd/base/sums.h"

#include <inttypes.h>
#include <stdlib.h>

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

struct InlineDiff {
   const Builds* builds;
   InlineSide    side[2];
   Interned*     texts;
   KeyMap*       numbers;       // interned keys of functions
   uint64_t*     inlined[2];    // by pair
   uint32_t*     pair_of[2];    // by function
};

/*--- Keys                                                 ---*/

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

/*--- Pairs                                                ---*/

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
   if (n > 0)
      qsort(all, n, sizeof(*all), by_key);
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

Pair* inline_diff_pairs(InlineDiff* d, size_t* n)
{
   size_t         most = (size_t)d->side[0].n + d->side[1].n, kept = 0;
   NamedFunction* all = zalloc(most + 1, sizeof(*all));
   Pair*          pairs = zalloc(most + 1, sizeof(*pairs));

   for (int k = 0; k < 2; k++) {
      free(d->inlined[k]);
      free(d->pair_of[k]);
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

/*--- The whole                                            ---*/

InlineDiff* inline_diff_new(const Builds* b, const Program* const g[2],
                            const Select* what, Selection* const selected[2],
                            const char* root)
{
   InlineDiff* d = zalloc(1, sizeof(*d));

   d->builds  = b;
   d->texts   = interned_new();
   d->numbers = keymap_new();
   for (int k = 0; k < 2; k++) {
      InlineSide* s = &d->side[k];
      s->g    = g[k];
      s->f    = functions_new(g[k]);
      s->v    = inline_view_new(g[k], what, selected[k], root);
      s->sums = inline_sums_new(s->f, s->v->in, s->v->pieces, s->v->selected,
                                selected[k], DCFG_ALL_THREADS);
      inlined_find_functions(s->v->in);
      s->n = inlined_functions(s->v->in);
   }
   return d;
}

void inline_diff_free(InlineDiff* d)
{
   if (d == NULL)
      return;
   for (int k = 0; k < 2; k++) {
      inline_sums_free(d->side[k].sums);
      inline_view_free(d->side[k].v);
      functions_free(d->side[k].f);
      free(d->inlined[k]);
      free(d->pair_of[k]);
   }
   interned_free(d->texts);
   keymap_free(d->numbers);
   free(d);
}

uint64_t inline_diff_inlined(const InlineDiff* d, int side, const Pair* pair)
{
   uint32_t number = pair->a != DCFG_NONE ? d->pair_of[0][pair->a]
                     : d->pair_of[1][pair->b];

   return d->inlined[side][number];
}

const char* inline_diff_name(const InlineDiff* d, int side, uint32_t function)
{
   return inlined_name(d->side[side].v->in, function);
}

const char* inline_diff_source(const InlineDiff* d, int side,
                               uint32_t function)
{
   const InlineSide* s = &d->side[side];
   const char*       source = inlined_source(s->v->in, function);
   uint32_t          node = sum_of_side(s, function).node;

   return source[0] != 0 || node == DCFG_NONE ? source
          : node_source(s->g, node);
}

uint32_t inline_diff_image(const InlineDiff* d, int side, uint32_t function)
{
   return inlined_function_image(d->side[side].v->in, function);
}
