/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the quick calls of a thread, and which call may be quick at an
   instruction.  Handed: calls by tool/calls/stack.c.

   Nearly all calls and returns change a few words: sums, the count and cost of a
   call and the context that runs, or a log.  The active quick calls stand above
   the frames of tool/calls/stack.c, and get frames there before it does anything
   else.  A superblock knows the call that it made last, or the last one to each
   target.  If the same function runs again in the same context, and no call ends,
   the call begins at once.  tool/calls/stack.c is told of all else: a call by
   another function comes back as go_quickly().

   The usual ones are in tool/calls/follow.c. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "tool/base/core.h"
#include "tool/arch/guest.h"
#include "tool/calls/context.h"
#include "tool/calls/quick.h"
#include "tool/calls/systime.h"
#include "tool/calls/toggle.h"

#define N_QUICK_FRAMES 1024u

QuickCall DCFG_(no_quick_call) = {
   .caller = ~0ULL
};

static QuickCall* no_targets[DCFG_QUICK_TARGETS];

/* Superblock*: those that know calls, some of them twice. */
static XArray* callers;

Bool DCFG_(has_quick_calls)(void)
{
   return DCFG_(quick_wants)() != 0 && !DCFG_(heeds_functions)
          && !DCFG_(divides_contexts) && DCFG_(n_sys_events)() == 0
          && !DCFG_(guest).jumps_are_calls;
}

void DCFG_(init_quick)(const Superblock* sb)
{
   CallFields* fields = DCFG_(call_fields)(sb);

   if (fields->quick != NULL)
      return;
   for (UInt i = 0; no_targets[i] == NULL && i < DCFG_QUICK_TARGETS; i++)
      no_targets[i] = &DCFG_(no_quick_call);
   fields->quick   = &DCFG_(no_quick_call);
   fields->targets = no_targets;
}

/*--- A thread's room                                      ---*/

void DCFG_(make_room_for_quick)(CallStack* cs)
{
   if (!DCFG_(has_quick_calls)())
      return;
   cs->quick        = VG_(calloc)("dcfg.stack.quick", N_QUICK_FRAMES + 1,
                                  sizeof(QuickFrame));
   cs->quick->call  = VG_(calloc)("dcfg.stack.bottom", 1, sizeof(QuickCall));
   cs->quick->start = DCFG_IN_STUB;
}

void DCFG_(free_quick)(CallStack* cs)
{
   if (cs->quick == NULL)
      return;
   DCFG_FREE_ALL(cs->quick->call, cs->quick);
   cs->quick = NULL;
}

void DCFG_(empty_quick)(const CallStack* cs, ULong* base)
{
   DCFG_(call_slots)(base)[CallQuickTop] = (Addr)cs->quick;
   DCFG_(call_slots)(base)[CallQuickEnd] = (Addr)(cs->quick + N_QUICK_FRAMES);
}

/*--- Calls                                                ---*/

/* Let generated code know C. */
static void show_call(QuickCall* c)
{
   CallFields* fields = DCFG_(call_fields)(c->sb);

   if (!c->at_end)
      return;
   if (c->target == 0 || c->stub != NULL) {
      fields->quick = c;
      return;
   }
   if (fields->targets == no_targets) {
      fields->targets = VG_(malloc)("dcfg.quick.targets", sizeof(no_targets));
      VG_(memcpy)(fields->targets, no_targets, sizeof(no_targets));
   }
   fields->targets[DCFG_(quick_entry)(c->target)] = c;
}

static void add_counts(CallStack* cs, QuickCall* c)
{
   const UInt     caller = DCFG_(context_of_key)(c->caller);
   const CallSite site   = { c->sb, c->instr, NULL, caller };

   c->callee = DCFG_(quick_key)(cs, c->to->function,
                                *active(cs, c->to->function) + 1);
   if (cs->totals != NULL) {
      c->total = DCFG_(function_total)(cs->totals, c->to->function);
      c->pair  = DCFG_(pair_total)(cs->totals, DCFG_CONTEXT_CHAIN(caller),
                                   c->to->function);
   }
   if (!DCFG_(counts_contexts))
      return;
   c->call = DCFG_(find_call)(cs->profile, &site, c->to,
                              DCFG_(context_of_key)(c->callee));
   if (c->stub != NULL)
      c->in_stub = DCFG_(find_call)(cs->profile, &site, NULL, 0);
}

void DCFG_(knows_calls)(const Superblock* sb)
{
   if (callers == NULL)
      callers = DCFG_NEW_ARRAY("dcfg.quick.callers", sb);
   VG_(addToXA)(callers, &sb);
}

static QuickCall* new_call(CallStack* cs, const QuickCall* like)
{
   QuickCall* c = VG_(malloc)("dcfg.quick.call", sizeof(*c));

   *c      = *like;
   add_counts(cs, c);
   c->next = DCFG_(call_fields)(c->sb)->quicks;
   DCFG_(call_fields)(c->sb)->quicks = c;
   if (c->next == NULL)
      DCFG_(knows_calls)(c->sb);
   return c;
}

/* Return the call like LIKE, which is the first of its superblock then; NULL:
   none. */
static QuickCall* find_call(CallStack* cs, const QuickCall* like)
{
   QuickCall** first = &DCFG_(call_fields)(like->sb)->quicks;

   for (QuickCall** p = first; *p != NULL; p = &(*p)->next) {
      QuickCall* c = *p;
      if (c->caller != like->caller || c->instr != like->instr
          || c->at_end != like->at_end || c->stub != like->stub
          || (like->to != NULL
              && (c->to != like->to || c->target != like->target))
          || !DCFG_(quick_fits)(cs, c, DCFG_(quick_wants)()))
         continue;
      *p      = c->next;
      c->next = *first;
      *first  = c;
      return c;
   }
   return NULL;
}

static QuickCall* get_call(CallStack* cs, const QuickCall* like)
{
   QuickCall* c = find_call(cs, like);

   return c != NULL ? c : new_call(cs, like);
}

/* Begin a call like LIKE, which lacks its functions, with stack pointer SP.
   Return False if it cannot be quick. */
static Bool call_quickly(CallStack* cs, ULong* base, const QuickCall* like,
                         Addr sp)
{
   const Bool  is_stub = like->to->is_skipped;
   QuickFrame* top     = DCFG_(quick_top)(base);
   QuickCall   call    = *like;
   QuickCall*  c;

   call.caller = top->call->callee;
   if (call.caller == 0
       || (top != cs->quick && DCFG_(is_in_stub)(top))
       || !DCFG_(quick_has_room)(base, top, sp)
       || DCFG_(call_fields)(call.sb)->place->is_skipped)
      return False;
   if (is_stub && (call.to->is_excluded || call.target != 0))
      return False;
   if (is_stub) {
      call.stub = call.to;
      call.to   = NULL;
   }
   c = is_stub ? find_call(cs, &call) : get_call(cs, &call);
   if (c == NULL)
      return False;
   show_call(c);
   DCFG_(quick_begin)(cs, base, top, c, c->is_jump ? top->sp : sp,
                      DCFG_(quick_wants)());
   return True;
}

/* A stub in SB jumps to TO, which is at TARGET: likewise. */
static Bool leave_stub_quickly(CallStack* cs, ULong* base, const Superblock* sb,
                               const Place* to, Addr target, Addr sp)
{
   QuickFrame* top = DCFG_(quick_top)(base);
   QuickCall   like;

   if (top == cs->quick || !DCFG_(is_in_stub)(top) || top->sp != sp
       || to->is_skipped
       || DCFG_(call_fields)(sb)->place->heads_table)
      return False;
   like        = *top->call;
   like.to     = to;
   like.target = target;
   like.caller = top[-1].call->callee;
   top->call   = get_call(cs, &like);
   show_call(top->call);
   DCFG_(quick_start)(cs, base, top, DCFG_(quick_wants)());
   return True;
}

Bool DCFG_(go_quickly)(CallStack* cs, ULong* base, Superblock* sb, UWord leave,
                       const Place* to, Addr target, Addr sp)
{
   const LeaveKind kind = DCFG_LEAVE_KIND(leave);
   const Place*    from = DCFG_(call_fields)(sb)->place;
   const QuickCall call = { .target = target, .to = to, .sb = sb,
                            .instr   = DCFG_LEAVE_INSTR(leave),
                            .at_end  = DCFG_LEAVE_AT_END(leave),
                            .is_jump = kind == LeaveJump };

   if (cs->quick == NULL || kind == LeaveReturn)
      return False;
   if (kind == LeaveJump && from->is_skipped)
      return leave_stub_quickly(cs, base, sb, to, target, sp);
   return (kind == LeaveCall || DCFG_(is_call_like)(from, to))
          && call_quickly(cs, base, &call, sp);
}

void DCFG_(remember_stub)(CallStack* cs, const Frame* f, const PendingStub* p,
                          Addr target)
{
   QuickCall like = { .target = target, .to = f->entry, .stub = p->stub,
                      .sb = p->sb, .instr = p->instr, .at_end = p->at_end,
                      .is_jump = p->is_jump };

   if (cs->quick == NULL || f->function == 0)
      return;
   /* As it was before it began. */
   --*active(cs, f->entry->function);
   like.caller = DCFG_(quick_key)(cs, f->function, *active(cs, f->function));
   show_call(get_call(cs, &like));
   ++*active(cs, f->entry->function);
}

/*--- Frames                                               ---*/

/* Push a frame for the stub that quick call Q has come from. */
static void push_stub_of_quick(CallStack* cs, const QuickFrame* q)
{
   const QuickCall* c = q->call;

   cs->frames[cs->n_frames] = (Frame){
      .sp = q->sp, .entry = c->stub, .sb = c->is_jump ? NULL : c->sb,
      .instr = c->instr, .chain = cs->n_frames + 1,
      .function = cs->now.function, .height = cs->now.height,
      .start = q->in_stub
   };
   cs->n_frames++;
}

static Call* call_of_quick(const QuickCall* c)
{
   return DCFG_(counts_contexts) ? c->call : &DCFG_(any_call);
}

/* Push a frame for quick call Q, which is not in its stub. */
static void push_quick_call(CallStack* cs, const QuickFrame* q)
{
   const QuickCall* c       = q->call;
   const UInt       to      = c->to->function;
   const CallSite   site    = { c->sb, c->instr, NULL, 0 };
   const Bool       is_jump = c->is_jump && (c->stub == NULL
                                             || only_keeps_stack());
   Frame            f       = {
      .call = call_of_quick(c), .sp = q->sp, .entry = c->to,
      .sb = c->is_jump ? NULL : c->sb, .instr = c->instr,
      .function = cs->now.function, .height = cs->now.height,
      .start = q->start, .was_left = DCFG_(quick_replaces)(c)
   };

   /* In contexts, quick calls are active. */
   if (DCFG_(counts_contexts))
      --*active(cs, to);
   if (is_jump && DCFG_(jump_again)(cs, f.call, c->to, q->start))
      return;
   ++*active(cs, to);
   if (c->stub != NULL && !only_keeps_stack()) {
      push_stub_of_quick(cs, q);
      f.sb   = DCFG_(counts_contexts) && is_real_call(&site) ? c->sb : NULL;
      f.stub = DCFG_(counts_contexts) ? c->in_stub : &DCFG_(any_call);
   }
   f.chain = chain_at(cs, q->sp, is_jump);
   if (DCFG_(sums_calls)) {
      settle_self(cs, q->start);
      f.pair          = c->pair;
      f.is_outer      = c->total->active++ == 0;
      f.is_outer_pair = c->pair->active++ == 0;
      f.pair_all      = q->pair_all;
      f.function_all  = q->function_all;
      c->pair->count++;
   }
   cs->frames[cs->n_frames++] = f;
   cs->now.height  += to != cs->now.function;
   cs->now.function = to;
}

void DCFG_(push_quick)(CallStack* cs)
{
   ULong*            base = base_of(cs);
   const QuickFrame* top  = DCFG_(quick_top)(base);

   for (const QuickFrame* q = cs->quick + 1; q <= top; q++) {
      const QuickCall* c = q->call;
      if (DCFG_(is_in_stub)(q)) {
         cs->pending = (PendingStub){ c->stub, c->sb, c->instr, c->is_jump,
                                      c->at_end, q->sp, q->in_stub };
         break;
      }
      if (cs->n_frames + 2 > cs->room)
         make_room_for_frames(cs);
      push_quick_call(cs, q);
   }
   DCFG_(empty_quick)(cs, base);
}

/* Forget the calls that SB knows. */
static void forget_calls_of(const Superblock* sb)
{
   CallFields* fields = DCFG_(call_fields)(sb);
   QuickCall*  next;

   for (QuickCall* c = fields->quicks; c != NULL; c = next) {
      next = c->next;
      VG_(free)(c);
   }
   if (fields->targets != no_targets)
      VG_(free)(fields->targets);
   fields->quicks = fields->quick = NULL;
   fields->last_call = NULL;
   DCFG_(init_quick)(sb);
}

void DCFG_(forget_quick_calls)(void)
{
   if (callers == NULL)
      return;
   for (Word i = 0; i < VG_(sizeXA)(callers); i++)
      forget_calls_of(*(Superblock**)VG_(indexXA)(callers, i));
   VG_(dropTailXA)(callers, VG_(sizeXA)(callers));
}
