
/*--------------------------------------------------------------------*/
/*--- What two DCFGs have in common.                       match.c ---*/
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

/* Owns: what is the same in two runs.  Handed: two processes.  Taken by:
   cmd_diff.c. */

#include "match.h"

#include <stdlib.h>
#include <string.h>

/* Where something is, the same in both runs: images by number, with offsets.
   An edge has two places; everything else one. */
typedef
   struct {
      uint32_t image, image2;
      uint64_t offset, offset2;
      uint32_t index;
      bool     second;          // from B
      uint64_t count;
   }
   Key;

/* Special nodes are in an image of their own. */
#define SPECIAL (UINT32_MAX - 1)

/*------------------------------------------------------------*/
/*--- Images                                               ---*/
/*------------------------------------------------------------*/

/* Images of the two runs with one name have one number: that of the first.
   Of several with the name (generations of a mapping), the first belongs to
   the first, and so on. */
typedef
   struct {
      const char* name;
      uint32_t    index, turn, number;
   }
   Name;

static int by_name(const void* a, const void* b)
{
   const Name* x = a;
   const Name* y = b;
   int         d = strcmp(x->name, y->name);

   return d != 0 ? d : x->index < y->index ? -1 : x->index > y->index;
}

static Name* names_of(const Program* g)
{
   Name* names = zalloc(g->p->n_images, sizeof(*names));

   for (uint32_t i = 0; i < g->p->n_images; i++) {
      names[i].name = image_name(g, i);
      names[i].index = i;
   }
   qsort(names, g->p->n_images, sizeof(*names), by_name);
   for (uint32_t i = 1; i < g->p->n_images; i++)
      if (strcmp(names[i].name, names[i - 1].name) == 0)
         names[i].turn = names[i - 1].turn + 1;
   return names;
}

static void number_images(const Program* a, const Program* b, uint32_t* to_a,
                          uint32_t* to_b)
{
   Name*    x = names_of(a);
   Name*    y = names_of(b);
   uint32_t j = 0;

   for (uint32_t i = 0; i < a->p->n_images; i++)
      to_a[i] = i;
   for (uint32_t i = 0; i < b->p->n_images; i++)
      to_b[i] = a->p->n_images + i;
   for (uint32_t i = 0; i < b->p->n_images; i++) {
      int d = -1;
      while (j < a->p->n_images
             && ((d = strcmp(x[j].name, y[i].name)) < 0
                 || (d == 0 && x[j].turn < y[i].turn)))
         j++;
      if (j < a->p->n_images && d == 0 && x[j].turn == y[i].turn)
         to_b[y[i].index] = x[j].index;
   }
   free(x);
   free(y);
}

/*------------------------------------------------------------*/
/*--- Keys                                                 ---*/
/*------------------------------------------------------------*/

static void place(const DcfgProcess* p, const uint32_t* images, uint32_t node,
                  uint32_t* image, uint64_t* offset)
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
      *image = images[n->image];
      *offset = n->addr - p->images[n->image].load_addr;
   }
}

static size_t add_keys(const Program* g, Kind kind, const uint32_t* images,
                       bool second, Key* keys)
{
   const DcfgProcess* p = g->p;
   uint32_t size = kind == MATCH_LOOPS ? p->n_loops
                   : kind == MATCH_ROUTINES ? p->n_routines
                   : kind == MATCH_BLOCKS ? p->n_blocks : p->n_edges;
   size_t   n = 0;

   for (uint32_t i = 0; i < size; i++) {
      Key*     k = &keys[n];
      uint32_t node = i;
      *k = (Key){ .index = i, .second = second };
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
         place(p, images, p->edges[i].target, &k->image2, &k->offset2);
         k->count = p->edges[i].count;
      }
      place(p, images, node, &k->image, &k->offset);
      n += k->count > 0;
   }
   return n;
}

static int by_place(const Key* x, const Key* y)
{
   return x->image != y->image ? (x->image < y->image ? -1 : 1)
          : x->offset != y->offset ? (x->offset < y->offset ? -1 : 1)
          : x->image2 != y->image2 ? (x->image2 < y->image2 ? -1 : 1)
          : x->offset2 != y->offset2 ? (x->offset2 < y->offset2 ? -1 : 1)
          : 0;
}

static int by_key(const void* a, const void* b)
{
   const Key* x = a;
   const Key* y = b;
   int        d = by_place(x, y);

   return d != 0 ? d : x->second != y->second ? (x->second ? 1 : -1)
          : x->index < y->index ? -1 : x->index > y->index;
}

Pair* match(const Program* a, const Program* b, Kind kind, size_t* n)
{
   size_t    room = (size_t)a->p->n_edges + b->p->n_edges + a->p->n_blocks
                    + b->p->n_blocks + a->p->n_loops + b->p->n_loops
                    + a->p->n_routines + b->p->n_routines;
   Key*      keys = zalloc(room, sizeof(*keys));
   uint32_t* to_a = zalloc(a->p->n_images, sizeof(*to_a));
   uint32_t* to_b = zalloc(b->p->n_images, sizeof(*to_b));
   size_t    n_keys;
   Pair*     pairs;

   number_images(a, b, to_a, to_b);
   n_keys = add_keys(a, kind, to_a, false, keys);
   n_keys += add_keys(b, kind, to_b, true, keys + n_keys);
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
   free(to_a);
   free(to_b);
   return pairs;
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
