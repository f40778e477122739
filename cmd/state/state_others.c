/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers that few instructions write: control words, bases, selectors. */

/* Owns: those registers at any time, and the search for their writers.
   Handed: registers that the trace tells, by the library; rules of the
   processor.

   The trace tells these registers at its begin, before a thread's first
   instruction, and when a handler begins or has returned.  The library has no
   writers of them.  So the last instruction since then that may write the
   register is looked for. */

#include "cmd/state/state_instance.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>
#include <string.h>

/* The greatest number of instances that a search looks at. */
#define MOST_INSTANCES 4096u

/* Number of instructions before a system call in which its number is looked
   for. */
#define REACH 8u

/* Return whether instruction N is a system call that sets no base: the code
   before it, without a jump, puts the number of another one into its
   register. */
static bool is_other_call(const ProgramState* s, uint32_t n)
{
   unsigned     number = s->processor->call_number;
   uint64_t     end = s->addrs[n];
   DcfgWetInstr in;

   if (!is_syscall(dcfg_wet_instr(s->w, n)))
      return false;
   for (uint32_t k = n; k > 0 && n - k < REACH; ) {
      in = *dcfg_wet_instr(s->w, --k);
      if (in.addr + in.size != end || in.transfer != DCFG_WET_FALLS)
         return false;
      if (dcfg_replay_written(s->replay, k, DCFG_REPLAY_GENERAL, number) != 0)
         return constant_number(&in) != UINT32_MAX
                && constant_number(&in) != s->rules->base_call;
      end = in.addr;
   }
   return false;
}

/* Find which registers each instruction may write: of all at once, because that
   takes decoding. */
static void find_writes(ProgramState* s)
{
   uint32_t n = dcfg_wet_instrs(s->w);

   s->may_write = zalloc(n + (size_t)1, sizeof(*s->may_write));
   for (uint32_t i = 0; i < n && s->rules->others != NULL; i++) {
      uint32_t all = s->rules->others(dcfg_wet_instr(s->w, i));
      if (all != 0 && !is_other_call(s, i))
         s->may_write[i] = all;
   }
}

/* Return the set of instructions that may write OTHER; NULL if memory is
   short. */
static DcfgReplaySet* writers_of(ProgramState* s, StateOther other)
{
   uint32_t  n = dcfg_wet_instrs(s->w), k = 0;
   uint32_t* instrs;

   if (s->writers[other] != NULL)
      return s->writers[other];
   if (s->may_write == NULL)
      find_writes(s);
   instrs = zalloc(n + (size_t)1, sizeof(*instrs));
   for (uint32_t i = 0; i < n; i++)
      if (s->may_write[i] >> other & 1)
         instrs[k++] = i;
   s->writers[other] = dcfg_replay_set_new(s->replay, instrs, k);
   free(instrs);
   return s->writers[other];
}

bool state_last_writer(ProgramState* s, StateOther other, uint32_t thread,
                       uint64_t t, uint64_t from, uint64_t* u, bool* given_up)
{
   DcfgReplaySet* set = writers_of(s, other);

   for (unsigned k = 0; set != NULL && k < MOST_INSTANCES; k++) {
      const DcfgReplayInstr* at;
      DcfgReplayFound        found = dcfg_replay_find_instr(s->replay, set, t,
                                                            true, u);
      if (found == DCFG_REPLAY_NONE
          || (found == DCFG_REPLAY_FOUND && *u < from))
         return false;
      at = found == DCFG_REPLAY_FOUND ? dcfg_replay_instr(s->replay, *u)
           : NULL;
      if (at == NULL)
         break;
      if (at->thread == thread)
         return true;
      t = *u;
   }
   *given_up = true;
   return false;
}

uint64_t state_next_writer(ProgramState* s, StateOther other, uint64_t t)
{
   DcfgReplaySet* set = writers_of(s, other);
   uint64_t       u;

   if (set == NULL)
      return t;
   u = dcfg_replay_set_pause(s->replay, set, t);
   if (u > t)
      return u;
   switch (dcfg_replay_find_instr(s->replay, set, t, false, &u)) {
      case DCFG_REPLAY_FOUND: return u;
      case DCFG_REPLAY_NONE:  return UINT64_MAX;
      default:                return t;
   }
}

/* Return the kind, as the trace has it, of OTHER; *REG is its number there. */
static DcfgWetRegisterKind kind_of(StateOther other, uint32_t* reg)
{
   *reg = 0;
   switch (other) {
      case OTHER_X87:            return DCFG_WET_REG_X87_TAGS;
      case OTHER_X87_CONTROL:    return DCFG_WET_REG_X87_CONTROL;
      case OTHER_VECTOR_CONTROL: return DCFG_WET_REG_VECTOR_CONTROL;
      case OTHER_VECTOR_STATUS:  return DCFG_WET_REG_VECTOR_STATUS;
      case OTHER_THREAD_BASE:    return DCFG_WET_REG_THREAD_BASE;
      case OTHER_GS_BASE:        return DCFG_WET_REG_GS_BASE;
      default:                   break;
   }
   *reg = (uint32_t)(other - OTHER_SEGMENT);
   return DCFG_WET_REG_SEGMENT;
}

/* Return OTHER behind its last writer between times FROM and T; what it is at
   FROM if nothing has written it.  Set *SINCE to the time since when it is. */
static StateValue find_other(ProgramState* s, uint32_t thread, uint64_t t,
                             StateOther other, uint64_t from,
                             StateValue at_from, uint64_t* since)
{
   uint64_t u = t;
   bool     given_up = false;

   for (unsigned k = 0; k < MOST_INSTANCES; k++) {
      Instance   i;
      StateView  v;
      StateValue to = nothing;
      if (!state_last_writer(s, other, thread, u, from, &u, &given_up)) {
         *since = given_up ? t : from;
         return given_up ? nothing : at_from;
      }
      if (!state_get_instance(s, u, &i))
         break;
      v = state_view(&i);
      if (s->rules->other_behind(&v, other, &to)) {
         *since = u + 1;
         return to;
      }
   }
   *since = t;
   return nothing;
}

StateValue state_other(ProgramState* s, uint32_t thread, uint64_t t,
                       StateOther other)
{
   KeptOther*          k = &s->others[other];
   uint32_t            reg;
   DcfgWetRegisterKind kind = kind_of(other, &reg);
   DcfgReplayWriter    by;
   StateValue          v = nothing;
   uint64_t            from;

   if (dcfg_replay_told(s->replay, thread, t, kind, reg, &by)
       == DCFG_REPLAY_FOUND) {
      memcpy(v.bytes, by.value, 8);
      /* A selector has 2 bytes in the trace, and MXCSR 4. */
      v.known = 0xFF;
   }
   if (k->there && k->thread == thread && k->told == by.time && t >= k->from
       && t <= k->to)
      return k->value;
   if (s->depth >= MOST_DEPTH)
      return nothing;
   s->depth++;
   v = find_other(s, thread, t, other, by.time, v, &from);
   s->depth--;
   *k = (KeptOther){ true, thread, from, state_next_writer(s, other, t),
                     by.time, v };
   return v;
}

StateValue state_thread_base(ProgramState* s, uint32_t thread, uint64_t t)
{
   return state_other(s, thread, t, OTHER_THREAD_BASE);
}
