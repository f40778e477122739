/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Counts of edges and of calls, added to a sum. */

/* Owns: sums of counts, which type an edge gets, and the functions and pairs of
   CALLS, summed up by thread.  Handed: lists of edges, with ids of the sum, and
   processes on their way into it, by merge_unite.c; the order of images and
   threads, by merge_write.c.

   A list of edges is put in order, and goes into the sum from the end, where
   that has room: so each count is moved once.

   A function is the same if its image and its offset there are.  A sum has
   calls if all of its runs have: then it does not matter how runs are
   grouped. */

#include "cmd/merge/merge.h"

#include "dcfg_json.h"
#include "tool/graph/graph.h"

void add_exact(uint64_t* sum, uint64_t n, const char* what)
{
   if (!add_count(sum, n))
      die("these runs have more than 18,446,744,073,709,551,615 (2^64 - 1) %s "
          "together, the most that a file can have: merge fewer runs", what);
}

/* Add two counts of one thread. */
static MergedCount add_up(MergedCount a, MergedCount b)
{
   uint64_t sum = count_of(a);

   add_exact(&sum, count_of(b), "traversals of an edge");
   return merged_count(a.thread, sum);
}

/*--- Types of edges                                       ---*/

uint16_t passing_of(uint32_t edge_type)
{
   return edge_type == DCFG_EDGE_FALL_THROUGH ? PASSES : TRANSFERS;
}

/* Give E the better one of its type and TYPE, of equal ranks the first in the
   format, and the stronger passing. */
static void take_type(MergedEdge* e, uint16_t type, uint16_t passing)
{
   UInt mine = DCFG_(edge_rank)(EdgeEntry + e->type);
   UInt other = DCFG_(edge_rank)(EdgeEntry + type);

   if (other < mine || (other == mine && type < e->type))
      e->type = type;
   if (passing > e->passing)
      e->passing = passing;
}

/*--- Lists of edges                                       ---*/

void put_edge(MergedEdges* edges, MergedEdge e)
{
   GROW(edges->all, edges->n, edges->room);
   edges->all[edges->n++] = e;
}

void keep_count(MergedEdges* edges, MergedCount c)
{
   GROW(edges->counts, edges->n_counts, edges->counts_room);
   edges->counts[edges->n_counts++] = c;
}

void put_edge_with(MergedEdges* edges, MergedEdge e, const MergedCount* counts,
                   uint32_t n)
{
   e.first = (uint32_t)edges->n_counts;
   e.n_counts = n;
   for (uint32_t i = 0; i < n; i++)
      keep_count(edges, counts[i]);
   put_edge(edges, e);
}

void drop_empty(MergedEdges* edges)
{
   size_t n = 0, from = 0, to = 0;

   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge e = edges->all[i];
      size_t     end = from + e.n_counts;
      bool       bypass = e.n_counts == 0;
      for (e.n_counts = 0; from < end; from++)
         if (e.source != NO_ID && count_of(edges->counts[from]) > 0) {
            edges->counts[to++] = edges->counts[from];
            e.n_counts++;
         }
      if (e.source != NO_ID && (bypass || e.n_counts > 0))
         edges->all[n++] = e;
   }
   edges->n = n;
   edges->n_counts = to;
}

COMPARE(by_ends, MergedEdge, UP(source) ?: UP(target))

COMPARE(by_thread, MergedCount, UP(thread))

/* Make one edge of N with the same ends, E and those behind it. */
static MergedEdge gather(MergedEdges* edges, const MergedEdge* e, size_t n)
{
   size_t       first = edges->n_counts, end;
   MergedCount* to;
   MergedEdge   sum = { e->source, e->target, e->type, PASSES, 0,
                        (uint32_t)first };

   for (size_t i = 0; i < n; i++) {
      take_type(&sum, e[i].type, e[i].n_counts > 0 ? e[i].passing : PASSES);
      for (uint32_t k = 0; k < e[i].n_counts; k++)
         keep_count(edges, edges->counts[e[i].first + k]);
   }
   end = edges->n_counts;
   to = edges->counts + first;
   if (end > first)
      qsort(to, end - first, sizeof(*to), by_thread);
   for (size_t i = first; i < end; i++) {
      MergedCount c = edges->counts[i];
      if (sum.n_counts > 0 && to[sum.n_counts - 1].thread == c.thread)
         to[sum.n_counts - 1] = add_up(to[sum.n_counts - 1], c);
      else
         to[sum.n_counts++] = c;
   }
   return sum;
}

/* Put edges in order, and make one of those with the same ends. */
static void order_edges(MergedEdges* edges)
{
   size_t n = 0;

   SORT(edges->all, edges->n, by_ends);
   for (size_t i = 0, end; i < edges->n; i = end) {
      for (end = i + 1; end < edges->n
           && by_ends(&edges->all[i], &edges->all[end]) == 0; )
         end++;
      edges->all[n++] = end - i == 1 ? edges->all[i]
                        : gather(edges, &edges->all[i], end - i);
   }
   edges->n = n;
}

/*--- Edges into the sum                                   ---*/

/* Unite the N_A counts before A with the N_B before B, to the place that ends
   before TO, which may be A.  Return the begin of the result. */
static MergedCount* unite_counts(MergedCount* to, const MergedCount* a,
                                 uint32_t n_a, const MergedCount* b,
                                 uint32_t n_b)
{
   while (n_a > 0 || n_b > 0) {
      bool        mine = n_b == 0 || (n_a > 0 && a[-1].thread >= b[-1].thread);
      bool        theirs = n_a == 0 || (n_b > 0
                                        && b[-1].thread >= a[-1].thread);
      MergedCount next = mine ? a[-1] : b[-1];
      if (mine && theirs)
         next = add_up(next, b[-1]);
      *--to = next;
      a -= mine;
      n_a -= mine;
      b -= theirs;
      n_b -= theirs;
   }
   return to;
}

/* Add the edges of B, in order and no two of the same ends, to A.  B's counts
   are where .first says.  Going from the end, A needs no copy. */
static void unite_edges(MergedEdges* a, const MergedEdges* b)
{
   size_t       i = a->n, j = b->n, most = i + j, k = most;
   size_t       n_mine = a->n_counts, most_counts = n_mine;
   MergedCount* to;
   MergedCount* mine;

   for (size_t e = 0; e < b->n; e++)
      most_counts += b->all[e].n_counts;
   a->all = need(realloc(a->all, (most + 1) * sizeof(*a->all)));
   a->counts = need(realloc(a->counts,
                            (most_counts + 1) * sizeof(*a->counts)));
   mine = a->counts + n_mine;
   to = a->counts + most_counts;
   while (j > 0) {
      int                order = i == 0 ? -1 : by_ends(&a->all[i - 1],
                                                       &b->all[j - 1]);
      const MergedEdge*  theirs = &b->all[j - 1];
      MergedEdge         e = order > 0 ? a->all[i - 1] : *theirs;
      uint32_t           n_a = order >= 0 ? a->all[i - 1].n_counts : 0;
      uint32_t           n_b = order <= 0 ? theirs->n_counts : 0;
      const MergedCount* end_b = n_b == 0 ? NULL
                                 : b->counts + theirs->first + n_b;
      MergedCount*       begin = unite_counts(to, mine, n_a, end_b, n_b);
      if (order == 0)
         take_type(&e, a->all[i - 1].type, a->all[i - 1].passing);
      e.n_counts = (uint32_t)(to - begin);
      a->all[--k] = e;
      to = begin;
      mine -= n_a;
      i -= order >= 0;
      j -= order <= 0;
   }
   /* The edges before these did not move. */
   memmove(a->all + i, a->all + k, (most - k) * sizeof(*a->all));
   a->n = i + (most - k);
   n_mine = (size_t)(a->counts + most_counts - to);
   memmove(mine, to, n_mine * sizeof(*mine));
   a->n_counts = (size_t)(mine - a->counts) + n_mine;
   a->all = need(realloc(a->all, (a->n + 1) * sizeof(*a->all)));
   a->counts = need(realloc(a->counts,
                            (a->n_counts + 1) * sizeof(*a->counts)));
}

void add_edges(Merged* m, MergedEdges* from)
{
   order_edges(from);
   if (from->n_counts >= UINT32_MAX)
      die("there would be too many counts of edges");
   if (from->n > 0)
      unite_edges(&m->edges, from);
   FREE_ALL(from->all, from->counts);
   *from = (MergedEdges){ 0 };
}

/* A cell's row: a function's or a pair's number. */
#define ROW_OF_FUNCTION(n) (2 * (uint64_t)(n))
#define ROW_OF_PAIR(n)     (2 * (uint64_t)(n) + 1)
#define MOST_ROWS          (UINT32_MAX / 2)

/*--- Calls                                                ---*/

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
      FREE_EACH(keymap_free, c->functions, c->pairs, c->places);
   }
   FREE_ALL(c->all, c->cells);
}

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
