/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: reading code from images' files, and the graph of it.  Handed: a whole
   execution trace, seeds.

   A trace knows only instructions that were executed.  The others are decoded
   from the images' files, beginning at seeds: instructions of the program
   that were executed, and whatever else the caller names.  The program's own
   code is the code that dcfg slice lists line by line.

   A node is an instruction; it has an edge to each instruction that may run
   next in its function.  The graph has all functions that its direct calls
   lead to.  A call falls through to its return site, unless the called
   function is known by its name not to return.  A library's function is not
   entered.

   An indirect jump has the targets of its table, if the code before it has a
   form in which compilers write a switch.  The jump goes to an element of the
   table, or to its sum with the table's address.  A comparison before it says
   how many elements there are.  All other indirect jumps and calls are open:
   their targets are unknown.

   A branch decides about the code up to its immediate post-dominator.  These
   are computed as in K. Cooper, T. Harvey and K. Kennedy: A Simple, Fast
   Dominance Algorithm, on the reversed graph; all ways out of functions lead
   to one exit. */

#include "cmd/program/code_graph.h"

#include "cmd/base/names.h"
#include "cmd/program/elf_file.h"
#include "cmd/program/recording.h"

/*--- Instructions and numbers of images' files            ---*/

#define LONGEST 15              // bytes of an instruction

bool code_effect(const StaticCode* code, uint32_t n, InstrEffect* e)
{
   DcfgWetInstr   in = *dcfg_wet_instr(code->w, code->nodes[n].near);
   uint64_t       before, behind;
   const uint8_t* at = image_own_byte(&code->bytes, code->nodes[n].near,
                                      code->nodes[n].addr, &before, &behind);

   if (at == NULL)
      return false;
   in.addr = code->nodes[n].addr;
   in.code = at;
   in.size = behind < LONGEST ? (uint32_t)behind : LONGEST;
   return instr_effect(&in, e);
}

/* Set *NUMBER to the SIZE bytes at ADDR in the file of the image of instruction
   NEAR, at most 8.  Return false if the file does not have them. */
static bool code_number(const StaticCode* code, uint64_t addr, uint32_t near,
                 unsigned size, uint64_t* number)
{
   uint64_t       before, behind;
   const uint8_t* at = image_own_byte(&code->bytes, near, addr, &before,
                                      &behind);

   if (at == NULL || behind < size)
      return false;
   *number = 0;
   for (unsigned i = size; i-- > 0; )
      *number = *number << 8 | at[i];
   return true;
}

/* Return the key of ADDR in .numbers.  Several images may have had the same
   addresses.  Addresses have fewer than 48 bits. */
static uint64_t code_key(const StaticCode* code, uint64_t addr, uint32_t near)
{
   return addr ^ (uint64_t)dcfg_wet_instr(code->w, near)->image << 48;
}

uint32_t code_node_at(const StaticCode* code, uint64_t addr, uint32_t near)
{
   uint32_t n = keymap_find(code->numbers, code_key(code, addr, near));

   return n < code->n ? n : NO_NODE;
}

/*--- The program's own code                               ---*/

OwnCode own_code_find(DcfgWet* wet, const char* own,
                      const DcfgSliceTotal* totals)
{
   uint32_t    n = dcfg_wet_instrs(wet), image = UINT32_MAX;
   const char* program = wet_program(wet);
   bool        is_own = false, lines = false;
   bool*       with_lines = images_with_lines(wet);
   OwnCode     o = { .executed = zalloc(n + (size_t)1, sizeof(bool)) };

   for (uint32_t i = 0; i < n; i++) {
      DcfgWetInstr in = *dcfg_wet_instr(wet, i);
      if (in.image != image) {
         image  = in.image;
         is_own = is_of_program(in.image_name, program, own);
         lines  = is_own && with_lines[image];
      }
      o.executed[i] = totals[i].executed > 0;
      if (!is_own || !o.executed[i] || is_of_system(in.source)
          || (lines && in.line == 0))
         continue;
      GROW(o.seeds, o.n_seeds, o.room);
      o.seeds[o.n_seeds++] = (CodeSeed){ in.addr, i };
   }
   free(with_lines);
   return o;
}

void own_code_free(OwnCode* o)
{
   FREE_ALL(o->executed, o->seeds);
}

/*--- Jump tables                                          ---*/

#define FARTHEST   24           // instructions before the jump
#define MOST_CASES 4096
#define LOWEST_TABLE 4096       // no address is lower

/* TableForm: the form of a table, as far as the code before the jump shows
   it. */
typedef
   struct {
      bool     has_table, relative, has_count, summed;
      uint64_t table;
      unsigned size;            // bytes of an element
      uint64_t count;
   }
   TableForm;

/* Return the node that ends at the begin of N, or NO_NODE. */
static uint32_t node_before(const StaticCode* code, uint32_t n)
{
   for (uint64_t k = 1; k <= LONGEST; k++) {
      uint32_t at = code_node_at(code, code->nodes[n].addr - k,
                                 code->nodes[n].near);
      if (at != NO_NODE && code->nodes[at].size == k)
         return at;
   }
   return NO_NODE;
}

/* Take instruction B before the jump, if the address of the element is a
   sum: B loads the element from there, or adds the table's address. */
static void take_sum(TableForm* f, const InstrEffect* b, unsigned word)
{
   const MemoryOperand* m = &b->memory[0];

   if (b->kind == EFFECT_LOAD && b->n_memory == 1 && f->size == 0
       && m->base != NO_REGISTER && m->index == NO_REGISTER && m->disp == 0
       && m->size == word) {
      f->size   = word;
      f->summed = true;
   } else if (f->summed && !f->has_table && b->kind == EFFECT_ADD_NUMBER
              && b->number >= LOWEST_TABLE) {
      f->has_table = true;
      f->table     = (uint64_t)b->number;
   }
}

/* Take operand M, if it is an element: of a table at a fixed address, or of
   a table whose address is in a register. */
static void take_operand(TableForm* f, const MemoryOperand* m, unsigned word)
{
   if (m->index == NO_REGISTER || m->written || f->size != 0)
      return;
   if (m->base == NO_REGISTER && m->scale == word) {
      f->has_table = true;
      f->table     = (uint64_t)m->disp;
      f->size      = word;
   } else if (m->disp == 0 && m->base != NO_REGISTER
              && (m->scale == 4 || m->scale == 1) && m->size == 4) {
      f->relative = true;
      f->size     = 4;
   }
}

static TableForm form_of(const StaticCode* code, uint32_t n,
                         const InstrEffect* e, unsigned word)
{
   TableForm f = { .size = 0 };
   bool      checked = false, has_fixed = false;
   uint64_t  fixed = 0;
   uint32_t  at = n;

   for (unsigned k = 0; k < e->n_memory; k++)
      take_operand(&f, &e->memory[k], word);
   for (unsigned far = 0; far < FARTHEST && !f.has_count; far++) {
      InstrEffect b;
      at = node_before(code, at);
      if (at == NO_NODE || !code_effect(code, at, &b))
         break;
      if (b.falls) {
         checked = true;
         continue;
      }
      if (b.flow)
         break;
      if (checked && (b.compares || b.kind == EFFECT_ADD_NUMBER)) {
         f.has_count = true;
         f.count     = (uint64_t)(b.compares ? b.number : -b.number) + 1;
         break;
      }
      for (unsigned k = 0; k < b.n_memory && b.kind == EFFECT_LOAD; k++)
         take_operand(&f, &b.memory[k], word);
      take_sum(&f, &b, word);
      if (b.kind == EFFECT_ADDRESS && b.n_memory == 1 && b.memory[0].fixed
          && !has_fixed) {
         has_fixed = true;
         fixed     = (uint64_t)b.memory[0].disp;
      }
   }
   if (f.relative) {
      f.has_table = has_fixed;
      f.table     = fixed;
   }
   return f;
}

/* Set *TARGETS to the addresses that the indirect jump N may lead to; the
   caller frees them.  E is the effect of N.  Return their number; 0 if the
   jump uses no table of a known form. */
static size_t jump_table_read(const StaticCode* code, uint32_t n,
                              const InstrEffect* e,
                       uint64_t** targets)
{
   unsigned  word = dcfg_wet_instr(code->w, code->nodes[n].near)->address_size;
   TableForm f = form_of(code, n, e, word);
   size_t    n_targets = 0, room = 0;

   *targets = NULL;
   if (!f.has_table || !f.has_count || f.count > MOST_CASES)
      return 0;
   for (uint64_t i = 0; i < f.count; i++) {
      uint64_t number;
      if (!code_number(code, f.table + i * f.size, code->nodes[n].near, f.size,
                       &number))
         break;
      if (f.relative)
         number = f.table + (uint64_t)(int64_t)(int32_t)number;
      GROW(*targets, n_targets, room);
      (*targets)[n_targets++] = number;
   }
   return n_targets;
}

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

   return IS_AMONG(name, names)
          || (begins(name, "_ZSt") && strstr(name, "__throw_") != NULL);
}

/* Return the function of a library whose stub is at ADDR, or NULL. */
static const char* stub_at(const StaticCode* code, uint64_t addr, uint32_t near)
{
   uint64_t       before, behind;
   const uint8_t* at = image_own_byte(&code->bytes, near, addr, &before,
                                      &behind);

   return at == NULL ? NULL
          : code_called(code->program, near, addr, at,
                        behind < LONGEST_STUB ? behind : LONGEST_STUB);
}

/* Return the function of a library that a call of ADDR leads to; "" if it
   has no name, NULL if ADDR is code of the program.  A library that is
   linked into the program has no lines where the program has some. */
static const char* library_at(const StaticCode* code, uint64_t addr,
                              uint32_t near)
{
   const char* name = stub_at(code, addr, near);
   const char* source;
   uint64_t    begin;

   if (name != NULL || dcfg_wet_instr(code->w, near)->line == 0
       || code_line(code->program, near, addr, &source) != 0)
      return name;
   name = code_function(code->program, near, addr, &begin);
   return name == NULL ? "" : name;
}

/*--- The graph                                            ---*/

#define MOST_NODES 400000

/* Builder: a graph in work, with room for nodes and successors. */
typedef
   struct {
      StaticCode* c;
      size_t      room;         // for nodes
      size_t      n_successors, successors_room;
   }
   Builder;

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
static bool* find_entries(const StaticCode* code)
{
   bool*   entries = zalloc(code->n + (size_t)1, sizeof(*entries));
   bool*   led_to = zalloc(code->n + (size_t)1, sizeof(*led_to));

   for (uint32_t n = 0; n < code->n; n++) {
      if (code->nodes[n].callee != NO_NODE)
         entries[code->nodes[n].callee] = true;
      for (uint32_t k = 0; k < code->nodes[n].n; k++)
         led_to[code_successor(code, n, k)] = true;
   }
   for (uint32_t n = 0; n < code->n; n++) {
      const CodeNode* at = &code->nodes[n];
      uint64_t        begin;
      entries[n] |= (at->instr != NO_NODE && !led_to[n])
                    || (!led_to[n]
                        && code_function(code->program, at->near, at->addr,
                                         &begin)
                           != NULL
                        && begin == at->addr);
   }
   free(led_to);
   return entries;
}

/* Set the entry of each node: the entry that leads to it.  If several do, as
   after a jump to another function, it is the nearest before the node. */
static void find_functions(StaticCode* code)
{
   bool*     entries = find_entries(code);
   uint32_t* todo = zalloc(code->n + (size_t)1, sizeof(*todo));

   for (uint32_t entry = 0; entry < code->n; entry++) {
      size_t n = 0;
      if (!entries[entry])
         continue;
      code->nodes[entry].entry = entry;
      todo[n++] = entry;
      while (n > 0) {
         const CodeNode* at = &code->nodes[todo[--n]];
         for (uint32_t k = 0; k < at->n; k++) {
            uint32_t  to = code->successors[at->first + k];
            CodeNode* next = &code->nodes[to];
            uint32_t  old = next->entry;
            if (entries[to] || old == entry
                || (old != NO_NODE
                    && next->addr - code->nodes[old].addr
                       <= next->addr - code->nodes[entry].addr))
               continue;
            next->entry = entry;
            todo[n++]   = to;
         }
      }
   }
   FREE_ALL(entries, todo);
}

/*--- Post-dominators                                      ---*/

/* Reversed: the reversed graph: predecessors of each node, those of the exit
   last, and the nodes in postorder. */
typedef
   struct {
      uint32_t* first;          // n + 2
      uint32_t* from;
      uint32_t* number;         // by node, in postorder, from 1; 0: no way
                                // leaves its function
      uint32_t* order;          // nodes by number
      uint32_t  n_order;
      uint32_t* up;
   }
   Reversed;

static bool leaves(const CodeNode* n)
{
   return n->n == 0 || n->open || n->ends;
}

static void reverse(const StaticCode* code, Reversed* r)
{
   size_t n_edges = 0;

   for (uint32_t n = 0; n < code->n; n++) {
      for (uint32_t k = 0; k < code->nodes[n].n; k++)
         r->first[code_successor(code, n, k) + 1]++;
      r->first[code->n + 1] += leaves(&code->nodes[n]);
      n_edges += code->nodes[n].n + leaves(&code->nodes[n]);
   }
   for (uint32_t n = 0; n <= code->n; n++)
      r->first[n + 1] += r->first[n];
   r->from = zalloc(n_edges + 1, sizeof(*r->from));
   for (uint32_t n = code->n; n-- > 0; ) {
      for (uint32_t k = 0; k < code->nodes[n].n; k++)
         r->from[--r->first[code_successor(code, n, k) + 1]] = n;
      if (leaves(&code->nodes[n]))
         r->from[--r->first[code->n + 1]] = n;
   }
}

/* Return the index in .from of the first predecessor of N, which reverse()
   has left in .first[N + 1]. */
static uint32_t begin_of(const Reversed* r, uint32_t n)
{
   return r->first[n + 1];
}

static uint32_t end_of(const StaticCode* code, const Reversed* r, uint32_t n,
                       uint32_t n_edges)
{
   return n == code->n ? n_edges : r->first[n + 2];
}

static void number_nodes(const StaticCode* code, Reversed* r, uint32_t n_edges)
{
   uint32_t* stack = zalloc(code->n + (size_t)2, sizeof(*stack));
   uint32_t* at = zalloc(code->n + (size_t)2, sizeof(*at));
   bool*     seen = zalloc(code->n + (size_t)2, sizeof(*seen));
   size_t    n = 0;

   stack[n++]  = code->n;
   seen[code->n]  = true;
   at[code->n]    = begin_of(r, code->n);
   while (n > 0) {
      uint32_t node = stack[n - 1];
      if (at[node] < end_of(code, r, node, n_edges)) {
         uint32_t to = r->from[at[node]++];
         if (!seen[to]) {
            seen[to]   = true;
            at[to]     = begin_of(r, to);
            stack[n++] = to;
         }
         continue;
      }
      n--;
      r->order[r->n_order] = node;
      r->number[node]      = ++r->n_order;
   }
   FREE_ALL(stack, at, seen);
}

static uint32_t meet(const Reversed* r, uint32_t a, uint32_t b)
{
   while (a != b) {
      while (r->number[a] < r->number[b])
         a = r->up[a];
      while (r->number[b] < r->number[a])
         b = r->up[b];
   }
   return a;
}

/* Return the immediate post-dominator of NODE, from those of its successors
   that have one already. */
static uint32_t find_up(const StaticCode* code, const Reversed* r,
                        uint32_t node)
{
   uint32_t up = leaves(&code->nodes[node]) ? code->n : NO_NODE;

   for (uint32_t k = 0; k < code->nodes[node].n; k++) {
      uint32_t to = code_successor(code, node, k);
      if (r->number[to] == 0 || r->up[to] == NO_NODE)
         continue;
      up = up == NO_NODE ? to : meet(r, up, to);
   }
   return up;
}

/* Set .up of all nodes of CODE. */
static void static_tree_make(StaticCode* code)
{
   Reversed r = { .first = zalloc(code->n + (size_t)3, sizeof(uint32_t)),
                  .number = zalloc(code->n + (size_t)2, sizeof(uint32_t)),
                  .order = zalloc(code->n + (size_t)2, sizeof(uint32_t)),
                  .up = zalloc(code->n + (size_t)2, sizeof(uint32_t)) };
   bool     changed = true;
   uint32_t n_edges = 0;

   reverse(code, &r);
   for (uint32_t n = 0; n < code->n; n++)
      n_edges += code->nodes[n].n + leaves(&code->nodes[n]);
   number_nodes(code, &r, n_edges);
   for (uint32_t n = 0; n < code->n; n++)
      r.up[n] = NO_NODE;
   r.up[code->n] = code->n;
   while (changed) {
      changed = false;
      for (uint32_t k = r.n_order - 1; k-- > 0; ) {
         uint32_t up = find_up(code, &r, r.order[k]);
         changed |= up != r.up[r.order[k]];
         r.up[r.order[k]] = up;
      }
   }
   for (uint32_t n = 0; n < code->n; n++)
      code->nodes[n].up = r.up[n] == code->n ? NO_NODE : r.up[n];
   FREE_ALL(r.first, r.from, r.number, r.order, r.up);
}

/*--- A graph's life                                       ---*/

StaticCode* code_graph_new(TraceProgram* program, const bool* executed,
                           const CodeSeed* seeds, size_t n_seeds)
{
   StaticCode* c = zalloc(1, sizeof(*c));
   Builder     b = { .c = c };

   c->w       = program->w;
   c->program = program;
   c->bytes   = image_bytes(program->w, program->times, program->root);
   c->numbers = keymap_new();
   for (size_t i = 0; i < n_seeds; i++)
      add_node(&b, seeds[i].addr, seeds[i].near);
   for (uint32_t n = 0; n < c->n; n++)
      add_edges(&b, n);
   for (uint32_t i = 0; i < dcfg_wet_instrs(c->w); i++) {
      uint32_t n = !executed[i] ? NO_NODE
                   : code_node_at(c, dcfg_wet_instr(c->w, i)->addr, i);
      if (n != NO_NODE)
         c->nodes[n].instr = i;
   }
   find_functions(c);
   static_tree_make(c);
   return c;
}

void code_graph_free(StaticCode* code)
{
   if (code == NULL)
      return;
   image_bytes_free(&code->bytes);
   keymap_free(code->numbers);
   FREE_ALL(code->nodes, code->successors, code);
}
