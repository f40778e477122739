/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Basic blocks and edges. */

/* Owns: the division of executed instructions into basic blocks, and the edges
   between the blocks.  Handed: instructions and flows, by tool/run/gather.c or
   a test.

   A block is a maximal run of instructions that was only entered at its first
   and only left at its last.  An instruction is a leader, the first of a
   block, in these cases:
   - Control was transferred to it.
   - The instruction before it transfers control, or was left by a fault.
   - It is a REP instruction.
   - Several instructions fell through to it, which happens if instructions
     overlap. */

#include "tool/graph/graph.h"

#define NONE 0xFFFFFFFFu

/* Step: how often one thread went from one node to another. */
typedef
   struct {
      UInt  source, target;
      UInt  thread;
      UInt  type;
      ULong count;
   }
   Step;

struct _GraphBuilder {
   const Instr* instrs;
   UInt    n_instrs;
   UInt    n_threads;
   Bool    partitioned;
   /* For each instruction: */
   UInt*   fell_from;      // the instruction that fell through to it, or NONE
   Bool*   is_leader;
   Bool*   is_end;         // was control transferred from it?
   UInt*   node;           // id of its block, from partition() on
   /* For the second pass: */
   Block*  blocks;
   UInt    n_blocks;
   Step*   steps;
   UInt    n_steps, room;
   ULong*  thread_instrs;
};

GraphBuilder* DCFG_(new_graph)(const Instr* instrs, UInt n_instrs,
                               UInt n_threads)
{
   GraphBuilder* gb = DCFG_CALLOC("dcfg.graph", GraphBuilder, 1);

   gb->instrs    = instrs;
   gb->n_instrs  = n_instrs;
   gb->n_threads = n_threads;
   gb->fell_from = dcfg_alloc("dcfg.graph", (n_instrs + 1) * sizeof(UInt));
   gb->is_leader = DCFG_CALLOC("dcfg.graph", Bool, n_instrs + 1);
   gb->is_end    = DCFG_CALLOC("dcfg.graph", Bool, n_instrs + 1);
   gb->thread_instrs = DCFG_CALLOC("dcfg.graph", ULong, n_threads + 1);
   for (UInt i = 0; i < n_instrs; i++) {
      gb->fell_from[i] = NONE;
      gb->is_end[i]    = instrs[i].kind != InsnPlain;
      gb->is_leader[i] = instrs[i].kind == InsnRep;
   }
   return gb;
}

static void add_step(GraphBuilder* gb, UInt thread, UInt source, UInt target,
                     EdgeType type, ULong count)
{
   if (gb->n_steps == gb->room) {
      gb->room  = gb->room ? 2 * gb->room : 1024;
      gb->steps = dcfg_realloc("dcfg.graph.steps", gb->steps,
                               (SizeT)gb->room * sizeof(Step));
   }
   Step* s   = &gb->steps[gb->n_steps++];
   s->source = source;
   s->target = target;
   s->thread = thread;
   s->type   = type;
   s->count  = count;
}

void DCFG_(graph_onward)(GraphBuilder* gb, UInt thread, UInt source,
                         UInt target, ULong count)
{
   if (count == 0)
      return;
   if (!gb->partitioned) {
      if (gb->fell_from[target] == NONE)
         gb->fell_from[target] = source;
      /* Another instruction falls through to the same target. */
      if (gb->fell_from[target] != source)
         gb->is_leader[target] = True;
      /* The block would reach into another image.  If code behind SOURCE has
         changed, SOURCE falls through to code of two generations. */
      if (gb->instrs[target].image != gb->instrs[source].image)
         gb->is_leader[target] = gb->is_end[source] = True;
   } else if (gb->is_leader[target]) {
      add_step(gb, thread, gb->node[source], gb->node[target],
               EdgeFallThrough, count);
   }
}

void DCFG_(graph_run)(GraphBuilder* gb, UInt thread, const UInt* instrs,
                      UInt n, ULong count)
{
   if (count == 0)
      return;
   for (UInt i = 1; i < n; i++)
      if (gb->instrs[instrs[i - 1]].kind == InsnPlain)
         DCFG_(graph_onward)(gb, thread, instrs[i - 1], instrs[i], count);
      else
         DCFG_(graph_edge)(gb, thread, instrs[i - 1], instrs[i],
                           EdgeFallThrough, count);
   if (gb->partitioned)
      gb->thread_instrs[thread] += n * count;
}

void DCFG_(graph_edge)(GraphBuilder* gb, UInt thread, UInt source,
                       UInt target, EdgeType type, ULong count)
{
   if (!gb->partitioned) {
      if (count == 0)
         return;
      if (source != INSTR_START)
         gb->is_end[source] = True;
      if (target != INSTR_END)
         gb->is_leader[target] = True;
   } else {
      add_step(gb, thread,
               source == INSTR_START ? NodeStart : gb->node[source],
               target == INSTR_END   ? NodeEnd   : gb->node[target],
               type, count);
   }
}

void DCFG_(partition)(GraphBuilder* gb)
{
   const Instr* in = gb->instrs;
   UInt  n_leaders = 0;
   UInt* falls_to;
   UInt  i, k;

   /* After the leaders are known, each instruction falls through to one other
      at most. */
   falls_to = dcfg_alloc("dcfg.graph.falls", (gb->n_instrs + 1)
                                             * sizeof(UInt));
   for (i = 0; i < gb->n_instrs; i++)
      falls_to[i] = NONE;
   for (i = 0; i < gb->n_instrs; i++) {
      UInt from = gb->fell_from[i];
      if (from == NONE || gb->is_end[from])
         gb->is_leader[i] = True;
      if (!gb->is_leader[i])
         falls_to[from] = i;
      n_leaders += gb->is_leader[i];
   }

   gb->n_blocks = n_leaders;
   gb->blocks   = DCFG_CALLOC("dcfg.graph.blocks", Block, n_leaders + 1);
   gb->node     = DCFG_CALLOC("dcfg.graph.node", UInt, gb->n_instrs + 1);
   for (i = 0, k = 0; i < gb->n_instrs; i++) {
      if (!gb->is_leader[i])
         continue;
      Block* b = &gb->blocks[k];
      b->addr  = in[i].addr;
      b->image = in[i].image;
      for (UInt j = i; j != NONE; j = falls_to[j]) {
         gb->node[j]    = NodeFirstBlock + k;
         b->last_offset = (UInt)(in[j].addr - b->addr);
         b->size        = b->last_offset + in[j].len;
         b->n_instrs++;
      }
      k++;
   }
   DCFG_FREE_ALL(falls_to, gb->fell_from);
   gb->fell_from   = NULL;
   gb->partitioned = True;
}

/*--- From steps to edges                                  ---*/

/* Sort OLD into NEW by the UInt at OFFSET of a Step, which is below N_KEYS. A
   stable counting sort. */
static void sort_steps(const Step* old, Step* new, UInt n, UInt n_keys,
                       SizeT offset)
{
   UInt* start = DCFG_CALLOC("dcfg.graph.sort", UInt, n_keys + 1);
#  define KEY(s) (*(const UInt*)((const HChar*)(s) + offset))

   for (UInt i = 0; i < n; i++)
      start[KEY(&old[i]) + 1]++;
   for (UInt k = 0; k < n_keys; k++)
      start[k + 1] += start[k];
   for (UInt i = 0; i < n; i++)
      new[start[KEY(&old[i])]++] = old[i];
#  undef KEY
   dcfg_free(start);
}

static void order_steps(GraphBuilder* gb)
{
   UInt  n       = gb->n_steps;
   UInt  n_nodes = NodeFirstBlock + gb->n_blocks;
   Step* other   = dcfg_alloc("dcfg.graph.order", (SizeT)(n + 1)
                                                  * sizeof(Step));
   if (gb->n_threads > 1) {
      sort_steps(gb->steps, other, n, gb->n_threads,
                 offsetof(Step, thread));
      dcfg_memcpy(gb->steps, other, (SizeT)n * sizeof(Step));
   }
   sort_steps(gb->steps, other, n, n_nodes, offsetof(Step, target));
   sort_steps(other, gb->steps, n, n_nodes, offsetof(Step, source));
   dcfg_free(other);
}

UInt DCFG_(edge_rank)(EdgeType type)
{
   switch (type) {
      case EdgeContextChange:       return 1;
      case EdgeContextChangeReturn: return 2;
      case EdgeExcludedCodeBypass:  return 3;
      case EdgeUnknown:             return 4;
      case EdgeCallBypass:          return 5;
      case EdgeContextChangeBypass: return 6;
      default:                      return 0;
   }
}

/* Merge the sorted steps into GRAPH's edges. */
static void merge_steps(const GraphBuilder* gb, Graph* graph)
{
   graph->edges  = DCFG_CALLOC("dcfg.graph.edges", Edge, gb->n_steps + 1);
   graph->counts = DCFG_CALLOC("dcfg.graph.counts", EdgeCount, gb->n_steps + 1);
   Edge* e   = NULL;
   UInt  n_counts = 0;

   graph->n_edges = 0;
   for (UInt i = 0; i < gb->n_steps; i++) {
      const Step* s = &gb->steps[i];
      if (e == NULL || e->source != s->source || e->target != s->target) {
         e = &graph->edges[graph->n_edges++];
         e->source      = s->source;
         e->target      = s->target;
         e->type        = s->type;
         e->first_count = n_counts;
      }
      if (DCFG_(edge_rank)(s->type) < DCFG_(edge_rank)(e->type))
         e->type = s->type;
      if (s->count == 0)
         continue;
      if (e->n_counts == 0 || graph->counts[n_counts - 1].thread != s->thread) {
         graph->counts[n_counts].thread = s->thread;
         n_counts++;
         e->n_counts++;
      }
      graph->counts[n_counts - 1].count += s->count;
   }
}

UInt DCFG_(block_behind)(const Block* blocks, UInt n_blocks, UInt b)
{
   const Block* from = &blocks[b];
   ULong end = from->addr + from->size;

   while (++b < n_blocks && blocks[b].image == from->image
          && blocks[b].addr <= end)
      if (blocks[b].addr == end)
         return b;
   return n_blocks;
}

/* Add a call bypass to each calling block if a return came to its return site.
   If a counted edge joins the two blocks already, merge_steps() keeps that one:
   readers allow one edge for a pair. */
static void add_call_bypasses(GraphBuilder* gb)
{
   Bool* calls       = DCFG_CALLOC("dcfg.graph.calls", Bool,
                                   gb->n_blocks + 1);
   Bool* returned_to = DCFG_CALLOC("dcfg.graph.returned", Bool,
                                   gb->n_blocks + 1);

   for (UInt i = 0; i < gb->n_steps; i++) {
      const Step* s = &gb->steps[i];
      if (s->type == EdgeDirectCall || s->type == EdgeIndirectCall)
         calls[s->source - NodeFirstBlock] = True;
      if (s->type == EdgeReturn)
         returned_to[s->target - NodeFirstBlock] = True;
   }
   for (UInt b = 0; b < gb->n_blocks; b++) {
      UInt site = calls[b] ? DCFG_(block_behind)(gb->blocks, gb->n_blocks, b)
                           : gb->n_blocks;
      if (returned_to[site])
         add_step(gb, 0, NodeFirstBlock + b, NodeFirstBlock + site,
                  EdgeCallBypass, 0);
   }
   DCFG_FREE_ALL(calls, returned_to);
}

Graph* DCFG_(finish_graph)(GraphBuilder* gb)
{
   Graph* g = DCFG_CALLOC("dcfg.graph.graph", Graph, 1);

   add_call_bypasses(gb);
   order_steps(gb);
   merge_steps(gb, g);
   g->n_blocks      = gb->n_blocks;
   g->blocks        = gb->blocks;
   g->n_threads     = gb->n_threads;
   g->thread_instrs = gb->thread_instrs;
   g->node_of       = gb->node;
   for (UInt i = 0; i < g->n_edges; i++) {
      const Edge* e = &g->edges[i];
      if (e->target < NodeFirstBlock)
         continue;
      for (UInt c = 0; c < e->n_counts; c++)
         g->blocks[e->target - NodeFirstBlock].count
            += g->counts[e->first_count + c].count;
   }
   DCFG_FREE_ALL(gb->is_leader, gb->is_end, gb->steps, gb);
   return g;
}

void DCFG_(delete_graph)(Graph* graph)
{
   DCFG_FREE_ALL(graph->blocks, graph->edges, graph->counts,
                 graph->thread_instrs, graph->node_of, graph);
}

UInt* DCFG_(only_edges)(const Graph* graph)
{
   UInt  n_nodes = NodeFirstBlock + graph->n_blocks;
   UInt* only    = DCFG_CALLOC("dcfg.graph.only", UInt, n_nodes);
   Bool* several = DCFG_CALLOC("dcfg.graph.only", Bool, n_nodes);

   for (UInt i = 0; i < graph->n_edges; i++) {
      UInt source = graph->edges[i].source;
      if (graph->edges[i].n_counts == 0)
         continue;
      several[source] = several[source] || only[source] != 0;
      only[source]    = several[source] ? 0 : i + 1;
   }
   dcfg_free(several);
   return only;
}

Bool DCFG_(is_intra_routine)(EdgeType type)
{
   switch (type) {
      case EdgeEntry: case EdgeExit:
      case EdgeCall:  case EdgeDirectCall: case EdgeIndirectCall:
      case EdgeReturn:
      case EdgeSystemCall: case EdgeSystemReturn:
      case EdgeContextChange: case EdgeContextChangeReturn:
         return False;
      default:
         return True;
   }
}
