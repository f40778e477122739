/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How the parts of a DCFG find each other: ids become indices. */

/* Owns: the guarantee that every reference in a loaded DCFG is the index of an
   existing thing, or DCFG_NONE.  Also what lookups need: the maps from ids, the
   edges of a node, the depths of loops, and the orders by address.  Handed: the
   arrays of a Model with ids, as load.c has filled them.  lookup.c and
   derived.c rely on both.

   Ids of a file are any numbers.  If they are dense, a map is an array, else
   pairs that are sorted by id and searched by halving.  A reference to an id
   that nothing has is a problem of the file; as an error it ends loading, and
   else it becomes DCFG_NONE.

   Edges are grouped by source and by target with a counting sort, so that
   the edges of a node stand together.  Symbols, source lines and blocks are
   sorted by address.  They may overlap, and then the one that contains an
   address need not be the last one before it.  So for each element the
   largest end so far is kept: a search backwards can stop where that end is
   not behind the address.  Most files have no overlaps, and no such arrays. */

#include "lib/graph/model.h"

#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*--- Ids                                                  ---*/

/* Make a map from KEYS, which are ids and are sorted here.  If two things have
   one id, the first is found, and the problem is reported at PLACE. */
static bool id_map(Job* job, IdMap* map, SortKey* keys, uint32_t n,
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
static bool group_edges(Job* job, const Process* process, bool by_source,
                        uint32_t** first, uint32_t** edges)
{
   const DcfgEdge* e = process->edges.data;
   uint32_t        n = (uint32_t)process->nodes.n, *f, *to;

   f = *first = job_calloc(job, (size_t)n + 2, sizeof(uint32_t));
   if (f == NULL)
      return false;
   to = *edges = job_calloc(job, process->edges.n, sizeof(uint32_t));
   if (to == NULL)
      return false;
   /* Count two places further on, so that filling moves the starts to their
      places. */
   for (size_t i = 0; i < process->edges.n; i++)
      if (e[i].source != DCFG_NONE && e[i].target != DCFG_NONE)
         f[(by_source ? e[i].source : e[i].target) + 2]++;
   for (uint32_t i = 1; i < n + 2; i++)
      f[i] += f[i - 1];
   for (size_t i = 0; i < process->edges.n; i++)
      if (e[i].source != DCFG_NONE && e[i].target != DCFG_NONE)
         to[f[(by_source ? e[i].source : e[i].target) + 1]++] = (uint32_t)i;
   return true;
}

/* Report two edges with the same ends: this is legal, but some readers fail. */
static bool find_twins(Model* model, const Process* process, const char* place)
{
   const DcfgEdge* e = process->edges.data;
   const DcfgNode* nodes = process->nodes.data;
   uint32_t        n = (uint32_t)process->nodes.n;
   uint32_t*       from = job_calloc(&model->job, n, sizeof(*from));

   if (from == NULL)
      return false;
   for (uint32_t i = 0; i < n; i++)
      for (uint32_t k = process->first_out[i]; k < process->first_out[i + 1];
           k++) {
         uint32_t target = e[process->out[k]].target;
         if (from[target] == i + 1)
            job_problem(&model->job, DCFG_PROBLEM_SURFACE, false,
                        "duplicate-edge", place,
                        "EDGE_ID %u goes from node %u to node %u as an "
                        "earlier edge does", e[process->out[k]].id, nodes[i].id,
                        nodes[target].id);
         from[target] = i + 1;
      }
   job_free(&model->job, from, n * sizeof(*from));
   return true;
}

/* Make in-edges and out-edges. */
static bool index_edges(Model* model, Process* process, const char* place)
{
   return group_edges(&model->job, process, true, &process->first_out,
                      &process->out)
          && group_edges(&model->job, process, false, &process->first_in,
                         &process->in)
          && (!job_listened(&model->job) || find_twins(model, process, place));
}

/*--- Depths of loops                                      ---*/

/* Set the depth of a loop and of loops around it.  A loop that would contain
   itself becomes an outermost one. */
static bool find_depth(Model* model, Process* process, uint32_t loop,
                       const char* place)
{
   DcfgLoop*       loops = process->loops.data;
   const DcfgNode* nodes = process->nodes.data;
   uint32_t        steps = 0, at = loop, depth;

   /* Up: the depth DCFG_NONE marks loops on the way. */
   while (loops[at].depth == 0) {
      uint32_t up = loops[at].parent;
      loops[at].depth = DCFG_NONE;
      steps++;
      if (up == DCFG_NONE)
         break;
      if (loops[up].depth == DCFG_NONE) {
         if (!job_problem(&model->job, DCFG_PROBLEM_RULE, true, "loop-parent",
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

/* Find the depth of each loop, and the innermost loop of each node. */
static bool index_loops(Model* model, Process* process, const char* place)
{
   DcfgLoop*       loops = process->loops.data;
   DcfgNode*       nodes = process->nodes.data;
   const uint32_t* ids = process->loop_nodes.data;

   for (uint32_t i = 0; i < process->loops.n; i++)
      if (loops[i].depth == 0 && !find_depth(model, process, i, place))
         return false;
   for (uint32_t i = 0; i < process->loops.n; i++)
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
uint64_t symbol_end(const Process* process, const DcfgImage* im, uint32_t i)
{
   const DcfgSymbol* s = process->symbols.data;

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

static void note_symbols(Ends* e, const Process* process)
{
   const DcfgSymbol* s = process->symbols.data;

   for (size_t i = 0; i < process->images.n; i++) {
      const DcfgImage* im = &ELEM(process->images, DcfgImage, i);
      e->max = 0;
      for (uint32_t k = 0; k < im->n_symbols; k++)
         note_end(e, im->first_symbol + k, s[im->first_symbol + k].addr,
                  symbol_end(process, im, im->first_symbol + k));
   }
}

static void note_sources(Ends* e, const Process* process)
{
   const DcfgSource* s = process->sources.data;

   for (size_t i = 0; i < process->images.n; i++) {
      const DcfgImage* im = &ELEM(process->images, DcfgImage, i);
      e->max = 0;
      for (uint32_t k = im->first_source;
           k < im->first_source + im->n_sources; k++)
         note_end(e, k, s[k].addr, end_of(s[k].addr, s[k].size));
   }
}

static void note_blocks(Ends* e, const Process* process)
{
   const DcfgNode* n = process->nodes.data;

   e->max = 0;
   for (uint32_t i = 0; i < process->shown.n_blocks; i++)
      note_end(e, i, n[process->by_addr[i]].addr,
               end_of(n[process->by_addr[i]].addr,
                      n[process->by_addr[i]].size));
}

static bool find_ends(Job* job, const Process* process, size_t n,
                      void (*note)(Ends* e, const Process* process),
                      uint64_t** to)
{
   Ends e = { NULL, 0, false };

   note(&e, process);
   if (!e.overlap)
      return true;
   *to = e.ends = job_realloc(job, NULL, 0, n * sizeof(uint64_t));
   if (e.ends == NULL)
      return false;
   note(&e, process);
   return true;
}

static bool sort_image(Job* job, Process* process, const DcfgImage* im)
{
   return sort_elements(job, &process->symbols, sizeof(DcfgSymbol),
                        offsetof(DcfgSymbol, addr), im->first_symbol,
                        im->n_symbols)
          && sort_elements(job, &process->sources, sizeof(DcfgSource),
                           offsetof(DcfgSource, addr), im->first_source,
                           im->n_sources);
}

static bool sort_blocks(Job* job, Process* process)
{
   uint32_t        n = process->shown.n_blocks;
   const DcfgNode* nodes = process->nodes.data;
   SortKey*        keys = job_calloc(job, n, sizeof(*keys));
   bool            ok = keys != NULL;

   process->by_addr = job_calloc(job, n, sizeof(uint32_t));
   ok = ok && process->by_addr != NULL;
   for (uint32_t i = 0; ok && i < n; i++) {
      keys[i].key = nodes[i].addr;
      keys[i].index = i;
   }
   ok = ok && sort_keys(job, keys, n);
   for (uint32_t i = 0; ok && i < n; i++)
      process->by_addr[i] = keys[i].index;
   job_free(job, keys, n * sizeof(*keys));
   return ok;
}

/* Sort symbols, source lines and blocks by address, and find overlaps. */
static bool index_addresses(Model* model, Process* process)
{
   Job* job = &model->job;

   for (size_t i = 0; i < process->images.n; i++)
      if (!sort_image(job, process, &ELEM(process->images, DcfgImage, i)))
         return false;
   return sort_blocks(job, process)
          && find_ends(job, process, process->symbols.n, note_symbols,
                       &process->symbol_ends)
          && find_ends(job, process, process->sources.n, note_sources,
                       &process->source_ends)
          && find_ends(job, process, process->shown.n_blocks, note_blocks,
                       &process->block_ends);
}

/*--- From ids to indices                                  ---*/

/* Resolve: the meaning of a file's ids. */
typedef
   struct {
      Model*   m;
      Job*     job;
      Process* p;
      IdMap    files, types;
      char     process[40];     // as "PROCESSES[0]"
   }
   Resolve;

/* Return the ids of N elements of SIZE bytes as keys; an id is at offset ID. */
static SortKey* keys_of(Job* job, const Array* array, size_t size, size_t id)
{
   SortKey* keys = job_calloc(job, array->n, sizeof(*keys));

   for (size_t i = 0; keys != NULL && i < array->n; i++) {
      uint32_t v;
      memcpy(&v, (const char*)array->data + i * size + id, sizeof(v));
      keys[i].key = v;
      keys[i].index = (uint32_t)i;
   }
   return keys;
}

static bool map_ids(Job* job, IdMap* map, const Array* array, size_t size,
                    size_t id, const char* place, const char* name)
{
   SortKey* keys = keys_of(job, array, size, id);
   bool     ok = keys != NULL
                 && id_map(job, map, keys, (uint32_t)array->n, place, name);

   job_free(job, keys, array->n * sizeof(*keys));
   return ok;
}

/* From: the place of a reference in messages, by id.  Row numbers would
   mislead, because useless rows may have been left out. */
typedef
   struct {
      const char* table;        // for example "EDGES"
      const char* id_name;      // for example "EDGE_ID"; or NULL
      uint64_t    id;
   }
   From;

static bool unknown_id(Resolve* r, const From* from, const char* what,
                       uint32_t id)
{
   char place[160];

   if (from->id_name == NULL)
      snprintf(place, sizeof(place), "%s.%s", r->process, from->table);
   else
      snprintf(place, sizeof(place), "%s.%s[%s=%" PRIu64 "]", r->process,
               from->table, from->id_name, from->id);
   return job_problem(r->job, DCFG_PROBLEM_RULE, true, "unknown-id", place,
                      "there is no %s %u", what, id);
}

/* Resolve *REF, an id, 0 for none. */
static inline bool resolve(Resolve* r, uint32_t* ref, const IdMap* map,
                           const From* from, const char* what)
{
   uint32_t id = *ref;

   if (id == 0) {
      *ref = DCFG_NONE;
      return true;
   }
   *ref = id_find(map, id);
   return *ref != DCFG_NONE || unknown_id(r, from, what, id);
}

/*--- Calls                                                ---*/

/* Turn the offset of F into an address; F->image is an index. */
static bool place_function(Resolve* r, DcfgFunction* f)
{
   uint64_t load;
   char     place[100];

   if (f->image == DCFG_NONE) {
      f->addr = 0;
      return true;
   }
   load = ELEM(r->p->images, DcfgImage, f->image).load_addr;
   if (f->addr <= UINT64_MAX - load) {
      f->addr += load;
      return true;
   }
   f->addr = UINT64_MAX;
   snprintf(place, sizeof(place), "%s.FUNCTIONS[FUNCTION_ID=%" PRIu32 "]",
            r->process, f->id);
   return job_problem(r->job, DCFG_PROBLEM_RULE, true, "address", place,
                      "a function that goes beyond 64 bits");
}

/* Resolve the ids of CALLS.  Pairs of unknown functions are left out. */
static bool resolve_calls(Resolve* r, const IdMap* images)
{
   Process* p = r->p;
   IdMap    ids = { 0 };
   char     place[60];
   bool     ok;
   size_t   kept = 0;

   snprintf(place, sizeof(place), "%s.FUNCTIONS", r->process);
   ok = map_ids(r->job, &ids, &p->functions, sizeof(DcfgFunction),
                offsetof(DcfgFunction, id), place, "FUNCTION_ID");
   for (size_t i = 0; ok && i < p->functions.n; i++) {
      DcfgFunction* f = &ELEM(p->functions, DcfgFunction, i);
      const From    from = { "FUNCTIONS", "FUNCTION_ID", f->id };
      ok = resolve(r, &f->image, images, &from, "IMAGE_ID")
           && place_function(r, f);
   }
   for (size_t i = 0; ok && i < p->pairs.n; i++) {
      DcfgPair*  pair = &ELEM(p->pairs, DcfgPair, i);
      const From from = { "PAIRS", "CALLER_ID", pair->caller };
      ok = resolve(r, &pair->caller, &ids, &from, "FUNCTION_ID")
           && resolve(r, &pair->callee, &ids, &from, "FUNCTION_ID");
      if (pair->caller != DCFG_NONE && pair->callee != DCFG_NONE)
         ELEM(p->pairs, DcfgPair, kept++) = *pair;
   }
   p->pairs.n = kept;
   id_free(r->job, &ids);
   return ok;
}

static void show_calls(Process* process)
{
   process->calls = (DcfgCallSums){
      (uint32_t)process->functions.n, (uint32_t)process->pairs.n,
      process->functions.data, process->pairs.data
   };
   process->shown.calls = process->has_calls ? &process->calls : NULL;
}

/*--- Images and edges                                     ---*/

static bool resolve_images(Resolve* r)
{
   Process* p = r->p;
   IdMap    ids = { 0 };
   char     place[60];
   bool     ok;

   snprintf(place, sizeof(place), "%s.IMAGES", r->process);
   ok = map_ids(r->job, &ids, &p->images, sizeof(DcfgImage),
                offsetof(DcfgImage, id), place, "IMAGE_ID")
        && resolve_calls(r, &ids);
   id_free(r->job, &ids);
   for (size_t i = 0; ok && i < p->images.n; i++) {
      DcfgImage* im = &ELEM(p->images, DcfgImage, i);
      From       from = { "IMAGES", "IMAGE_ID", im->id };
      ok = resolve(r, &im->file, &r->files, &from, "FILE_NAME_ID");
      from.table = "SOURCE_DATA of IMAGES";
      for (uint32_t k = 0; ok && k < im->n_sources; k++)
         ok = resolve(r, &ELEM(p->sources, DcfgSource,
                               im->first_source + k).file,
                      &r->files, &from, "FILE_NAME_ID");
   }
   return ok;
}

static bool resolve_edges(Resolve* r)
{
   Process*                p = r->p;
   const DcfgEdgeTypeName* types = r->m->edge_types.data;

   for (size_t i = 0; i < p->edges.n; i++) {
      DcfgEdge*  e = &ELEM(p->edges, DcfgEdge, i);
      const From from = { "EDGES", "EDGE_ID", e->id };
      if (!resolve(r, &e->source, &p->node_ids, &from, "NODE_ID")
          || !resolve(r, &e->target, &p->node_ids, &from, "NODE_ID")
          || !resolve(r, &e->type_name, &r->types, &from, "EDGE_TYPE_ID"))
         return false;
      e->type = e->type_name == DCFG_NONE ? DCFG_EDGE_OTHER
                                          : types[e->type_name].type;
   }
   return true;
}

static bool resolve_part(Resolve* r)
{
   Process*                p = r->p;
   const DcfgEdgeTypeName* types = r->m->edge_types.data;
   const From              from = { "PART", NULL, 0 };

   for (size_t i = 0; i < p->continued.n; i++) {
      DcfgContinued* c = &ELEM(p->continued, DcfgContinued, i);
      bool           within = c->type == 0;
      if (!resolve(r, &c->type, &r->types, &from, "EDGE_TYPE_ID"))
         return false;
      if (!within)
         c->type = c->type == DCFG_NONE ? DCFG_EDGE_OTHER
                                        : types[c->type].type;
   }
   for (size_t i = 0; i < p->bypasses.n; i++)
      if (!resolve(r, &ELEM(p->bypasses, DcfgLateBypass, i).target,
                   &p->node_ids, &from, "NODE_ID"))
         return false;
   p->part.n_preceding = (uint32_t)p->preceding.n;
   p->part.preceding = p->preceding.data;
   p->part.n_image_numbers = (uint32_t)p->image_numbers.n;
   p->part.image_numbers = p->image_numbers.data;
   p->part.n_continued = (uint32_t)p->continued.n;
   p->part.continued = p->continued.data;
   p->part.n_bypasses = (uint32_t)p->bypasses.n;
   p->part.bypasses = p->bypasses.data;
   p->shown.part = p->part.number != 0 ? &p->part : NULL;
   return true;
}

/*--- Lists of nodes                                       ---*/

/* Resolve a list of N ids.  Unknown ids are removed, and N is the number of the
   others. */
static bool resolve_list(Resolve* r, uint32_t* ids, uint32_t* n,
                         const From* from)
{
   uint32_t kept = 0;

   for (uint32_t i = 0; i < *n; i++) {
      uint32_t ref = ids[i];
      if (!resolve(r, &ref, &r->p->node_ids, from, "NODE_ID"))
         return false;
      if (ref != DCFG_NONE)
         ids[kept++] = ref;
   }
   *n = kept;
   return true;
}

/* Sort indices. */
static bool sort_list(Resolve* r, uint32_t* list, uint32_t n)
{
   bool     in_order = true;
   SortKey* keys;

   for (uint32_t i = 1; i < n; i++)
      in_order = in_order && list[i - 1] <= list[i];
   if (in_order)
      return true;
   keys = job_calloc(r->job, n, sizeof(*keys));
   if (keys == NULL)
      return false;
   for (uint32_t i = 0; i < n; i++)
      keys[i].key = list[i];
   in_order = sort_keys(r->job, keys, n);
   for (uint32_t i = 0; i < n; i++)
      list[i] = (uint32_t)keys[i].key;
   job_free(r->job, keys, n * sizeof(*keys));
   return in_order;
}

static bool node_twice(Resolve* r, const char* table, uint32_t id,
                       const char* what)
{
   char place[80];

   snprintf(place, sizeof(place), "%s.%s", r->process, table);
   return job_problem(r->job, DCFG_PROBLEM_RULE, true, "duplicate-node",
                      place, "node %u is in %s", id, what);
}

static bool resolve_routine(Resolve* r, uint32_t index)
{
   Process*     p = r->p;
   DcfgNode*    nodes = p->nodes.data;
   DcfgRoutine* rt = &ELEM(p->routines, DcfgRoutine, index);
   uint32_t*    ids = part(&p->routine_nodes, rt->first_node);
   uint32_t*    idoms = part(&p->idoms, rt->first_node);
   uint32_t*    exits = part(&p->exits, rt->first_exit);
   const From   from = { "ROUTINES", "ENTRY_NODE_ID", rt->entry };
   uint32_t     kept = 0;

   if (!resolve(r, &rt->entry, &p->node_ids, &from, "NODE_ID"))
      return false;
   for (uint32_t i = 0; i < rt->n_nodes; i++) {
      uint32_t node = ids[i], idom = idoms[i];
      if (!resolve(r, &node, &p->node_ids, &from, "NODE_ID")
          || !resolve(r, &idom, &p->node_ids, &from, "NODE_ID"))
         return false;
      if (node == DCFG_NONE)
         continue;
      if (nodes[node].routine != DCFG_NONE) {
         if (!node_twice(r, "ROUTINES", nodes[node].id,
                         nodes[node].routine == index
                         ? "a routine twice" : "two routines"))
            return false;
      } else {
         nodes[node].routine = index;
         nodes[node].idom = idom;
      }
      ids[kept++] = node;
   }
   rt->n_nodes = kept;
   return sort_list(r, ids, rt->n_nodes)
          && resolve_list(r, exits, &rt->n_exits, &from);
}

static bool resolve_routines(Resolve* r)
{
   for (uint32_t i = 0; i < r->p->routines.n; i++)
      if (!resolve_routine(r, i))
         return false;
   return true;
}

/*--- Parents of loops                                     ---*/

/* Resolve all of a loop except its parent. */
static bool resolve_loop(Resolve* r, uint32_t index)
{
   Process*        p = r->p;
   const DcfgNode* nodes = p->nodes.data;
   DcfgLoop*       l = &ELEM(p->loops, DcfgLoop, index);
   uint32_t*       ids = part(&p->loop_nodes, l->first_node);
   uint32_t*       backs = part(&p->backs, l->first_back);
   const From      from = { "LOOPS", "LOOP_HEAD_NODE_ID", l->head };

   if (!resolve(r, &l->head, &p->node_ids, &from, "NODE_ID")
       || !resolve_list(r, backs, &l->n_backs, &from)
       || !resolve_list(r, ids, &l->n_nodes, &from)
       || !sort_list(r, ids, l->n_nodes))
      return false;
   for (uint32_t i = 1; i < l->n_nodes; i++)
      if (ids[i] == ids[i - 1]
          && !node_twice(r, "LOOPS", nodes[ids[i]].id, "a loop twice"))
         return false;
   if (l->head == DCFG_NONE)
      return true;
   if (p->loop_of_head[l->head] == DCFG_NONE) {
      p->loop_of_head[l->head] = index;
      return true;
   }
   return node_twice(r, "LOOPS", nodes[l->head].id, "two loops as head");
}

static bool resolve_loops(Resolve* r)
{
   Process* p = r->p;

   p->loop_of_head = job_nones(r->job, p->nodes.n);
   if (p->loop_of_head == NULL)
      return false;
   for (uint32_t i = 0; i < p->loops.n; i++)
      if (!resolve_loop(r, i))
         return false;
   for (uint32_t i = 0; i < p->loops.n; i++) {
      DcfgLoop* l = &ELEM(p->loops, DcfgLoop, i);
      From      from = { "LOOPS", "LOOP_HEAD_NODE_ID", l->head == DCFG_NONE
                         ? 0 : ELEM(p->nodes, DcfgNode, l->head).id };
      uint32_t  id = l->parent, head = id;
      if (!resolve(r, &head, &p->node_ids, &from, "NODE_ID"))
         return false;
      l->parent = head == DCFG_NONE ? DCFG_NONE : p->loop_of_head[head];
      if (head != DCFG_NONE && l->parent == DCFG_NONE
          && !unknown_id(r, &from, "loop with the head", id))
         return false;
   }
   return true;
}

/*--- Partial sums                                         ---*/

/* Return the index of the image with ID.  The only writer numbers images from
   1. */
static uint32_t image_index(const Process* process, uint32_t id)
{
   return id > 0 && id <= process->images.n
          && ELEM(process->images, DcfgImage, id - 1).id == id
          ? id - 1 : DCFG_NONE;
}

/* Put indices in place of N ids. */
static void find_all(uint32_t* ids, size_t n, const IdMap* map)
{
   for (size_t i = 0; i < n; i++)
      ids[i] = id_find(map, ids[i]);
}

static void show_tables(MergedTables* t)
{
   DcfgMerged* s = &t->shown;

#define SHOW(name)                      \
   s->n_##name = (uint32_t)t->name.n;   \
   s->name = t->name.data
   SHOW(runs);
   SHOW(homes);
   SHOW(entries);
   SHOW(rows);
   SHOW(overlapping);
   SHOW(left_out);
#undef SHOW
}

/* Put indices in place of PROCESS's ids, DCFG_NONE where nothing has the id.
   FILES maps FILE_NAME_ID. */
static void merged_resolve(Process* process, const IdMap* files)
{
   MergedTables* t = &process->merged;

   if (t->shown.threads == NULL || t->shown.builds == NULL)
      return;
   for (size_t i = 0; i < t->homes.n; i++) {
      DcfgMergedHome* h = &ELEM(t->homes, DcfgMergedHome, i);
      h->image = image_index(process, h->image);
   }
   for (size_t i = 0; i < t->rows.n; i++) {
      DcfgMergedRow* r = &ELEM(t->rows, DcfgMergedRow, i);
      r->image = image_index(process, r->image);
      r->file = id_find(files, r->file);
   }
   find_all(t->entries.data, t->entries.n, &process->node_ids);
   for (size_t i = 0; i < t->overlapping.n; i++)
      ELEM(t->overlapping, uint32_t, i)
         = image_index(process, ELEM(t->overlapping, uint32_t, i));
   show_tables(t);
   process->shown.merged = &t->shown;
}

/*--- Baselines                                            ---*/

static void show_baseline(Process* p, const IdMap* files)
{
   for (size_t i = 0; i < p->baseline_functions.n; i++) {
      DcfgBaselineFunction* f = &ELEM(p->baseline_functions,
                                      DcfgBaselineFunction, i);
      f->image = image_index(p, f->image);
      f->file = id_find(files, f->file);
   }
   p->baseline.n_functions = (uint32_t)p->baseline_functions.n;
   p->baseline.functions = p->baseline_functions.data;
   p->shown.baseline = p->baseline.name != NULL ? &p->baseline : NULL;
}

/* --- The whole process                                    --- */

/* Append the file's special nodes to the process's blocks. */
static bool add_special_nodes(Resolve* r)
{
   Process*     p = r->p;
   const Array* from = &r->m->special_nodes;
   DcfgNode*    to;

   p->shown.n_blocks = (uint32_t)p->nodes.n;
   if (from->n == 0)
      return true;
   to = array_add_n(r->job, &p->nodes, sizeof(*to), from->n);
   for (size_t i = 0; to != NULL && i < from->n; i++) {
      const DcfgSpecialNode* s = &ELEM(*from, DcfgSpecialNode, i);
      to[i].id = s->id;
      to[i].kind = s->kind;
      to[i].count = DCFG_NO_COUNT;
      to[i].image = to[i].routine = to[i].loop = to[i].idom = DCFG_NONE;
   }
   return to != NULL;
}

/* Compute the number of threads and their instructions, if they are not in the
   file. */
static void complete_counts(Process* process)
{
   DcfgProcess* s = &process->shown;

   s->n_threads = (uint32_t)process->threads.n;
   if (process->threads.n == 0)
      for (size_t i = 0; i < process->edges.n; i++)
         if (ELEM(process->edges, DcfgEdge, i).n_counts > s->n_threads)
            s->n_threads = ELEM(process->edges, DcfgEdge, i).n_counts;
   if (!process->has_instr_count)
      for (size_t i = 0; i < process->threads.n; i++)
         s->instr_count = add_capped(s->instr_count,
                                     ELEM(process->threads, uint64_t, i));
}

static void show_arrays(Job* job, Process* process)
{
   DcfgProcess* s = &process->shown;

#define SHOW(name, Type) \
   array_trim(job, &process->name, sizeof(Type)); \
   s->n_##name = (uint32_t)process->name.n; \
   s->name = process->name.data
   SHOW(images, DcfgImage);
   SHOW(symbols, DcfgSymbol);
   SHOW(sources, DcfgSource);
   SHOW(nodes, DcfgNode);
   SHOW(edges, DcfgEdge);
   SHOW(routines, DcfgRoutine);
   SHOW(loops, DcfgLoop);
#undef SHOW
   array_trim(job, &process->counts, sizeof(uint64_t));
   array_trim(job, &process->routine_nodes, sizeof(uint32_t));
   array_trim(job, &process->exits, sizeof(uint32_t));
   array_trim(job, &process->loop_nodes, sizeof(uint32_t));
   array_trim(job, &process->backs, sizeof(uint32_t));
   s->thread_instrs = process->threads.data;
}

/* Show the rows of RUN.  MERGED tells how many runs a sum of an older merge
   has. */
static void show_runs(Process* p)
{
   p->shown.n_recorded = (uint32_t)p->runs.n;
   p->shown.runs = p->runs.data;
   if (!p->has_n_runs)
      p->shown.n_runs = p->shown.merged == NULL ? 1
                        : p->shown.merged->n_runs;
}

static bool resolve_process(Resolve* r)
{
   Process* p = r->p;
   char     place[60], loops[60], edges[60];

   snprintf(place, sizeof(place), "%s.BASIC_BLOCKS", r->process);
   snprintf(loops, sizeof(loops), "%s.LOOPS", r->process);
   snprintf(edges, sizeof(edges), "%s.EDGES", r->process);
   if (!add_special_nodes(r)
       || !map_ids(r->job, &p->node_ids, &p->nodes, sizeof(DcfgNode),
                   offsetof(DcfgNode, id), place, "NODE_ID")
       || !map_ids(r->job, &p->edge_ids, &p->edges, sizeof(DcfgEdge),
                   offsetof(DcfgEdge, id), edges, "EDGE_ID")
       || !resolve_images(r) || !resolve_edges(r) || !resolve_part(r)
       || !resolve_routines(r))
      return false;
   array_free(r->job, &p->idoms, sizeof(uint32_t));
   if (!resolve_loops(r)
       || !index_loops(r->m, p, loops)
       || !index_edges(r->m, p, edges)
       || !index_addresses(r->m, p))
      return false;
   complete_counts(p);
   show_arrays(r->job, p);
   merged_resolve(p, &r->files);
   show_runs(p);
   show_calls(p);
   show_baseline(p, &r->files);
   return true;
}

bool resolve_ids(Model* model)
{
   Resolve r = { .m = model, .job = &model->job };
   Dcfg*   d = &model->shown;
   IdMap   special = { 0 };
   bool    ok;

   ok = map_ids(r.job, &r.files, &model->files, sizeof(DcfgFileName),
                offsetof(DcfgFileName, id), "FILE_NAMES", "FILE_NAME_ID")
        && map_ids(r.job, &r.types, &model->edge_types,
                   sizeof(DcfgEdgeTypeName),
                   offsetof(DcfgEdgeTypeName, id), "EDGE_TYPES",
                   "EDGE_TYPE_ID")
        && map_ids(r.job, &special, &model->special_nodes,
                   sizeof(DcfgSpecialNode), offsetof(DcfgSpecialNode, id),
                   "SPECIAL_NODES", "NODE_ID");
   for (size_t i = 0; ok && i < model->processes.n; i++) {
      r.p = &ELEM(model->processes, Process, i);
      snprintf(r.process, sizeof(r.process), "PROCESSES[%zu]", i);
      ok = resolve_process(&r);
      if (!ok && r.job->err.place[0] == 0)
         job_place(r.job, r.process);
   }
   id_free(r.job, &r.files);
   id_free(r.job, &r.types);
   id_free(r.job, &special);
   d->n_files = (uint32_t)model->files.n;
   d->files = model->files.data;
   d->n_edge_types = (uint32_t)model->edge_types.n;
   d->edge_types = model->edge_types.data;
   d->n_special_nodes = (uint32_t)model->special_nodes.n;
   d->special_nodes = model->special_nodes.data;
   d->n_processes = (uint32_t)model->processes.n;
   return ok;
}

void show_heads(Model* model)
{
   Process* p = model->processes.data;

   if (model->processes.n == 0)
      return;
   model->shown.n_processes = 1;
   complete_counts(p);
   p->shown.thread_instrs = p->threads.data;
   show_runs(p);
}
