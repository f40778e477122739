/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The stack of active calls of a thread, as its files share it. */

/* Private to stack.c, which changes it, quick.c and unfinished.c. */

#ifndef __DCFG_STACK_STATE_H
#define __DCFG_STACK_STATE_H

#include "pub_tool_basics.h"
#include "pub_tool_xarray.h"
#include "tool/calls/calls.h"
#include "tool/calls/totals.h"
#include "tool/run/cells.h"

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
   }
   Frame;

/* FirstFunction: the function that was there first, in a thread or handler. */
typedef
   struct {
      UInt  function;      // 0: none
      Bool  is_outer;      // as in a Frame
      ULong start;         // instruction total when it began
      ULong episode;       // see tool/calls/totals.c
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
      UInt          n_frames;
      Bool          collects;
   }
   Suspended;

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
   ULong        episodes;
   CallTotals*  totals;    // NULL: not wanted
   XArray*      suspended; // Suspended, innermost last
   UInt         floor;     // frames below the handler, or 0
   ULong        returned;  // 1 + the instruction total when the base last
                           // returned
   ULong        earlier;   // instructions that the total lacks, as those of
                           // handlers
   XArray*      cached;    // see CallCached
   QuickFrame*  quick;     // room for quick calls, or NULL
   const Place* stub;      // a stub that runs without a frame, or NULL
   Superblock*  stub_sb;   // its caller, and the calling instruction
   UInt         stub_k;
   Addr         stub_sp;
};

/* Return the stack of THREAD, which has not ended. */
CallStack* DCFG_(stack_of_thread)(UInt thread);

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

/* Add to CT what the function of FIRST has cost. */
static inline void end_first(CallTotals* ct, const FirstFunction* first,
                             ULong total)
{
   if (ct != NULL && first->function != 0 && first->is_outer)
      DCFG_(set_total)(&DCFG_(function_total)(ct, first->function)->total,
                       first->episode, total - first->start);
}

/* Add to CT and its PAIR what call F cost in EPISODE. */
static inline void add_call(CallTotals* ct, PairTotal* pair, const Frame* f,
                            ULong episode, ULong cost)
{
   if (f->is_outer)
      DCFG_(add_to_total)(&DCFG_(function_total)(ct, f->entry->function)->total,
                          episode, cost);
   if (pair != NULL && f->is_outer_pair)
      DCFG_(add_to_total)(&pair->total, episode, cost);
}

/*--- Quick calls                                          ---*/

/* Tell generated code whether quick calls may begin; there are none now. */
static inline void show_quick(const CallStack* cs, ULong* base)
{
   ULong* slots = DCFG_(call_slots)(base);

   if (cs->quick == NULL)
      return;
   slots[CallQuickNow]
      = !cs->is_idle && cs->stub == NULL && cs->now.stub == NULL
        && cs->n_frames > 0 && cs->now.height > 1 && cs->now.function != 0
        && VG_(sizeXA)(cs->suspended) == 0
        ? (Addr)DCFG_(function_total)(cs->totals, cs->now.function) : 0;
}

/* Make the room for quick calls of CS, if calls can be quick. */
void DCFG_(make_room_for_quick)(CallStack* cs);

/* There are no quick calls in the array at BASE. */
void DCFG_(empty_quick)(const CallStack* cs, ULong* base);

/* Take the stub that generated code has let begin. */
void DCFG_(take_quick_stub)(CallStack* cs, ULong* base);

/* The next time, the call that F has just begun may be quick.  TARGET: where
   its stub jumped to, or 0. */
void DCFG_(remember_quick)(CallStack* cs, const Frame* f, Addr target);

/* Forget which calls may be quick: a thread's totals are about to go. */
void DCFG_(forget_quick_calls)(void);

#endif /* __DCFG_STACK_STATE_H */
