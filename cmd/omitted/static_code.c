/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's code, executed or not. */

/* Owns: reading instructions and numbers from images' files.  Handed: the
   nodes of a graph. */

#include "cmd/omitted/static_code.h"

#define LONGEST 15              // bytes of an instruction

bool code_effect(const StaticCode* c, uint32_t n, InstrEffect* e)
{
   DcfgWetInstr   in = *dcfg_wet_instr(c->w, c->nodes[n].near);
   uint64_t       before, behind;
   const uint8_t* at = image_own_byte(&c->bytes, c->nodes[n].near,
                                      c->nodes[n].addr, &before, &behind);

   if (at == NULL)
      return false;
   in.addr = c->nodes[n].addr;
   in.code = at;
   in.size = behind < LONGEST ? (uint32_t)behind : LONGEST;
   return instr_effect(&in, e);
}

bool code_number(const StaticCode* c, uint64_t addr, uint32_t near,
                 unsigned size, uint64_t* number)
{
   uint64_t       before, behind;
   const uint8_t* at = image_own_byte(&c->bytes, near, addr, &before,
                                      &behind);

   if (at == NULL || behind < size)
      return false;
   *number = 0;
   for (unsigned i = size; i-- > 0; )
      *number = *number << 8 | at[i];
   return true;
}

/* Images may have had the same addresses.  Addresses have fewer than 48 bits. */
uint64_t code_key(const StaticCode* c, uint64_t addr, uint32_t near)
{
   return addr ^ (uint64_t)dcfg_wet_instr(c->w, near)->image << 48;
}

uint32_t code_node_at(const StaticCode* c, uint64_t addr, uint32_t near)
{
   uint32_t n = keymap_find(c->numbers, code_key(c, addr, near));

   return n < c->n ? n : NO_NODE;
}
