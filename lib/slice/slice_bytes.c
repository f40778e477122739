/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The bytes of its operands that an instance used. */

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

static uint64_t shuffled(const int8_t* of, uint64_t wanted)
{
   uint64_t at = 0;

   for (unsigned k = 0; k < 16; k++)
      if ((wanted >> k & 1) && of[k] >= 0)
         at |= UINT64_C(1) << of[k];
   return at;
}

uint64_t dcfg_slice_bytes(const DcfgSliceBytes* b, uint64_t wanted,
                          DcfgWetPortKind port, uint32_t reg)
{
   const DcfgSliceShuffle* s = b->shuffle;
   uint64_t                at;
   bool                    vector = port == DCFG_WET_VECTOR;

   if (wanted == ALL_BYTES || !b->each
       || !(vector || port == DCFG_WET_MEMORY
            || (port == DCFG_WET_GENERAL && (b->from >> reg & 1))))
      return ALL_BYTES;
   wanted &= ~(uint64_t)b->zero;
   if (s != NULL)
      return (vector && reg == s->vector ? shuffled(s->of[0], wanted) : 0)
             | ((vector ? reg == s->other : s->other == DCFG_SLICE_NO_VECTOR)
                ? shuffled(s->of[1], wanted) : 0);
   at = b->shift < 0 ? wanted >> -b->shift : wanted << b->shift;
   return b->last == 0 || at >> b->last == 0 ? at
          : at | UINT64_C(1) << (b->last - 1);
}

/* Return the same of instruction I. */
static uint64_t operand_bytes(const SliceCode* c, uint32_t i, uint64_t wanted,
                              DcfgWetPortKind port, uint32_t reg)
{
   return c->q->bytes == NULL ? ALL_BYTES
          : dcfg_slice_bytes(&c->q->bytes[i], wanted, port, reg);
}

uint8_t bytes_of_use(const SliceCode* c, uint32_t i, uint64_t wanted,
                     const Use* u)
{
   uint64_t at = operand_bytes(c, i, wanted, u->port, u->reg);

   return (uint8_t)(u->mask & at >> bytes_before(c, u->granule));
}

uint64_t bytes_of_memory(const SliceCode* c, uint32_t i, uint64_t wanted,
                         unsigned size)
{
   return operand_bytes(c, i, wanted, DCFG_WET_MEMORY, 0)
          & ALL_BYTES >> (64 - size);
}

bool bytes_use_port(const SliceCode* c, uint32_t i, uint64_t wanted,
                    uint8_t port, uint8_t reg)
{
   const Plan* plan = plan_of(c, i);
   const Use*  u = &ELEM(c->w->uses, Use, plan->uses);

   if (operand_bytes(c, i, wanted, port, reg) == ALL_BYTES)
      return true;
   if (port == DCFG_WET_MEMORY)
      return bytes_of_memory(c, i, wanted, accesses_of(c, i)[reg].size) != 0;
   for (uint32_t k = 0; k < plan->n_uses; k++)
      if (u[k].port == port && u[k].reg == reg
          && bytes_of_use(c, i, wanted, &u[k]) != 0)
         return true;
   return false;
}
