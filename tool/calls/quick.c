/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Quick calls: those that generated code pushes and pops. */

/* Owns: the room for quick calls of a thread, and which call may be quick at an
   instruction.  Handed: calls that were made in the usual way, by
   tool/calls/stack.c; the code is in tool/calls/follow.c.

   If only sums are wanted, the usual call and return change a few words.  The
   active quick calls stand above the frames of tool/calls/stack.c, which gives
   them frames of its own before it does anything else.  A call may be quick if
   the function that runs made the last call there. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "tool/arch/guest.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/toggle.h"

#define N_QUICK_FRAMES 1024u

CallFields DCFG_(no_stub) = { .quick = &DCFG_(no_quick_call) };

Bool DCFG_(has_quick_calls)(void)
{
   return DCFG_(sums_calls) && DCFG_(has_quick_fields) && !DCFG_(counts_contexts)
          && DCFG_(call_listener) == NULL && !DCFG_(heeds_functions)
          && !DCFG_(guest).jumps_are_calls && sizeof(UWord) == 8;
}

void DCFG_(make_room_for_quick)(CallStack* cs)
{
   if (!DCFG_(has_quick_calls)())
      return;
   /* The first one is never popped, and the last one is not pushed. */
   cs->quick = VG_(calloc)("dcfg.stack.quick", N_QUICK_FRAMES + 2,
                           sizeof(QuickFrame));
   cs->quick[0].sp   = ~(UWord)0;
   cs->quick[0].call = &DCFG_(no_quick_call);
}

void DCFG_(empty_quick)(const CallStack* cs, ULong* base)
{
   DCFG_(call_slots)(base)[CallQuickTop] = (Addr)(cs->quick + 1);
   DCFG_(call_slots)(base)[CallQuickEnd] = (Addr)(cs->quick + 1
                                                  + N_QUICK_FRAMES);
   DCFG_(call_slots)(base)[CallQuickStub] = (Addr)&DCFG_(no_stub);
}

/* Take the stub that generated code has let begin. */
void DCFG_(take_quick_stub)(CallStack* cs, ULong* base)
{
   ULong*            slots = DCFG_(call_slots)(base);
   const CallFields* site  = (CallFields*)(Addr)slots[CallQuickStub];

   cs->stub    = site->stub;
   cs->stub_sb = site->stub_sb;
   cs->stub_k  = site->stub_instr;
   cs->stub_sp = slots[CallQuickStubSp];
   slots[CallQuickStub] = (Addr)&DCFG_(no_stub);
   show_quick(cs, base);
}

/* The next time, the call that F has just begun may be quick. */
void DCFG_(remember_quick)(CallStack* cs, const Frame* f, Addr target)
{
   CallFields*    fields = DCFG_(call_fields)(f->sb);
   FunctionTotal* caller;
   QuickCall*     c = fields->quicks;

   if (cs->quick == NULL || f->pair == NULL)
      return;
   caller = DCFG_(function_total)(cs->totals, f->function);
   while (c != NULL && (c->caller != caller || c->to != f->entry
                        || c->target != target))
      c = c->next;
   if (c == NULL) {
      c  = VG_(malloc)("dcfg.stack.quick_call", sizeof(*c));
      *c = (QuickCall){ caller,
                        DCFG_(function_total)(cs->totals, f->entry->function),
                        f->pair, f->entry, f->sb, f->instr, target,
                        fields->quicks };
      fields->quicks = c;
   }
   fields->quick = c;
}

/* Forget all quick calls: a thread's totals are about to go. */
void DCFG_(forget_quick_calls)(void)
{
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      CallFields* fields = DCFG_(call_fields)(DCFG_(superblock)(id));
      QuickCall*  next;
      for (QuickCall* c = fields->quicks; c != NULL; c = next) {
         next = c->next;
         VG_(free)(c);
      }
      fields->quicks = NULL;
      fields->quick  = &DCFG_(no_quick_call);
   }
}
