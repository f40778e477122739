/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The stack of active calls, from within. */

/* Private to calls/: the inside of calls/stack.c, for calls/follow.c, which
   tells the stack what happens to its thread. */

#ifndef __DCFG_FRAMES_H
#define __DCFG_FRAMES_H

#include "pub_tool_xarray.h"
#include "calls/calls.h"
#include "calls/listener.h"
#include "calls/call_fields.h"

/* A call that is active. */
typedef
   struct {
      Call*       call;        // NULL: of a stub
      Addr        sp;          // when the callee began
      const Place* entry;      // where it began
      Bool        resolves;    // it is the dynamic linker's resolver
      ULong       start;       // the total then
      Superblock* sb;          // that called; NULL for a jump ...
      UInt        instr;       // ... with this instruction
      /* Of the caller: */
      UInt        function;
      UInt        height;
      Call*       stub;
      Bool        was_left;
      /* For a listener the call has ended already. */
      Bool        ended;
   }
   Frame;

/* What runs now. */
typedef
   struct {
      UInt  function;      // 0: nothing has run so far
      UInt  height;        // changes of function on the way here
      Call* stub;          // whose cost it is, or NULL
      ULong stub_start;    // the total when that began
      Bool  was_left;      // the listener knows: by a jump
   }
   Running;

/* What a handler has interrupted. */
typedef
   struct {
      Running running;
      ULong   total;
      UInt    n_frames;
      Bool    collects;
   }
   Suspended;

/* The calls that are active in a thread. */
typedef struct _CallStack CallStack;
struct _CallStack {
   UInt         index;     // of the thread
   CellArray*   cells;
   CellArray*   idle_cells;       // what is used while it is not collected
   Bool         is_idle;          // it is not
   Bool         collects;         // it shall be; see calls/toggle.c
   Bool         is_ending;        // the thread has ended
   CallProfile* profile;
   Bool         has_own_profile;  // else it is that of all threads
   Frame*       frames;    // outermost first
   UInt         n_frames, room;
   UInt*        active;    // by function: its activations
   UInt         n_active;
   Running      now;
   XArray*      suspended; // Suspended, innermost last
   UInt         floor;     // frames below the handler, or 0
   ULong        returned;  // the total when the base last returned, and one
   ULong        earlier;   // instructions that the total does not have, as
                           // those of handlers
   XArray*      cached;    // see CallCached
};

/* The base of the array that counts, whatever generated code uses now. */
static inline ULong* base_of(const CallStack* cs)
{
   return DCFG_(cell_base)(cs->cells);
}

/* The instructions of the thread that were collected. */
static inline ULong instrs_so_far(const CallStack* cs, ULong* base)
{
   return cs->earlier + DCFG_(call_slots)(base)[CallTotal];
}

/* Tell the listener that what runs is left. */
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

/* Collect the thread, or not, as is wanted by now. */
void DCFG_(apply_toggles)(CallStack* cs);

/* Tell generated code what runs; and the listener, if that had been left. */
void DCFG_(set_call_slots)(CallStack* cs);
void DCFG_(show_calls)(CallStack* cs, ULong* base);

/* From now on a stub runs for STUB, or (NULL) none does. */
void DCFG_(set_stub)(CallStack* cs, ULong* base, Call* stub);

/* Nothing that is followed has called what begins at TO. */
void DCFG_(begin_base)(CallStack* cs, ULong* base, const Place* to);

/* What has run since superblock LAST (or NULL) was left out, and now it is
   at TO, with stack pointer SP. */
void DCFG_(come_back)(CallStack* cs, ULong* base, Superblock* last,
                      const Place* to, Addr sp);

/* The innermost call ends. */
void DCFG_(pop_call)(CallStack* cs, ULong* base);

/* End what SP has left; of those calls that it is just at, N.  Returns
   how many ended. */
UInt DCFG_(unwind_calls)(CallStack* cs, ULong* base, Addr sp, Int n);

/* What was suspended runs again. */
void DCFG_(resume_suspended)(CallStack* cs, ULong* base);

#endif /* __DCFG_FRAMES_H */
