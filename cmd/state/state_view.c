/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers and accesses of instances, for the rules of all processors. */

/* Owns: which processor has rules, and reading a StateView.  Handed: instances and what was before them. */

#include "cmd/state/state_rules.h"

const StateRules* state_rules_of(const Processor* p)
{
   return p == &machine_amd64 ? &state_amd64 : p == &machine_x86 ? &state_x86
          : p == &machine_arm64 ? &state_arm64 : NULL;
}

bool state_number_in(const StateValue* v, unsigned from, unsigned size,
                     uint64_t* number)
{
   *number = 0;
   for (unsigned i = size; i-- > 0; ) {
      if (!(v->known >> (from + i) & 1))
         return false;
      *number = *number << 8 | v->bytes[from + i];
   }
   return true;
}

const DcfgCursorAccess* state_access(const StateView* v, uint32_t kind)
{
   for (uint32_t i = 0; i < v->at->n_accesses; i++)
      if (v->at->accesses[i].kind & kind)
         return &v->at->accesses[i];
   return NULL;
}

uint64_t state_lowest(const StateView* v, uint32_t kind)
{
   uint64_t low = UINT64_MAX;

   for (uint32_t i = 0; i < v->at->n_accesses; i++)
      if ((v->at->accesses[i].kind & kind) && v->at->accesses[i].addr < low)
         low = v->at->accesses[i].addr;
   return low;
}

StateValue state_found(const StateView* v, unsigned size, unsigned at)
{
   StateValue m = { .known = 0 };

   if (v->at->n_accesses == 0)
      return m;
   m = v->memory(v->arg,
                 state_lowest(v, DCFG_CURSOR_LOAD | DCFG_CURSOR_STORE) + at,
                 size);
   m.known |= 0xFF & ~((1u << size) - 1);
   return m;
}
