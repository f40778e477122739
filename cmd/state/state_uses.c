/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers, as instructions that use them tell them. */

/* Owns: the value of a register that an instance uses.  Handed: instances by
   the library. */

#include "cmd/state/state_instance.h"

#include "cmd/machine/instr_effect.h"

/*--- Registers from addresses that they form              ---*/

/* If N is the only register in the address of operand M, set *VALUE to N's
   value when that address is ADDR, and return true. */
static bool operand_tells(const MemoryOperand* m, uint64_t addr, unsigned n,
                          uint64_t* value)
{
   if (m->fixed || m->segment || m->base != n || m->index != NO_REGISTER)
      return false;
   *value = addr - (uint64_t)m->disp;
   return true;
}

bool state_address_tells(const Instance* i, unsigned n, uint64_t* value)
{
   InstrEffect e;
   uint32_t    store = UINT32_MAX, load = UINT32_MAX;

   if (!instr_effect(&i->in, &e))
      return false;
   for (uint32_t k = i->at.n_accesses; k-- > 0; ) {
      if (i->at.accesses[k].kind & DCFG_REPLAY_STORE)
         store = k;
      if (i->at.accesses[k].kind & DCFG_REPLAY_LOAD)
         load = k;
   }
   if (e.on_stack && n == i->s->processor->stack && e.n_memory == 0) {
      if (store != UINT32_MAX)
         *value = i->at.accesses[store].addr + i->at.accesses[store].size;
      else if (load != UINT32_MAX)
         *value = i->at.accesses[load].addr;
      else
         return false;
      return true;
   }
   return !e.on_stack && e.n_memory == 1 && i->at.n_accesses > 0
          && i->at.accesses[0].size == e.memory[0].size
          && operand_tells(&e.memory[0], i->at.accesses[0].addr, n, value);
}

/*--- Whether a register agrees with its uses              ---*/

/* Number of instructions whose uses are compared. */
#define MOST_COMPARED 64

/* Return whether instance I stores register N, unchanged, and nothing else.  N is
   numbered as in MadeValue.  A store of one byte may be of the second byte. */
static bool stores_it(const Instance* i, unsigned n)
{
   const Roles* r = &i->s->roles;
   uint32_t     k = i->at.instr, others = r->addresses[k] | r->moved[k];
   bool         it = false;

   if (!r->copies[k] || i->in.loads || i->at.n_accesses != 1
       || i->at.accesses[0].size != i->at.value_size || i->at.value_size < 2)
      return false;
   for (uint32_t u = 0; u < i->in.n_uses; u++) {
      const DcfgWetRegisterId* is = &i->in.uses[u];
      bool general = is->kind == DCFG_WET_GENERAL;
      if (general && (others >> is->reg & 1))
         continue;
      if ((general ? is->reg : MAX_GENERAL + is->reg) != n
          || (!general && is->kind != DCFG_WET_VECTOR))
         return false;
      it = true;
   }
   return it;
}

static bool writes_it(const Instance* i, unsigned n)
{
   for (uint32_t d = 0; d < i->in.n_defines; d++) {
      const DcfgWetRegisterId* is = &i->in.defines[d];
      if ((is->kind == DCFG_WET_GENERAL && is->reg == n)
          || (is->kind == DCFG_WET_VECTOR && MAX_GENERAL + is->reg == n))
         return true;
   }
   return false;
}

/* Return whether the first SIZE bytes at BYTES are those of V that are known. */
static bool are_bytes(const StateValue* v, const uint8_t* bytes, uint32_t size)
{
   for (uint32_t k = 0; k < size && k < sizeof(v->bytes); k++)
      if ((v->known >> k & 1) && v->bytes[k] != bytes[k])
         return false;
   return true;
}

bool state_agrees(ProgramState* s, uint32_t thread, uint64_t t, unsigned n,
                  const StateValue* v)
{
   uint32_t word = s->word == 0xFF ? 8 : 4;
   uint64_t address;
   Instance i;

   for (unsigned k = 0; k < MOST_COMPARED; k++, t++) {
      if (!state_next_instance(s, thread, &t, &i))
         return true;
      if (stores_it(&i, n))
         return are_bytes(v, i.value, i.at.value_size);
      if (n < MAX_GENERAL && state_address_tells(&i, n, &address))
         return are_bytes(v, (const uint8_t*)&address, word);
      if (writes_it(&i, n))
         return true;
   }
   return true;
}
