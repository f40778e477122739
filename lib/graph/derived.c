/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How often something ran: execution counts derived from a DCFG. */

/* Owns: how often something was executed.  Handed: a loaded DCFG.

   Everything follows from the edges' counts.  Nothing is cached: a block's
   number is the sum over its few edges. */

#include "lib/graph/model.h"

/*--- Edges and blocks                                     ---*/

uint64_t dcfg_edge_count(const DcfgProcess* process, uint32_t edge,
                         uint32_t thread)
{
   const DcfgEdge* e;

   if (edge >= process->n_edges)
      return 0;
   e = &process->edges[edge];
   if (thread == DCFG_ALL_THREADS)
      return e->count;
   if (thread >= e->n_counts)
      return 0;
   return ELEM(inside(process)->counts, uint64_t, e->first_count + thread);
}

/*--- Calls                                                ---*/

/* Return the element of THREAD, or the sum, of the N costs from FIRST on. */
static uint64_t cost_of(const DcfgProcess* process, uint64_t first, uint32_t n,
                        uint32_t thread)
{
   const Array* costs = &inside(process)->costs;
   uint64_t     total = 0;

   if (thread != DCFG_ALL_THREADS)
      return thread < n ? ELEM(*costs, uint64_t, first + thread) : 0;
   for (uint32_t i = 0; i < n; i++)
      total = add_capped(total, ELEM(*costs, uint64_t, first + i));
   return total;
}

/* Return element INDEX of TABLE of CALLS; NULL if there is none. */
#define CALLS_ROW(process, table, index)                                 \
   ((process)->calls != NULL && (index) < (process)->calls->n_##table     \
    ? &(process)->calls->table[index] : NULL)

uint64_t dcfg_function_self(const DcfgProcess* process, uint32_t function,
                            uint32_t thread)
{
   const DcfgFunction* f = CALLS_ROW(process, functions, function);

   return f == NULL ? 0 : cost_of(process, f->first_number, f->n_self, thread);
}

uint64_t dcfg_function_inclusive(const DcfgProcess* process, uint32_t function,
                                 uint32_t thread)
{
   const DcfgFunction* f = CALLS_ROW(process, functions, function);

   return f == NULL ? 0 : cost_of(process, f->first_number + f->n_self,
                                  f->n_inclusive, thread);
}

uint64_t dcfg_pair_calls(const DcfgProcess* process, uint32_t pair,
                         uint32_t thread)
{
   const DcfgPair* p = CALLS_ROW(process, pairs, pair);

   return p == NULL ? 0 : cost_of(process, p->first_number, p->n_calls, thread);
}

uint64_t dcfg_pair_inclusive(const DcfgProcess* process, uint32_t pair,
                             uint32_t thread)
{
   const DcfgPair* p = CALLS_ROW(process, pairs, pair);

   return p == NULL ? 0 : cost_of(process, p->first_number + p->n_calls,
                                  p->n_inclusive, thread);
}

/*--- Blocks                                               ---*/

static uint64_t sum(const DcfgProcess* process, const uint32_t* edges,
                    uint32_t n, uint32_t thread)
{
   uint64_t total = 0;

   for (uint32_t i = 0; i < n; i++)
      total = add_capped(total, dcfg_edge_count(process, edges[i], thread));
   return total;
}

uint64_t dcfg_node_inflow(const DcfgProcess* process, uint32_t node,
                          uint32_t thread)
{
   uint32_t        n;
   const uint32_t* edges = dcfg_in_edges(process, node, &n);

   return sum(process, edges, n, thread);
}

uint64_t dcfg_node_outflow(const DcfgProcess* process, uint32_t node,
                           uint32_t thread)
{
   uint32_t        n;
   const uint32_t* edges = dcfg_out_edges(process, node, &n);

   return sum(process, edges, n, thread);
}

uint64_t dcfg_node_executions(const DcfgProcess* process, uint32_t node,
                              uint32_t thread)
{
   if (node >= process->n_nodes)
      return 0;
   if (thread == DCFG_ALL_THREADS
       && process->nodes[node].count != DCFG_NO_COUNT)
      return process->nodes[node].count;
   /* No edge leads to START. */
   if (process->nodes[node].kind == DCFG_NODE_START)
      return dcfg_node_outflow(process, node, thread);
   return dcfg_node_inflow(process, node, thread);
}

uint64_t dcfg_node_instrs(const DcfgProcess* process, uint32_t node,
                          uint32_t thread)
{
   if (node >= process->n_nodes)
      return 0;
   return mul_capped(dcfg_node_executions(process, node, thread),
                     process->nodes[node].n_instrs);
}

static uint64_t instrs_of(const DcfgProcess* process, const uint32_t* nodes,
                          uint32_t n, uint32_t thread)
{
   uint64_t total = 0;

   for (uint32_t i = 0; i < n; i++)
      total = add_capped(total, dcfg_node_instrs(process, nodes[i], thread));
   return total;
}

uint64_t dcfg_process_instrs(const DcfgProcess* process, uint32_t thread)
{
   const Process* q = inside(process);

   if (thread == DCFG_ALL_THREADS)
      return process->instr_count;
   return thread < q->threads.n ? process->thread_instrs[thread] : 0;
}

/*--- Routines                                             ---*/

uint64_t dcfg_routine_instrs(const DcfgProcess* process, uint32_t routine,
                             uint32_t thread)
{
   uint32_t        n;
   const uint32_t* nodes = dcfg_routine_nodes(process, routine, &n);

   return instrs_of(process, nodes, n, thread);
}

/* Return whether a jump along E, from another routine, calls the routine of E's
   target: the target is a function's first block, or no symbol names it.  Stubs
   of linkage tables, the dynamic linker's resolver and tail calls are such
   jumps. Other jumps lead to code that several routines share. */
static bool is_calling_jump(const DcfgProcess* process, const DcfgEdge* e)
{
   uint32_t symbol = dcfg_symbol_of(process, e->target);

   return symbol == DCFG_NONE
          || process->symbols[symbol].addr == process->nodes[e->target].addr;
}

/* Return how often the entry was entered from outside: by a call always, by a
   branch if it comes from another routine, by a return never. */
static uint64_t entries(const DcfgProcess* process, uint32_t routine,
                        uint32_t thread, bool calls_only)
{
   uint64_t        total = 0;
   uint32_t        n, entry;
   const uint32_t* in;

   if (routine >= process->n_routines)
      return 0;
   entry = process->routines[routine].entry;
   in = dcfg_in_edges(process, entry, &n);
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &process->edges[in[i]];
      bool            comes_in;
      if (dcfg_is_call(e->type))
         comes_in = true;
      else if (dcfg_is_return(e->type) || dcfg_is_bypass(e->type))
         comes_in = false;
      else if (dcfg_is_local(e->type))
         comes_in = process->nodes[e->source].routine != routine
                    && (!calls_only || is_calling_jump(process, e));
      else
         comes_in = !calls_only;
      if (comes_in)
         total = add_capped(total, dcfg_edge_count(process, in[i], thread));
   }
   return total;
}

uint64_t dcfg_routine_calls(const DcfgProcess* process, uint32_t routine,
                            uint32_t thread)
{
   return entries(process, routine, thread, true);
}

uint64_t dcfg_routine_entries(const DcfgProcess* process, uint32_t routine,
                              uint32_t thread)
{
   return entries(process, routine, thread, false);
}

/*--- Loops                                                ---*/

uint64_t dcfg_loop_instrs(const DcfgProcess* process, uint32_t loop,
                          uint32_t thread)
{
   uint32_t        n;
   const uint32_t* nodes = dcfg_loop_nodes(process, loop, &n);

   return instrs_of(process, nodes, n, thread);
}

uint64_t dcfg_loop_iterations(const DcfgProcess* process, uint32_t loop,
                              uint32_t thread)
{
   return loop < process->n_loops
          ? dcfg_node_executions(process, process->loops[loop].head, thread)
          : 0;
}

/* A return to the head does not tell where the call came from.  Bypass edges
   do: their sources are the blocks that may have called.  Usually there is one,
   because a return goes to the instruction behind the call.  If some are in the
   loop and some are not, calls from inside are assigned first. */
uint64_t dcfg_loop_entries(const DcfgProcess* process, uint32_t loop,
                           uint32_t thread)
{
   uint64_t        total = 0, returns = 0, inner_calls = 0;
   uint32_t        n;
   const uint32_t* in;

   if (loop >= process->n_loops)
      return 0;
   in = dcfg_in_edges(process, process->loops[loop].head, &n);
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &process->edges[in[i]];
      uint64_t        count = dcfg_edge_count(process, in[i], thread);
      bool            inner = dcfg_loop_contains(process, loop, e->source);
      if (dcfg_is_return(e->type))
         returns = add_capped(returns, count);
      else if (!inner)
         total = add_capped(total, count);
      else if (dcfg_is_bypass(e->type) && e->count == 0)
         inner_calls = add_capped(inner_calls,
                          dcfg_node_executions(process, e->source, thread));
   }
   return returns <= inner_calls ? total
          : add_capped(total, returns - inner_calls);
}
