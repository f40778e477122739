/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which bytes of its operands an instance used. */

/* Owns: the way from bytes of a result to bytes of operands, for instructions
   that move bytes, or compute each byte of the same bytes of their operands.
   Handed: what the query says of instructions (DcfgSliceBytes), wants.

   An instance that copies a structure has the writers of all members among its
   dependences.  If only one member is wanted of the copy, only the same bytes of
   the operand are.  All users of an instance ran later.  So the wanted bytes of
   its result are known when the walk back meets it. */

#include "lib/slice/slice_wants.h"

/* Return how I makes its result; NULL if of any bytes. */
static const DcfgSliceBytes* moves(const SliceCode* c, uint32_t i)
{
   return c->q->bytes != NULL && c->q->bytes[i].each ? &c->q->bytes[i] : NULL;
}

unsigned bytes_before(const SliceCode* c, unsigned granule)
{
   return granule < G_VECTOR || granule >= G_X87 ? 0
          : 8 * ((granule - G_VECTOR) % c->w->machine->vector_size);
}

static bool is_vector(unsigned granule)
{
   return granule >= G_VECTOR && granule < G_X87;
}

uint64_t bytes_wanted(const SliceCode* c, const Spot* spot, Live* l)
{
   const DcfgSliceBytes* b = moves(c, spot->instr);
   const Plan*           plan = plan_of(c, spot->instr);
   const Def*            d = &ELEM(c->w->defs, Def, plan->defs);
   const WetAccess*      a = accesses_of(c, spot->instr);
   const LiveRegisters*  r = l->threads[spot->thread].now;
   uint64_t              wanted = 0;

   if (b == NULL)
      return ALL_BYTES;
   for (uint32_t k = 0; k < plan->n_defs && r != NULL; k++) {
      unsigned g = spot_granule(spot, d[k].granule);
      uint64_t mask = live_register_bytes(l, r, g) & d[k].mask;
      if (is_vector(g) || (g < G_FLAGS && (b->to >> g & 1)))
         wanted |= mask << bytes_before(c, g);
      else if (mask != 0 && !b->apart)
         return ALL_BYTES;
   }
   for (uint32_t j = 0; j < plan->n_accesses; j++) {
      if (a[j].size > 64)
         return ALL_BYTES;
      if (a[j].what & AccessStore)
         wanted |= live_memory_bytes(l, slice_code_address(c, spot, j),
                                     a[j].size);
   }
   return wanted;
}

/* Return which of the bytes OF of an operand made the bytes WANTED. */
static uint64_t bytes_of(const DcfgSliceBytes* b, uint64_t wanted, uint64_t of)
{
   uint64_t at = b->shift < 0 ? wanted >> -b->shift : wanted << b->shift;
   unsigned last;

   if (!b->last || of == 0)
      return at & of;
   last = 63 - (unsigned)__builtin_clzll(of);
   return (at & of) | (at >> last != 0 ? UINT64_C(1) << last : 0);
}

uint8_t bytes_of_use(const SliceCode* c, uint32_t i, uint64_t wanted,
                     const Use* u)
{
   const DcfgSliceBytes* b = moves(c, i);
   unsigned              before = bytes_before(c, u->granule);

   if (wanted == ALL_BYTES || b == NULL
       || !(u->port == DCFG_WET_VECTOR
            || (u->port == DCFG_WET_GENERAL && (b->from >> u->reg & 1))))
      return u->mask;
   return (uint8_t)(bytes_of(b, wanted, (uint64_t)u->mask << before) >> before);
}

uint64_t bytes_of_memory(const SliceCode* c, uint32_t i, uint64_t wanted,
                         unsigned size)
{
   const DcfgSliceBytes* b = moves(c, i);
   uint64_t              all = ALL_BYTES >> (64 - size);

   return wanted == ALL_BYTES || b == NULL ? all : bytes_of(b, wanted, all);
}

bool bytes_use_port(const SliceCode* c, uint32_t i, uint64_t wanted,
                    uint8_t port, uint8_t reg)
{
   const Plan* plan = plan_of(c, i);
   const Use*  u = &ELEM(c->w->uses, Use, plan->uses);

   if (wanted == ALL_BYTES || moves(c, i) == NULL)
      return true;
   if (port == DCFG_WET_MEMORY)
      return bytes_of_memory(c, i, wanted, accesses_of(c, i)[reg].size) != 0;
   for (uint32_t k = 0; k < plan->n_uses; k++)
      if (u[k].port == port && u[k].reg == reg
          && bytes_of_use(c, i, wanted, &u[k]) != 0)
         return true;
   return false;
}
