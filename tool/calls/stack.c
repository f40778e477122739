/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The rules of calls, and the stack of active calls of each thread. */

/* Owns: the rules of what a call is and when it ends; each thread's stack,
   from its first instruction to its last, and its state when a profile is
   written.  Handed: ways out of superblocks by the code that
   tool/calls/follow.c generates, the life of threads and signal handlers by
   tool/run/event.c.

   A program's calls are not marked: it returns to places that were not called
   from, leaves several frames at once, or goes on in another function by a
   jump.  Callgrind has rules for this, on which the meaning of its numbers
   depends.  These are the same rules:

   - A call is active while the stack pointer is not above its value at the
     callee's begin.  So everything that raises it further ends the call: a
     return, longjmp, an exception.

   - A return that does not raise the stack pointer so far is a jump.  If it goes
     on in the function that runs, it is no call, other than for Callgrind: vfork()
     takes its return address off the stack for a while, which ends the call.

   - A jump, or falling through, to a function's first instruction, to another
     object or to another kind of section is a call, unless it ends calls.  It
     ends together with the call that is active when it is made.

   - The dynamic linker's resolver jumps to the function that it has resolved.
     That is a return, and a call by the resolver's caller.  The resolver is
     the target of the first entry of a linkage table, when another entry of
     the table has gone there.  Callgrind knows it by its symbol, or by its
     code in some versions of libc.

   - A stub of a linkage table is part of its caller, and so is excluded code
     (tool/run/exclude.h): functions that it calls are called by its caller.

   - A return without an active call ends a call that was made before
     everything else, from the address before the one returned to.

   - A signal handler has a stack of its own above the one that it interrupts;
     its costs are not added there.
     On an alternate stack, it ends no calls that it interrupted, unless it leaves
     by a load of the stack pointer.  Callgrind has no rule for that.  On the same
     stack, such a load ends the handler, even if it leads to the very function that
     was interrupted.  For Callgrind, the handler then goes on.
     A handler may let the thread go on elsewhere.  It then makes the interrupted
     function call or jump.  Callgrind has no rule for that.

   - A program may have several stacks, each with its own calls.  That is our
     rule, see tool/calls/switch.c; Callgrind has no rule for it.

   Generated code calls this file for calls, returns, and jumps that may be
   calls.  Another jump matters only if the stack pointer is above CallTopSp.
   Generated code makes that comparison if the stack pointer may have been
   raised.

   A function that --toggle-collect or a like option names changes what its
   thread counts (tool/calls/toggle.c).  So the whole superblock must have been
   counted, and the thread stops at the way out (tool/run/event.h).  Nearly all
   calls are of other functions.  Their way out only keeps the stack, by the
   rules above.  If nobody listens to calls or counts costs, the usual call and
   the usual return change a few words: see enter_usually() and
   leave_usually().  Nearly all others are quick: tool/calls/quick.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "tool/base/core.h"
#include "tool/arch/guest.h"
#include "tool/calls/calls.h"
#include "tool/calls/context.h"
#include "tool/calls/quick.h"
#include "tool/calls/stack.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/systime.h"
#include "tool/calls/toggle.h"
#include "tool/calls/totals.h"
#include "tool/dcfg_output.h"
#include "tool/run/branch.h"
#include "tool/run/event.h"
#include "tool/run/thread.h"

/*--- The stack                                            ---*/

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
   return DCFG_(with_function)(sb->unredirected ? DCFG_(place_at)(target)
                                                : DCFG_(landing_place)(target));
}

static inline Bool runs_in_handler(const CallStack* cs)
{
   return VG_(sizeXA)(cs->suspended) > 0;
}

static inline Suspended* innermost(const CallStack* cs)
{
   return VG_(indexXA)(cs->suspended, VG_(sizeXA)(cs->suspended) - 1);
}

/* Return whether calls are active whose stack pointers can be compared with the
   present one. */
static inline Bool has_calls(const CallStack* cs)
{
   return cs->n_frames > cs->alternate.n_frames;
}

/* Return the stack pointer above which no call is active, nor a handler. */
static inline Addr top_sp(const CallStack* cs)
{
   if (cs->n_frames == cs->floor && runs_in_handler(cs)
       && innermost(cs)->alternate.size == cs->alternate.size)
      return innermost(cs)->sp - 1;
   if (has_calls(cs))
      return cs->frames[cs->n_frames - 1].sp;
   if (cs->alternate.size != 0)
      return cs->alternate.low + cs->alternate.size;
   return cs->on->span.top == 0 || runs_in_handler(cs) ? ~(Addr)0
                                                       : cs->on->span.top;
}

/* Return the stack pointer of a jump that is a call: it ends with the innermost call
   of the thread or handler.  SP: the present one. */
static inline Addr sp_of_jump(const CallStack* cs, Addr sp)
{
   return cs->n_frames > cs->floor ? cs->frames[cs->n_frames - 1].sp : sp;
}

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
   if (*last == NULL)
      DCFG_(knows_calls)(s->sb);
   if (*last == NULL || !DCFG_(is_call)(*last, s, to, to_context))
      *last = DCFG_(find_call)(cs->profile, s, to, to_context);
   return *last;
}

/*--- Functions that change what is collected              ---*/

/* Return whether tool/calls/toggle.c heeds FUNCTION, which is entered or left.
   If so, and the thread is at a way out, stop it there: its counts may be
   read. */
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

/* Tell tool/calls/toggle.c.  This may forget all counts, and with them each
   Call. */
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

/* Collect the thread, or not, as .collects says. */
static void apply_toggles(CallStack* cs)
{
   if (!cs->is_ending)
      DCFG_(collect_thread)(cs->index, cs->collects);
}

/*--- The function that runs                               ---*/

static inline UInt context_of(CallStack* cs, UInt function)
{
   active(cs, function);
   return DCFG_(context_on_stack)(cs, function, cs->floor);
}

/*--- Quick calls                                          ---*/

/* Tell generated code whether quick calls may begin; there are none now. */
static inline void show_quick(const CallStack* cs)
{
   const Frame* top = cs->n_frames == 0 ? NULL : &cs->frames[cs->n_frames - 1];

   if (cs->quick == NULL)
      return;
   cs->quick->sp           = top_sp(cs);
   cs->quick->call->callee = top != NULL && !top->resolves && !cs->is_idle
      && cs->departure.to == 0 && !cs->has_arrived && !cs->now.was_left
      && cs->pending.stub == NULL && cs->now.stub == NULL && cs->now.height > 1
      && cs->now.function != 0 && !runs_in_handler(cs)
      ? DCFG_(quick_key)(cs, cs->now.function, cs->active[cs->now.function]) : 0;
}

/* Do this before anything else looks at the stack. */
static inline void settle_quick(CallStack* cs, ULong* base)
{
   if (cs->quick == NULL || DCFG_(quick_top)(base) == cs->quick)
      return;
   DCFG_(push_quick)(cs);
   show_quick(cs);
}

/* Tell generated code the present context. */
static void set_call_slots(CallStack* cs)
{
   UInt   function = cs->now.function;
   UInt   context  = cs->is_idle ? 0 : DCFG_NO_CONTEXT;
   ULong* base     = cs->is_idle ? DCFG_(cell_base)(cs->idle_cells)
                                 : base_of(cs);

   *(UWord*)(DCFG_(call_slots)(base) + CallTopSp) = top_sp(cs);
   if (function != 0 && *active(cs, function) == 0)
      *active(cs, function) = 1;
   if (cs->now.stub == NULL && function != 0 && !cs->is_idle)
      context = context_of(cs, function);
   set_context(base, context);
   show_quick(cs);
}

/* Set the slots for the call that runs now.  If its function had been left, tell
   the listener that it is entered. */
static void show_calls(CallStack* cs, ULong* base)
{
   if (cs->now.was_left && cs->now.function != 0)
      tell_enter(cs, base, False);
   set_call_slots(cs);
}

/* Set the stub that runs; NULL: none. */
static void set_stub(CallStack* cs, ULong* base, Call* stub)
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

/* Return whether SB jumps to the resolver.  A linkage table without lazily
   bound entries begins with an ordinary stub: it is called, not jumped to from
   another stub. */
static Bool goes_to_resolver(const CallStack* cs, const Superblock* sb)
{
   return sb != NULL && place_of(sb)->heads_table
          && (cs->n_frames == 0
              || cs->frames[cs->n_frames - 1].entry != place_of(sb));
}

/* Do what push() does for a jump that needs no frame.  Return False if it needs
   one. */
static Bool push_again(CallStack* cs, ULong* base, const CallSite* site,
                       const Place* to)
{
   const UInt bit  = *active(cs, to->function) > 0;
   Call*      call = find_call(cs, site, to, DCFG_CONTEXT(to->function, bit));

   if (!DCFG_(jump_again)(cs, call, to, total_of(cs)))
      return False;
   call->count++;
   tell_leave(cs, base, True);
   tell_enter(cs, base, True);
   return True;
}

/* Push a call from SITE, or, if a stub runs, from the stub's caller; not
   IS_CALL: a jump. */
static void push(CallStack* cs, ULong* base, const CallSite* site,
                 const Place* to, Addr sp, Bool is_call)
{
   Running* now      = &cs->now;
   Bool     resolves = goes_to_resolver(cs, site->sb);
   UInt     chain    = chain_at(cs, sp, !is_call && !to->is_skipped
                                        && now->stub == NULL && !resolves);

   if (chain + DCFG_FEW_JUMPS < cs->n_frames
       && push_again(cs, base, site, to))
      return;
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
   f->chain    = chain;
   f->more     = f->more_starts = 0;
   f->call     = NULL;
   f->pair     = NULL;
   f->is_outer = False;
   f->sp       = sp;
   f->start    = DCFG_(call_slots)(base)[CallTotal];
   f->function = now->function;
   f->height   = now->height;
   f->stub     = now->stub;
   f->ended    = False;
   if (to->is_skipped) {
      if (now->stub == NULL)
         set_stub(cs, base,
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
   set_stub(cs, base, NULL);
   begin_pair(cs, f);
   ++*active(cs, to->function);
   if (to->function != now->function)
      now->height++;
   now->function = to->function;
   f->call = find_usual_call(cs, site, to,
                             context_of(cs, to->function));
   f->call->count++;
   if (cs->times != NULL)
      DCFG_(times_begin)(cs->times, cs->n_frames - 1);
   function_entered(cs, to->function);
   tell_enter(cs, base, True);
}

/* Begin the stack with the function at TO, which nobody called. */
static void begin_base(CallStack* cs, ULong* base, const Place* to)
{
   begin_first(cs, to->function, total_of(cs));
   cs->now.function = to->function;
   cs->now.height   = 1;
   ++*active(cs, cs->now.function);
   tell_enter(cs, base, True);
}

/* Continue the innermost suspended state. */
static void resume_suspended(CallStack* cs, ULong* base)
{
   const Suspended* s = innermost(cs);

   set_stub(cs, base, NULL);
   tell_leave(cs, base, False);
   settle_self(cs, total_of(cs));
   end_first(cs->totals, &cs->first, total_of(cs));
   count_activation(cs, cs->first.function, -1);
   cs->earlier = instrs_so_far(cs, base) - s->total;
   if (cs->now.function != 0)
      --*active(cs, cs->now.function);
   cs->now         = s->running;
   cs->departure   = s->departure;
   cs->alternate   = s->alternate;
   cs->first       = s->first;
   cs->since       = s->since;
   cs->totals      = s->totals;
   cs->collects    = s->collects;
   DCFG_(call_slots)(base)[CallTotal] = s->total;
   if (cs->times != NULL)
      DCFG_(times_resume)(cs->times);
   VG_(dropTailXA)(cs->suspended, 1);
   cs->floor = runs_in_handler(cs) ? innermost(cs)->n_frames : 0;
}

/* End the innermost call. */
static void pop_call(CallStack* cs, ULong* base)
{
   /* longjmp has left a handler. */
   if (cs->n_frames <= cs->floor)
      resume_suspended(cs, base);

   const Frame* f = &cs->frames[--cs->n_frames];
   set_stub(cs, base, f->stub);
   if (f->call != NULL) {
      if (!f->ended) {
         tell_leave(cs, base, False);
         cs->now.was_left = f->was_left;
      }
      end_pair(cs, f, DCFG_(call_slots)(base)[CallTotal]);
      *active(cs, f->entry->function) -= 1 + f->more;
      f->call->cost   += cost_of(f, DCFG_(call_slots)(base)[CallTotal]);
      if (cs->times != NULL)
         DCFG_(times_end)(cs->times, cs->n_frames, f->call);
      cs->now.function = f->function;
      cs->now.height   = f->height;
      function_left(cs, f->entry->function);
   }
}

/* End the calls that SP is above, and N of those that it is equal to.  Return
   how many ended. */
static UInt unwind_calls(CallStack* cs, ULong* base, Addr sp, Int n)
{
   UInt ended = 0;

   while (has_calls(cs)) {
      Addr top = cs->frames[cs->n_frames - 1].sp;
      if (top > sp || (top == sp && n <= 0))
         break;
      pop_call(cs, base);
      n--;
      ended++;
   }
   return ended;
}

/*--- Ways out of superblocks                              ---*/

/* Return how many calls a return to ADDR with stack pointer SP ends at least; 0
   if it is a jump. */
static UInt n_returned_from(const CallStack* cs, Addr addr, Addr sp)
{
   UInt n = 1;

   if (!has_calls(cs))
      return 0;
   if (sp != cs->frames[cs->n_frames - 1].sp)
      return sp > cs->frames[cs->n_frames - 1].sp;
   for (UInt i = cs->n_frames;
        i > cs->alternate.n_frames && cs->frames[i - 1].sp == sp; i--) {
      if (DCFG_(return_addr)(&cs->frames[i - 1]) == addr)
         return n;
      n++;
   }
   return 0;
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
   site.context = DCFG_(context_of_base)(to->function);
   set_stub(cs, base, NULL);
   /* For Callgrind, the function is entered only now. */
   function_entered(cs, from);
   call = find_call(cs, &site, place_of(sb), context_of(cs, from));
   call->count++;
   call->cost += DCFG_(call_slots)(base)[CallTotal];
   if (!runs_in_handler(cs))
      call->cost += cs->on->cost - cs->turn;
   if (cs->times != NULL)
      DCFG_(times_of_base)(cs->times, call);
   move_first(cs, to->function, total_of(cs));
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
         pop_call(cs, base);
      }
   }
   if (unwind_calls(cs, base, sp, 0) == 0 && is_call)
      push(cs, base, &site, to, sp_of_jump(cs, sp), False);
}

/* Return to excluded code, with stack pointer SP. */
static void return_to_excluded(CallStack* cs, ULong* base, const Place* to,
                               Addr sp)
{
   if (cs->n_frames > cs->floor) {
      unwind_calls(cs, base, sp,
                   n_returned_from(cs, to->hash_key, sp));
      return;
   }
   /* The base is left: it was not called by anything that is followed. */
   set_stub(cs, base, NULL);
   tell_leave(cs, base, False);
   forget_first(cs);
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
      jump_to(cs, base, sb, sb->n_instrs - 1, to, sp,
              to->is_entry || to->function != cs->now.function);
   else if (cs->n_frames == 0 || cs->now.height == 1)
      return_from_base(cs, base, sb, to, sp);
   else if (unwind_calls(cs, base, sp, n) > 0 && cs->now.was_left)
      tell_if_base_ended(cs, base, to);
}

/* Return whether excluded code that was called has called in turn. */
static Bool is_called_back(const CallStack* cs, Addr sp)
{
   const Frame* top = cs->n_frames > cs->floor
                      ? &cs->frames[cs->n_frames - 1] : NULL;

   return top != NULL && top->entry->is_excluded && sp < top->sp;
}

/* Continue at TO, with stack pointer SP.  Excluded code has run since
   superblock LAST, or since the begin if that is NULL. */
static void enter_from_excluded(CallStack* cs, ULong* base, Superblock* last,
                      const Place* to, Addr sp)
{
   UInt n = unwind_calls(cs, base, sp, 0);

   if (cs->now.function == 0) {
      begin_base(cs, base, to);
   } else if (is_called_back(cs, sp) || (n == 0 && to->is_entry)) {
      CallSite site = { last, last == NULL ? 0 : last->n_instrs - 1, NULL,
                        context_of(cs, cs->now.function) };
      push(cs, base, &site, to, sp, False);
   }
   show_calls(cs, base);
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
         if (unwind_calls(cs, base, sp, 0) == 0)
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
   show_calls(cs, base);
}

/*--- Other stacks                                         ---*/

static void settle_stack(CallStack* cs);

void DCFG_(load_sp)(ULong* base, Addr from, Addr to)
{
   CallStack* cs = stack_of(base);
   Departure  d;

   if (cs->departure.to != 0)
      from = cs->departure.from;
   if (cs->now.function == 0 || !DCFG_(may_depart)(cs, from, to, &d))
      return;
   settle_stack(cs);
   cs->departure = d;
   show_quick(cs);
}

/* Leave N handlers. */
static void leave_handlers(CallStack* cs, ULong* base, UInt n)
{
   for (; n > 0; n--) {
      while (cs->n_frames > innermost(cs)->n_frames)
         pop_call(cs, base);
      resume_suspended(cs, base);
   }
   cs->departure.to = 0;
}

/* CS leaves N handlers and goes to TO, in what they interrupted, with stack pointer
   SP.  Return True if nothing else is left to do. */
static Bool go_to_interrupted(CallStack* cs, UInt n, LeaveKind kind,
                              const Place* to, Addr sp)
{
   leave_handlers(cs, base_of(cs), n);
   if (kind == LeaveCall || to->is_entry)
      return False;
   unwind_calls(cs, base_of(cs), sp, 0);
   show_calls(cs, base_of(cs));
   return True;
}

/* SB is left for TO, with stack pointer SP, behind a load of the stack pointer.
   Change the stack if it is another one.  Return True if nothing else is left to
   do. */
static Bool depart(CallStack* cs, const Superblock* sb, UWord leave,
                   const Place* to, Addr sp)
{
   const LeaveKind kind = DCFG_LEAVE_KIND(leave);
   ULong*          base = base_of(cs);
   Departure       d;

   /* The function that has loaded it goes on. */
   if (kind == LeaveJump && !DCFG_(is_call_like)(place_of(sb), to)
       && (!DCFG_LEAVE_AT_END(leave) || sb->end == EndDirect))
      return True;
   const Bool may = DCFG_(may_depart)(cs, cs->departure.from, cs->departure.to,
                                      &d);
   const UInt n = may && d.inside ? DCFG_(left_handlers)(cs, sp) : 0;
   cs->departure.to = 0;
   if (n > 0)
      return go_to_interrupted(cs, n, kind, to, sp);
   if (!may || DCFG_(has_come_back)(cs, &d, sp)
       || (d.inside && (kind == LeaveCall || !to->is_entry
                        || cs->alternate.size != 0)))
      return False;
   leave_handlers(cs, base, VG_(sizeXA)(cs->suspended));
   DCFG_(change_stack)(cs, &d, DCFG_(with_function)(to), sp);
   cs->has_arrived = True;
   if (cs->now.function != 0) {
      if (kind == LeaveCall)
         unwind_calls(cs, base, sp, cs->n_frames);
      return False;
   }
   if (!to->is_excluded)
      begin_base(cs, base, to);
   show_calls(cs, base);
   return True;
}

/* CS has come to its stack by the last way out.  Return whether the next, from SB to
   TO, is no call: where its stack was too small, a function of Go called what enlarges
   it, and now begins again. */
static Bool begins_again(CallStack* cs, const Superblock* sb, UWord leave,
                         const Place* to, Addr sp)
{
   const Frame* top = cs->n_frames == 0 ? NULL : &cs->frames[cs->n_frames - 1];

   cs->has_arrived = False;
   show_quick(cs);
   return DCFG_LEAVE_KIND(leave) == LeaveJump && to->is_entry
          && total_of(cs) - cs->turn == DCFG_LEAVE_INSTR(leave) + 1
          && (top == NULL ? to->function == cs->now.function
                            && sp == cs->on->span.top
                          : to == top->entry && sp == top->sp);
}

/*--- The usual call, and the usual return                 ---*/

static inline void set_top_sp(const CallStack* cs, ULong* base, Addr sp)
{
   *(UWord*)(DCFG_(call_slots)(base) + CallTopSp) = sp;
   show_quick(cs);
}

/* Return the thread's instruction total.  BASE may be that of the second
   array, whose total does not count. */
static inline ULong collected_total(const CallStack* cs, ULong* base)
{
   return cs->is_idle ? total_of(cs) : DCFG_(call_slots)(base)[CallTotal];
}

/* Return whether the function that runs may push a call usually. */
static inline Bool may_push_usually(const CallStack* cs, const Superblock* sb,
                                    Addr sp)
{
   return cs->n_frames > cs->floor && cs->n_frames < cs->room
          && cs->frames[cs->n_frames - 1].sp >= sp
          && cs->now.stub == NULL && cs->now.function != 0
          && !place_of(sb)->heads_table;
}

/* Push the call of a function that is not heeded from one to another, as push()
   does.  Return False if the call may be another one. */
static inline Bool enter_usually(CallStack* cs, ULong* base, Superblock* sb,
                                 UInt k, const Place* to, Addr sp, Bool is_call)
{
   Running* now = &cs->now;

   if (!may_push_usually(cs, sb, sp) || to->is_skipped)
      return False;
   UInt* n = active(cs, to->function);
   if (DCFG_(heeds_functions) && *n == 0 && DCFG_(is_heeded)(to->function))
      return False;
   if (!is_call
       && DCFG_(jump_again)(cs, &DCFG_(any_call), to,
                            collected_total(cs, base))) {
      show_quick(cs);
      return True;
   }
   Frame* f = &cs->frames[cs->n_frames];
   *f = (Frame){
      .call = &DCFG_(any_call), .sp = sp, .entry = to, .sb = is_call ? sb : NULL,
      .instr = k, .chain = chain_at(cs, sp, !is_call),
      .function = now->function, .height = now->height,
      .start = collected_total(cs, base)
   };
   cs->n_frames++;
   begin_pair(cs, f);
   ++*n;
   now->height  += to->function != now->function;
   now->function = to->function;
   set_top_sp(cs, base, sp);
   return True;
}

/* A jump from SB to TO that is a call, if nothing ends by it. */
static inline Bool jump_usually(CallStack* cs, ULong* base, Superblock* sb,
                                UInt k, const Place* to, Addr sp)
{
   const Frame* top = &cs->frames[cs->n_frames - 1];

   return !DCFG_(heeds_functions) && may_push_usually(cs, sb, sp)
          && !top->resolves && DCFG_(is_call_like)(place_of(sb), to)
          && enter_usually(cs, base, sb, k, to, top->sp, False);
}

/* Pop calls that end with stack pointer SP, as pop_call() does.  Return False
   if the return may end something else. */
static inline Bool leave_usually(CallStack* cs, ULong* base, Addr sp)
{
   Running* now   = &cs->now;
   ULong    total = collected_total(cs, base);

   if (!has_calls(cs) || cs->frames[cs->n_frames - 1].sp >= sp
       || now->height <= 1)
      return False;
   if (DCFG_(heeds_functions)
       && (cs->n_frames < 2 || cs->frames[cs->n_frames - 2].sp < sp
           || DCFG_(is_heeded)(cs->frames[cs->n_frames - 1].entry->function)))
      return False;
   while (cs->n_frames > cs->floor && cs->n_frames > 1) {
      const Frame* f = &cs->frames[cs->n_frames - 1];
      if (f->sp >= sp) {
         set_top_sp(cs, base, f->sp);
         return True;
      }
      if (f->call == NULL || f->function == 0 || f->stub != NULL
          || now->stub != NULL)
         break;
      end_pair(cs, f, total);
      *active(cs, f->entry->function) -= 1 + f->more;
      now->function = f->function;
      now->height   = f->height;
      cs->n_frames--;
      if (*active(cs, now->function) == 0)
         *active(cs, now->function) = 1;
   }
   if (DCFG_(heeds_functions))
      return False;
   unwind_calls(cs, base_of(cs), sp, 0);
   show_calls(cs, base_of(cs));
   return True;
}

/* A stub of a linkage table is called, and jumps on.  Nearly always the
   function that it jumps to gets the stub's stack pointer, and both end
   together: one frame is enough for both, and it is pushed when the stub jumps.
   What else happens in the stub calls push_stub() first. */
static inline Bool call_stub(CallStack* cs, Superblock* sb, UWord leave,
                             const Place* to, Addr sp)
{
   const Bool is_jump = DCFG_LEAVE_KIND(leave) == LeaveJump;

   if (DCFG_(heeds_functions) || !to->is_skipped || to->is_excluded
       || DCFG_(guest).jumps_are_calls || !may_push_usually(cs, sb, sp))
      return False;
   if (is_jump && (cs->frames[cs->n_frames - 1].resolves
                   || place_of(sb)->is_skipped))
      return False;
   cs->pending = (PendingStub){
      to, sb, DCFG_LEAVE_INSTR(leave), is_jump, DCFG_LEAVE_AT_END(leave),
      is_jump ? cs->frames[cs->n_frames - 1].sp : sp, total_of(cs)
   };
   show_quick(cs);
   return True;
}

static inline Bool leave_stub(CallStack* cs, ULong* base, const Superblock* sb,
                              const Place* to, Addr sp)
{
   const PendingStub* p = &cs->pending;

   if (p->stub == NULL || sp != p->sp || place_of(sb)->heads_table
       || !enter_usually(cs, base, p->sb, p->instr, to, sp, !p->is_jump))
      return False;
   cs->pending.stub = NULL;
   show_quick(cs);
   return True;
}

static void push_stub(CallStack* cs)
{
   const PendingStub p    = cs->pending;
   CallSite          site = { p.sb, p.instr, NULL, 0 };

   if (p.stub == NULL)
      return;
   cs->pending.stub = NULL;
   site.context     = context_of(cs, cs->now.function);
   push(cs, base_of(cs), &site, p.stub, p.sp, !p.is_jump);
   cs->now.stub_start = p.start;
   set_call_slots(cs);
}

/* Go to a stub that may turn out to be one of a quick call.  Return False if SB
   goes to no stub, or if it cannot be one. */
static inline Bool go_to_stub(CallStack* cs, ULong* base, Superblock* sb,
                              UWord leave, const Place* to, Addr sp)
{
   if (cs->quick == NULL || cs->is_idle || cs->pending.stub != NULL
       || DCFG_LEAVE_KIND(leave) == LeaveReturn
       || !call_stub(cs, sb, leave, to, sp))
      return False;
   set_context(base, DCFG_NO_CONTEXT);
   return True;
}

/* Return whether the innermost call has come from stub P. */
static Bool has_left_stub(const CallStack* cs, const PendingStub* p)
{
   const Frame* top = &cs->frames[cs->n_frames - 1];

   return cs->n_frames > 1 && top->call != NULL && top->sp == p->sp
          && !top->resolves && top[-1].call == NULL && top[-1].entry == p->stub
          && top[-1].sp == p->sp && !top[-1].resolves;
}

/* Bring the stack up to date, for what is no way out. */
static void settle_stack(CallStack* cs)
{
   settle_quick(cs, base_of(cs));
   push_stub(cs);
}

/* Do what leave_for() does if the call or return is a usual one that only the
   stack must know.  Return False if it is not. */
static inline Bool go_usually(CallStack* cs, ULong* base, Superblock* sb,
                              UWord leave, const Place* to, Addr sp)
{
   UInt k = DCFG_LEAVE_INSTR(leave);

   switch (DCFG_LEAVE_KIND(leave)) {
      case LeaveCall:
         return enter_usually(cs, base, sb, k, to, sp, True)
                || call_stub(cs, sb, leave, to, sp);
      case LeaveJump:
         return cs->pending.stub != NULL
                ? leave_stub(cs, base, sb, to, sp)
                : jump_usually(cs, base, sb, k, to, sp)
                  || call_stub(cs, sb, leave, to, sp);
      default:
         return False;
   }
}

/*--- Ways out as generated code tells them                ---*/

void DCFG_(leave_for_place)(ULong* base, Superblock* sb, UWord leave,
                            const Place* to, Addr sp)
{
   CallStack* cs = stack_of(base);

   if (DCFG_(go_quickly)(cs, base, sb, leave, to, 0, sp))
      return;
   settle_quick(cs, base);
   if (cs->has_arrived && begins_again(cs, sb, leave, to, sp))
      return;
   if (cs->departure.to != 0 && depart(cs, sb, leave, to, sp))
      return;
   if (only_keeps_stack() ? go_usually(cs, base, sb, leave, to, sp)
                          : go_to_stub(cs, base, sb, leave, to, sp))
      return;
   push_stub(cs);
   leave_superblock(cs, sb, leave, to, sp);
}

void DCFG_(leave_for)(ULong* base, Superblock* sb, UWord leave, Addr target,
                      Addr sp)
{
   CallStack* cs = stack_of(base);

   if (cs->quick != NULL
       && DCFG_(go_quickly)(cs, base, sb, leave, destination(sb, target),
                            target, sp))
      return;
   settle_quick(cs, base);
   if (cs->has_arrived
       && begins_again(cs, sb, leave, destination(sb, target), sp))
      return;
   if (cs->departure.to != 0
       && depart(cs, sb, leave, destination(sb, target), sp))
      return;
   const PendingStub p = cs->pending;
   if (only_keeps_stack()) {
      if (DCFG_LEAVE_KIND(leave) == LeaveReturn
          ? p.stub == NULL && leave_usually(cs, base, sp)
          : go_usually(cs, base, sb, leave, destination(sb, target), sp)) {
         if (p.stub != NULL && cs->pending.stub == NULL)
            DCFG_(remember_stub)(cs, &cs->frames[cs->n_frames - 1], &p, target);
         return;
      }
   }
   push_stub(cs);
   /* The usual return. */
   if (DCFG_LEAVE_KIND(leave) == LeaveReturn && has_calls(cs)
       && sp > cs->frames[cs->n_frames - 1].sp && cs->now.height > 1) {
      unwind_calls(cs, base_of(cs), sp, 0);
      if (cs->now.was_left)
         tell_if_base_ended(cs, base_of(cs), destination(sb, target));
      show_calls(cs, base_of(cs));
      return;
   }
   leave_superblock(cs, sb, leave, destination(sb, target), sp);
   if (p.stub != NULL && has_left_stub(cs, &p))
      DCFG_(remember_stub)(cs, &cs->frames[cs->n_frames - 1], &p, target);
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
                          DCFG_LEAVE(sb->n_instrs - 1, True, LeaveJump), to, sp);
}

/*--- Ways out when functions change what is collected     ---*/

void DCFG_(leave_heeding)(ULong* base, Superblock* sb, UWord leave,
                          Addr target, Addr sp)
{
   CallStack* cs = stack_of(base);

   if (only_keeps_stack() && cs->departure.to == 0 && !cs->has_arrived
       && (DCFG_LEAVE_KIND(leave) == LeaveReturn
           ? leave_usually(cs, base, sp)
           : go_usually(cs, base, sb, leave, destination(sb, target), sp)))
      return;
   cs->at_way_out = True;
   cs->bound_for  = target;
   DCFG_(leave_for)(base, sb, leave, target, sp);
   cs->at_way_out = False;
   /* longjmp out of a handler also brings back what was collected before. */
   if (!cs->is_stopped && cs->collects != cs->is_idle)
      return;
   DCFG_(stop_at_way_out)(cs->index, target);
   apply_toggles(cs);
   DCFG_(go_on_from_way_out)(cs->index);
   cs->is_stopped = False;
}

void DCFG_(count_jump)(ULong* base, Superblock* sb, Addr target)
{
   if (DCFG_(is_call_like)(place_of(sb), destination(sb, target)))
      DCFG_(count_branch)(base, sb->id, target);
   else
      DCFG_(branch_miss)(base, sb->id, target);
}
/*--- Threads and signal handlers                          ---*/

static Bool         are_separate;   // does each thread have its own profile?
static CallProfile* common;         // the profile of all threads otherwise

static ULong* slots_of(const CallStack* cs)
{
   return DCFG_(call_slots)(base_of(cs));
}

static void set_cells(CallStack* cs)
{
   ULong* slots = slots_of(cs);

   if (cs->quick != NULL)
      DCFG_(empty_quick)(cs, base_of(cs));
   slots[CallOfStack] = (Addr)cs;
   slots[CallCounts]  = (Addr)cs->profile->contexts;
   slots[CallCached]  = (Addr)cs->cached;
   set_call_slots(cs);
}

static CallProfile* join_profile(void)
{
   CallProfile* cp = are_separate || common == NULL
                     ? DCFG_(new_call_profile)() : common;

   if (!are_separate)
      common = cp;
   cp->n_stacks++;
   return cp;
}

static void leave_profile(CallProfile* cp)
{
   if (--cp->n_stacks > 0)
      return;
   if (cp == common)
      common = NULL;
   DCFG_(delete_call_profile)(cp);
}

static void* new_stack(CellArray* ca, UInt index)
{
   static UInt n_stacks;
   CallStack*  cs = VG_(calloc)("dcfg.stack", 1, sizeof(CallStack));

   cs->index     = index;
   cs->number    = ++n_stacks;
   cs->cells     = ca;
   cs->collects  = DCFG_(collects_at_start);
   cs->has_own_profile = are_separate;
   cs->profile   = join_profile();
   cs->totals    = cs->all_totals
      = DCFG_(sums_calls) ? DCFG_(new_call_totals)() : NULL;
   cs->own       = cs->on = DCFG_(new_own_stack)();
   cs->times     = DCFG_(new_times)();
   DCFG_(make_room_for_quick)(cs);
   cs->suspended = DCFG_NEW_ARRAY("dcfg.stack.suspended", Suspended);
   cs->cached    = DCFG_NEW_ARRAY("dcfg.stack.cached", UInt);
   set_cells(cs);
   return cs;
}

static void delete_stack(void* s)
{
   CallStack* cs = s;

   DCFG_(free_own_stack)(cs);
   if (cs->profile->n_stacks == 1)
      DCFG_(move_left_stacks)(cs->profile, NULL);
   leave_profile(cs->profile);
   DCFG_(free_quick)(cs);
   DCFG_(forget_quick_calls)();
   if (cs->all_totals != NULL)
      DCFG_(delete_call_totals)(cs->all_totals);
   DCFG_(delete_times)(cs->times);
   VG_(deleteXA)(cs->suspended);
   VG_(deleteXA)(cs->cached);
   DCFG_FREE_ALL(cs->frames, cs->active, cs->jumps, cs);
}

/* Begin a new profile with the same active calls.  Stacks that share a profile
   share the new one, too: the first one that is restarted makes it. */
static void* restart_stack(void* s, CellArray* ca, UInt index,
                           Restart why)
{
   CallStack*   cs  = s;
   CallProfile* old = cs->profile;

   if (old == common)
      common = NULL;
   CallProfile* cp = join_profile();
   if (cp->n_stacks == 1 && why == RestartPart)
      DCFG_(carry_calls)(old, cp);

   DCFG_(forget_quick_calls)();
   for (UInt i = 0; i < cs->n_frames; i++) {
      Frame* f = &cs->frames[i];
      f->call  = DCFG_(call_in)(cp, f->call);
      f->stub  = DCFG_(call_in)(cp, f->stub);
      f->start = f->more_starts = f->pair_all = f->function_all = 0;
   }
   for (Word i = 0; i < VG_(sizeXA)(cs->suspended); i++) {
      Suspended* below = VG_(indexXA)(cs->suspended, i);
      below->running.stub       = DCFG_(call_in)(cp, below->running.stub);
      below->running.stub_start = 0;
      below->total              = 0;
      below->since              = 0;
      below->first.start        = 0;
   }
   cs->now.stub       = DCFG_(call_in)(cp, cs->now.stub);
   cs->now.stub_start = 0;
   cs->earlier        = 0;
   cs->returned       = 0;
   cs->since          = 0;
   cs->first.start    = 0;
   if (cs->times != NULL)
      DCFG_(times_forget)(cs->times);
   if (cs->totals != NULL)
      DCFG_(clear_call_totals)(cs->all_totals, why == RestartPart);
   if (index == 0)
      DCFG_(clear_left_stacks)();
   cs->turn = cs->elsewhere = cs->on->cost = cs->on->ran = 0;
   DCFG_(move_left_stacks)(old, cp);
   leave_profile(old);
   cs->profile = cp;
   cs->index   = index;
   cs->cells   = ca;
   VG_(dropTailXA)(cs->cached, VG_(sizeXA)(cs->cached));
   set_cells(cs);
   settle_stack(cs);
   return cs;
}

static void resume(void* s, Addr ip, Addr sp)
{
   CallStack* cs   = s;
   ULong*     base = base_of(cs);
   ULong*     used = cs->is_idle ? DCFG_(cell_base)(cs->idle_cells) : base;

   settle_stack(cs);
   if (cs->own->span.top == 0)
      cs->own->span.top = sp;
   /* If the thread is away, come_back() begins the base. */
   if (cs->now.function == 0 && used[CellAway] == 0) {
      const Place* to = DCFG_(with_function)(DCFG_(landing_place)(ip));
      if (!to->is_excluded)
         begin_base(cs, base, to);
   }
   /* Calls that a return from the base left on the stack end at the next
      jump. */
   if (cs->returned != DCFG_(call_slots)(base)[CallTotal] + 1
       && cs->departure.to == 0)
      unwind_calls(cs, base, sp, 0);
   apply_toggles(cs);
   show_calls(cs, base);
}

/* Code outside of generated code finds no quick calls. */
static void pause(void* s)
{
   settle_quick(s, base_of(s));
}

static void come_back(void* s, UInt last, UInt sb, Addr sp)
{
   CallStack* cs = s;

   settle_stack(cs);
   enter_from_excluded(cs, base_of(cs),
                    last == 0 ? NULL : DCFG_(superblock)(last),
                    DCFG_(with_function)(place_of(DCFG_(superblock)(sb))), sp);
}

/* Return the number of instructions in superblock SB's segment from K on. */
static UInt rest_of_segment(UInt sb, UInt k)
{
   return DCFG_(segment_end)(DCFG_(superblock)(sb), k) - k;
}

static void stop(void* s, UInt sb, UInt k)
{
   CallStack* cs    = s;
   ULong*     slots = slots_of(cs);

   if (k == 0)
      return;
   slots[CallTotal] -= rest_of_segment(sb, k);
   if (DCFG_(counts_contexts) && slots[CallContext] > DCFG_NO_CONTEXT)
      DCFG_(count_fault)(cs->profile->contexts, sb, k, slots[CallContext]);
}

static void take_stop_back(CallStack* cs, UInt sb, UInt k)
{
   ULong* slots = slots_of(cs);

   if (k == 0)
      return;
   slots[CallTotal] += rest_of_segment(sb, k);
   if (DCFG_(counts_contexts) && slots[CallContext] > DCFG_NO_CONTEXT)
      DCFG_(uncount_fault)(cs->profile->contexts, sb, k,
                           slots[CallContext]);
}

static void enter_handler(void* s, Int signal, Addr sp,
                          const vki_stack_t* alternate)
{
   CallStack* cs    = s;
   settle_stack(cs);
   ULong*     slots = slots_of(cs);
   Suspended  below = { cs->now, cs->first, slots[CallTotal], cs->since,
                        cs->totals, cs->n_frames, cs->collects, sp,
                        cs->departure, cs->alternate };

   VG_(addToXA)(cs->suspended, &below);
   if (cs->times != NULL)
      DCFG_(times_suspend)(cs->times);
   VG_(memset)(&cs->first, 0, sizeof(cs->first));
   cs->departure.to = 0;
   cs->totals   = DCFG_(totals_of_handlers)(cs->totals);
   cs->since    = 0;
   cs->floor    = cs->n_frames;
   if (alternate != NULL)
      cs->alternate = (Alternate){ (Addr)alternate->ss_sp, alternate->ss_size,
                                   cs->n_frames };
   cs->earlier += slots[CallTotal];
   VG_(memset)(&cs->now, 0, sizeof(cs->now));
   slots[CallTotal] = 0;
   cs->collects     = DCFG_(collects_at_start);
   apply_toggles(cs);
   show_calls(cs, base_of(cs));
}

static void leave_handler(void* s)
{
   CallStack* cs   = s;
   ULong*     base = base_of(cs);

   settle_stack(cs);
   if (!runs_in_handler(cs))
      return;
   while (cs->n_frames > innermost(cs)->n_frames)
      pop_call(cs, base);
   resume_suspended(cs, base);
   apply_toggles(cs);
   show_calls(cs, base);
}

/* Go on at IP, with stack pointer SP, in place of FROM. */
static void go_elsewhere(void* s, Addr from, Addr ip, Addr sp, Bool is_call)
{
   CallStack*   cs   = s;
   ULong*       base = base_of(cs);
   const Place* to   = DCFG_(with_function)(DCFG_(landing_place)(ip));
   CallSite     site = { NULL, 0, DCFG_(with_function)(DCFG_(place_at)(from)), 0 };

   settle_stack(cs);
   if (cs->now.function == 0 || to->is_excluded
       || (!is_call && !DCFG_(is_call_like)(site.from, to)))
      return;
   site.context = context_of(cs, cs->now.function);
   /* This call has no site with an address to which it returns. */
   if (is_call)
      push(cs, base, &site, to, sp - DCFG_(guest).calls_link, True);
   else if (unwind_calls(cs, base, sp, 0) == 0)
      push(cs, base, &site, to, sp_of_jump(cs, sp), False);
   apply_toggles(cs);
   show_calls(cs, base);
}

void DCFG_(account_for_calls)(void)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (!info.live)
         continue;
      settle_stack(DCFG_(stack_of_thread)(t));
      if (info.undone == NULL && !info.off)
         stop(DCFG_(stack_of_thread)(t), info.last.sb, info.last.n_done);
      DCFG_(add_active_costs)(DCFG_(stack_of_thread)(t), False);
   }
}

void DCFG_(take_account_back)(void)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      if (t == 0 || are_separate)
         DCFG_(note_told_calls)(DCFG_(stack_of_thread)(t)->profile);
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (!info.live)
         continue;
      DCFG_(add_active_costs)(DCFG_(stack_of_thread)(t), True);
      if (info.undone == NULL && !info.off)
         take_stop_back(DCFG_(stack_of_thread)(t), info.last.sb, info.last.n_done);
   }
}

ULong DCFG_(superblocks_run)(UInt thread)
{
   const CallStack* cs = DCFG_(stack_of_thread)(thread);

   return cs->is_ending ? 0 : slots_of(cs)[CallRuns];
}

const CallProfile* DCFG_(call_profile)(UInt thread)
{
   return DCFG_(stack_of_thread)(thread)->profile;
}

static void flush(void* s)
{
   DCFG_(flush_contexts)(base_of(s));
}

static void end_calls(CallStack* cs)
{
   ULong* base = base_of(cs);

   settle_stack(cs);
   while (runs_in_handler(cs))
      leave_handler(cs);
   while (cs->n_frames > 0)
      pop_call(cs, base);
   set_stub(cs, base, NULL);
   tell_leave(cs, base, False);
   forget_first(cs);
}

/* End all calls: the next collected code begins without.  As in Callgrind, the
   function that ran without a call stays active. */
static void suspend(void* s)
{
   CallStack* cs = s;

   end_calls(cs);
   VG_(memset)(&cs->now, 0, sizeof(cs->now));
   cs->earlier            += slots_of(cs)[CallTotal];
   slots_of(cs)[CallTotal] = 0;
   cs->since               = 0;
   if (cs->times != NULL)
      DCFG_(times_forget)(cs->times);
   cs->collects            = DCFG_(collects_at_start);
   apply_toggles(cs);
   show_calls(cs, base_of(cs));
}

static void have_idle_cells(void* s, CellArray* ca)
{
   CallStack* cs = s;

   cs->idle_cells = ca;
   DCFG_(call_slots)(DCFG_(cell_base)(ca))[CallOfStack] = (Addr)cs;
   if (cs->quick != NULL)
      DCFG_(empty_quick)(cs, DCFG_(cell_base)(ca));
   set_call_slots(cs);
}

static void turn(void* s, Bool on)
{
   CallStack* cs   = s;
   ULong*     base = base_of(cs);

   settle_stack(cs);
   if (DCFG_(call_listener) != NULL)
      DCFG_(call_listener)->turn(base, instrs_on_stack(cs, base), on);
   cs->collects = on;
   cs->is_idle  = !on;
   set_call_slots(cs);
}

static void end(void* s)
{
   CallStack* cs = s;

   cs->is_ending  = True;
   cs->is_idle    = False;
   cs->idle_cells = NULL;
   end_calls(cs);
   if (DCFG_(go_to_own_stack)(cs))
      end_calls(cs);
   DCFG_FREE_ALL(cs->frames, cs->active);
   DCFG_(free_quick)(cs);
   cs->frames = NULL;
   cs->active = NULL;
   cs->room   = cs->n_active = 0;
}

/* A branch has a target in its cache only if a jump there is no call.  What is
   mapped next at the target may make it one, so empty the caches. */
static void unmapped(Addr a, SizeT len)
{
   DCFG_(forget_stacks)(a, len);
   if (!DCFG_(forget_places)(a, len))
      return;
   DCFG_(flush_threads)();
   DCFG_(forget_quick_calls)();
}

/*--- Watchers                                             ---*/

const Watcher DCFG_(call_watcher) = {
   .thread_new    = new_stack,
   .thread_free   = delete_stack,
   .restart       = restart_stack,
   .resume        = resume,
   .pause         = pause,
   .come_back     = come_back,
   .stop          = stop,
   .suspend       = suspend,
   .idle_cells    = have_idle_cells,
   .turn          = turn,
   .enter_handler = enter_handler,
   .leave_handler = leave_handler,
   .diverted      = go_elsewhere,
   .flush         = flush,
   .thread_end    = end,
   .unmapped      = unmapped,
   .renamed       = unmapped
};

const Watcher DCFG_(handler_watcher) = {
   .thread_new    = new_stack,
   .thread_free   = delete_stack,
   .restart       = restart_stack,
   .suspend       = suspend,
   .idle_cells    = have_idle_cells,
   .turn          = turn,
   .enter_handler = enter_handler,
   .leave_handler = leave_handler,
   .diverted      = go_elsewhere,
   .thread_end    = end
};

void DCFG_(watch_stacks)(const Watcher* w, Bool separately)
{
   if (separately)
      are_separate = True;
   DCFG_(stack_watcher) = DCFG_(watch)(w);
}

void DCFG_(toggle_thread)(UInt thread)
{
   DCFG_(collect_thread)(thread, !DCFG_(is_thread_collected)(thread));
}

ULong DCFG_(instrs_on_stack)(UInt thread)
{
   return DCFG_(instrs_run)(thread)
          - DCFG_(stack_of_thread)(thread)->elsewhere;
}

ULong DCFG_(instrs_run)(UInt thread)
{
   CallStack* cs = DCFG_(stack_of_thread)(thread);
   ULong      n  = instrs_so_far(cs, base_of(cs));
   ThreadInfo info;

   DCFG_(thread_info)(thread, &info);
   if (info.undone == NULL && !info.off && info.last.n_done > 0)
      n -= rest_of_segment(info.last.sb, info.last.n_done);
   return n;
}
