/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Quick calls: a stack of calls that change a few words. */

#ifndef __DCFG_QUICK_H
#define __DCFG_QUICK_H

#include "tool/calls/calls.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/totals.h"

/* QuickWants: what is wanted of calls; several may be.  Generated code calls
   functions in which it is a constant. */
typedef
   enum {
      QuickSums  = 1,
      QuickCosts = 2,      // counts and costs by context
      QuickLog   = 4       // there is a listener
   }
   QuickWants;

static inline UInt DCFG_(quick_wants)(void)
{
   return (DCFG_(sums_calls) ? QuickSums : 0)
          | (DCFG_(counts_contexts) ? QuickCosts : 0)
          | (DCFG_(call_listener) != NULL ? QuickLog : 0);
}

#define DCFG_INLINE static inline __attribute__((always_inline))

/* QuickKey: a function that runs, or its context if costs are counted, and whose
   counts it changes: see quick_key().  0: none. */
typedef ULong QuickKey;

/* QuickCall: calls from one instruction, by one function to another. */
typedef
   struct _QuickCall {
      QuickKey           caller;
      QuickKey           callee;
      /* For sums: */
      FunctionTotal*     total;     // the callee's
      PairTotal*         pair;
      /* For costs: */
      Call*              call;
      Call*              in_stub;   // the calls of .stub, if there is one
      Addr               target;    // an indirect call, or STUB, goes there; else
                                    // 0
      const Place*       to;
      const Place*       stub;      // the stub of a linkage table between caller
                                    // and callee, or NULL
      Superblock*        sb;
      UInt               instr;
      Bool               at_end;    // not at an exit of SB
      Bool               is_jump;
      struct _QuickCall* next;      // the next one of .sb
   }
   QuickCall;

/* QuickFrame: an active quick call. */
typedef
   struct _QuickFrame {
      UWord      sp;                // stack pointer at the callee's begin;
                                    // generated code reads it
      QuickCall* call;
      ULong      start;             // instruction total at the begin
      ULong      in_stub;           // and at the begin of its stub
      ULong      pair_all;          // sums at the begin
      ULong      function_all;
   }
   QuickFrame;

/* .start of a call that is in its stub. */
#define DCFG_IN_STUB ~0ULL

/* Tables for indirect calls have so many entries.  Return the entry of
   TARGET. */
#define DCFG_QUICK_TARGETS 64u
static inline UInt DCFG_(quick_entry)(Addr target)
{
   return target >> 4 & (DCFG_QUICK_TARGETS - 1);
}

/* The quick call that is none. */
extern QuickCall DCFG_(no_quick_call);

/* Set the fields of SB for quick calls. */
void DCFG_(init_quick)(const Superblock* sb);

/* Make the room for quick calls of CS, if calls can be quick; free it. */
void DCFG_(make_room_for_quick)(CallStack* cs);
void DCFG_(free_quick)(CallStack* cs);

/* There are no quick calls in the array at BASE. */
void DCFG_(empty_quick)(const CallStack* cs, ULong* base);

/* Return the key of FUNCTION, which is active N times in CS with the activation that
   it is of.  Keys tell threads apart that have counts of their own. */
static inline QuickKey DCFG_(quick_key)(const CallStack* cs, UInt function, UInt n)
{
   const ULong owner = cs->totals != NULL || cs->has_own_profile
                       ? cs->number : 0;

   return owner << 32
          | DCFG_CONTEXT(function, DCFG_(counts_contexts) && n > 1);
}

static inline UInt DCFG_(context_of_key)(QuickKey key)
{
   return (UInt)key;
}

/* Return the innermost quick call of the array at BASE, or cs->quick[0]. */
static inline QuickFrame* DCFG_(quick_top)(ULong* base)
{
   return (QuickFrame*)(Addr)DCFG_(call_slots)(base)[CallQuickTop];
}

static inline Bool DCFG_(is_in_stub)(const QuickFrame* f)
{
   return f->start == DCFG_IN_STUB;
}

static inline void DCFG_(quick_set_top)(ULong* base, const QuickFrame* top)
{
   DCFG_(call_slots)(base)[CallQuickTop] = (Addr)top;
}

/* Return whether C is of the context that its callee would get now. */
DCFG_INLINE Bool DCFG_(quick_fits)(CallStack* cs, const QuickCall* c, UInt wants)
{
   return !(wants & QuickCosts)
          || (*active(cs, c->to->function) > 0)
             == DCFG_CONTEXT_BIT(DCFG_(context_of_key)(c->callee));
}

/* Return whether a call with the stack pointer SP can begin above TOP. */
static inline Bool DCFG_(quick_has_room)(ULong* base, const QuickFrame* top, Addr sp)
{
   return top->sp >= sp
          && (Addr)top != DCFG_(call_slots)(base)[CallQuickEnd];
}

/* Return whether the callee of C takes the place of its caller, as the listener
   is told. */
static inline Bool DCFG_(quick_replaces)(const QuickCall* c)
{
   return c->is_jump && c->stub == NULL;
}

/* Call TOP, which has no stub or comes from it now, begins. */
DCFG_INLINE void DCFG_(quick_start)(CallStack* cs, ULong* base, QuickFrame* top,
                                    UInt wants)
{
   const QuickCall* c     = top->call;
   const ULong      total = DCFG_(call_slots)(base)[CallTotal];

   if ((wants & QuickCosts) && DCFG_(is_in_stub)(top))
      DCFG_(add_call_cost)(c->in_stub, total - top->in_stub);
   top->start = total;
   if (wants & QuickSums) {
      top->pair_all     = c->pair->total.all;
      top->function_all = c->total->total.all;
   }
   if (wants & QuickCosts) {
      ++cs->active[c->to->function];
      DCFG_(count_call)(c->call);
      set_context(base, DCFG_(context_of_key)(c->callee));
   }
   if (wants & QuickLog) {
      const CallListener* l = DCFG_(call_listener);
      const ULong         n = instrs_on_stack(cs, base);
      if (DCFG_(quick_replaces)(c))
         l->leave(base, n, True);
      l->enter(base, c->to->function, n, True);
   }
}

/* Begin C above TOP with stack pointer SP; or its stub, if it has one. */
DCFG_INLINE void DCFG_(quick_begin)(CallStack* cs, ULong* base, QuickFrame* top,
                                    QuickCall* c, Addr sp, UInt wants)
{
   top++;
   top->sp    = sp;
   top->call  = c;
   DCFG_(quick_set_top)(base, top);
   if (c->stub == NULL) {
      top->start = 0;
      DCFG_(quick_start)(cs, base, top, wants);
      return;
   }
   top->start   = DCFG_IN_STUB;
   top->in_stub = DCFG_(call_slots)(base)[CallTotal];
   if (wants & QuickCosts)
      set_context(base, DCFG_NO_CONTEXT);
}

/* Call TOP ends.  *LEFT: the listener knows that its function was left, and, on
   return, that its caller's was. */
DCFG_INLINE void DCFG_(quick_end)(CallStack* cs, ULong* base,
                                  const QuickFrame* top, /*INOUT*/Bool* left,
                                  UInt wants)
{
   const QuickCall* c    = top->call;
   const ULong      cost = DCFG_(call_slots)(base)[CallTotal] - top->start;

   if (wants & QuickSums) {
      c->pair->count++;
      c->pair->quick      += cost;
      c->pair->total.all   = top->pair_all + cost;
      c->total->total.all  = top->function_all + cost;
   }
   if (wants & QuickCosts) {
      --cs->active[c->to->function];
      DCFG_(add_call_cost)(c->call, cost);
   }
   if (wants & QuickLog) {
      if (!*left)
         DCFG_(call_listener)->leave(base, instrs_on_stack(cs, base), False);
      *left = DCFG_(quick_replaces)(c);
   }
}

/* Give quick calls, which generated code has begun, frames of their own. */
void DCFG_(push_quick)(CallStack* cs);

/* SB is left as LEAVE says, for TO, with stack pointer SP.  TARGET is where an
   indirect call or jump goes, or 0.  Return False if that is more than a quick
   call that begins; nothing is done then. */
Bool DCFG_(go_quickly)(CallStack* cs, ULong* base, Superblock* sb, UWord leave,
                       const Place* to, Addr target, Addr sp);

/* From now on, calls like F may be quick, which has just begun: stub P jumped to
   TARGET. */
void DCFG_(remember_stub)(CallStack* cs, const Frame* f, const PendingStub* p,
                          Addr target);

/* Note that SB knows a call, which DCFG_(forget_quick_calls) has to find. */
void DCFG_(knows_calls)(const Superblock* sb);

/* Forget which calls may be quick: what they change, or a place, is about to
   go. */
void DCFG_(forget_quick_calls)(void);

#endif /* __DCFG_QUICK_H */
