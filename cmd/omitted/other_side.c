/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Addresses of stores on the other side of a branch. */

/* Owns: the execution of code that did not run, to compute addresses.
   Handed: a branch instance, values of the run.

   The shortest way from the branch to the store is executed, with the values
   that registers and memory had at the branch.  Moves, additions and
   addresses are computed.  The result of any other instruction is unknown. */

#include "cmd/omitted/other_side.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"

#include <stdlib.h>

#define LONGEST_WAY 200         // instructions
#define MOST_CELLS  64          // stores on the way
/* Call frame address of a function that was not called: no memory of the run
   is near it. */
#define OTHER_FRAME UINT64_C(0xFFFF800000000000)

typedef
   struct {
      bool     asked, known;
      uint64_t value;
   }
   Known;

/* Cell: memory that the way has stored. */
typedef
   struct {
      uint64_t addr, size;
      Known    content;
   }
   Cell;

/* State: registers and memory while the way is executed. */
typedef
   struct {
      OtherSide* o;
      Known      registers[MAX_GENERAL];
      Cell       cells[MOST_CELLS];
      unsigned   n_cells;
      bool       lost;          // a store had an unknown address
      bool       called;        // the way is in a called function
      uint64_t   word;
   }
   State;

static const Known unknown = { .asked = true };

static Known known(uint64_t value)
{
   return (Known){ true, true, value };
}

/*--- Values                                               ---*/

static Known value_of(State* z, unsigned reg)
{
   Known* r = &z->registers[reg];

   if (!r->asked) {
      r->asked = true;
      if (z->o->left > 0) {
         z->o->left--;
         r->known = z->o->value(z->o->arg, z->o->instr, z->o->instance, reg, 0,
                                &r->value);
      }
   }
   return *r;
}

static Known sum(Known a, Known b)
{
   uint64_t value = a.value + b.value;

   if (!a.known || !b.known)
      return unknown;
   /* The addition may be one of 32 bits. */
   if (a.value >> 32 == 0 && value >= INT32_MAX)
      return unknown;
   return known(value);
}

static Known address_of(State* z, uint32_t n, const MemoryOperand* m)
{
   Known   a = known((uint64_t)m->disp), b;
   int64_t offset;

   if (m->segment)
      return unknown;
   if (operand_in_frame(z->o->c, n, m, &offset)) {
      uint64_t frame = z->called ? OTHER_FRAME : z->o->frame;
      if (frame != 0)
         return known(frame + (uint64_t)offset);
   }
   if (m->base != NO_REGISTER) {
      b = value_of(z, m->base);
      if (!b.known)
         return unknown;
      a.value += b.value;
   }
   if (m->index != NO_REGISTER) {
      b = value_of(z, m->index);
      if (!b.known)
         return unknown;
      a.value += b.value * m->scale;
   }
   if (z->word == 4)
      a.value = (uint32_t)a.value;
   return a;
}

static Known load(State* z, uint64_t addr, uint64_t size)
{
   uint64_t value;

   if (size > 8)
      return unknown;
   for (unsigned i = z->n_cells; i-- > 0; ) {
      const Cell* c = &z->cells[i];
      if (c->addr == addr && c->size == size)
         return c->content;
      if (c->addr < addr + size && addr < c->addr + c->size)
         return unknown;
   }
   if (z->lost || z->o->left == 0
       || (addr >= OTHER_FRAME - (1 << 20) && z->word == 8))
      return unknown;
   z->o->left--;
   if (!z->o->value(z->o->arg, z->o->instr, z->o->instance, addr, size, &value))
      return unknown;
   /* A narrow value may be extended with its sign. */
   return size < z->word && value >> (8 * size - 1) ? unknown : known(value);
}

/* Forget all contents of memory. */
static void lose(State* z)
{
   z->lost    = true;
   z->n_cells = 0;
}

static void store(State* z, uint64_t addr, uint64_t size, Known content)
{
   if (z->n_cells == MOST_CELLS) {
      lose(z);
      return;
   }
   z->cells[z->n_cells++] = (Cell){ addr, size, content };
}

/*--- Instructions                                         ---*/

static Known result_of(State* z, uint32_t n, const InstrEffect* e)
{
   Known a;

   switch (e->kind) {
      case EFFECT_COPY:
         return value_of(z, e->from);
      case EFFECT_LOAD:
         a = address_of(z, n, &e->memory[0]);
         return a.known ? load(z, a.value, e->memory[0].size) : unknown;
      case EFFECT_ADDRESS:
         return address_of(z, n, &e->memory[0]);
      case EFFECT_ADD:
         return sum(value_of(z, e->to), value_of(z, e->from));
      case EFFECT_ADD_NUMBER:
         return sum(value_of(z, e->to), known((uint64_t)e->number));
      case EFFECT_TIMES:
         a = value_of(z, e->from);
         a.value *= (uint64_t)e->number;
         return a.value < INT32_MAX ? a : unknown;
      default:
         return unknown;
   }
}

static void execute(State* z, uint32_t n)
{
   const Processor* p = processor_of(z->o->c->w);
   InstrEffect      e;
   Known            result;

   if (!code_effect(z->o->c, n, &e)) {
      lose(z);
      return;
   }
   for (unsigned k = 0; k < e.n_memory; k++) {
      Known a, content = unknown;
      if (!e.memory[k].written)
         continue;
      a = address_of(z, n, &e.memory[k]);
      if (e.kind == EFFECT_STORE)
         content = value_of(z, e.from);
      else if (e.kind == EFFECT_STORE_NUMBER)
         content = known((uint64_t)e.number);
      if (a.known)
         store(z, a.value, e.memory[k].size, content);
      else
         lose(z);
   }
   result = e.to == NO_REGISTER ? unknown : result_of(z, n, &e);
   for (unsigned r = 0; r < MAX_GENERAL; r++)
      if (e.written >> r & 1)
         z->registers[r] = r == e.to && e.kind != EFFECT_OTHER ? result
                           : unknown;
   if (!e.call)
      return;
   /* A call may change any memory, and registers that the callee does not
      keep. */
   lose(z);
   for (unsigned r = 0; r < MAX_GENERAL; r++)
      if (!(p->kept >> r & 1))
         z->registers[r] = unknown;
}

/*--- The way                                              ---*/

/* Put the nodes of the shortest way from BEGIN to END, both included, into
   WAY.  Return their number; 0 if there is no way, or only a longer one than
   LONGEST_WAY. */
static size_t find_way(const StaticCode* c, uint32_t begin, uint32_t end,
                       uint32_t* way)
{
   uint32_t* from = zalloc(c->n + (size_t)1, sizeof(*from));
   uint32_t* todo = zalloc(c->n + (size_t)1, sizeof(*todo));
   size_t    n = 0, length = 0;

   todo[n++]   = begin;
   from[begin] = begin + 1;
   for (size_t i = 0; i < n && from[end] == 0; i++)
      for (uint32_t k = 0; k < c->nodes[todo[i]].n; k++) {
         uint32_t to = code_successor(c, todo[i], k);
         if (from[to] != 0)
            continue;
         from[to]  = todo[i] + 1;
         todo[n++] = to;
      }
   for (uint32_t at = end; from[end] != 0; at = from[at] - 1) {
      length++;
      if (at == begin || length > LONGEST_WAY)
         break;
   }
   if (length > LONGEST_WAY)
      length = 0;
   for (size_t i = length, at = end; i-- > 0; at = from[at] - 1)
      way[i] = (uint32_t)at;
   free(from);
   free(todo);
   return length;
}

/* Execute the shortest way from BEGIN to the node before END.  Return false
   if there is none.  Clear *SURE if the way has a branch. */
static bool execute_way(State* z, uint32_t begin, uint32_t end, bool* sure)
{
   uint32_t way[LONGEST_WAY];
   size_t   n = find_way(z->o->c, begin, end, way);

   for (size_t i = 0; i + 1 < n; i++) {
      *sure &= z->o->c->nodes[way[i]].n < 2;
      execute(z, way[i]);
   }
   return n > 0;
}

bool other_side_address(OtherSide* o, const SideStore* s, uint64_t* addr,
                        bool* sure)
{
   State       z = { .o = o, .word = dcfg_wet_instr(o->c->w,
                                                    o->instr)->address_size };
   InstrEffect e;
   Known       a = unknown;

   *sure = true;
   if (!execute_way(&z, s->side, s->call != NO_NODE ? s->call : s->store, sure))
      return false;
   if (s->call != NO_NODE) {
      const Processor* p = processor_of(o->c->w);
      z.called = true;
      z.registers[p->stack] = z.registers[p->frame] = unknown;
      if (!execute_way(&z, o->c->nodes[s->call].callee, s->store, sure))
         return false;
   }
   if (!code_effect(o->c, s->store, &e))
      return false;
   for (unsigned k = 0; k < e.n_memory && !a.known; k++)
      if (e.memory[k].written)
         a = address_of(&z, s->store, &e.memory[k]);
   *addr = a.value;
   return a.known;
}
