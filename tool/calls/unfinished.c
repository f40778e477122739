/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The costs of active calls so far. */

/* Owns: the costs of calls, and the sums of a thread, that go on.  Handed: the stack by
   tool/calls/stack.c.

   A file may be written at any time, and the run goes on.  So the costs of
   active calls are added to a profile, and taken back when it is written, or to a
   copy of the sums. */

#include "pub_tool_basics.h"
#include "pub_tool_xarray.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/systime.h"
#include "tool/calls/totals.h"
#include "tool/run/thread.h"

/*--- Costs in a profile                                   ---*/

/* Return the instruction total that frame I counts with. */
static ULong total_for(const CallStack* cs, UInt i)
{
   for (Word s = 0; s < VG_(sizeXA)(cs->suspended); s++) {
      const Suspended* below = VG_(indexXA)(cs->suspended, s);
      if (i < below->n_frames)
         return below->total;
   }
   return total_of(cs);
}

static void add_cost(Call* c, ULong cost, Bool back)
{
   if (c != NULL)
      c->cost += back ? -cost : cost;
}

void DCFG_(add_active_costs)(const CallStack* cs, Bool back)
{
   for (UInt i = 0; i < cs->n_frames; i++)
      add_cost(cs->frames[i].call, cost_of(&cs->frames[i], total_for(cs, i)),
               back);
   for (Word i = 0; i < VG_(sizeXA)(cs->suspended); i++) {
      const Suspended* s = VG_(indexXA)(cs->suspended, i);
      add_cost(s->running.stub, s->total - s->running.stub_start, back);
   }
   add_cost(cs->now.stub, total_of(cs) - cs->now.stub_start, back);
   if (cs->times != NULL)
      DCFG_(times_of_active)(cs, back);
}

/*--- Sums                                                 ---*/

/* Level: what is active of a thread or of a handler: the frames FROM .. END-1
   of its stack, and FUNCTION, which runs. */
typedef
   struct {
      const FirstFunction* first;
      UInt                 from, end;
      UInt                 function;
      ULong                total, since;
   }
   Level;

/* Add CT, and A, to SUM. */
static void add_with_active(CallTotals* sum, const CallStack* cs,
                            const CallTotals* ct, const Level* a)
{
   CallTotals* copy = DCFG_(new_call_totals)();

   DCFG_(add_call_totals)(copy, ct);
   DCFG_(function_total)(copy, a->function)->self += a->total - a->since;
   for (UInt i = a->from; i < a->end; i++) {
      const Frame* f = &cs->frames[i];
      set_call(copy, f->pair == NULL ? NULL
               : DCFG_(pair_total)(copy, f->pair->caller, f->pair->callee), f,
               a->total - f->start);
   }
   end_first(copy, a->first, a->total);
   DCFG_(add_call_totals)(sum, copy);
   DCFG_(delete_call_totals)(copy);
}

CallTotals* DCFG_(totals_of_thread)(UInt thread)
{
   const CallStack* cs  = DCFG_(stack_of_thread)(thread);
   CallTotals*      sum = DCFG_(new_call_totals)();
   CallTotals*      ct  = cs->all_totals;
   UInt             from = 0;
   ThreadInfo       info;

   DCFG_(thread_info)(thread, &info);
   for (Word i = 0; info.live && i < VG_(sizeXA)(cs->suspended); i++) {
      const Suspended* s = VG_(indexXA)(cs->suspended, i);
      const Level      a = { &s->first, from, s->n_frames, s->running.function,
                             s->total, s->since };
      add_with_active(sum, cs, ct, &a);
      from = s->n_frames;
      ct   = ct->handlers;
   }
   if (info.live) {
      const Level a = { &cs->first, from, cs->n_frames, cs->now.function,
                         total_of(cs), cs->since };
      add_with_active(sum, cs, ct, &a);
      ct = ct->handlers;
   }
   for (; ct != NULL; ct = ct->handlers)
      DCFG_(add_call_totals)(sum, ct);
   DCFG_(note_told_totals)(cs->all_totals, sum);
   return sum;
}
