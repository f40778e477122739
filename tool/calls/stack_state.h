/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The stack of active calls of a thread, as its files share it. */

/* Private to stack.c, which changes it, context.c, quick.c, systime.c and
   unfinished.c. */

#ifndef __DCFG_STACK_STATE_H
#define __DCFG_STACK_STATE_H

#include "pub_tool_basics.h"
#include "pub_tool_xarray.h"
#include "tool/calls/calls.h"
#include "tool/calls/totals.h"
#include "tool/run/cells.h"
#include "tool/run/thread.h"

/* Frame: an active call. */
typedef
   struct {
      Call*       call;        // NULL: a stub
      Addr        sp;          // stack pointer at the callee's begin
      const Place* entry;      // the callee's first place
      Bool        resolves;    // is it the dynamic linker's resolver?
      ULong       start;       // instruction total at the begin
      Superblock* sb;          // the caller; NULL for a jump
      UInt        instr;       // index of the calling instruction
      /* State of the caller: */
      UInt        function;
      UInt        height;
      Call*       stub;
      Bool        was_left;
      /* Has the listener been told of the end already? */
      Bool        ended;
      /* For sums: the pair of functions, or NULL; is no other activation of it,
         or of the callee, around this one? */
      Bool        is_outer_pair;
      Bool        is_outer;
      PairTotal*  pair;
      ULong       pair_all;      // sums at the begin
      ULong       function_all;
   }
   Frame;

/* FirstFunction: the function that was there first, in a thread or handler. */
typedef
   struct {
      UInt  function;      // 0: none
      Bool  is_outer;      // as in a Frame
      ULong start;         // instruction total when it began
   }
   FirstFunction;

/* Running: the function that runs now. */
typedef
   struct {
      UInt  function;      // 0: nothing has run
      UInt  height;        // changes of function since the base
      Call* stub;          // the stub that runs, or NULL
      ULong stub_start;    // instruction total when that began
      Bool  was_left;      // has the listener been told that a jump left it?
   }
   Running;

/* Suspended: the state that a handler interrupted. */
typedef
   struct {
      Running       running;
      FirstFunction first;
      ULong         total;
      ULong         since;
      CallTotals*   totals;
      UInt          n_frames;
      Bool          collects;
   }
   Suspended;

/* PendingStub: a stub that runs without a frame, and its call. */
typedef
   struct {
      const Place* stub;      // NULL: none
      Superblock*  sb;
      UInt         instr;
      Bool         is_jump;
      Bool         at_end;    // not at an exit of .sb
      Addr         sp;        // stack pointer that it is called with
   }
   PendingStub;

/* CallStack: the active calls of a thread. */
typedef struct _CallStack CallStack;
struct _CallStack {
   UInt         index;     // index of the thread
   CellArray*   cells;
   CellArray*   idle_cells;       // used while the thread is not collected
   Bool         is_idle;          // uses .idle_cells now
   Bool         collects;         // shall be collected; see tool/calls/toggle.c
   Bool         is_ending;        // the thread has ended
   Bool         at_way_out;       // is at a way out for .bound_for
   Bool         is_stopped;       // tool/run/event.c has been told so
   Addr         bound_for;
   CallProfile* profile;
   Bool         has_own_profile;  // otherwise it is shared
   Frame*       frames;    // outermost first
   UInt         n_frames, room;
   UInt*        active;    // for each function: number of activations
   UInt         n_active;
   Running      now;
   FirstFunction first;
   ULong        since;     // instruction total that .totals have as self costs
   CallTotals*  totals;    // the thread's sums, or those of the handler that
                           // runs; NULL: not wanted
   CallTotals*  all_totals;       // the thread's
   XArray*      suspended; // Suspended, innermost last
   UInt         floor;     // frames below the handler, or 0
   ULong        returned;  // 1 + the instruction total when the base last
                           // returned
   ULong        earlier;   // instructions that the total lacks, as those of
                           // handlers
   XArray*      cached;    // see CallCached
   struct _QuickFrame* quick;     // room for quick calls, or NULL.  The first
                                  // one is none: .call->callee is the function
                                  // that runs, or NULL: no quick call may begin
   PendingStub  pending;
   struct _SystemTimes* times;    // NULL: system calls cost nothing
};

/* Return the stack of THREAD. */
static inline CallStack* DCFG_(stack_of_thread)(UInt thread)
{
   return DCFG_(thread_state)(thread, DCFG_(stack_watcher));
}

/* Add the costs of active calls so far to the profile, or take them BACK. */
void DCFG_(add_active_costs)(const CallStack* cs, Bool back);

/* Return the base of the array for collected code, whichever one generated code
   uses now. */
static inline ULong* base_of(const CallStack* cs)
{
   return DCFG_(cell_base)(cs->cells);
}

/* Return the instruction total of the thread. */
static inline ULong total_of(const CallStack* cs)
{
   return DCFG_(call_slots)(base_of(cs))[CallTotal];
}

/*--- Sums                                                 ---*/

/* Give the function that runs what it has cost since the last time. */
static inline void settle_self(CallStack* cs, ULong total)
{
   if (cs->totals == NULL)
      return;
   DCFG_(function_total)(cs->totals, cs->now.function)->self
      += total - cs->since;
   cs->since = total;
}

/* All N instructions of the episode so far count for T: what was added in it is
   among them. */
static inline void set_total(Total* t, ULong n)
{
   t->all = t->before + n;
}

/* Add to CT what the function of FIRST has cost. */
static inline void end_first(CallTotals* ct, const FirstFunction* first,
                             ULong total)
{
   if (ct != NULL && first->function != 0 && first->is_outer)
      set_total(&DCFG_(function_total)(ct, first->function)->total,
                total - first->start);
}

/* Call F, of PAIR, which ends with COST, counts in CT. */
static inline void set_call(CallTotals* ct, PairTotal* pair, const Frame* f,
                            ULong cost)
{
   if (f->is_outer)
      DCFG_(function_total)(ct, f->entry->function)->total.all
         = f->function_all + cost;
   if (pair != NULL && f->is_outer_pair)
      pair->total.all = f->pair_all + cost;
}

#endif /* __DCFG_STACK_STATE_H */
