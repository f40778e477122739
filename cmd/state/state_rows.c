/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers as gdb knows them, of a recorded program at any time. */

/* Owns: rows of the processor's rules; how registers ask each other.
   Handed: registers by the other files of the room. */

#include "cmd/state/state_instance.h"

#include "cmd/machine/x87_number.h"

#include <string.h>

static const StateAsk ask = {
   state_general, state_vector, state_x87, state_x87_in_use, state_flags, state_x87_codes
};

ProgramState* state_new(DcfgWet* w, const char* root, DcfgError* err)
{
   return state_make(w, root, &ask, err);
}

static StateValue flags_value(ProgramState* s, uint32_t thread, uint64_t t)
{
   uint64_t all = s->rules->flags_fixed, bits;

   for (unsigned g = 0; g < s->rules->n_groups; g++) {
      if (!state_flags(s, thread, t, g, &bits))
         return nothing;
      all |= bits;
   }
   return state_number(all);
}

StateValue state_row(ProgramState* s, uint32_t thread, uint64_t t,
                     const StateRow* row)
{
   StateValue v = nothing;
   uint64_t   pc;

   switch (row->source) {
      case STATE_GENERAL:
         return state_general(s, thread, t, row->n);
      case STATE_PC:
         return state_pc(s, thread, t, &pc) ? state_number(pc) : nothing;
      case STATE_FLAGS:
         return flags_value(s, thread, t);
      case STATE_VECTOR: case STATE_VECTOR_HIGH:
         v = state_vector(s, thread, t, row->n);
         if (row->source == STATE_VECTOR_HIGH) {
            memmove(v.bytes, v.bytes + 16, 16);
            v.known >>= 16;
         }
         v.known &= 0xFFFF;
         return v;
      case STATE_X87:
         return x87_extended(state_x87(s, thread, t, row->n));
      case STATE_X87_STATUS:
         return state_x87_status(s, thread, t);
      case STATE_X87_TAGS:
         return state_x87_tags(s, thread, t);
      case STATE_OTHER:
         return state_other(s, thread, t, (StateOther)row->n);
      case STATE_NONE:
         break;
   }
   return nothing;
}
