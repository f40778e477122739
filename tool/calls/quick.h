/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Quick calls: a stack of calls for sums alone. */

#ifndef __DCFG_QUICK_H
#define __DCFG_QUICK_H

#include "tool/calls/calls.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/totals.h"

/* QuickCall: calls from one instruction, by one function to another. */
typedef
   struct _QuickCall {
      FunctionTotal*     caller;    // this is never NULL
      FunctionTotal*     callee;
      PairTotal*         pair;
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

/* Return the innermost quick call of the array at BASE, or cs->quick[0]. */
static inline QuickFrame* DCFG_(quick_top)(ULong* base)
{
   return (QuickFrame*)(Addr)DCFG_(call_slots)(base)[CallQuickTop];
}

static inline Bool DCFG_(is_in_stub)(const QuickFrame* f)
{
   return f->start == DCFG_IN_STUB;
}

static inline ULong DCFG_(quick_total_now)(ULong* base)
{
   return DCFG_(call_slots)(base)[CallTotal];
}

static inline void DCFG_(quick_set_top)(ULong* base, const QuickFrame* top)
{
   DCFG_(call_slots)(base)[CallQuickTop] = (Addr)top;
}

/* Begin C above TOP, with the instruction total TOTAL and stack pointer SP. */
static inline void DCFG_(quick_begin)(ULong* base, QuickFrame* top, QuickCall* c,
                                      ULong total, Addr sp)
{
   top[1] = (QuickFrame){ sp, c, total, c->pair->total.all,
                          c->callee->total.all };
   DCFG_(quick_set_top)(base, top + 1);
}

/* Return whether a call with the stack pointer SP can begin above TOP. */
static inline Bool DCFG_(quick_has_room)(ULong* base, const QuickFrame* top, Addr sp)
{
   return top->sp >= sp
          && (Addr)top != DCFG_(call_slots)(base)[CallQuickEnd];
}

/* SB is left as LEAVE says, for TO, with stack pointer SP.  TARGET is where an
   indirect call or jump goes, or 0.  Return False if that is more than a quick
   call that begins; nothing is done then. */
Bool DCFG_(go_quickly)(CallStack* cs, ULong* base, Superblock* sb, UWord leave,
                       const Place* to, Addr target, Addr sp);

/* From now on, calls like F may be quick, which has just begun: stub P jumped to
   TARGET. */
void DCFG_(remember_stub)(CallStack* cs, const Frame* f, const PendingStub* p,
                          Addr target);

/* Forget which calls may be quick: a thread's totals are about to go. */
void DCFG_(forget_quick_calls)(void);

#endif /* __DCFG_QUICK_H */
