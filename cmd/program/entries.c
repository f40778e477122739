/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How often inlined functions were entered. */

/* Owns: the definition of an entry.  Handed: a graph with its pieces.

   - An instance with DW_AT_entry_pc, which gcc writes, is entered once for each
   execution of that instruction, wherever scheduling has put it.

   - Another instance, as clang writes them, is entered by each flow of control
   from an instruction outside it to one inside.

   - A call of a function enters all instances that have its first instruction,
   even if the function calls itself.  After a return, a longjmp() or a system
   call, control comes from the instruction before its target.  A landing pad
   and the end of a signal handler enter nothing.

   - A part that the compiler split off a function, and then inlined into the
   rest of it, is not entered. */

#include "cmd/program/entries.h"
#include "cmd/base/sums.h"

#include <stdlib.h>
#include <string.h>

typedef
   struct {
      const Functions*   f;
      const DcfgProcess* p;
      Inlined*           in;
      Pieces*            pieces;
      uint32_t           thread;
      uint64_t*          entries;       // by scope
      bool*              behind_call;   // by block: a call or a system call may
                                        // return to it
      uint32_t           n;             // number of scopes for which .entries
                                        // has room
   }
   Counting;

/*--- Flows                                                ---*/

/* COUNT flows go from code of scope FROM to code of scope TO: enter the scopes
   around TO that are not around FROM. */
static void flow(Counting* c, uint32_t from, uint32_t to, uint64_t count)
{
   uint32_t common;

   if (from == to || to == NO_SCOPE || count == 0)
      return;
   common = inlined_common(c->in, from, to);
   for (; to != common && to != NO_SCOPE; to = inlined_parent(c->in, to))
      c->entries[to] = capped_sum(c->entries[to], count);
}

/* Return whether NODE begins with the first instruction of the function around
   TO. */
static bool is_beginning(const Counting* c, uint32_t node, uint32_t to)
{
   return inlined_entry(c->in, inlined_outer(c->in, to))
          == c->p->nodes[node].addr;
}

static bool* find_behind_calls(const DcfgProcess* p)
{
   bool* found = zalloc(p->n_blocks, sizeof(*found));

   for (uint32_t i = 0; i < p->n_edges; i++)
      if (p->edges[i].target < p->n_blocks
          && (p->edges[i].type == DCFG_EDGE_CALL_BYPASS
              || p->edges[i].type == DCFG_EDGE_SYSTEM_CALL_BYPASS))
         found[p->edges[i].target] = true;
   return found;
}

/* Return the scope of the instruction before NODE. */
static uint32_t scope_before(const Counting* c, uint32_t node)
{
   const DcfgNode* n = &c->p->nodes[node];
   uint64_t        end;

   return inlined_at(c->in, n->image, n->addr - 1, &end);
}

static bool is_other_function(const Counting* c, const DcfgEdge* e)
{
   return e->source >= c->p->n_blocks
          || c->f->of[e->source] != c->f->of[e->target];
}

/* Set FROM to the scope from which the flow of E, to scope TO, comes.  Return
   false if the flow enters nothing. */
static bool find_source(Counting* c, const DcfgEdge* e, uint32_t to,
                        uint32_t* from)
{
   bool begins = is_beginning(c, e->target, to);

   *from = NO_SCOPE;
   switch (e->type) {
      case DCFG_EDGE_CALL_BYPASS:
      case DCFG_EDGE_CONTEXT_CHANGE_BYPASS:
      case DCFG_EDGE_CONTEXT_CHANGE_RETURN:
         return false;
      case DCFG_EDGE_ENTRY:
      case DCFG_EDGE_CONTEXT_CHANGE:
         return begins;
      case DCFG_EDGE_SYSTEM_CALL_BYPASS:
      case DCFG_EDGE_SYSTEM_RETURN:
         *from = scope_before(c, e->target);
         return true;
      case DCFG_EDGE_CALL:
      case DCFG_EDGE_DIRECT_CALL:
      case DCFG_EDGE_INDIRECT_CALL:
         if (begins)
            return true;
         break;
      case DCFG_EDGE_RETURN:
         if (begins)
            return true;
         *from = scope_before(c, e->target);
         return c->behind_call[e->target];
      case DCFG_EDGE_BRANCH:
      case DCFG_EDGE_INDIRECT_BRANCH:
      case DCFG_EDGE_UNCONDITIONAL_BRANCH:
      case DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH:
         if (begins || !is_other_function(c, e))
            break;
         *from = scope_before(c, e->target);
         return c->behind_call[e->target];
      default:
         break;
   }
   if (e->source < c->p->n_blocks
       && inlined_is_read(c->in, c->p->nodes[e->source].image))
      *from = piece_last_scope(c->pieces, e->source);
   return true;
}

static void count_edge(Counting* c, uint32_t edge)
{
   const DcfgEdge* e = &c->p->edges[edge];
   uint64_t        count = dcfg_edge_count(c->p, edge, c->thread);
   uint32_t        from, to;

   if (count == 0 || e->target >= c->p->n_blocks)
      return;
   to = piece_first_scope(c->pieces, e->target);
   if (to < c->n && inlined_parent(c->in, to) != NO_SCOPE
       && find_source(c, e, to, &from))
      flow(c, from, to, count);
}

static void count_block(Counting* c, uint32_t node)
{
   uint32_t     n;
   const InlinePiece* all = pieces_of(c->pieces, node, &n);
   uint64_t     count = dcfg_node_executions(c->p, node, c->thread);

   for (uint32_t i = 1; i < n; i++)
      flow(c, all[i - 1].scope, all[i].scope, count);
}

/*--- Instructions                                         ---*/

#define MOST_NODES 16           // nodes that may share an instruction

/* Return how often the instruction at ADDR in IMAGE was executed. */
static uint64_t executions_at(const DcfgProcess* p, uint32_t thread,
                              uint32_t image, uint64_t addr)
{
   uint32_t nodes[MOST_NODES];
   uint32_t n = dcfg_nodes_at(p, addr, nodes, MOST_NODES);
   uint64_t sum = 0;

   for (uint32_t i = 0; i < n && i < MOST_NODES; i++)
      if (p->nodes[nodes[i]].image == image)
         sum = capped_sum(sum, dcfg_node_executions(p, nodes[i], thread));
   return sum;
}

/*--- Parts of functions                                   ---*/

bool is_part_of_parent(Inlined* in, uint32_t scope)
{
   uint32_t parent = inlined_parent(in, scope);
   uint32_t function;

   if (parent == NO_SCOPE)
      return false;
   function = inlined_function(in, scope);
   return inlined_function(in, parent) == function
          && inlined_function_info(in, function)->line != 0
          && inlined_function_info(in, function)->line
             == inlined_call_line(in, scope);
}

/* Return whether NODE begins a part that the compiler split off. */
static bool is_split_part(const DcfgProcess* p, uint32_t node)
{
   uint32_t symbol = dcfg_symbol_of(p, node);

   return symbol != DCFG_NONE
          && strstr(p->symbols[symbol].name, ".part.") != NULL;
}

/* Return whether a call at the end of block NODE is in code of FUNCTION. */
static bool is_within(Inlined* in, Pieces* pieces, uint32_t node,
                      uint32_t function)
{
   uint32_t scope = piece_last_scope(pieces, node);

   for (; scope != NO_SCOPE; scope = inlined_parent(in, scope))
      if (inlined_function(in, scope) == function)
         return true;
   return false;
}

uint64_t count_calls(const Functions* f, Inlined* in, Pieces* pieces,
                     uint32_t node, uint32_t function, uint32_t thread)
{
   const DcfgProcess* p = f->g.p;
   uint32_t           routine = dcfg_routine_by_entry(p, node);
   uint64_t           calls = dcfg_routine_calls(p, routine, thread);
   uint32_t           n;
   const uint32_t*    edges = dcfg_in_edges(p, node, &n);

   if (!is_split_part(p, node))
      return calls;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[edges[i]];
      uint64_t        count = dcfg_edge_count(p, edges[i], thread);
      if (dcfg_is_return(e->type) || dcfg_is_bypass(e->type)
          || e->source >= p->n_blocks || p->nodes[e->source].routine == routine
          || !is_within(in, pieces, e->source, function))
         continue;
      calls -= count < calls ? count : calls;
   }
   return calls;
}

/*--- The whole                                            ---*/

uint64_t* count_flows(const Functions* f, Inlined* in, Pieces* pieces,
                      uint32_t thread)
{
   const DcfgProcess* p = f->g.p;
   uint32_t           n = inlined_scopes(in);
   Counting           c = { f, p, in, pieces, thread,
                            zalloc(n, sizeof(uint64_t)),
                            find_behind_calls(p), n };

   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (inlined_is_read(in, p->nodes[i].image))
         count_block(&c, i);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      if (e->target < p->n_blocks
          && inlined_is_read(in, p->nodes[e->target].image))
         count_edge(&c, i);
   }
   for (uint32_t i = 0; i < n; i++)
      if (inlined_parent(in, i) == NO_SCOPE || is_part_of_parent(in, i))
         c.entries[i] = 0;
   free(c.behind_call);
   return c.entries;
}

uint64_t* count_entries(const Functions* f, Inlined* in, Pieces* pieces,
                        uint32_t thread)
{
   uint64_t* entries = count_flows(f, in, pieces, thread);

   for (uint32_t i = 0; i < inlined_scopes(in); i++)
      if (inlined_parent(in, i) != NO_SCOPE && !is_part_of_parent(in, i)
          && inlined_entry(in, i) != NO_ADDR)
         entries[i] = executions_at(f->g.p, thread, inlined_image(in, i),
                                    inlined_entry(in, i));
   return entries;
}
