/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lookups in a DCFG: what is where. */

/* Owns: searches by id, by address, by owner, and the names of types of edges.
   Handed: a loaded DCFG and any numbers, which may be no index of anything. */

#include "lib/graph/model.h"
#include "format/dcfg_tables.h"

#include <stdlib.h>

/*--- Types of edges                                       ---*/

static const char* const type_names[] = {
   DCFG_EDGE_TYPE_NAMES, "OTHER"
};

const char* dcfg_edge_type_text(DcfgEdgeType type)
{
   return (unsigned)type <= DCFG_EDGE_OTHER ? type_names[type] : "OTHER";
}

bool dcfg_is_call(DcfgEdgeType type)
{
   return type == DCFG_EDGE_CALL || type == DCFG_EDGE_DIRECT_CALL
          || type == DCFG_EDGE_INDIRECT_CALL;
}

bool dcfg_is_return(DcfgEdgeType type)
{
   return type == DCFG_EDGE_RETURN || type == DCFG_EDGE_SYSTEM_RETURN
          || type == DCFG_EDGE_CONTEXT_CHANGE_RETURN;
}

bool dcfg_is_bypass(DcfgEdgeType type)
{
   return type == DCFG_EDGE_CALL_BYPASS
          || type == DCFG_EDGE_SYSTEM_CALL_BYPASS
          || type == DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          || type == DCFG_EDGE_EXCLUDED_CODE_BYPASS;
}

bool dcfg_is_local(DcfgEdgeType type)
{
   return (type >= DCFG_EDGE_BRANCH && type <= DCFG_EDGE_FALL_THROUGH)
          || dcfg_is_bypass(type);
}

/*--- By id                                                ---*/

const DcfgProcess* dcfg_process(const Dcfg* d, uint32_t index)
{
   const Model* m = (const Model*)d;

   return index < m->processes.n
          ? &ELEM(m->processes, Process, index).shown : NULL;
}

const DcfgProcess* dcfg_process_by_id(const Dcfg* d, uint64_t id)
{
   for (uint32_t i = 0; i < d->n_processes; i++)
      if (dcfg_process(d, i)->id == id)
         return dcfg_process(d, i);
   return NULL;
}

uint32_t dcfg_node_by_id(const DcfgProcess* process, uint32_t id)
{
   return id_find(&inside(process)->node_ids, id);
}

uint32_t dcfg_edge_by_id(const DcfgProcess* process, uint32_t id)
{
   return id_find(&inside(process)->edge_ids, id);
}

/*--- By address                                           ---*/

/* Places: elements FIRST to FIRST + N of an array that is sorted by address. */
typedef
   struct {
      const Process*   p;
      const DcfgImage* im;
      uint32_t         first, n;
      const uint64_t*  ends;    // as in Process
      void             (*range)(const Process* p, const DcfgImage* im,
                                uint32_t i, uint64_t* start, uint64_t* end);
   }
   Places;

static void symbol_range(const Process* process, const DcfgImage* im,
                         uint32_t i, uint64_t* start, uint64_t* end)
{
   *start = ELEM(process->symbols, DcfgSymbol, i).addr;
   *end = symbol_end(process, im, i);
}

static void source_range(const Process* process, const DcfgImage* im,
                         uint32_t i, uint64_t* start, uint64_t* end)
{
   const DcfgSource* s = &ELEM(process->sources, DcfgSource, i);

   (void)im;
   *start = s->addr;
   *end = end_of(s->addr, s->size);
}

static void block_range(const Process* process, const DcfgImage* im, uint32_t i,
                        uint64_t* start, uint64_t* end)
{
   const DcfgNode* n = &ELEM(process->nodes, DcfgNode, process->by_addr[i]);

   (void)im;
   *start = n->addr;
   *end = end_of(n->addr, n->size);
}

/* Return the last place below BELOW that has ADDR, or DCFG_NONE. */
static uint32_t place_before(const Places* in, uint32_t below, uint64_t addr)
{
   uint64_t start, end;

   for (uint32_t i = below; i-- > in->first; ) {
      in->range(in->p, in->im, i, &start, &end);
      if (addr < end)
         return i;
      if (in->ends == NULL || in->ends[i] <= addr)
         return DCFG_NONE;
   }
   return DCFG_NONE;
}

/* Return the first place that starts after ADDR. */
static uint32_t place_after(const Places* in, uint64_t addr)
{
   uint32_t low = in->first, high = in->first + in->n;
   uint64_t start, end;

   while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      in->range(in->p, in->im, middle, &start, &end);
      if (start <= addr)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

uint32_t dcfg_nodes_at(const DcfgProcess* process, uint64_t addr,
                       uint32_t* nodes, uint32_t max)
{
   const Places in = { inside(process), NULL, 0, process->n_blocks,
                       inside(process)->block_ends, block_range };
   uint32_t     n = 0, at = place_after(&in, addr);

   while ((at = place_before(&in, at, addr)) != DCFG_NONE) {
      if (n < max)
         nodes[n] = inside(process)->by_addr[at];
      n++;
   }
   return n;
}

uint32_t dcfg_node_at(const DcfgProcess* process, uint64_t addr)
{
   const Places in = { inside(process), NULL, 0, process->n_blocks,
                       inside(process)->block_ends, block_range };
   uint32_t     at = place_before(&in, place_after(&in, addr), addr);

   return at == DCFG_NONE ? DCFG_NONE : inside(process)->by_addr[at];
}

uint32_t dcfg_image_at(const DcfgProcess* process, uint64_t addr)
{
   /* A linear search: there are a few dozen images. */
   for (uint32_t i = process->n_images; i-- > 0; )
      if (addr >= process->images[i].load_addr
          && addr - process->images[i].load_addr < process->images[i].size)
         return i;
   return DCFG_NONE;
}

static const DcfgImage* image_for(const DcfgProcess* process, uint32_t image,
                                  uint64_t addr)
{
   if (image == DCFG_NONE)
      image = dcfg_image_at(process, addr);
   return image < process->n_images ? &process->images[image] : NULL;
}

uint32_t dcfg_symbol_at(const DcfgProcess* process, uint32_t image,
                        uint64_t addr)
{
   const DcfgImage* im = image_for(process, image, addr);

   if (im == NULL)
      return DCFG_NONE;
   Places in = { inside(process), im, im->first_symbol, im->n_symbols,
                 inside(process)->symbol_ends, symbol_range };
   return place_before(&in, place_after(&in, addr), addr);
}

uint32_t dcfg_source_at(const DcfgProcess* process, uint32_t image,
                        uint64_t addr)
{
   const DcfgImage* im = image_for(process, image, addr);

   if (im == NULL)
      return DCFG_NONE;
   Places in = { inside(process), im, im->first_source, im->n_sources,
                 inside(process)->source_ends, source_range };
   return place_before(&in, place_after(&in, addr), addr);
}

uint32_t dcfg_symbol_of(const DcfgProcess* process, uint32_t node)
{
   return node < process->n_blocks
          ? dcfg_symbol_at(process, process->nodes[node].image,
                           process->nodes[node].addr)
          : DCFG_NONE;
}

/*--- Edges                                                ---*/

const uint32_t* dcfg_out_edges(const DcfgProcess* process, uint32_t node,
                               uint32_t* n)
{
   const Process* q = inside(process);

   *n = node < process->n_nodes ? q->first_out[node + 1] - q->first_out[node]
        : 0;
   return *n == 0 ? NULL : q->out + q->first_out[node];
}

const uint32_t* dcfg_in_edges(const DcfgProcess* process, uint32_t node,
                              uint32_t* n)
{
   const Process* q = inside(process);

   *n = node < process->n_nodes ? q->first_in[node + 1] - q->first_in[node] : 0;
   return *n == 0 ? NULL : q->in + q->first_in[node];
}

uint32_t dcfg_edge_between(const DcfgProcess* process, uint32_t source,
                           uint32_t target)
{
   uint32_t        n_out, n_in;
   const uint32_t* out = dcfg_out_edges(process, source, &n_out);
   const uint32_t* in = dcfg_in_edges(process, target, &n_in);

   /* Search the shorter list: a node may have thousands of out-edges or of
      in-edges, hardly of both. */
   if (n_out <= n_in) {
      for (uint32_t i = 0; i < n_out; i++)
         if (process->edges[out[i]].target == target)
            return out[i];
   } else {
      for (uint32_t i = 0; i < n_in; i++)
         if (process->edges[in[i]].source == source)
            return in[i];
   }
   return DCFG_NONE;
}

/*--- Routines and loops                                   ---*/

const uint32_t* dcfg_routine_nodes(const DcfgProcess* process, uint32_t routine,
                                   uint32_t* n)
{
   *n = routine < process->n_routines ? process->routines[routine].n_nodes : 0;
   return *n == 0 ? NULL : part(&inside(process)->routine_nodes,
                                process->routines[routine].first_node);
}

const uint32_t* dcfg_routine_exits(const DcfgProcess* process, uint32_t routine,
                                   uint32_t* n)
{
   *n = routine < process->n_routines ? process->routines[routine].n_exits : 0;
   return *n == 0 ? NULL : part(&inside(process)->exits,
                                process->routines[routine].first_exit);
}

const uint32_t* dcfg_loop_nodes(const DcfgProcess* process, uint32_t loop,
                                uint32_t* n)
{
   *n = loop < process->n_loops ? process->loops[loop].n_nodes : 0;
   return *n == 0 ? NULL : part(&inside(process)->loop_nodes,
                                process->loops[loop].first_node);
}

const uint32_t* dcfg_loop_backs(const DcfgProcess* process, uint32_t loop,
                                uint32_t* n)
{
   *n = loop < process->n_loops ? process->loops[loop].n_backs : 0;
   return *n == 0 ? NULL : part(&inside(process)->backs,
                                process->loops[loop].first_back);
}

bool dcfg_loop_contains(const DcfgProcess* process, uint32_t loop,
                        uint32_t node)
{
   uint32_t        n, low = 0;
   const uint32_t* nodes = dcfg_loop_nodes(process, loop, &n);

   while (n > 0) {
      uint32_t half = n / 2;
      if (nodes[low + half] == node)
         return true;
      if (nodes[low + half] < node) {
         low += half + 1;
         n -= half + 1;
      } else {
         n = half;
      }
   }
   return false;
}

uint32_t dcfg_loop_by_head(const DcfgProcess* process, uint32_t node)
{
   return node < process->n_nodes ? inside(process)->loop_of_head[node]
          : DCFG_NONE;
}

uint32_t dcfg_routine_by_entry(const DcfgProcess* process, uint32_t node)
{
   uint32_t routine = node < process->n_nodes
                      ? process->nodes[node].routine : DCFG_NONE;

   return routine != DCFG_NONE && process->routines[routine].entry == node
          ? routine : DCFG_NONE;
}
