/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Quick calls: those that generated code begins and ends. */

/* Owns: the quick calls of a thread, and which call may be quick at an
   instruction.  Handed: calls and returns that generated code does not know, by
   tool/calls/stack.c; the code is in tool/calls/follow.c.

   If only sums are wanted, the usual call and return change a few words.  The
   active quick calls stand above the frames of tool/calls/stack.c, which gives
   them frames of its own before it does anything else.  A call is usual if the
   function that runs made the last call there, or the last one to that target,
   and no call ends.  A return is usual if it ends the innermost call alone.

   What is not usual is done here, if quick calls are all that it changes: a call
   by another function, several calls that end. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "tool/arch/guest.h"
#include "tool/calls/quick.h"
#include "tool/calls/toggle.h"

#define N_QUICK_FRAMES 1024u

static FunctionTotal no_function;
static PairTotal     no_pair;

QuickCall DCFG_(no_quick_call) = {
   .caller = (FunctionTotal*)1, .callee = &no_function, .pair = &no_pair
};
QuickFrame DCFG_(no_quick_frame);

static QuickCall* no_targets[DCFG_QUICK_TARGETS];

Bool DCFG_(has_quick_calls)(void)
{
   return DCFG_(sums_calls) && DCFG_(has_quick_fields) && !DCFG_(counts_contexts)
          && DCFG_(call_listener) == NULL && !DCFG_(heeds_functions)
          && !DCFG_(guest).jumps_are_calls && sizeof(UWord) == 8;
}

void DCFG_(init_quick)(const Superblock* sb)
{
   CallFields* fields = DCFG_(call_fields)(sb);

   if (!DCFG_(has_quick_fields) || fields->quick != NULL)
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
   /* Behind the last frame is one that generated code may write, but does not
      begin. */
   cs->quick       = VG_(calloc)("dcfg.stack.quick", N_QUICK_FRAMES + 2,
                                 sizeof(QuickFrame));
   cs->quick->call = VG_(calloc)("dcfg.stack.bottom", 1, sizeof(QuickCall));
}

void DCFG_(free_quick)(CallStack* cs)
{
   if (cs->quick == NULL)
      return;
   VG_(free)(cs->quick->call);
   VG_(free)(cs->quick);
   cs->quick = NULL;
}

void DCFG_(empty_quick)(const CallStack* cs, ULong* base)
{
   DCFG_(call_slots)(base)[CallQuickTop] = (Addr)cs->quick;
   DCFG_(call_slots)(base)[CallQuickEnd] = (Addr)(cs->quick + N_QUICK_FRAMES);
}

/*--- Calls                                                ---*/

static inline void set_top(ULong* base, const QuickFrame* top)
{
   DCFG_(call_slots)(base)[CallQuickTop] = (Addr)top;
}

static void begin(QuickFrame* f, QuickCall* c, ULong total, Addr sp, Addr back)
{
   *f = (QuickFrame){ sp, back, c, total, c->pair->total.all,
                      c->callee->total.all };
}

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

static QuickCall* new_call(const CallStack* cs, const QuickCall* like)
{
   QuickCall* c = VG_(malloc)("dcfg.quick.call", sizeof(*c));

   *c        = *like;
   c->callee = DCFG_(function_total)(cs->totals, c->to->function);
   c->pair   = DCFG_(pair_total)(cs->totals, c->caller->function,
                                 c->to->function);
   c->next   = DCFG_(call_fields)(c->sb)->quicks;
   DCFG_(call_fields)(c->sb)->quicks = c;
   return c;
}

/* Return the call like LIKE, which is the first of its superblock then; NULL:
   none. */
static QuickCall* find_call(const QuickCall* like)
{
   QuickCall** first = &DCFG_(call_fields)(like->sb)->quicks;

   for (QuickCall** p = first; *p != NULL; p = &(*p)->next) {
      QuickCall* c = *p;
      if (c->caller != like->caller || c->instr != like->instr
          || c->at_end != like->at_end || c->stub != like->stub
          || (like->to != NULL
              && (c->to != like->to || c->target != like->target)))
         continue;
      *p      = c->next;
      c->next = *first;
      *first  = c;
      return c;
   }
   return NULL;
}

static QuickCall* get_call(const CallStack* cs, const QuickCall* like)
{
   QuickCall* c = find_call(like);

   return c != NULL ? c : new_call(cs, like);
}

Bool DCFG_(call_quickly)(CallStack* cs, ULong* base, const QuickCall* like,
                         Addr sp)
{
   const Bool  is_stub = like->to->is_skipped;
   QuickFrame* top     = DCFG_(quick_top)(base);
   QuickCall   call    = *like;
   QuickCall*  c;

   call.caller = top->call->callee;
   if (call.caller == NULL || DCFG_(is_in_stub)(top)
       || (Addr)top == DCFG_(call_slots)(base)[CallQuickEnd]
       || top->sp < sp + (call.is_jump ? 0 : DCFG_CALL_SIZE)
       || DCFG_(call_fields)(call.sb)->place->heads_table)
      return False;
   if (is_stub && (call.to->is_excluded || call.target != 0))
      return False;
   if (is_stub) {
      call.stub = call.to;
      call.to   = NULL;
   }
   c = is_stub ? find_call(&call) : get_call(cs, &call);
   if (c == NULL)
      return False;
   show_call(c);
   begin(top + 1, c, DCFG_(call_slots)(base)[CallTotal],
         call.is_jump ? top->sp : sp, call.is_jump ? 0 : sp + DCFG_CALL_SIZE);
   if (is_stub) {
      top[1].start = top[1].back;
      top[1].back  = DCFG_IN_STUB;
   }
   set_top(base, top + 1);
   return True;
}

Bool DCFG_(leave_stub_quickly)(CallStack* cs, ULong* base, const Superblock* sb,
                               const Place* to, Addr target, Addr sp)
{
   QuickFrame* top = DCFG_(quick_top)(base);
   QuickCall   like;

   if (!DCFG_(is_in_stub)(top) || top->sp != sp || to->is_skipped
       || DCFG_(call_fields)(sb)->place->heads_table)
      return False;
   like        = *top->call;
   like.to     = to;
   like.target = target;
   top->call   = get_call(cs, &like);
   show_call(top->call);
   begin(top, top->call, DCFG_(call_slots)(base)[CallTotal], sp, top->start);
   return True;
}

void DCFG_(remember_stub)(CallStack* cs, const Frame* f, const PendingStub* p,
                          Addr target)
{
   QuickCall like = { .target = target, .to = f->entry, .stub = p->stub,
                      .sb = p->sb, .instr = p->instr, .at_end = p->at_end,
                      .is_jump = p->is_jump };

   if (cs->quick == NULL || f->pair == NULL)
      return;
   like.caller = DCFG_(function_total)(cs->totals, f->function);
   show_call(get_call(cs, &like));
}

/* Forget all quick calls: a thread's totals are about to go. */
void DCFG_(forget_quick_calls)(void)
{
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      CallFields* fields = DCFG_(call_fields)(DCFG_(superblock)(id));
      QuickCall*  next;
      for (QuickCall* c = fields->quicks; c != NULL; c = next) {
         next = c->next;
         VG_(free)(c);
      }
      if (fields->targets != no_targets)
         VG_(free)(fields->targets);
      fields->quicks = fields->quick = NULL;
      DCFG_(init_quick)(DCFG_(superblock)(id));
   }
}

/*--- Returns                                              ---*/

Bool DCFG_(return_quickly)(CallStack* cs, ULong* base, Addr sp)
{
   QuickFrame* f     = DCFG_(quick_top)(base);
   ULong       total = DCFG_(call_slots)(base)[CallTotal];

   if (f == cs->quick || f->sp >= sp)
      return False;
   for (; f > cs->quick && f->sp < sp; f--) {
      QuickCall* c    = f->call;
      ULong      cost = total - f->start;
      if (DCFG_(is_in_stub)(f))
         break;
      c->pair->count++;
      c->pair->quick           += cost;
      c->pair->total.all        = f->pair_all + cost;
      c->callee->total.all      = f->function_all + cost;
   }
   set_top(base, f);
   return f->sp >= sp;
}

void DCFG_(return_from_none)(ULong* base)
{
   QuickFrame* top = DCFG_(quick_top)(base);

   top[1].call = &DCFG_(no_quick_call);
   set_top(base, top + 1);
}
