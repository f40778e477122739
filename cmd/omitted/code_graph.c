/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The graph of the program's code. */

/* Owns: reading code from images' files, and the graph of it.  Handed: a
   whole execution trace, seeds.

   A graph has all functions that its calls lead to.  Calls fall through, unless
   the called function is known not to return.  An indirect jump has the targets
   that jump_table.c reads. */

#include "cmd/omitted/code_graph.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/stubs.h"
#include "cmd/omitted/jump_table.h"
#include "cmd/omitted/static_tree.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NODES 400000

/* Builder: a graph in work, with room for nodes and successors. */
typedef
   struct {
      StaticCode* c;
      size_t      room;         // for nodes
      size_t      n_successors, successors_room;
   }
   Builder;

/*--- Calls                                                ---*/

/* Return whether NAME is a function of a library that never returns to its
   caller. */
static bool never_returns(const char* name)
{
   static const char* const names[] = {
      "exit", "_exit", "_Exit", "quick_exit", "abort", "__assert_fail",
      "__assert", "__assert_perror_fail", "__stack_chk_fail",
      "__stack_chk_fail_local", "__chk_fail", "__fortify_fail", "longjmp",
      "_longjmp", "siglongjmp", "__longjmp_chk", "pthread_exit", "err", "errx",
      "verr", "verrx", "__cxa_throw", "__cxa_rethrow", "_Unwind_Resume",
      "__cxa_throw_bad_array_new_length", "__cxa_bad_cast", "__cxa_bad_typeid",
      "__cxa_pure_virtual", "__cxa_call_unexpected", "__cxa_call_terminate",
      "_ZSt9terminatev", "__libc_start_main", "execv", "execve", "execvp"
   };

   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
      if (strcmp(name, names[i]) == 0)
         return true;
   return strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_") != NULL;
}

/* Return the function of a library whose stub is at ADDR, or NULL. */
static const char* stub_at(const StaticCode* c, uint64_t addr, uint32_t near)
{
   uint64_t       before, behind;
   const uint8_t* at = image_own_byte(&c->bytes, near, addr, &before,
                                      &behind);

   return at == NULL ? NULL
          : code_called(c->names, near, addr, at,
                        behind < LONGEST_STUB ? behind : LONGEST_STUB);
}

/* Return the function of a library that a call of ADDR leads to; "" if it
   has no name, NULL if ADDR is code of the program.  A library that is
   linked into the program has no lines where the program has some. */
static const char* library_at(const StaticCode* c, uint64_t addr,
                              uint32_t near)
{
   const char* name = stub_at(c, addr, near);
   const char* source;
   uint64_t    begin;

   if (name != NULL || dcfg_wet_instr(c->w, near)->line == 0
       || code_line(c->names, near, addr, &source) != 0)
      return name;
   name = code_function(c->names, near, addr, &begin);
   return name == NULL ? "" : name;
}

/*--- The graph                                            ---*/

static uint32_t add_node(Builder* b, uint64_t addr, uint32_t near)
{
   StaticCode* c = b->c;
   uint32_t    n = code_node_at(c, addr, near);

   if (n != NO_NODE)
      return n;
   if (c->n == MOST_NODES) {
      c->bounded = true;
      return NO_NODE;
   }
   GROW(c->nodes, c->n, b->room);
   c->nodes[c->n] = (CodeNode){ .addr = addr, .near = near, .instr = NO_NODE,
                                .callee = NO_NODE, .up = NO_NODE,
                                .entry = NO_NODE };
   keymap_number(c->numbers, code_key(c, addr, near));
   return c->n++;
}

/* Add the instruction at ADDR to the successors of N.  Successors of one
   node are added one behind the other. */
static void add_successor(Builder* b, uint32_t n, uint64_t addr)
{
   StaticCode* c = b->c;
   uint32_t    to = add_node(b, addr, c->nodes[n].near);

   if (to == NO_NODE)
      c->nodes[n].open = true;
   for (uint32_t k = 0; k < c->nodes[n].n; k++)
      if (code_successor(c, n, k) == to)
         return;
   if (to == NO_NODE)
      return;
   GROW(c->successors, b->n_successors, b->successors_room);
   c->successors[b->n_successors++] = to;
   c->nodes[n].n++;
}

/* Add the edges of call N, whose effect is E.  The called function is a
   node, or of a library. */
static void add_call(Builder* b, uint32_t n, const InstrEffect* e)
{
   StaticCode* c = b->c;
   const char* name = !e->direct ? NULL
                      : library_at(c, e->target, c->nodes[n].near);

   c->nodes[n].call = true;
   if (name != NULL) {
      c->nodes[n].ends = never_returns(name);
   } else if (e->direct) {
      uint32_t callee = add_node(b, e->target, c->nodes[n].near);
      c->nodes[n].callee = callee;
   } else {
      c->nodes[n].open = true;
   }
   if (!c->nodes[n].ends)
      add_successor(b, n, c->nodes[n].addr + c->nodes[n].size);
}

static void add_table(Builder* b, uint32_t n, const InstrEffect* e)
{
   uint64_t* targets;
   size_t    n_targets = jump_table_read(b->c, n, e, &targets);

   for (size_t i = 0; i < n_targets; i++)
      add_successor(b, n, targets[i]);
   b->c->nodes[n].open |= n_targets == 0;
   free(targets);
}

static void add_edges(Builder* b, uint32_t n)
{
   StaticCode* c = b->c;
   CodeNode*   me = &c->nodes[n];
   InstrEffect e;

   me->first = (uint32_t)b->n_successors;
   if (!code_effect(c, n, &e)) {
      me->open = me->ends = true;
      return;
   }
   me->size = e.size;
   if (e.call) {
      add_call(b, n, &e);
      return;
   }
   me->returns = e.returns
                 || (e.jumps && e.direct
                     && stub_at(c, e.target, me->near) != NULL);
   me->ends    = e.stops || me->returns;
   if (me->ends)
      return;
   if (e.falls || !e.jumps)
      add_successor(b, n, me->addr + e.size);
   if (e.jumps && e.direct)
      add_successor(b, n, e.target);
   else if (e.jumps)
      add_table(b, n, &e);
}

/*--- Functions                                            ---*/

/* Return, by node, whether it begins a function: one that is called, one
   with a symbol, or an executed node that no edge leads to.  The caller
   frees the array. */
static bool* find_entries(const StaticCode* c)
{
   bool*   entries = zalloc(c->n + (size_t)1, sizeof(*entries));
   bool*   led_to = zalloc(c->n + (size_t)1, sizeof(*led_to));

   for (uint32_t n = 0; n < c->n; n++) {
      if (c->nodes[n].callee != NO_NODE)
         entries[c->nodes[n].callee] = true;
      for (uint32_t k = 0; k < c->nodes[n].n; k++)
         led_to[code_successor(c, n, k)] = true;
   }
   for (uint32_t n = 0; n < c->n; n++) {
      const CodeNode* at = &c->nodes[n];
      uint64_t        begin;
      entries[n] |= (at->instr != NO_NODE && !led_to[n])
                    || (!led_to[n]
                        && code_function(c->names, at->near, at->addr, &begin)
                           != NULL
                        && begin == at->addr);
   }
   free(led_to);
   return entries;
}

/* Set the entry of each node: the entry that leads to it.  If several do, as
   after a jump to another function, it is the nearest before the node. */
static void find_functions(StaticCode* c)
{
   bool*     entries = find_entries(c);
   uint32_t* todo = zalloc(c->n + (size_t)1, sizeof(*todo));

   for (uint32_t entry = 0; entry < c->n; entry++) {
      size_t n = 0;
      if (!entries[entry])
         continue;
      c->nodes[entry].entry = entry;
      todo[n++] = entry;
      while (n > 0) {
         const CodeNode* at = &c->nodes[todo[--n]];
         for (uint32_t k = 0; k < at->n; k++) {
            uint32_t  to = c->successors[at->first + k];
            CodeNode* next = &c->nodes[to];
            uint32_t  old = next->entry;
            if (entries[to] || old == entry
                || (old != NO_NODE
                    && next->addr - c->nodes[old].addr
                       <= next->addr - c->nodes[entry].addr))
               continue;
            next->entry = entry;
            todo[n++]   = to;
         }
      }
   }
   free(entries);
   free(todo);
}

/*--- The whole                                            ---*/

StaticCode* code_graph_new(DcfgWet* w, Variables* names, const char* root,
                           const bool* executed, const CodeSeed* seeds,
                           size_t n_seeds)
{
   StaticCode* c = zalloc(1, sizeof(*c));
   Builder     b = { .c = c };

   c->w       = w;
   c->names   = names;
   c->bytes   = image_bytes(w, NULL, root);
   c->numbers = keymap_new();
   for (size_t i = 0; i < n_seeds; i++)
      add_node(&b, seeds[i].addr, seeds[i].near);
   for (uint32_t n = 0; n < c->n; n++)
      add_edges(&b, n);
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      uint32_t n = !executed[i] ? NO_NODE
                   : code_node_at(c, dcfg_wet_instr(w, i)->addr, i);
      if (n != NO_NODE)
         c->nodes[n].instr = i;
   }
   find_functions(c);
   static_tree_make(c);
   return c;
}

void code_graph_free(StaticCode* c)
{
   if (c == NULL)
      return;
   image_bytes_free(&c->bytes);
   keymap_free(c->numbers);
   free(c->nodes);
   free(c->successors);
   free(c);
}
