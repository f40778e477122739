/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls, and the stack of active calls. */

/* Owns: the rules of what a call is and when it ends.  Handed: ways out of
   superblocks by generated code.  Taken by: tool/calls/ir_calls.c, which makes that
   code, and tool/calls/follow.c.  Calls go to tool/calls/calls.c, which has their counts
   and costs.

   A program's calls are not marked: it returns to places that were not called
   from, leaves several frames at once, or goes on in another function by a
   jump. Callgrind has rules for this, on which the meaning of its numbers
   depends. These are the same rules:

   - A call is active while the stack pointer is not above its value at the
     callee's begin.  So everything that raises it further ends the call: a
     return, longjmp, an exception.

   - A return that does not raise the stack pointer so far is a jump.

   - A jump, or falling through, to a function's first instruction, to another
     object or to another kind of section is a call, unless it ends calls.  It
     ends together with the call that is active when it is made.

   - The dynamic linker's resolver jumps to the function that it has resolved.
     That is a return, and a call by the resolver's caller.  The resolver is the
     target of the first entry of a linkage table, when another entry of the
     table has gone there.  Callgrind knows it by its symbol, or by its code in
     some versions of libc.

   - A stub of a linkage table is part of its caller, and so is excluded code
     (tool/run/exclude.h): functions that it calls are called by its caller.

   - A return without an active call ends a call that was made before everything
     else, from the address before the one returned to.

   - A signal handler has a stack of its own above the one that it interrupts;
     its costs are not added there.

   Generated code calls this file for calls, returns, and jumps that may be
   calls.  Another jump matters only if the stack pointer is above CallTopSp.
   Generated code makes that comparison if the stack pointer may have been
   raised. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "tool/arch/guest.h"
#include "tool/calls/frames.h"
#include "tool/calls/stack.h"
#include "tool/calls/toggle.h"
#include "tool/run/branch.h"
#include "tool/run/gap.h"

#define NO_SP ~(UWord)0

Call DCFG_(any_call);

static Call* find_call(CallStack* cs, const CallSite* s, const Place* to,
                       UInt to_context)
{
   return DCFG_(counts_contexts)
          ? DCFG_(find_call)(cs->profile, s, to, to_context) : &DCFG_(any_call);
}

/* Return the call, which is nearly always the one that this superblock made
   last. */
static inline Call* find_usual_call(CallStack* cs, const CallSite* s,
                                    const Place* to, UInt to_context)
{
   Call** last;

   if (!DCFG_(counts_contexts))
      return &DCFG_(any_call);
   if (s->sb == NULL || cs->has_own_profile)
      return DCFG_(find_call)(cs->profile, s, to, to_context);
   last = &DCFG_(call_fields)(s->sb)->last_call;
   if (*last == NULL || !DCFG_(is_call)(*last, s, to, to_context))
      *last = DCFG_(find_call)(cs->profile, s, to, to_context);
   return *last;
}

/* --- Functions that change what is collected              --- */

/* Return whether toggle.c heeds FUNCTION, which is entered or left.  If so, and
   the thread is at a way out, stop it there: its counts may be read. */
static Bool stop_if_heeded(CallStack* cs, UInt function)
{
   if (!DCFG_(is_heeded)(function))
      return False;
   if (cs->at_way_out && !cs->is_stopped) {
      cs->is_stopped = True;
      DCFG_(stop_at_way_out)(cs->index, cs->bound_for);
   }
   return True;
}

/* Tell toggle.c.  This may forget all counts, and with them each Call. */

static inline void function_entered(CallStack* cs, UInt function)
{
   if (DCFG_(heeds_functions) && *active(cs, function) == 1
       && stop_if_heeded(cs, function) && DCFG_(heed_entry)(function))
      cs->collects = !cs->collects;
}

static inline void function_left(CallStack* cs, UInt function)
{
   if (DCFG_(heeds_functions) && *active(cs, function) == 0
       && stop_if_heeded(cs, function)
       && DCFG_(heed_exit)(function, cs->is_ending))
      cs->collects = !cs->collects;
}

void DCFG_(apply_toggles)(CallStack* cs)
{
   if (!cs->is_ending)
      DCFG_(collect_thread)(cs->index, cs->collects);
}

/* --- The function that runs                               --- */

void DCFG_(make_room_for_active)(CallStack* cs, UInt function)
{
   UInt n = function + 256;

   cs->active = VG_(realloc)("dcfg.stack.active", cs->active,
                             n * sizeof(UInt));
   VG_(memset)(cs->active + cs->n_active, 0,
               (n - cs->n_active) * sizeof(UInt));
   cs->n_active = n;
}

static inline UInt context_of(CallStack* cs, UInt function)
{
   return DCFG_CONTEXT(function, *active(cs, function) > 1);
}

void DCFG_(show_calls)(CallStack* cs, ULong* base)
{
   if (cs->now.was_left && cs->now.function != 0)
      tell_enter(cs, base, False);
   DCFG_(set_call_slots)(cs);
}

void DCFG_(set_call_slots)(CallStack* cs)
{
   UInt   function = cs->now.function;
   UInt   context  = 0;
   ULong* base     = cs->is_idle ? DCFG_(cell_base)(cs->idle_cells)
                                 : base_of(cs);
   ULong* slots    = DCFG_(call_slots)(base);
   UWord* top_sp   = (UWord*)(slots + CallTopSp);
   UWord* entries  = (UWord*)(slots + CallEntries);

   *top_sp = cs->n_frames == 0 ? NO_SP : cs->frames[cs->n_frames - 1].sp;
   if (function != 0 && *active(cs, function) == 0)
      *active(cs, function) = 1;
   /* In context 0 nothing is counted. */
   if (cs->now.stub == NULL && function != 0 && !cs->is_idle)
      context = context_of(cs, function);
   slots[CallContext] = context;
   *entries           = (UWord)(base + 2 * DCFG_CONTEXT_IS_NESTED(context));
}

/* Set the stub that runs; NULL: none. */
void DCFG_(set_stub)(CallStack* cs, ULong* base, Call* stub)
{
   Running* now   = &cs->now;
   ULong    total = DCFG_(call_slots)(base)[CallTotal];

   if (now->stub == stub)
      return;
   if (now->stub != NULL)
      now->stub->cost += total - now->stub_start;
   now->stub       = stub;
   now->stub_start = total;
}

static void make_room_for_frames(CallStack* cs)
{
   cs->room   = cs->room ? 2 * cs->room : 64;
   cs->frames = VG_(realloc)("dcfg.stack.frames", cs->frames,
                             cs->room * sizeof(Frame));
}

/* Return whether SB jumps to the resolver.  A linkage table without lazily
   bound entries begins with an ordinary stub: it is called, not jumped to from
   another stub. */
static Bool goes_to_resolver(const CallStack* cs, const Superblock* sb)
{
   return sb != NULL && place_of(sb)->heads_table
          && (cs->n_frames == 0
              || cs->frames[cs->n_frames - 1].entry != place_of(sb));
}

/* Return whether Callgrind takes a return behind SITE for the end of a call
   from there. */
static Bool is_real_call(const CallSite* s)
{
   if (s->sb == NULL)
      return False;
   switch (s->sb->kinds[s->instr]) {
      case InsnCall: case InsnIndirectCall: return True;
      case InsnJump:                        return DCFG_(guest).jumps_are_calls;
      default:                              return False;
   }
}

/* Push a call from SITE, or, if a stub runs, from the stub's caller; not
   IS_CALL: a jump. */
static void push(CallStack* cs, ULong* base, const CallSite* site,
                 const Place* to, Addr sp, Bool is_call)
{
   Running* now      = &cs->now;
   Bool     resolves = goes_to_resolver(cs, site->sb);

   if (cs->n_frames == cs->room)
      make_room_for_frames(cs);
   Frame*   f = &cs->frames[cs->n_frames++];
   CallSite stubs;
   f->entry    = to;
   f->resolves = resolves;
   f->sb    = is_call ? site->sb : NULL;
   f->instr = site->instr;
   if (now->stub != NULL) {
      stubs = DCFG_(site_of)(now->stub);
      site  = &stubs;
   }
   f->call     = NULL;
   f->sp       = sp;
   f->start    = DCFG_(call_slots)(base)[CallTotal];
   f->function = now->function;
   f->height   = now->height;
   f->stub     = now->stub;
   f->ended    = False;
   if (to->is_skipped) {
      if (now->stub == NULL)
         DCFG_(set_stub)(cs, base,
                         find_call(cs, site, NULL, 0));
      return;
   }
   /* If calls do not change the stack pointer, as on arm64, the target of a
      stub returns to the stub's caller.  Callgrind ends only one call then: the
      stub goes on. */
   if (now->stub != NULL && DCFG_(counts_contexts)) {
      f->sb    = is_real_call(site) ? site->sb : NULL;
      f->instr = site->instr;
   }
   if (!is_call && now->stub == NULL)
      tell_leave(cs, base, True);
   f->was_left = now->was_left;
   DCFG_(set_stub)(cs, base, NULL);
   ++*active(cs, to->function);
   if (to->function != now->function)
      now->height++;
   now->function = to->function;
   f->call = find_usual_call(cs, site, to,
                             context_of(cs, to->function));
   f->call->count++;
   function_entered(cs, to->function);
   tell_enter(cs, base, True);
}

/* Begin the stack with the function at TO, which nobody called. */
void DCFG_(begin_base)(CallStack* cs, ULong* base, const Place* to)
{
   cs->now.function = to->function;
   cs->now.height   = 1;
   ++*active(cs, cs->now.function);
   tell_enter(cs, base, True);
}

/* Continue the innermost suspended state. */
void DCFG_(resume_suspended)(CallStack* cs, ULong* base)
{
   const Suspended* s = innermost(cs);

   DCFG_(set_stub)(cs, base, NULL);
   tell_leave(cs, base, False);
   cs->earlier = instrs_so_far(cs, base) - s->total;
   if (cs->now.function != 0)
      --*active(cs, cs->now.function);
   cs->now         = s->running;
   cs->collects    = s->collects;
   DCFG_(call_slots)(base)[CallTotal] = s->total;
   VG_(dropTailXA)(cs->suspended, 1);
   cs->floor = runs_in_handler(cs) ? innermost(cs)->n_frames : 0;
}

void DCFG_(pop_call)(CallStack* cs, ULong* base)
{
   /* longjmp has left a handler. */
   if (cs->n_frames <= cs->floor)
      DCFG_(resume_suspended)(cs, base);

   const Frame* f = &cs->frames[--cs->n_frames];
   DCFG_(set_stub)(cs, base, f->stub);
   if (f->call != NULL) {
      if (!f->ended) {
         tell_leave(cs, base, False);
         cs->now.was_left = f->was_left;
      }
      --*active(cs, f->entry->function);
      f->call->cost   += DCFG_(call_slots)(base)[CallTotal] - f->start;
      cs->now.function = f->function;
      cs->now.height   = f->height;
      function_left(cs, f->entry->function);
   }
}

/* End the calls that SP is above, and N of those that it is equal to.  Return
   how many ended. */
UInt DCFG_(unwind_calls)(CallStack* cs, ULong* base, Addr sp, Int n)
{
   UInt ended = 0;

   while (cs->n_frames > 0) {
      Addr top = cs->frames[cs->n_frames - 1].sp;
      if (top > sp || (top == sp && n <= 0))
         break;
      DCFG_(pop_call)(cs, base);
      n--;
      ended++;
   }
   return ended;
}

/*--- Ways out of superblocks                              ---*/

/* Return the address behind the call that made F; 0 for a jump. */
static Addr return_addr(const Frame* f)
{
   return f->sb == NULL ? 0 : DCFG_(instr_addr)(f->sb, f->instr)
                              + f->sb->lengths[f->instr];
}

/* Return how many calls a return to ADDR with stack pointer SP ends at least; 0
   if it is a jump. */
static UInt n_returned_from(const CallStack* cs, Addr addr, Addr sp)
{
   UInt n = 1;

   if (sp != cs->frames[cs->n_frames - 1].sp)
      return sp > cs->frames[cs->n_frames - 1].sp;
   for (UInt i = cs->n_frames; i > 0 && cs->frames[i - 1].sp == sp; i--) {
      if (return_addr(&cs->frames[i - 1]) == addr)
         return n;
      n++;
   }
   return 0;
}

/* Tell the listener of the end of frames below SP.  They stay on the stack
   because they are of the function that runs at its base.  Return False if
   there are none. */
static Bool tell_of_left_frames(CallStack* cs, ULong* base, Addr sp)
{
   Bool any = False;

   for (UInt i = cs->n_frames; i > cs->floor; i--) {
      Frame* f = &cs->frames[i - 1];
      if (f->sp >= sp)
         break;
      if (f->call == NULL || f->ended)
         continue;
      tell_leave(cs, base, False);
      cs->now.was_left = f->was_left;
      f->ended         = True;
      any              = True;
   }
   return any;
}

/* SB has returned to TO, with stack pointer SP, but no call of the running
   function is known. */
static void return_from_base(CallStack* cs, ULong* base,
                             const Superblock* sb, const Place* to, Addr sp)
{
   Running* now  = &cs->now;
   UInt     from = now->function;
   Bool     told = tell_of_left_frames(cs, base, sp);
   CallSite site = { NULL, 0, DCFG_(place_at)(to->hash_key - 1), 0 };
   Call*    call;

   if (now->height == 1)
      ++*active(cs, to->function);
   site.context = DCFG_CONTEXT(to->function, False);
   DCFG_(set_stub)(cs, base, NULL);
   /* For Callgrind, the function is entered only now. */
   function_entered(cs, from);
   call = find_call(cs, &site, place_of(sb), context_of(cs, from));
   call->count++;
   call->cost += DCFG_(call_slots)(base)[CallTotal];
   --*active(cs, from);
   if (!told)
      tell_leave(cs, base, False);
   now->function = to->function;
   cs->returned  = DCFG_(call_slots)(base)[CallTotal] + 1;
   function_left(cs, from);
}

/* Leave SB at its instruction K by a jump, or what Callgrind takes for one. */
static void jump_to(CallStack* cs, ULong* base, Superblock* sb, UInt k,
                    const Place* to, Addr sp, Bool is_call)
{
   CallSite site = { sb, k, NULL, context_of(cs, cs->now.function) };

   if (is_call && cs->n_frames > cs->floor) {
      const Frame* top = &cs->frames[cs->n_frames - 1];
      if (top->resolves && top->call != NULL) {
         site = DCFG_(site_of)(top->call);
         sp   = top->sp;
         DCFG_(pop_call)(cs, base);
      }
   }
   if (DCFG_(unwind_calls)(cs, base, sp, 0) == 0 && is_call) {
      if (cs->n_frames > 0)
         sp = cs->frames[cs->n_frames - 1].sp;
      push(cs, base, &site, to, sp, False);
   }
}

/* Return to excluded code, with stack pointer SP. */
static void return_to_excluded(CallStack* cs, ULong* base, const Place* to,
                               Addr sp)
{
   if (cs->n_frames > cs->floor) {
      DCFG_(unwind_calls)(cs, base, sp,
                          n_returned_from(cs, to->hash_key, sp));
      return;
   }
   /* The base is left: it was not called by anything that is followed. */
   DCFG_(set_stub)(cs, base, NULL);
   tell_leave(cs, base, False);
   if (cs->now.function != 0)
      --*active(cs, cs->now.function);
   VG_(memset)(&cs->now, 0, sizeof(cs->now));
}

static void return_to(CallStack* cs, ULong* base, Superblock* sb,
                      const Place* to, Addr sp)
{
   if (to->is_excluded) {
      return_to_excluded(cs, base, to, sp);
      return;
   }
   UInt n = cs->n_frames == 0 ? 1 : n_returned_from(cs, to->hash_key, sp);

   if (n == 0)
      jump_to(cs, base, sb, sb->n_instrs - 1, to, sp, True);
   else if (cs->n_frames == 0 || cs->now.height == 1)
      return_from_base(cs, base, sb, to, sp);
   else
      DCFG_(unwind_calls)(cs, base, sp, n);
}

/* Return whether excluded code that was called has called in turn. */
static Bool is_called_back(const CallStack* cs, Addr sp)
{
   const Frame* top = cs->n_frames > cs->floor
                      ? &cs->frames[cs->n_frames - 1] : NULL;

   return top != NULL && top->entry->is_excluded && sp < top->sp;
}

void DCFG_(come_back)(CallStack* cs, ULong* base, Superblock* last,
                      const Place* to, Addr sp)
{
   UInt n = DCFG_(unwind_calls)(cs, base, sp, 0);

   if (cs->now.function == 0) {
      DCFG_(begin_base)(cs, base, to);
   } else if (is_called_back(cs, sp) || (n == 0 && to->is_entry)) {
      CallSite site = { last, last == NULL ? 0 : last->n_instrs - 1, NULL,
                        context_of(cs, cs->now.function) };
      push(cs, base, &site, to, sp, False);
   }
   DCFG_(show_calls)(cs, base);
}

/* Tell the listener of a call that Callgrind takes for a return, because its
   stack pointer has ended other calls: the callee is entered and left at
   once. */
static void tell_of_lost_call(CallStack* cs, ULong* base, const Place* to)
{
   const CallListener* l = DCFG_(call_listener);
   ULong               n = instrs_so_far(cs, base);

   if (l == NULL)
      return;
   l->enter(base, to->function, n, True);
   l->leave(base, n, False);
}

/* Handle a way out.  All functions above use the base of the array for
   collected code. */
static void leave_superblock(CallStack* cs, Superblock* sb, UWord leave,
                             const Place* to, Addr sp)
{
   ULong* base = base_of(cs);
   UInt   k    = DCFG_LEAVE_INSTR(leave);

   switch (DCFG_LEAVE_KIND(leave)) {
      case LeaveCall: {
         CallSite site = { sb, k, NULL, context_of(cs, cs->now.function) };
         if (DCFG_(unwind_calls)(cs, base, sp, 0) == 0)
            push(cs, base, &site, to, sp, True);
         else if (!to->is_skipped)
            tell_of_lost_call(cs, base, to);
         break;
      }
      case LeaveJump:
         jump_to(cs, base, sb, k, to, sp,
                 DCFG_(is_call_like)(place_of(sb), to));
         break;
      case LeaveReturn:
         return_to(cs, base, sb, to, sp);
         break;
   }
   DCFG_(show_calls)(cs, base);
}

void DCFG_(leave_for_place)(ULong* base, Superblock* sb, UWord leave,
                            const Place* to, Addr sp)
{
   leave_superblock(stack_of(base), sb, leave, to, sp);
}

void DCFG_(leave_for)(ULong* base, Superblock* sb, UWord leave, Addr target,
                      Addr sp)
{
   CallStack* cs = stack_of(base);

   /* The usual return. */
   if (DCFG_LEAVE_KIND(leave) == LeaveReturn && cs->n_frames > 0
       && sp > cs->frames[cs->n_frames - 1].sp && cs->now.height > 1) {
      DCFG_(unwind_calls)(cs, base_of(cs), sp, 0);
      DCFG_(show_calls)(cs, base_of(cs));
      return;
   }
   leave_superblock(cs, sb, leave, destination(sb, target), sp);
}

void DCFG_(jump_miss)(ULong* base, Superblock* sb, Addr target, Addr sp)
{
   const Place* to = destination(sb, target);

   if (!DCFG_(is_call_like)(place_of(sb), to)) {
      DCFG_(branch_miss)(base, sb->id, target);
      return;
   }
   DCFG_(count_branch)(base, sb->id, target);
   DCFG_(leave_for_place)(base, sb,
                          DCFG_LEAVE(sb->n_instrs - 1, LeaveJump), to, sp);
}
