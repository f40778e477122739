/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pairs the executed functions, loops, routines, blocks and edges of two
   DCFGs. */

/* Owns: the pairs.  Handed: two processes, numbers by builds.c. */

#include "cmd/builds/match.h"
#include "cmd/base/sums.h"

#include <stdlib.h>

/* Key: the place of a thing: an image's number and a number in the image, equal
   in both runs for the same thing.  An edge has two places, other things
   one. */
typedef
   struct {
      uint32_t image, image2;
      uint64_t offset, offset2;
      uint32_t index;
      bool     second;          // from run B
      uint64_t count;
   }
   Key;

/* SPECIAL: the image's number in the places of special nodes. */
#define SPECIAL (UINT32_MAX - 1)

/*--- Keys                                                 ---*/

/* Set *IMAGE and *OFFSET to the place of NODE. */
static void place(const Builds* b, int side, const DcfgProcess* p,
                  const uint64_t* places, uint32_t node, uint32_t* image,
                  uint64_t* offset)
{
   const DcfgNode* n;

   if (node >= p->n_nodes) {
      *image = SPECIAL;
      *offset = UINT64_MAX;
      return;
   }
   n = &p->nodes[node];
   if (n->kind != DCFG_NODE_BLOCK) {
      *image = SPECIAL;
      *offset = n->kind;
   } else {
      *image = build_image(b, side, n->image);
      *offset = places[node];
   }
}

static uint32_t n_things(const DcfgProcess* p, Kind kind)
{
   switch (kind) {
      case MATCH_LOOPS:    return p->n_loops;
      case MATCH_ROUTINES: return p->n_routines;
      case MATCH_BLOCKS:   return p->n_blocks;
      default:             return p->n_edges;
   }
}

/* Set KEYS to the executed things of KIND of a run.  Return how many these
   are. */
static size_t add_keys(Builds* b, const Program* g, Kind kind, int side,
                       Key* keys)
{
   const DcfgProcess* p = g->p;
   uint64_t* places = build_places(b, side, kind == MATCH_LOOPS ? PLACE_LOOPS
                                   : kind == MATCH_ROUTINES ? PLACE_ROUTINES
                                   : PLACE_BLOCKS);
   size_t    n = 0;

   for (uint32_t i = 0; i < n_things(p, kind); i++) {
      Key*     k = &keys[n];
      uint32_t node = i;
      *k = (Key){ .index = i, .second = side == 1 };
      if (kind == MATCH_LOOPS) {
         node = p->loops[i].head;
         k->count = dcfg_loop_iterations(p, i, DCFG_ALL_THREADS);
      } else if (kind == MATCH_ROUTINES) {
         node = p->routines[i].entry;
         k->count = dcfg_routine_instrs(p, i, DCFG_ALL_THREADS);
      } else if (kind == MATCH_BLOCKS) {
         k->count = dcfg_node_executions(p, i, DCFG_ALL_THREADS);
      } else {
         node = p->edges[i].source;
         place(b, side, p, places, p->edges[i].target, &k->image2,
               &k->offset2);
         k->count = p->edges[i].count;
      }
      place(b, side, p, places, node, &k->image, &k->offset);
      n += k->count > 0;
   }
   free(places);
   return n;
}

/* Do the same for functions, each with the instructions of its blocks.  If a
   function has several parts, the first part stands for all. */
static size_t add_functions(const Builds* b, const Program* g, int side,
                            Key* keys)
{
   const Functions* f = build_functions(b, side);
   KeyMap*          numbers = keymap_new();
   size_t           n = 0, kept = 0;

   for (uint32_t i = 0; i < g->p->n_blocks; i++) {
      uint64_t instrs = dcfg_node_instrs(g->p, i, DCFG_ALL_THREADS), number;
      uint32_t k;
      if (f->of[i] == NO_FUNCTION)
         continue;
      number = build_function(b, side, f->of[i]);
      k = keymap_number(numbers, number);
      if (k == n)
         keys[n++] = (Key){ .offset = number, .index = f->of[i],
                            .second = side == 1 };
      add_count(&keys[k].count, instrs);
   }
   for (size_t k = 0; k < n; k++)
      if (keys[k].count > 0)
         keys[kept++] = keys[k];
   keymap_free(numbers);
   return kept;
}

static int by_place(const Key* x, const Key* y)
{
   return UP(image) ?: UP(offset) ?: UP(image2) ?: UP(offset2);
}

COMPARE(by_key, Key, by_place(x, y) ?: UP(second) ?: UP(index))

Pair* match(Builds* builds, const Program* a, const Program* b, Kind kind,
            size_t* n)
{
   const Program* g[2] = { a, b };
   size_t room = (size_t)a->p->n_edges + b->p->n_edges + a->p->n_blocks
                 + b->p->n_blocks + a->p->n_loops + b->p->n_loops
                 + a->p->n_routines + b->p->n_routines;
   Key*   keys = zalloc(room, sizeof(*keys));
   size_t n_keys = 0;
   Pair*  pairs;

   for (int side = 0; side < 2; side++)
      n_keys += kind == MATCH_FUNCTIONS
                ? add_functions(builds, g[side], side, keys + n_keys)
                : add_keys(builds, g[side], kind, side, keys + n_keys);
   qsort(keys, n_keys, sizeof(*keys), by_key);
   pairs = zalloc(n_keys, sizeof(*pairs));
   *n = 0;
   for (size_t i = 0; i < n_keys; i++) {
      Pair* p = &pairs[(*n)++];
      *p = (Pair){ .a = DCFG_NONE, .b = DCFG_NONE };
      if (!keys[i].second) {
         p->a = keys[i].index;
         p->count_a = keys[i].count;
         if (i + 1 == n_keys || !keys[i + 1].second
             || by_place(&keys[i], &keys[i + 1]) != 0)
            continue;
         i++;
      }
      p->b = keys[i].index;
      p->count_b = keys[i].count;
   }
   free(keys);
   return pairs;
}
