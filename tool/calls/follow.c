/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Following the calls of threads: who wants it, and the code for it. */

/* Owns: the code that counts instructions, by function or in total, and that
   tells tool/calls/stack.c of calls and returns.  Handed: superblocks by
   tool/run/instrument.c, and the wish for costs, calls or numbers of
   instructions by the outputs that have one.

   Calls are counted where they leave, not where they arrive: there it is
   mostly known at translation whether a jump is a call.  An indirect jump
   calls a helper only if its target misses the branch's cache, where targets
   are that make it no call, or if it ends calls.  Counting in a context is
   inline code.  A call or return is not: it changes a dozen words, each under
   some condition, which would be as many guarded stores. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "tool/arch/guest.h"
#include "tool/calls/calls.h"
#include "tool/calls/follow.h"
#include "tool/calls/stack.h"
#include "tool/calls/toggle.h"
#include "tool/calls/totals.h"
#include "tool/dcfg_output.h"
#include "tool/run/event.h"
#include "tool/run/ir.h"

/* For the superblock in translation: the difference of the stack pointer, and
   of each temporary, from the stack pointer at its begin. */
#define UNKNOWN ((Long)1 << 62)
static Long  sp_now;
static Long* sp_of_tmp;
static UInt  room_for_tmps;

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
   call_if(work, miss, "dcfg_context_miss", &DCFG_(context_miss),
           mkIRExprVec_3(base(work), word(work, sb->id), word(work, segment)));
   IRExpr* count_addr = add_words(work, entry, word(work, key + sizeof(ULong)));
   store(work, count_addr, sum(work, load(work, Ity_I64, count_addr), n));
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

/* Forget all.  Temporaries of added code are not tracked. */
static void forget_stack_pointer(const Work* work)
{
   UInt n_tmps = work->out->tyenv->types_used;

   sp_now = 0;
   if (n_tmps > room_for_tmps) {
      room_for_tmps = 2 * n_tmps;
      sp_of_tmp     = VG_(realloc)("dcfg.ir.sp", sp_of_tmp,
                                   room_for_tmps * sizeof(Long));
   }
   for (UInt i = 0; i < n_tmps; i++)
      sp_of_tmp[i] = UNKNOWN;
}

static void track_stack_pointer(Work* work, const IRStmt* st)
{
   const Int offset_sp = work->layout->offset_SP;

   if (st->tag == Ist_Put && st->Ist.Put.offset == offset_sp) {
      const IRExpr* e = st->Ist.Put.data;
      sp_now = e->tag == Iex_RdTmp ? sp_of_tmp[e->Iex.RdTmp.tmp]
                                  : UNKNOWN;
   }
   if (st->tag != Ist_WrTmp)
      return;
   const IRExpr* e = st->Ist.WrTmp.data;
   Long          d = UNKNOWN;
   if (e->tag == Iex_Get && e->Iex.Get.offset == offset_sp) {
      d = sp_now;
   } else if (e->tag == Iex_RdTmp) {
      d = sp_of_tmp[e->Iex.RdTmp.tmp];
   } else if (e->tag == Iex_Binop && e->Iex.Binop.arg1->tag == Iex_RdTmp
              && e->Iex.Binop.arg2->tag == Iex_Const) {
      const IRConst* c = e->Iex.Binop.arg2->Iex.Const.con;
      Long from = sp_of_tmp[e->Iex.Binop.arg1->Iex.RdTmp.tmp];
      Long n    = c->tag == Ico_U64 ? (Long)c->Ico.U64
                  : c->tag == Ico_U32 ? (Int)c->Ico.U32 : 0;
      if (from != UNKNOWN)
         switch (e->Iex.Binop.op) {
            case Iop_Add64: case Iop_Add32: d = from + n; break;
            case Iop_Sub64: case Iop_Sub32: d = from - n; break;
            default:                                      break;
         }
   }
   sp_of_tmp[st->Ist.WrTmp.tmp] = d;
}

static Bool may_have_raised_sp(void)
{
   return sp_now > 0;
}

static IRExpr* stack_pointer(Work* work)
{
   return assign(work, work->word_ty,
                 IRExpr_Get(work->layout->offset_SP, work->word_ty));
}

static void begin_calls(Work* work)
{
   CallFields* fields = DCFG_(call_fields)(work->sb);

   if (fields->place == NULL)
      fields->place = DCFG_(place_at)(work->sb->addr);
   if (DCFG_(has_quick_fields) && fields->quick == NULL)
      fields->quick = &DCFG_(no_quick_call);
   missed = NULL;
   if (DCFG_(counts_contexts))
      DCFG_(count_contexts)(work->sb);
   forget_stack_pointer(work);
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
   IRExpr* top = load(work, work->word_ty, call_slot(work, CallTopSp));

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

/* If nobody wants more than sums, the usual call and the usual return are no
   more than loads and stores.  A call is usual if the function that runs is the
   one that made the last call here, there is room, and no call ends.  A return
   is usual if the innermost call, which is quick, ends alone.  Else everything
   is added to itself or stored where nobody looks, and tool/calls/stack.c is
   called. */

#define MEMBER(type, member) ((Addr)&((type*)0)->member)

static IRExpr* member(Work* work, IRExpr* object, Addr offset)
{
   return add_words(work, object, word(work, offset));
}

static IRExpr* load_word(Work* work, IRExpr* addr)
{
   return load(work, work->word_ty, addr);
}

static IRExpr* load_member(Work* work, IRExpr* object, Addr offset)
{
   return load_word(work, member(work, object, offset));
}

static IRExpr* choose(Work* work, IRExpr* cond, IRExpr* a, IRExpr* b)
{
   return assign(work, work->word_ty, IRExpr_ITE(cond, a, b));
}

/* Add N to the word at OFFSET in OBJECT. */
static void add_to_member(Work* work, IRExpr* object, Addr offset, IRExpr* n)
{
   IRExpr* old = load_member(work, object, offset);

   store(work, member(work, object, offset), add_words(work, old, n));
}

static IRExpr* is_below(Work* work, IRExpr* a, IRExpr* b)
{
   return assign(work, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, a, b));
}

static IRExpr* is_zero(Work* work, IRExpr* a)
{
   return assign(work, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, a, word(work, 0)));
}

static IRExpr* unlike(Work* work, IRExpr* a, IRExpr* b)
{
   return bit_to_word(work, assign(work, Ity_I1,
                                   IRExpr_Binop(Iop_CmpNE64, a, b)));
}

static IRExpr* either(Work* work, IRExpr* a, IRExpr* b)
{
   return word_op(work, Iop_Or64, Iop_Or32, a, b);
}

static IRExpr* negated(Work* work, IRExpr* bit)
{
   return assign(work, Ity_I1, IRExpr_Unop(Iop_Not1, bit));
}

/* Add the code of the quick call CALL, with stack pointer SP, unless OTHER is
   not 0.  Return the condition that the call is none. */
static IRExpr* add_quick_call(Work* work, IRExpr* call, IRExpr* sp,
                              IRExpr* other)
{
   IRExpr* now    = load_word(work, call_slot(work, CallQuickNow));
   IRExpr* frame  = load_word(work, call_slot(work, CallQuickTop));
   IRExpr* end    = load_word(work, call_slot(work, CallQuickEnd));
   IRExpr* below  = load_word(work, call_slot(work, CallTopSp));
   IRExpr* start  = load_word(work, call_slot(work, CallTotal));
   IRExpr* caller = load_member(work, call, MEMBER(QuickCall, caller));
   IRExpr* callee = load_member(work, call, MEMBER(QuickCall, callee));
   IRExpr* pair   = load_member(work, call, MEMBER(QuickCall, pair));
   IRExpr* in_callee = load_member(work, callee, MEMBER(FunctionTotal, active));
   IRExpr* in_pair   = load_member(work, pair, MEMBER(PairTotal, active));
   other = either(work, either(work, other, unlike(work, now, caller)),
                           either(work,
                                  bit_to_word(work,
                                              negated(work,
                                                      is_below(work, frame,
                                                               end))),
                                  bit_to_word(work,
                                              is_below(work, below, sp))));
   IRExpr* usual  = is_zero(work, other);
   IRExpr* one    = bit_to_word(work, usual);

   store(work, member(work, frame, MEMBER(QuickFrame, sp)), sp);
   store(work, member(work, frame, MEMBER(QuickFrame, below)), below);
   store(work, member(work, frame, MEMBER(QuickFrame, start)), start);
   store(work, member(work, frame, MEMBER(QuickFrame, call)), call);
   store(work, member(work, frame, MEMBER(QuickFrame, function_active)),
         in_callee);
   store(work, member(work, frame, MEMBER(QuickFrame, pair_active)), in_pair);
   add_to_member(work, callee, MEMBER(FunctionTotal, active), one);
   add_to_member(work, pair, MEMBER(PairTotal, active), one);
   store(work, call_slot(work, CallQuickTop),
         choose(work, usual,
                add_words(work, frame, word(work, sizeof(QuickFrame))),
                frame));
   store(work, call_slot(work, CallQuickNow),
         choose(work, usual, callee, now));
   store(work, call_slot(work, CallTopSp), choose(work, usual, sp, below));
   return negated(work, usual);
}

/* Add a direct call of the code at TO. */
static IRExpr* add_quick_direct(Work* work, const Place* to, UInt k, IRExpr* sp)
{
   CallFields* fields = DCFG_(call_fields)(work->sb);

   if (!to->is_skipped)
      return add_quick_call(work,
                            load_word(work, word(work, (Addr)&fields->quick)),
                            sp, word(work, 0));
   if (to->is_excluded || to->heads_table)
      return always();
   /* A stub begins, and has no frame. */
   fields->stub_sb    = work->sb;
   fields->stub_instr = k;
   fields->stub       = to;
   IRExpr* none = either(work,
                         bit_to_word(work,
                                     is_zero(work,
                                             load_word(work,
                                                       call_slot(work,
                                                          CallQuickNow)))),
                         bit_to_word(work,
                                     is_below(work,
                                              load_word(work,
                                                        call_slot(work,
                                                           CallTopSp)),
                                              sp)));
   IRExpr* usual = is_zero(work, none);
   store(work, call_slot(work, CallQuickStubSp), sp);
   store(work, call_slot(work, CallQuickStub),
         choose(work, usual, word(work, (Addr)fields),
                word(work, (Addr)&DCFG_(no_stub))));
   return negated(work, usual);
}

/* Add the jump of a stub to TARGET. */
static IRExpr* add_quick_jump(Work* work, IRExpr* target, IRExpr* sp)
{
   IRExpr* site  = load_word(work, call_slot(work, CallQuickStub));
   IRExpr* call  = load_member(work, site, MEMBER(CallFields, quick));
   IRExpr* other = either(work,
                          unlike(work, sp,
                                 load_word(work, call_slot(work,
                                                           CallQuickStubSp))),
                          unlike(work, target,
                                 load_member(work, call,
                                             MEMBER(QuickCall, target))));
   IRExpr* none  = add_quick_call(work, call, sp, other);

   store(work, call_slot(work, CallQuickStub),
         choose(work, none, site, word(work, (Addr)&DCFG_(no_stub))));
   return none;
}

/* Add the code of a quick return, with stack pointer SP.  Return the condition
   that the return is none. */
static IRExpr* add_quick_return(Work* work, IRExpr* sp)
{
   IRExpr* zero   = word(work, 0);
   IRExpr* top    = load_word(work, call_slot(work, CallQuickTop));
   IRExpr* frame  = add_words(work, top,
                              word(work, -(UWord)sizeof(QuickFrame)));
   IRExpr* below  = load_member(work, frame, MEMBER(QuickFrame, below));
   IRExpr* ends   = is_below(work,
                             load_member(work, frame, MEMBER(QuickFrame, sp)),
                             sp);
   IRExpr* others = is_below(work, below, sp);
   IRExpr* usual  = is_zero(work,
                            either(work,
                                   bit_to_word(work, negated(work, ends)),
                                   bit_to_word(work, others)));
   IRExpr* call   = load_member(work, frame, MEMBER(QuickFrame, call));
   IRExpr* callee = load_member(work, call, MEMBER(QuickCall, callee));
   IRExpr* pair   = load_member(work, call, MEMBER(QuickCall, pair));
   IRExpr* cost   = word_op(work, Iop_Sub64, Iop_Sub32,
                            load_word(work, call_slot(work, CallTotal)),
                            load_member(work, frame,
                                        MEMBER(QuickFrame, start)));
   IRExpr* added  = choose(work, usual, cost, zero);
   IRExpr* one    = bit_to_word(work, usual);
   IRExpr* less   = word_op(work, Iop_Sub64, Iop_Sub32, zero, one);
   IRExpr* around = load_member(work, frame,
                                MEMBER(QuickFrame, function_active));
   IRExpr* pairs  = load_member(work, frame, MEMBER(QuickFrame, pair_active));

   add_to_member(work, pair, MEMBER(PairTotal, count), one);
   add_to_member(work, pair, MEMBER(PairTotal, quick), added);
   add_to_member(work, pair, MEMBER(PairTotal, active), less);
   add_to_member(work, pair, MEMBER(PairTotal, total.all),
                 choose(work, is_zero(work, pairs), added, zero));
   add_to_member(work, callee, MEMBER(FunctionTotal, active), less);
   add_to_member(work, callee, MEMBER(FunctionTotal, total.all),
                 choose(work, is_zero(work, around), added, zero));
   store(work, call_slot(work, CallQuickTop),
         choose(work, usual, frame, top));
   store(work, call_slot(work, CallQuickNow),
         choose(work, usual,
                load_member(work, call, MEMBER(QuickCall, caller)),
                load_word(work, call_slot(work, CallQuickNow))));
   store(work, call_slot(work, CallTopSp),
         choose(work, usual, below,
                load_word(work, call_slot(work, CallTopSp))));
   return negated(work, usual);
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

   if (!is_call && !may_have_raised_sp())
      return;
   IRExpr* sp = stack_pointer(work);
   if (!is_call)
      guard = and_ends_calls(work, guard, sp);
   else if (kind == LeaveCall && guard->tag == Iex_Const
            && DCFG_(has_quick_calls)())
      guard = add_quick_direct(work, to, k, sp);
   IRExpr* where = word(work, DCFG_(heeds_functions) ? target : (Addr)to);
   IRExpr** args = mkIRExprVec_5(base(work), word(work, (Addr)work->sb),
                                 word(work, DCFG_LEAVE(k, kind)), where, sp);
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
                                     word(work, DCFG_LEAVE(last, kind)),
                                     in->next, sp);
      if (DCFG_(heeds_functions))
         tell_if(work, guard, "dcfg_leave_heeding", &DCFG_(leave_heeding),
                 args);
      else
         tell_if(work, !DCFG_(has_quick_calls)() ? always()
                       : kind == LeaveReturn ? add_quick_return(work, sp)
                       : kind == LeaveJump && place_in_work(work)->is_skipped
                       ? add_quick_jump(work, in->next, sp) : always(),
                 "dcfg_leave_for", &DCFG_(leave_for), args);
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
   w.instruction = add_segment_cost;
   w.exit        = add_call_at_exit;
   w.statement   = track_stack_pointer;
   w.miss        = add_jump_miss;
   w.leave       = add_call_at_end;
   DCFG_(watch_stacks)(&w, separately);
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
