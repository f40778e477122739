/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances, as the processor's rules see them. */

/* Owns: an instance, and the view of what was before it.  Handed: instances
   by the library. */

#include "cmd/state/state_instance.h"

#include <string.h>

bool state_get_instance(ProgramState* s, uint64_t t, Instance* i)
{
   const DcfgReplayInstr* at = dcfg_replay_instr(s->replay, t);

   if (at == NULL)
      return false;
   i->s      = s;
   i->thread = at->thread;
   i->at     = *at;
   i->in     = *dcfg_wet_instr(s->w, at->instr);
   if (i->at.n_accesses > 64)
      i->at.n_accesses = 64;
   if (i->at.value_size > sizeof(i->value))
      i->at.value_size = 0;
   memcpy(i->accesses, at->accesses,
          i->at.n_accesses * sizeof(*i->accesses));
   memcpy(i->value, at->value, i->at.value_size);
   i->at.accesses = i->accesses;
   i->at.value    = i->value;
   return true;
}

bool state_next_instance(ProgramState* s, uint32_t thread, uint64_t* t,
                         Instance* i)
{
   return dcfg_replay_find_thread(s->replay, thread, *t, false, t)
             == DCFG_REPLAY_FOUND
          && state_get_instance(s, *t, i);
}

bool state_stores(const Instance* i)
{
   for (uint32_t k = 0; k < i->at.n_accesses; k++)
      if (i->at.accesses[k].kind & DCFG_REPLAY_STORE)
         return true;
   return false;
}

/*--- The view that the processor's rules get              ---*/

static StateValue ask_general(void* arg, unsigned n)
{
   const Instance* i = arg;

   return i->s->ask->general(i->s, i->thread, i->at.time, n);
}

static StateValue ask_vector(void* arg, unsigned n)
{
   const Instance* i = arg;

   return i->s->ask->vector(i->s, i->thread, i->at.time, n);
}

static StateValue ask_memory(void* arg, uint64_t addr, uint32_t size)
{
   const Instance* i = arg;
   StateValue      v = nothing;
   bool            known[sizeof(v.bytes)];

   if (size > sizeof(v.bytes)
       || !state_memory(i->s, i->at.time, addr, size, v.bytes, known))
      return nothing;
   for (uint32_t k = 0; k < size; k++)
      v.known |= (uint32_t)known[k] << k;
   return v;
}

static bool ask_flags(void* arg, unsigned group, uint64_t* bits)
{
   const Instance* i = arg;

   return group == STATE_X87_CODES
          ? i->s->ask->x87_codes(i->s, i->thread, i->at.time, bits)
          : i->s->ask->flags(i->s, i->thread, i->at.time, group, bits);
}

static StateValue ask_x87(void* arg, unsigned n)
{
   const Instance* i = arg;

   return i->s->ask->x87(i->s, i->thread, i->at.time, n);
}

static bool ask_x87_in_use(void* arg, unsigned n, bool* in_use)
{
   const Instance* i = arg;

   return i->s->ask->x87_in_use(i->s, i->thread, i->at.time, n, in_use);
}

static const DcfgWetInstr* ask_flags_writer(void* arg)
{
   const Instance*  i = arg;
   uint64_t         last = 0;
   DcfgReplayWriter by;
   const DcfgReplayInstr* at;

   for (uint32_t group = 0; group < 2; group++)
      if (dcfg_replay_writer(i->s->replay, i->thread, i->at.time,
                             DCFG_REPLAY_FLAGS, group, 0xFF, &by)
             == DCFG_REPLAY_FOUND
          && by.by == DCFG_REPLAY_BY_INSTR && by.time + 1 > last)
         last = by.time + 1;
   at = last == 0 ? NULL : dcfg_replay_instr(i->s->replay, last - 1);
   return at == NULL ? NULL : dcfg_wet_instr(i->s->w, at->instr);
}

static bool ask_result(void* arg, uint64_t* result)
{
   const Instance* i = arg;

   return dcfg_replay_result(i->s->replay, i->at.time, result)
          == DCFG_REPLAY_FOUND;
}

/* Return how many iterations of the REP instruction came before this one, and
   set *BEFORE to general register N before the first of them. */
static uint64_t ask_iterations(void* arg, unsigned n, StateValue* before)
{
   const Instance* i = arg;
   uint64_t        made = 0, t = i->at.time, earlier;

   while (dcfg_replay_find_thread(i->s->replay, i->thread, t, true, &earlier)
          == DCFG_REPLAY_FOUND) {
      const DcfgReplayInstr* at = dcfg_replay_instr(i->s->replay, earlier);
      if (at == NULL || at->instr != i->at.instr)
         break;
      /* An iteration without an access ended an earlier execution of the
         instruction. */
      if (at->n_accesses == 0)
         break;
      t = earlier;
      made++;
   }
   *before = i->s->ask->general(i->s, i->thread, t, n);
   return made;
}

StateView state_view(Instance* i)
{
   return (StateView){ &i->in, &i->at, i, ask_general, ask_vector, ask_x87,
                       ask_x87_in_use, ask_memory, ask_flags,
                       ask_flags_writer, ask_result, ask_iterations };
}
