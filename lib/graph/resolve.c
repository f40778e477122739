/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Resolving ids to indices. */

/* Owns: the guarantee that every reference in a loaded DCFG is the index of an
   existing thing, or DCFG_NONE.  Handed: arrays with ids, as shapes.c filled
   them.  Taken by: load.c; index.c, lookup.c and derived.c rely on it. */

#include "lib/graph/merged_shape.h"
#include "lib/graph/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
static SortKey* keys_of(Job* job, const Array* a, size_t size, size_t id)
{
   SortKey* keys = job_calloc(job, a->n, sizeof(*keys));

   for (size_t i = 0; keys != NULL && i < a->n; i++) {
      uint32_t v;
      memcpy(&v, (const char*)a->data + i * size + id, sizeof(v));
      keys[i].key = v;
      keys[i].index = (uint32_t)i;
   }
   return keys;
}

static bool map_ids(Job* job, IdMap* map, const Array* a, size_t size,
                    size_t id, const char* place, const char* name)
{
   SortKey* keys = keys_of(job, a, size, id);
   bool     ok = keys != NULL
                 && id_map(job, map, keys, (uint32_t)a->n, place, name);

   job_free(job, keys, a->n * sizeof(*keys));
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

/*--- Images and edges                                     ---*/

static bool resolve_images(Resolve* r)
{
   Process* p = r->p;
   IdMap    ids = { 0 };
   char     place[60];
   bool     ok;

   snprintf(place, sizeof(place), "%s.IMAGES", r->process);
   ok = map_ids(r->job, &ids, &p->images, sizeof(DcfgImage),
                offsetof(DcfgImage, id), place, "IMAGE_ID");
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

/*--- Loops                                                ---*/

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
static void complete_counts(Process* p)
{
   DcfgProcess* s = &p->shown;

   s->n_threads = (uint32_t)p->threads.n;
   if (p->threads.n == 0)
      for (size_t i = 0; i < p->edges.n; i++)
         if (ELEM(p->edges, DcfgEdge, i).n_counts > s->n_threads)
            s->n_threads = ELEM(p->edges, DcfgEdge, i).n_counts;
   if (!p->has_instr_count)
      for (size_t i = 0; i < p->threads.n; i++)
         s->instr_count = add_capped(s->instr_count,
                                     ELEM(p->threads, uint64_t, i));
}

static void show_arrays(Job* job, Process* p)
{
   DcfgProcess* s = &p->shown;

#define SHOW(name, Type) \
   array_trim(job, &p->name, sizeof(Type)); \
   s->n_##name = (uint32_t)p->name.n; \
   s->name = p->name.data
   SHOW(images, DcfgImage);
   SHOW(symbols, DcfgSymbol);
   SHOW(sources, DcfgSource);
   SHOW(nodes, DcfgNode);
   SHOW(edges, DcfgEdge);
   SHOW(routines, DcfgRoutine);
   SHOW(loops, DcfgLoop);
#undef SHOW
   array_trim(job, &p->counts, sizeof(uint64_t));
   array_trim(job, &p->routine_nodes, sizeof(uint32_t));
   array_trim(job, &p->exits, sizeof(uint32_t));
   array_trim(job, &p->loop_nodes, sizeof(uint32_t));
   array_trim(job, &p->backs, sizeof(uint32_t));
   s->thread_instrs = p->threads.data;
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
   return true;
}

bool resolve_ids(Model* m)
{
   Resolve r = { .m = m, .job = &m->job };
   Dcfg*   d = &m->shown;
   IdMap   special = { 0 };
   bool    ok;

   ok = map_ids(r.job, &r.files, &m->files, sizeof(DcfgFileName),
                offsetof(DcfgFileName, id), "FILE_NAMES", "FILE_NAME_ID")
        && map_ids(r.job, &r.types, &m->edge_types, sizeof(DcfgEdgeTypeName),
                   offsetof(DcfgEdgeTypeName, id), "EDGE_TYPES",
                   "EDGE_TYPE_ID")
        && map_ids(r.job, &special, &m->special_nodes,
                   sizeof(DcfgSpecialNode), offsetof(DcfgSpecialNode, id),
                   "SPECIAL_NODES", "NODE_ID");
   for (size_t i = 0; ok && i < m->processes.n; i++) {
      r.p = &ELEM(m->processes, Process, i);
      snprintf(r.process, sizeof(r.process), "PROCESSES[%zu]", i);
      ok = resolve_process(&r);
      if (!ok && r.job->err.place[0] == 0)
         job_place(r.job, r.process);
   }
   id_free(r.job, &r.files);
   id_free(r.job, &r.types);
   id_free(r.job, &special);
   d->n_files = (uint32_t)m->files.n;
   d->files = m->files.data;
   d->n_edge_types = (uint32_t)m->edge_types.n;
   d->edge_types = m->edge_types.data;
   d->n_special_nodes = (uint32_t)m->special_nodes.n;
   d->special_nodes = m->special_nodes.data;
   d->n_processes = (uint32_t)m->processes.n;
   return ok;
}
