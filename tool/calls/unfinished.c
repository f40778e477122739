/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The costs of active calls so far. */

/* Owns: the sums of a thread that goes on.  Handed: the stack by
   tool/calls/stack.c.

   A file may be written at any time, and the run goes on.  So the costs of
   active calls are added to a copy of the sums. */

#include "pub_tool_basics.h"
#include "pub_tool_xarray.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/totals.h"
#include "tool/run/thread.h"

/* Add to CT what is active of the thread or of a handler, which began with
   FIRST: its frames FROM .. END-1, and FUNCTION, which runs. */
static void add_active(const CallStack* cs, CallTotals* ct,
                       const FirstFunction* first, UInt from, UInt end,
                       UInt function, ULong total, ULong since)
{
   DCFG_(function_total)(ct, function)->self += total - since;
   for (UInt i = from; i < end; i++) {
      const Frame* f = &cs->frames[i];
      add_call(ct, f->pair == NULL ? NULL
               : DCFG_(pair_total)(ct, f->pair->caller, f->pair->callee), f,
               first->episode, total - f->start);
   }
   end_first(ct, first, total);
}

CallTotals* DCFG_(totals_of_thread)(UInt thread)
{
   const CallStack* cs   = DCFG_(stack_of_thread)(thread);
   CallTotals*      ct   = DCFG_(copy_call_totals)(cs->totals);
   UInt             from = 0;
   ThreadInfo       info;

   DCFG_(thread_info)(thread, &info);
   if (!info.live) {
      DCFG_(note_told_totals)(cs->totals, ct);
      return ct;
   }
   for (Word i = 0; i < VG_(sizeXA)(cs->suspended); i++) {
      const Suspended* s = VG_(indexXA)(cs->suspended, i);
      add_active(cs, ct, &s->first, from, s->n_frames, s->running.function,
                 s->total, s->since);
      from = s->n_frames;
   }
   add_active(cs, ct, &cs->first, from, cs->n_frames, cs->now.function,
              total_of(cs), cs->since);
   DCFG_(note_told_totals)(cs->totals, ct);
   return ct;
}
