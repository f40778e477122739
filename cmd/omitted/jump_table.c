/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables that indirect jumps go by. */

/* Owns: the forms in which compilers write a switch.  Handed: the code
   before an indirect jump.

   The jump goes to an element of the table, or to its sum with the table's
   address.  A comparison before it says how many elements there are. */

#include "cmd/omitted/jump_table.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>

#define FARTHEST   24           // instructions before the jump
#define MOST_CASES 4096
#define LONGEST    15
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
static uint32_t node_before(const StaticCode* c, uint32_t n)
{
   for (uint64_t k = 1; k <= LONGEST; k++) {
      uint32_t at = code_node_at(c, c->nodes[n].addr - k, c->nodes[n].near);
      if (at != NO_NODE && c->nodes[at].size == k)
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

static TableForm form_of(const StaticCode* c, uint32_t n, const InstrEffect* e,
                         unsigned word)
{
   TableForm f = { .size = 0 };
   bool      checked = false, has_fixed = false;
   uint64_t  fixed = 0;
   uint32_t  at = n;

   for (unsigned k = 0; k < e->n_memory; k++)
      take_operand(&f, &e->memory[k], word);
   for (unsigned far = 0; far < FARTHEST && !f.has_count; far++) {
      InstrEffect b;
      at = node_before(c, at);
      if (at == NO_NODE || !code_effect(c, at, &b))
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

size_t jump_table_read(const StaticCode* c, uint32_t n, const InstrEffect* e,
                       uint64_t** targets)
{
   unsigned  word = dcfg_wet_instr(c->w, c->nodes[n].near)->address_size;
   TableForm f = form_of(c, n, e, word);
   size_t    n_targets = 0, room = 0;

   *targets = NULL;
   if (!f.has_table || !f.has_count || f.count > MOST_CASES)
      return 0;
   for (uint64_t i = 0; i < f.count; i++) {
      uint64_t number;
      if (!code_number(c, f.table + i * f.size, c->nodes[n].near, f.size,
                       &number))
         break;
      if (f.relative)
         number = f.table + (uint64_t)(int64_t)(int32_t)number;
      GROW(*targets, n_targets, room);
      (*targets)[n_targets++] = number;
   }
   return n_targets;
}
