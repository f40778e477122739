/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls of a sum. */

/* Owns: the functions and pairs of CALLS, summed up by thread.  Handed:
   processes on their way into a sum, by merge_unite.c; the order of images and
   threads, by merge_write.c.

   A function is the same if its image and its offset there are.  A sum has
   calls if all of its runs have: then it does not matter how runs are
   grouped. */

#include "cmd/merge/merge.h"

#include "dcfg_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A cell's row: a function's or a pair's number. */
#define ROW_OF_FUNCTION(n) (2 * (uint64_t)(n))
#define ROW_OF_PAIR(n)     (2 * (uint64_t)(n) + 1)
#define MOST_ROWS          (UINT32_MAX / 2)

/*--- Adding                                               ---*/

/* Return the number of function F of A's process. */
static uint32_t number_function(Addition* a, const DcfgFunction* f)
{
   MergedCalls* c = &a->m->calls;
   uint64_t     key = NO_IMAGE_KEY, offset = 0;
   uint32_t     n;

   if (f->image != DCFG_NONE) {
      key = a->keys[f->image];
      offset = f->addr - a->g->p->images[f->image].load_addr;
   }
   n = keymap_number(c->functions,
                     (uintptr_t)intern(a->m->names,
                                       text_format("%" PRIx64 " %" PRIx64, key,
                                                   offset)));
   if (n < c->n_functions)
      return n;
   if (n >= MOST_ROWS)
      die("%s: there would be too many functions", a->path);
   GROW(c->all, c->n_functions, c->room);
   c->all[c->n_functions++] = (MergedFunction){ key, offset, 0, 0 };
   return n;
}

static void add_cell(Addition* a, uint64_t row, uint32_t thread, uint64_t first,
                     uint64_t second)
{
   MergedCalls* c = &a->m->calls;
   uint32_t     n;

   if (first == 0 && second == 0)
      return;
   n = keymap_number(c->places, row << 32 | thread);
   if (n == c->n_cells) {
      GROW(c->cells, c->n_cells, c->cells_room);
      c->cells[c->n_cells++] = (MergedCell){ (uint32_t)row, thread, 0, 0 };
   }
   add_exact(&c->cells[n].first, first, "calls or instructions of a function");
   add_exact(&c->cells[n].second, second, "instructions of a function");
}

void add_calls(Addition* a, uint32_t first_thread)
{
   const DcfgProcess*  p = a->g->p;
   const DcfgCallSums* from = p->calls;
   MergedCalls*        c = &a->m->calls;
   uint32_t*           numbers;

   if (from == NULL) {
      c->lost = true;
      return;
   }
   c->any = true;
   if (c->functions == NULL) {
      c->functions = keymap_new();
      c->pairs = keymap_new();
      c->places = keymap_new();
   }
   numbers = zalloc(from->n_functions, sizeof(*numbers));
   for (uint32_t i = 0; i < from->n_functions; i++) {
      numbers[i] = number_function(a, &from->functions[i]);
      for (uint32_t t = 0; t < p->n_threads; t++)
         add_cell(a, ROW_OF_FUNCTION(numbers[i]), first_thread + t,
                  dcfg_function_self(p, i, t), dcfg_function_inclusive(p, i, t));
   }
   for (uint32_t i = 0; i < from->n_pairs; i++) {
      const DcfgPair* pair = &from->pairs[i];
      uint32_t        n = keymap_number(c->pairs,
                                        (uint64_t)numbers[pair->caller] << 32
                                        | numbers[pair->callee]);
      if (n >= MOST_ROWS)
         die("%s: there would be too many calls", a->path);
      for (uint32_t t = 0; t < p->n_threads; t++)
         add_cell(a, ROW_OF_PAIR(n), first_thread + t, dcfg_pair_calls(p, i, t),
                  dcfg_pair_inclusive(p, i, t));
   }
   free(numbers);
}

void order_calls(Merged* m, const uint32_t* new_threads)
{
   for (size_t i = 0; i < m->calls.n_cells; i++)
      m->calls.cells[i].thread = new_threads[m->calls.cells[i].thread];
}

void free_calls(MergedCalls* c)
{
   if (c->functions != NULL) {
      keymap_free(c->functions);
      keymap_free(c->pairs);
      keymap_free(c->places);
   }
   FREE_ALL(c->all, c->cells);
}

/*--- Writing                                              ---*/

COMPARE(by_function, MergedFunction, UP(image) ?: UP(offset))
COMPARE(by_call, JsonCall, UP(caller) ?: UP(callee))

/* Set the places of functions in the file, and sort them.  Return, by number,
   their ids in the file. */
static uint32_t* place_functions(const Merged* m)
{
   MergedFunction* all = m->calls.all;
   uint32_t        n = m->calls.n_functions;
   uint32_t*       ids = zalloc(n, sizeof(*ids));
   KeyMap*         keys = keymap_new();

   for (uint32_t i = 0; i < m->n_images; i++)
      keymap_number(keys, m->images[i].key);
   for (uint32_t i = 0; i < n; i++) {
      all[i].number = i;
      all[i].image = all[i].key == NO_IMAGE_KEY ? 0
                     : keymap_find(keys, all[i].key) + 1;
   }
   keymap_free(keys);
   SORT(all, n, by_function);
   for (uint32_t i = 0; i < n; i++)
      ids[all[i].number] = i + 1;
   return ids;
}

/* Return the index of ROW among functions with these IDS in the file, and the
   pairs behind them. */
static size_t place_of_row(const MergedCalls* c, const uint32_t* ids,
                           uint32_t row)
{
   return row % 2 == 0 ? ids[row / 2] - 1 : (size_t)c->n_functions + row / 2;
}

JsonCalls* put_calls(const Merged* m)
{
   const MergedCalls* c = &m->calls;
   uint32_t           n = m->n_threads, n_pairs;
   uint32_t*          ids;
   ULong*             numbers;
   JsonFunction*      functions;
   JsonCall*          calls;
   JsonCalls*         json;

   if (c->any && c->lost)
      complain("some of the runs have no calls, which --calls=yes records; so "
               "the sum has none");
   if (!c->any || c->lost)
      return NULL;
   ids = place_functions(m);
   n_pairs = keymap_size(c->pairs);
   json = zalloc(1, sizeof(*json));
   functions = zalloc(c->n_functions, sizeof(*functions));
   calls = zalloc(n_pairs, sizeof(*calls));
   /* Two lists for each function and pair. */
   numbers = c->n_functions == 0 ? NULL
             : zalloc(((size_t)c->n_functions + n_pairs) * 2 * n + 1,
                      sizeof(*numbers));
   for (size_t i = 0; i < c->n_cells; i++) {
      ULong* list = numbers + 2 * n * place_of_row(c, ids, c->cells[i].row);
      list[c->cells[i].thread] = c->cells[i].first;
      list[n + c->cells[i].thread] = c->cells[i].second;
   }
   for (uint32_t i = 0; i < c->n_functions; i++) {
      ULong* list = numbers + 2 * (size_t)n * i;
      functions[i] = (JsonFunction){ c->all[i].image, c->all[i].offset, list,
                                     list + n };
   }
   for (uint32_t i = 0; i < n_pairs; i++) {
      uint64_t key = keymap_key(c->pairs, i);
      ULong*   list = numbers + 2 * (size_t)n * (c->n_functions + i);
      calls[i] = (JsonCall){ ids[key >> 32], ids[(uint32_t)key], list,
                             list + n };
   }
   SORT(calls, n_pairs, by_call);
   free(ids);
   *json = (JsonCalls){ c->n_functions, functions, n_pairs, calls };
   return json;
}

void free_json_calls(const JsonCalls* json)
{
   if (json == NULL)
      return;
   if (json->n_functions > 0)
      free(json->functions[0].self);
   FREE_ALL(json->functions, json->calls, json);
}
