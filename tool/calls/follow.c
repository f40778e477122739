/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the code that counts instructions, by function or in total, and that
   tells tool/calls/stack.c of calls and returns.  Handed: superblocks by
   tool/run/instrument.c, and the wish for costs, calls or numbers of
   instructions by the outputs that have one.

   Calls are counted where they leave, not where they arrive: there it is
   mostly known at translation whether a jump is a call.  An indirect jump
   calls a helper only if its target misses the branch's cache, where targets
   are that make it no call, or if it ends calls.  Counting in a context is
   inline code.  A call or return is not: see below. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "tool/arch/guest.h"
#include "tool/calls/calls.h"
#include "tool/calls/follow.h"
#include "tool/calls/quick.h"
#include "tool/calls/stack.h"
#include "tool/calls/systime.h"
#include "tool/calls/toggle.h"
#include "tool/calls/totals.h"
#include "tool/dcfg_output.h"
#include "tool/run/event.h"
#include "tool/run/ir.h"
#include "tool/run/loads.h"
#include "tool/run/thread.h"

/* For the superblock in translation. */
static SpTrack sp_track;
static Bool    is_sp_loaded;

/* Whether the target of its indirect jump is not in the branch's cache; NULL:
   the jump is told to the stack each time. */
static IRExpr* missed;

static const Place* place_in_work(const Work* work)
{
   return DCFG_(call_fields)(work->sb)->place;
}

static IRExpr* call_slot(Work* work, UInt slot)
{
   return cell_addr(work, DCFG_(first_call_slot) + slot);
}

/*--- Costs                                                ---*/

/* Count N runs of the segment that begins with instruction K, in the present
   context. */
static void count_in_context(Work* work, UInt k, IRExpr* n)
{
   const Superblock* sb      = work->sb;
   UInt              segment = DCFG_(segment_of)(sb, k);
   CellNo            cache   = DCFG_(call_fields)(sb)->contexts
                                + DCFG_SEGMENT_SLOTS * segment;
   Addr              key     = DCFG_CELL_OFFSET(cache);

   IRExpr* context = load(work, Ity_I64, call_slot(work, CallContext));
   IRExpr* entry   = load(work, work->word_ty, call_slot(work, CallEntries));
   IRExpr* miss    = assign(work, Ity_I1,
                            IRExpr_Binop(Iop_CmpNE64,
                                         load(work, Ity_I64,
                                              add_words(work, entry,
                                                        word(work, key))),
                                         context));
   IRExpr* sb_word = word(work, (Addr)work->sb);
   if (segment == 0)
      call_if(work, miss, "dcfg_first_context_miss", &DCFG_(first_context_miss),
              mkIRExprVec_2(base(work), sb_word));
   else
      call_if(work, miss, "dcfg_context_miss", &DCFG_(context_miss),
              mkIRExprVec_3(base(work), sb_word, word(work, segment)));
   Addr    at  = key + sizeof(ULong);
   IRExpr* old = load(work, Ity_I64, add_words(work, entry, word(work, at)));
   store(work, add_words(work, entry, word(work, at)), sum(work, old, n));
}

static Bool counts_starts(const Work* work)
{
   return DCFG_(counts_contexts) && DCFG_(segment_counts_starts)(work->sb);
}

/* Count N runs of the segment that begins with instruction K.  N is an I64, and
   a constant 1 unless the segment is one instruction. */
static void add_cost(Work* work, UInt k, IRExpr* n)
{
   UInt size = DCFG_(segment_end)(work->sb, k) - k;

   if (DCFG_(counts_contexts))
      count_in_context(work, k, n);
   /* Then N is a constant 1. */
   tl_assert(n->tag == Iex_Const || size == 1);
   if (size > 0)
      add_to_slot(work, DCFG_(first_call_slot) + CallTotal,
                  size == 1 ? n : IRExpr_Const(IRConst_U64(size)));
}

static void add_start_cost(Work* work, IRExpr* n)
{
   add_cost(work, 0, n);
   if (DCFG_(dump_every) > 0)
      add_to_slot(work, DCFG_(first_call_slot) + CallRuns, n);
}

/* Return whether a segment other than the first begins with instruction K. */
static Bool begins_segment(const Superblock* sb, UInt k)
{
   return k > 0 && k < sb->n_instrs
          && DCFG_(segment_of)(sb, k) != DCFG_(segment_of)(sb, k - 1);
}

static void add_segment_cost(Work* work, UInt k)
{
   if (begins_segment(work->sb, k))
      add_cost(work, k, IRExpr_Const(IRConst_U64(1)));
}

/*--- The stack pointer                                    ---*/

/* The stack pointer has been loaded, and was BEFORE: it may be that of another
   stack.  Tell the stack if it is not in the frame of the function that runs. */
static void add_load_of_sp(Work* work, IRExpr* before)
{
   IRExpr* sp  = stack_pointer(work);
   IRExpr* top = load(work, work->word_ty,
                      DCFG_(has_quick_calls)()
                      ? load(work, work->word_ty, call_slot(work, CallQuickTop))
                      : call_slot(work, CallTopSp));
   IRExpr* up    = word_op(work, Iop_Sub64, Iop_Sub32, sp, before);
   IRExpr* frame = word_op(work, Iop_Sub64, Iop_Sub32, top, before);
   IRExpr* other = assign(work, Ity_I1,
                          IRExpr_Binop(work->word_ty == Ity_I64
                                       ? Iop_CmpLT64U : Iop_CmpLT32U,
                                       frame, up));

   call_if(work, other, "dcfg_load_sp", &DCFG_(load_sp),
           mkIRExprVec_3(base(work), before, sp));
}

static void track_stack_pointer(Work* work, const IRStmt* st)
{
   IRExpr* before;

   if (track_sp(&sp_track, work, st, &before) && !is_sp_loaded) {
      is_sp_loaded = True;
      add_load_of_sp(work, before);
   }
}

static Bool may_have_raised_sp(void)
{
   return sp_track.now > 0;
}

static void begin_calls(Work* work)
{
   CallFields* fields = DCFG_(call_fields)(work->sb);

   if (fields->place == NULL)
      fields->place = DCFG_(place_at)(work->sb->addr);
   DCFG_(init_quick)(work->sb);
   missed = NULL;
   if (DCFG_(counts_contexts))
      DCFG_(count_contexts)(work->sb);
   begin_sp(&sp_track, work);
   is_sp_loaded = False;
}

/*--- Ways out                                             ---*/

static LeaveKind kind_of(IRJumpKind jk)
{
   return jk == Ijk_Call ? LeaveCall : jk == Ijk_Ret ? LeaveReturn
                                                     : LeaveJump;
}

static IRExpr* always(void)
{
   return IRExpr_Const(IRConst_U1(True));
}

/* Return the condition that SP is above the innermost call's stack pointer. */
static IRExpr* ends_calls(Work* work, IRExpr* sp)
{
   IRExpr* at  = DCFG_(has_quick_calls)()
                 ? load(work, work->word_ty, call_slot(work, CallQuickTop))
                 : call_slot(work, CallTopSp);
   IRExpr* top = load(work, work->word_ty, at);

   return assign(work, Ity_I1, IRExpr_Binop(work->word_ty == Ity_I64
                                            ? Iop_CmpLT64U : Iop_CmpLT32U,
                                            top, sp));
}

/* Return whether both conditions are true, for OP64 and OP32 And; or one of
   them, for Or. */
static IRExpr* joined(Work* work, IROp op64, IROp op32, IRExpr* a, IRExpr* b)
{
   IRExpr* bits = word_op(work, op64, op32, bit_to_word(work, a),
                          bit_to_word(work, b));
   return assign(work, Ity_I1,
                 IRExpr_Binop(work->word_ty == Ity_I64 ? Iop_CmpNE64
                                                       : Iop_CmpNE32,
                              bits, word(work, 0)));
}

/* Return the condition GUARD, and that SP is above the innermost call's stack
   pointer. */
static IRExpr* and_ends_calls(Work* work, IRExpr* guard, IRExpr* sp)
{
   IRExpr* ends = ends_calls(work, sp);

   return guard->tag == Iex_Const
          ? ends : joined(work, Iop_And64, Iop_And32, guard, ends);
}

/* Call FN if GUARD.  If FN is told of a call, it may read the registers that a
   listener wants. */
static void tell_if(Work* work, IRExpr* guard, const HChar* name, void* fn,
                    IRExpr** args)
{
   IRDirty*            di = call_if(work, guard, name, fn, args);
   const CallListener* l  = DCFG_(call_listener);

   if (l == NULL)
      return;
   tl_assert(l->n_registers < VEX_N_FXSTATE);
   for (UInt i = 0; i < l->n_registers; i++) {
      VG_(memset)(&di->fxState[i], 0, sizeof(di->fxState[i]));
      di->fxState[i].fx     = Ifx_Read;
      di->fxState[i].offset = l->registers[i];
      di->fxState[i].size   = sizeof(UWord);
   }
   di->nFxState = l->n_registers;
}

/*--- Quick calls                                          ---*/

/* Nearly all calls and returns change a few words: see tool/calls/quick.h.
   Generated code calls these functions.  In line, each would be thirty
   instructions more.  Both were measured: in line they are no faster where a
   program runs one loop, and slower where it runs much code, as translation and
   the processor's caches suffer. */

static inline CallStack* stack_of(ULong* base)
{
   return (CallStack*)(Addr)DCFG_(call_slots)(base)[CallOfStack];
}

/* Begin C if the function that runs may make it. */
DCFG_INLINE Bool begin_known(ULong* base, QuickCall* c, Addr sp, Bool is_jump,
                             UInt wants)
{
   QuickFrame* top = DCFG_(quick_top)(base);

   if (top->call->callee != c->caller || !DCFG_(quick_has_room)(base, top, sp)
       || !DCFG_(quick_fits)(stack_of(base), c, wants))
      return False;
   DCFG_(quick_begin)(stack_of(base), base, top, c, is_jump ? top->sp : sp,
                      wants);
   return True;
}

static inline UWord end_of(const Superblock* sb, LeaveKind kind)
{
   return DCFG_LEAVE(sb->n_instrs - 1, True, kind);
}

DCFG_INLINE void quick_call(ULong* base, Superblock* sb, const Place* to, Addr sp,
                            UInt wants)
{
   if (!begin_known(base, DCFG_(call_fields)(sb)->quick, sp, False, wants))
      DCFG_(leave_for_place)(base, sb, end_of(sb, LeaveCall), to, sp);
}

DCFG_INLINE void quick_jump(ULong* base, Superblock* sb, const Place* to, Addr sp,
                            UInt wants)
{
   if (!begin_known(base, DCFG_(call_fields)(sb)->quick, sp, True, wants))
      DCFG_(leave_for_place)(base, sb, end_of(sb, LeaveJump), to, sp);
}

DCFG_INLINE void quick_indirect(ULong* base, Superblock* sb, Addr target, Addr sp,
                                UInt wants)
{
   QuickCall** targets = DCFG_(call_fields)(sb)->targets;
   QuickCall*  c       = targets[DCFG_(quick_entry)(target)];

   if (c->target != target || !begin_known(base, c, sp, False, wants))
      DCFG_(leave_for)(base, sb, end_of(sb, LeaveCall), target, sp);
}

DCFG_INLINE void quick_stub(ULong* base, Superblock* sb, Addr target, Addr sp,
                            UInt wants)
{
   QuickFrame* top = DCFG_(quick_top)(base);

   if (DCFG_(is_in_stub)(top) && top->sp == sp && top->call->target == target)
      DCFG_(quick_start)(stack_of(base), base, top, wants);
   else
      DCFG_(leave_for)(base, sb, end_of(sb, LeaveJump), target, sp);
}

DCFG_INLINE void quick_return(ULong* base, Superblock* sb, Addr target, Addr sp,
                              UInt wants)
{
   CallStack*  cs   = stack_of(base);
   QuickFrame* top  = DCFG_(quick_top)(base);
   Bool        left = False;

   if (top->sp < sp && !DCFG_(is_in_stub)(top)) {
      do
         DCFG_(quick_end)(cs, base, top--, &left, wants);
      while (top->sp < sp && !DCFG_(is_in_stub)(top));
      DCFG_(quick_set_top)(base, top);
      if (wants & QuickCosts)
         set_context(base, DCFG_(context_of_key)(top->call->callee));
      if (top->sp >= sp && !left)
         return;
      cs->now.was_left = left;
   }
   DCFG_(leave_for)(base, sb, end_of(sb, LeaveReturn), target, sp);
}

/* QuickHelpers: these functions for what is wanted. */
typedef
   struct {
      void (*call)(ULong*, Superblock*, const Place*, Addr);
      void (*jump)(ULong*, Superblock*, const Place*, Addr);
      void (*indirect)(ULong*, Superblock*, Addr, Addr);
      void (*stub)(ULong*, Superblock*, Addr, Addr);
      void (*back)(ULong*, Superblock*, Addr, Addr);
   }
   QuickHelpers;

#define QUICK_HELPER(name, fn, Where, wants)                            \
   static void name(ULong* base, Superblock* sb, Where where, Addr sp) \
   {                                                                   \
      fn(base, sb, where, sp, wants);                                  \
   }

#define QUICK_HELPERS(of, wants)                                        \
   QUICK_HELPER(of##_call, quick_call, const Place*, wants)            \
   QUICK_HELPER(of##_jump, quick_jump, const Place*, wants)            \
   QUICK_HELPER(of##_indirect, quick_indirect, Addr, wants)            \
   QUICK_HELPER(of##_stub, quick_stub, Addr, wants)                    \
   QUICK_HELPER(of##_return, quick_return, Addr, wants)                \
   static const QuickHelpers of                                        \
      = { of##_call, of##_jump, of##_indirect, of##_stub, of##_return };

QUICK_HELPERS(for_sums, QuickSums)
QUICK_HELPERS(for_costs, QuickCosts)
QUICK_HELPERS(for_log, QuickLog)
QUICK_HELPERS(for_several, DCFG_(quick_wants)())

static const QuickHelpers* helpers(void)
{
   switch (DCFG_(quick_wants)()) {
      case QuickSums:  return &for_sums;
      case QuickCosts: return &for_costs;
      case QuickLog:   return &for_log;
      default:         return &for_several;
   }
}

/* Add a call of FN for the superblock's end, which goes to WHERE. */
static void end_quickly(Work* work, const HChar* name, void* fn, IRExpr* where,
                        IRExpr* sp)
{
   tell_if(work, always(), name, fn,
           mkIRExprVec_4(base(work), word(work, (Addr)work->sb), where, sp));
}

/* Add a direct call of the code at TO, or a jump there that is one. */
static Bool call_quickly(Work* work, LeaveKind kind, const Place* to, IRExpr* sp)
{
   IRExpr* where = word(work, (Addr)to);

   if (!DCFG_(has_quick_calls)() || kind == LeaveReturn || to->is_excluded
       || to->heads_table)
      return False;
   if (kind == LeaveCall)
      end_quickly(work, "dcfg_quick_call", helpers()->call, where, sp);
   else
      end_quickly(work, "dcfg_quick_jump", helpers()->jump, where, sp);
   return True;
}

/* Add an indirect call, a return, or the jump of a stub. */
static Bool leave_quickly(Work* work, LeaveKind kind, IRExpr* target,
                          IRExpr* sp)
{
   if (!DCFG_(has_quick_calls)()
       || (kind == LeaveJump && !place_in_work(work)->is_skipped))
      return False;
   if (kind == LeaveCall)
      end_quickly(work, "dcfg_quick_indirect", helpers()->indirect, target,
                  sp);
   else if (kind == LeaveReturn)
      end_quickly(work, "dcfg_quick_return", helpers()->back, target, sp);
   else
      end_quickly(work, "dcfg_quick_stub", helpers()->stub, target, sp);
   return True;
}

/*--- Direct and indirect ways out                         ---*/

/* Add the code for a way out to TARGET behind instruction K, taken if GUARD. */
static void leave_for_const(Work* work, UInt k, LeaveKind kind, Addr target,
                            Bool unredirected, IRExpr* guard)
{
   const Place* to = unredirected ? DCFG_(place_at)(target)
                                  : DCFG_(landing_place)(target);
   Bool         is_call = kind != LeaveJump
                          || DCFG_(is_call_like)(place_in_work(work), to);

   if (is_call)
      DCFG_(with_function)(to);
   else if (!may_have_raised_sp())
      return;
   IRExpr* sp = stack_pointer(work);
   Bool at_end = guard->tag == Iex_Const;
   if (!is_call)
      guard = and_ends_calls(work, guard, sp);
   else if (at_end && call_quickly(work, kind, to, sp))
      return;
   IRExpr* where = word(work, DCFG_(heeds_functions) ? target : (Addr)to);
   IRExpr** args = mkIRExprVec_5(base(work), word(work, (Addr)work->sb),
                                 word(work, DCFG_LEAVE(k, at_end, kind)),
                                 where, sp);
   if (DCFG_(heeds_functions))
      tell_if(work, guard, "dcfg_leave_heeding", &DCFG_(leave_heeding), args);
   else
      tell_if(work, guard, "dcfg_leave_for_place", &DCFG_(leave_for_place),
              args);
}

static void add_call_at_exit(Work* work, UInt x, const IRStmt* st)
{
   leave_for_const(work, work->sb->exits[x].instr, kind_of(st->Ist.Exit.jk),
                   work->sb->exits[x].target, False, st->Ist.Exit.guard);
}

/* Return whether the indirect jump at SB's end matters only when its target is
   not in the branch's cache, or when it ends calls. */
static Bool is_plain_jump(const Work* work, const IRSB* sb)
{
   return kind_of(sb->jumpkind) == LeaveJump
          && !place_in_work(work)->is_skipped;
}

static Bool add_jump_miss(Work* work, const IRSB* in, IRExpr* miss)
{
   IRExpr** args;

   if (!is_plain_jump(work, in))
      return False;
   /* At the miss, not all that the jump counts is complete, as it must be if
      functions change what is collected: then its way out tells the stack. */
   if (DCFG_(heeds_functions)) {
      missed = miss;
      tell_if(work, miss, "dcfg_count_jump", &DCFG_(count_jump),
              mkIRExprVec_3(base(work), word(work, (Addr)work->sb), in->next));
      return True;
   }
   if (may_have_raised_sp())
      return False;
   args = mkIRExprVec_4(base(work), word(work, (Addr)work->sb), in->next,
                        stack_pointer(work));
   tell_if(work, miss, "dcfg_jump_miss", &DCFG_(jump_miss), args);
   return True;
}

/* Count the empty segment, which tells that the last exit was not taken. */
static void add_last_segment(Work* work)
{
   UInt n = work->sb->n_instrs;

   if (!DCFG_(counts_contexts))
      return;
   if (DCFG_(n_segments)(work->sb) > DCFG_(segment_of)(work->sb, n - 1) + 1)
      add_cost(work, n, IRExpr_Const(IRConst_U64(1)));
}

static void add_call_at_end(Work* work, const IRSB* in)
{
   UInt      last = work->sb->n_instrs - 1;
   LeaveKind kind = kind_of(in->jumpkind);

   /* A profile follows Callgrind; a listener wants real calls. */
   if (DCFG_(guest).jumps_are_calls && work->sb->kinds[last] == InsnJump
       && !DCFG_(counts_contexts))
      kind = LeaveJump;

   add_last_segment(work);

   if (work->sb->end == EndDirect) {
      leave_for_const(work, last, kind, work->sb->next, work->sb->unredirected,
                      always());
   } else if (DCFG_(heeds_functions) || !is_plain_jump(work, in)
              || may_have_raised_sp()) {
      IRExpr*  sp    = stack_pointer(work);
      IRExpr*  guard = missed == NULL ? always()
                       : joined(work, Iop_Or64, Iop_Or32, missed,
                                ends_calls(work, sp));
      IRExpr** args  = mkIRExprVec_5(base(work), word(work, (Addr)work->sb),
                                     word(work, DCFG_LEAVE(last, True, kind)),
                                     in->next, sp);
      if (DCFG_(heeds_functions))
         tell_if(work, guard, "dcfg_leave_heeding", &DCFG_(leave_heeding),
                 args);
      else if (!leave_quickly(work, kind, in->next, sp))
         tell_if(work, always(), "dcfg_leave_for", &DCFG_(leave_for), args);
   }
}

static Bool is_followed;   // does an output want calls?

/*--- All together                                         ---*/

/* Follow calls: generated code tells the stacks. */
static void follow(Bool separately)
{
   static Watcher w;

   w             = DCFG_(call_watcher);
   w.begin       = begin_calls;
   w.started     = add_start_cost;
   w.counts_starts = counts_starts;
   w.instruction = add_segment_cost;
   w.exit        = add_call_at_exit;
   w.statement   = track_stack_pointer;
   w.miss        = add_jump_miss;
   w.leave       = add_call_at_end;
   if (DCFG_(n_sys_events)() > 0) {
      w.before_syscall = DCFG_(begin_syscall);
      w.after_syscall  = DCFG_(end_syscall);
   }
   DCFG_(watch_stacks)(&w, separately);
}

static const PartMaker* parts;

/* Write a part if --dump-every-bb says so.  Counts of all threads begin anew
   then. */
static void dump_if_due(void)
{
   ULong n = 0;
   HChar reason[40];

   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      n += DCFG_(superblocks_run)(t);
   if (n <= DCFG_(dump_every))
      return;
   VG_(sprintf)(reason, "--dump-every-bb=%d", DCFG_(dump_every));
   parts->dump(reason);
}

void DCFG_(heed_functions)(const PartMaker* pm)
{
   Bool any = DCFG_(start_toggles)(pm);

   if (!is_followed) {
      DCFG_(claim_call_fields)(False);
      if (any)
         follow(False);
      else
         DCFG_(watch_stacks)(&DCFG_(handler_watcher), False);
   }
   DCFG_(collect_at_start)(DCFG_(collects_at_start));
   parts = pm;
   if (DCFG_(dump_every) > 0)
      DCFG_(when_code_is_left)(dump_if_due);
}

void DCFG_(follow_calls)(Bool separately)
{
   is_followed = True;
   DCFG_(keeps_callgrind_names) = True;
   DCFG_(claim_call_fields)(True);
   follow(separately);
}

void DCFG_(sum_up_calls)(void)
{
   is_followed       = True;
   DCFG_(sums_calls) = True;
   DCFG_(parts_equal_names) = True;
   DCFG_(claim_call_fields)(False);
   follow(False);
}

void DCFG_(listen_to_calls)(const CallListener* l)
{
   tl_assert(DCFG_(call_listener) == NULL);
   DCFG_(call_listener) = l;
   is_followed          = True;
   DCFG_(claim_call_fields)(False);
   follow(False);
}

void DCFG_(count_instrs)(void)
{
   is_followed = True;
   DCFG_(claim_call_fields)(False);
   follow(False);
}
