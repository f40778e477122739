/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Indices for lookups in a DCFG. */

/* Owns: maps from ids, the edges of a node, loops by head and node, orders by
   address.  Handed: arrays whose references are resolved, by resolve.c.  Taken
   by: resolve.c, load.c; lookup.c searches them. */

#include "lib/graph/model.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

/*--- Ids                                                  ---*/

bool id_map(Job* job, IdMap* map, SortKey* keys, uint32_t n,
            const char* place, const char* id_name)
{
   uint32_t max;

   if (!sort_keys(job, keys, n))
      return false;
   for (uint32_t i = 1; i < n; i++)
      if (keys[i].key == keys[i - 1].key
          && (i < 2 || keys[i - 2].key != keys[i].key)
          && !job_problem(job, DCFG_PROBLEM_RULE, true, "duplicate-id",
                          place, "%s %u is there twice", id_name,
                          (unsigned)keys[i].key))
         return false;
   if (n == 0)
      return true;
   max = (uint32_t)keys[n - 1].key;
   if (max / 4 < n) {
      map->dense = job_nones(job, max + (size_t)1);
      if (map->dense == NULL)
         return false;
      map->n = max + 1;
      for (uint32_t i = n; i-- > 0; )
         map->dense[keys[i].key] = keys[i].index;
   } else {
      map->ids = job_calloc(job, n, sizeof(uint32_t));
      map->indices = job_calloc(job, n, sizeof(uint32_t));
      map->n = n;
      if (map->ids == NULL || map->indices == NULL)
         return false;
      for (uint32_t i = 0; i < n; i++) {
         map->ids[i] = (uint32_t)keys[i].key;
         map->indices[i] = keys[i].index;
      }
   }
   return true;
}

void id_free(Job* job, IdMap* map)
{
   job_free(job, map->dense, map->n * sizeof(uint32_t));
   job_free(job, map->ids, map->n * sizeof(uint32_t));
   job_free(job, map->indices, map->n * sizeof(uint32_t));
   memset(map, 0, sizeof(*map));
}

uint32_t id_find(const IdMap* map, uint32_t id)
{
   uint32_t low = 0;

   if (map->dense != NULL)
      return id < map->n ? map->dense[id] : DCFG_NONE;
   BISECT(low, map->n, middle, map->ids[middle] < id);
   return low < map->n && map->ids[low] == id ? map->indices[low]
                                              : DCFG_NONE;
}

/*--- The edges of a node                                  ---*/

/* Group edges by one end, with a counting sort.  *FIRST gets N + 1 elements;
   *EDGES the edges' indices, those of a node in their order. */
static bool group_edges(Job* job, const Process* p, bool by_source,
                        uint32_t** first, uint32_t** edges)
{
   const DcfgEdge* e = p->edges.data;
   uint32_t        n = (uint32_t)p->nodes.n, *f, *to;

   f = *first = job_calloc(job, (size_t)n + 2, sizeof(uint32_t));
   if (f == NULL)
      return false;
   to = *edges = job_calloc(job, p->edges.n, sizeof(uint32_t));
   if (to == NULL)
      return false;
   /* Count two places further on, so that filling moves the starts to their
      places. */
   for (size_t i = 0; i < p->edges.n; i++)
      if (e[i].source != DCFG_NONE && e[i].target != DCFG_NONE)
         f[(by_source ? e[i].source : e[i].target) + 2]++;
   for (uint32_t i = 1; i < n + 2; i++)
      f[i] += f[i - 1];
   for (size_t i = 0; i < p->edges.n; i++)
      if (e[i].source != DCFG_NONE && e[i].target != DCFG_NONE)
         to[f[(by_source ? e[i].source : e[i].target) + 1]++] = (uint32_t)i;
   return true;
}

/* Report two edges with the same ends: this is legal, but some readers fail. */
static bool find_twins(Model* m, const Process* p, const char* place)
{
   const DcfgEdge* e = p->edges.data;
   const DcfgNode* nodes = p->nodes.data;
   uint32_t        n = (uint32_t)p->nodes.n;
   uint32_t*       from = job_calloc(&m->job, n, sizeof(*from));

   if (from == NULL)
      return false;
   for (uint32_t i = 0; i < n; i++)
      for (uint32_t k = p->first_out[i]; k < p->first_out[i + 1]; k++) {
         uint32_t target = e[p->out[k]].target;
         if (from[target] == i + 1)
            job_problem(&m->job, DCFG_PROBLEM_SURFACE, false,
                        "duplicate-edge", place,
                        "EDGE_ID %u goes from node %u to node %u as an "
                        "earlier edge does", e[p->out[k]].id, nodes[i].id,
                        nodes[target].id);
         from[target] = i + 1;
      }
   job_free(&m->job, from, n * sizeof(*from));
   return true;
}

bool index_edges(Model* m, Process* p, const char* place)
{
   return group_edges(&m->job, p, true, &p->first_out, &p->out)
          && group_edges(&m->job, p, false, &p->first_in, &p->in)
          && (!job_listened(&m->job) || find_twins(m, p, place));
}

/*--- Loops                                                ---*/

/* Set the depth of a loop and of loops around it.  A loop that would contain
   itself becomes an outermost one. */
static bool find_depth(Model* m, Process* p, uint32_t loop, const char* place)
{
   DcfgLoop*       loops = p->loops.data;
   const DcfgNode* nodes = p->nodes.data;
   uint32_t        steps = 0, at = loop, depth;

   /* Up: the depth DCFG_NONE marks loops on the way. */
   while (loops[at].depth == 0) {
      uint32_t up = loops[at].parent;
      loops[at].depth = DCFG_NONE;
      steps++;
      if (up == DCFG_NONE)
         break;
      if (loops[up].depth == DCFG_NONE) {
         if (!job_problem(&m->job, DCFG_PROBLEM_RULE, true, "loop-parent",
                          place, "the loop of node %u is inside itself",
                          nodes[loops[at].head].id))
            return false;
         loops[at].parent = DCFG_NONE;
         break;
      }
      at = up;
   }
   /* The outermost of them is STEPS levels above LOOP. */
   at = loop;
   for (uint32_t i = 1; i < steps; i++)
      at = loops[at].parent;
   depth = loops[at].parent == DCFG_NONE ? 0 : loops[loops[at].parent].depth;
   at = loop;
   for (uint32_t i = 0; i < steps; i++) {
      loops[at].depth = depth + steps - i;
      at = loops[at].parent;
   }
   return true;
}

bool index_loops(Model* m, Process* p, const char* place)
{
   DcfgLoop*       loops = p->loops.data;
   DcfgNode*       nodes = p->nodes.data;
   const uint32_t* ids = p->loop_nodes.data;

   for (uint32_t i = 0; i < p->loops.n; i++)
      if (loops[i].depth == 0 && !find_depth(m, p, i, place))
         return false;
   for (uint32_t i = 0; i < p->loops.n; i++)
      for (uint32_t k = 0; k < loops[i].n_nodes; k++) {
         DcfgNode* n = &nodes[ids[loops[i].first_node + k]];
         if (n->loop == DCFG_NONE || loops[n->loop].depth < loops[i].depth)
            n->loop = i;
      }
   return true;
}

/*--- Order by address                                     ---*/

/* Sort elements FIRST to FIRST + N of ARRAY by the address at OFFSET in
   each. */
static bool sort_elements(Job* job, Array* array, size_t size, size_t offset,
                          uint32_t first, uint32_t n)
{
   char*    from;
   SortKey* keys;
   char*    copy;
   bool     in_order = true;

   if (n < 2)
      return true;
   from = (char*)array->data + first * size;
   for (uint32_t i = 0; i < n; i++) {
      uint64_t before = 0, here;
      if (i > 0)
         memcpy(&before, from + (i - 1) * size + offset, sizeof(before));
      memcpy(&here, from + i * size + offset, sizeof(here));
      in_order = in_order && before <= here;
   }
   if (in_order)
      return true;
   keys = job_calloc(job, n, sizeof(*keys));
   copy = job_realloc(job, NULL, 0, n * size);
   if (keys != NULL && copy != NULL) {
      memcpy(copy, from, n * size);
      for (uint32_t i = 0; i < n; i++) {
         memcpy(&keys[i].key, from + i * size + offset, sizeof(uint64_t));
         keys[i].index = i;
      }
      in_order = sort_keys(job, keys, n);
      for (uint32_t i = 0; in_order && i < n; i++)
         memcpy(from + i * size, copy + keys[i].index * size, size);
   }
   job_free(job, keys, n * sizeof(*keys));
   job_free(job, copy, n * size);
   return in_order;
}

/* Return the end of symbol I.  A symbol without a size, as in assembly, extends
   to the next symbol, or to the end of its image. */
uint64_t symbol_end(const Process* p, const DcfgImage* im, uint32_t i)
{
   const DcfgSymbol* s = p->symbols.data;

   if (s[i].size > 0)
      return end_of(s[i].addr, s[i].size);
   if (i + 1 < im->first_symbol + im->n_symbols)
      return s[i + 1].addr;
   return end_of(im->load_addr, im->size);
}

/* Ends: detects overlaps, and then has the largest end so far for each element.
   .ends is NULL until there is an overlap. */
typedef
   struct {
      uint64_t* ends;
      uint64_t  max;            // in this image
      bool      overlap;
   }
   Ends;

static void note_end(Ends* e, size_t i, uint64_t start, uint64_t end)
{
   e->overlap |= start < e->max;
   if (end > e->max)
      e->max = end;
   if (e->ends != NULL)
      e->ends[i] = e->max;
}

static void note_symbols(Ends* e, const Process* p)
{
   const DcfgSymbol* s = p->symbols.data;

   for (size_t i = 0; i < p->images.n; i++) {
      const DcfgImage* im = &ELEM(p->images, DcfgImage, i);
      e->max = 0;
      for (uint32_t k = 0; k < im->n_symbols; k++)
         note_end(e, im->first_symbol + k, s[im->first_symbol + k].addr,
                  symbol_end(p, im, im->first_symbol + k));
   }
}

static void note_sources(Ends* e, const Process* p)
{
   const DcfgSource* s = p->sources.data;

   for (size_t i = 0; i < p->images.n; i++) {
      const DcfgImage* im = &ELEM(p->images, DcfgImage, i);
      e->max = 0;
      for (uint32_t k = im->first_source;
           k < im->first_source + im->n_sources; k++)
         note_end(e, k, s[k].addr, end_of(s[k].addr, s[k].size));
   }
}

static void note_blocks(Ends* e, const Process* p)
{
   const DcfgNode* n = p->nodes.data;

   e->max = 0;
   for (uint32_t i = 0; i < p->shown.n_blocks; i++)
      note_end(e, i, n[p->by_addr[i]].addr,
               end_of(n[p->by_addr[i]].addr, n[p->by_addr[i]].size));
}

static bool find_ends(Job* job, const Process* p, size_t n,
                      void (*note)(Ends* e, const Process* p),
                      uint64_t** to)
{
   Ends e = { NULL, 0, false };

   note(&e, p);
   if (!e.overlap)
      return true;
   *to = e.ends = job_realloc(job, NULL, 0, n * sizeof(uint64_t));
   if (e.ends == NULL)
      return false;
   note(&e, p);
   return true;
}

static bool sort_image(Job* job, Process* p, const DcfgImage* im)
{
   return sort_elements(job, &p->symbols, sizeof(DcfgSymbol),
                        offsetof(DcfgSymbol, addr), im->first_symbol,
                        im->n_symbols)
          && sort_elements(job, &p->sources, sizeof(DcfgSource),
                           offsetof(DcfgSource, addr), im->first_source,
                           im->n_sources);
}

static bool sort_blocks(Job* job, Process* p)
{
   uint32_t        n = p->shown.n_blocks;
   const DcfgNode* nodes = p->nodes.data;
   SortKey*        keys = job_calloc(job, n, sizeof(*keys));
   bool            ok = keys != NULL;

   p->by_addr = job_calloc(job, n, sizeof(uint32_t));
   ok = ok && p->by_addr != NULL;
   for (uint32_t i = 0; ok && i < n; i++) {
      keys[i].key = nodes[i].addr;
      keys[i].index = i;
   }
   ok = ok && sort_keys(job, keys, n);
   for (uint32_t i = 0; ok && i < n; i++)
      p->by_addr[i] = keys[i].index;
   job_free(job, keys, n * sizeof(*keys));
   return ok;
}

bool index_addresses(Model* m, Process* p)
{
   Job* job = &m->job;

   for (size_t i = 0; i < p->images.n; i++)
      if (!sort_image(job, p, &ELEM(p->images, DcfgImage, i)))
         return false;
   return sort_blocks(job, p)
          && find_ends(job, p, p->symbols.n, note_symbols, &p->symbol_ends)
          && find_ends(job, p, p->sources.n, note_sources, &p->source_ends)
          && find_ends(job, p, p->shown.n_blocks, note_blocks,
                       &p->block_ends);
}
