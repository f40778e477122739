/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The internals of the stack of active calls. */

/* Private to calls/: the state of tool/calls/stack.c, which tool/calls/follow.c changes
   when something happens to the thread. */

#ifndef __DCFG_FRAMES_H
#define __DCFG_FRAMES_H

#include "pub_tool_xarray.h"
#include "tool/calls/calls.h"
#include "tool/calls/listener.h"
#include "tool/calls/call_fields.h"

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
   }
   Frame;

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
      Running running;
      ULong   total;
      UInt    n_frames;
      Bool    collects;
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
   Bool         is_stopped;       // tool/run/gap.c has been told so
   Addr         bound_for;
   CallProfile* profile;
   Bool         has_own_profile;  // otherwise it is shared
   Frame*       frames;    // outermost first
   UInt         n_frames, room;
   UInt*        active;    // for each function: number of activations
   UInt         n_active;
   Running      now;
   XArray*      suspended; // Suspended, innermost last
   UInt         floor;     // frames below the handler, or 0
   ULong        returned;  // 1 + the instruction total when the base last
                           // returned
   ULong        earlier;   // instructions that the total lacks, as those of
                           // handlers
   XArray*      cached;    // see CallCached
};

/* The Call of all calls if costs are not counted. */
extern Call DCFG_(any_call);

/* Return the stack of the thread that counts in the array at BASE. */
static inline CallStack* stack_of(ULong* base)
{
   return (CallStack*)(Addr)DCFG_(call_slots)(base)[CallOfStack];
}

static inline const Place* place_of(const Superblock* sb)
{
   return DCFG_(call_fields)(sb)->place;
}

/* Return the place that runs when SB's end jumps to TARGET. */
static inline const Place* destination(const Superblock* sb, Addr target)
{
   return sb->unredirected ? DCFG_(place_at)(target)
                           : DCFG_(landing_place)(target);
}

/* Return the base of the array for collected code, whichever one generated code
   uses now. */
static inline ULong* base_of(const CallStack* cs)
{
   return DCFG_(cell_base)(cs->cells);
}

/* Return the number of the thread's collected instructions. */
static inline ULong instrs_so_far(const CallStack* cs, ULong* base)
{
   return cs->earlier + DCFG_(call_slots)(base)[CallTotal];
}

/* Tell the listener that the function that runs now is left. */
static inline void tell_leave(CallStack* cs, ULong* base, Bool by_jump)
{
   if (DCFG_(call_listener) != NULL && cs->now.function != 0
       && !cs->now.was_left)
      DCFG_(call_listener)->leave(base, instrs_so_far(cs, base), by_jump);
   cs->now.was_left = True;
}

/* Tell the listener that the function that runs now is entered. */
static inline void tell_enter(CallStack* cs, ULong* base, Bool is_start)
{
   if (DCFG_(call_listener) != NULL)
      DCFG_(call_listener)->enter(base, cs->now.function,
                                  instrs_so_far(cs, base), is_start);
   cs->now.was_left = False;
}

void DCFG_(make_room_for_active)(CallStack* cs, UInt function);

static inline UInt* active(CallStack* cs, UInt function)
{
   if (function >= cs->n_active)
      DCFG_(make_room_for_active)(cs, function);
   return &cs->active[function];
}

static inline Bool runs_in_handler(const CallStack* cs)
{
   return VG_(sizeXA)(cs->suspended) > 0;
}

static inline Suspended* innermost(const CallStack* cs)
{
   return VG_(indexXA)(cs->suspended, VG_(sizeXA)(cs->suspended) - 1);
}

/* Collect the thread, or not, as .collects says. */
void DCFG_(apply_toggles)(CallStack* cs);

/* Tell generated code the present context; tell the listener of the function,
   if it had been left. */
void DCFG_(set_call_slots)(CallStack* cs);
void DCFG_(show_calls)(CallStack* cs, ULong* base);

/* Set the stub that runs; NULL: none. */
void DCFG_(set_stub)(CallStack* cs, ULong* base, Call* stub);

/* Begin the stack with the function at TO, which nobody called. */
void DCFG_(begin_base)(CallStack* cs, ULong* base, const Place* to);

/* Continue at TO, with stack pointer SP.  Excluded code has run since
   superblock LAST, or since the begin if that is NULL. */
void DCFG_(come_back)(CallStack* cs, ULong* base, Superblock* last,
                      const Place* to, Addr sp);

/* End the innermost call. */
void DCFG_(pop_call)(CallStack* cs, ULong* base);

/* End the calls that SP is above, and N of those that it is equal to.  Return
   how many ended. */
UInt DCFG_(unwind_calls)(CallStack* cs, ULong* base, Addr sp, Int n);

/* Continue the innermost suspended state. */
void DCFG_(resume_suspended)(CallStack* cs, ULong* base);

#endif /* __DCFG_FRAMES_H */
