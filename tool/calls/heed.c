/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Ways out of superblocks when functions change what is collected. */

/* Owns: what a way out does if --toggle-collect or a like option names
   functions.  Handed: ways out by generated code.  Taken by:
   tool/calls/ir_calls.c, which makes that code.

   Such a function changes what its thread counts.  So the whole superblock must
   have been counted, and the thread stops at the way out (tool/run/gap.h).  Nearly
   all calls are of other functions.  Their way out only keeps the stack, by the
   rules of tool/calls/stack.c.  If nobody listens to calls or counts costs, the
   usual call and the usual return change a few words: see enter_usually() and
   leave_usually(). */

#include "pub_tool_basics.h"

#include "tool/calls/frames.h"
#include "tool/calls/stack.h"
#include "tool/calls/toggle.h"
#include "tool/run/branch.h"
#include "tool/run/gap.h"

static void set_top_sp(ULong* base, Addr sp)
{
   *(UWord*)(DCFG_(call_slots)(base) + CallTopSp) = sp;
}

/* Push the call of a function that is not heeded from one to another, as push()
   in tool/calls/stack.c does.  Return False if the call may be another one. */
static Bool enter_usually(CallStack* cs, ULong* base, Superblock* sb, UInt k,
                          Addr target, Addr sp)
{
   Running* now = &cs->now;

   if (cs->n_frames == 0 || cs->n_frames == cs->room
       || cs->frames[cs->n_frames - 1].sp < sp
       || now->stub != NULL || now->function == 0
       || place_of(sb)->heads_table)
      return False;
   const Place* to = destination(sb, target);
   if (to->is_skipped)
      return False;
   UInt* n = active(cs, to->function);
   if (*n == 0 && DCFG_(is_heeded)(to->function))
      return False;
   cs->frames[cs->n_frames++] = (Frame){
      .call = &DCFG_(any_call), .sp = sp, .entry = to, .sb = sb, .instr = k,
      .function = now->function, .height = now->height
   };
   ++*n;
   now->height  += to->function != now->function;
   now->function = to->function;
   set_top_sp(base, sp);
   return True;
}

/* Pop a call of a function that is not heeded, as pop_call() in tool/calls/stack.c
   does.  Return False if the return may end something else. */
static Bool leave_usually(CallStack* cs, ULong* base, Addr sp)
{
   Running* now = &cs->now;

   if (cs->n_frames < 2 || cs->n_frames <= cs->floor)
      return False;
   const Frame* f     = &cs->frames[cs->n_frames - 1];
   const Frame* below = f - 1;
   if (f->sp >= sp || below->sp < sp || f->call == NULL || f->function == 0
       || now->stub != NULL || f->stub != NULL || now->height <= 1)
      return False;
   UInt* n = active(cs, f->entry->function);
   if (*n == 1 && DCFG_(is_heeded)(f->entry->function))
      return False;
   --*n;
   now->function = f->function;
   now->height   = f->height;
   cs->n_frames--;
   if (*active(cs, now->function) == 0)
      *active(cs, now->function) = 1;
   set_top_sp(base, below->sp);
   return True;
}

/* Do what leave_for() does if the call or return is a usual one that only the
   stack must know.  Return False if it is not. */
static Bool go_usually(CallStack* cs, ULong* base, Superblock* sb, UWord leave,
                       Addr target, Addr sp)
{
   if (DCFG_(counts_contexts) || DCFG_(call_listener) != NULL)
      return False;
   switch (DCFG_LEAVE_KIND(leave)) {
      case LeaveCall:
         return enter_usually(cs, base, sb, DCFG_LEAVE_INSTR(leave), target,
                              sp);
      case LeaveReturn:
         return leave_usually(cs, base, sp);
      default:
         return False;
   }
}

void DCFG_(leave_heeding)(ULong* base, Superblock* sb, UWord leave,
                          Addr target, Addr sp)
{
   CallStack* cs = stack_of(base);

   if (go_usually(cs, base, sb, leave, target, sp))
      return;
   cs->at_way_out = True;
   cs->bound_for  = target;
   DCFG_(leave_for)(base, sb, leave, target, sp);
   cs->at_way_out = False;
   /* longjmp out of a handler also brings back what was collected before. */
   if (!cs->is_stopped && cs->collects != cs->is_idle)
      return;
   DCFG_(stop_at_way_out)(cs->index, target);
   DCFG_(apply_toggles)(cs);
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
