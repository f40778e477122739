/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instrumentation: the code that counts. */

/* Owns: the code that is added to a superblock for counting, and the points
   where watchers add theirs (tool/dcfg_output.h).  Also who finds the kind of an
   instruction: the processor's decoder or, if there is none, VEX's IR.  Handed:
   VEX's IR.

   Guest chasing and unrolling are off, so a superblock is straight code: its
   instructions run in order from the first one on, once each, until a side
   exit or the end.  Nearly always the one side exit is the conditional branch
   at its end.  Three kinds of counters then tell everything about its runs:

   - Starts: one counter, added to when the first instruction has completed.

   - Side exits: for most exits a counter after the exit tells how often it was
     passed, and the difference is how often it was taken (ExitAfter).  In some
     instructions code after the exit can still fault, as in a REP instruction,
     which exits if the count is zero and then accesses memory.  There the
     difference would include the faults, so a counter before the exit adds the
     exit's condition (ExitBefore).

   - Targets of an indirect branch at the end: a counter for each pair of
     branch and target, found through an inline cache (see below).  Their sum
     is the number of times the end was reached, so a superblock without side
     exits needs no other counter.

   The mark.  Signals, faults and the end of a thread interrupt this flow.
   tool/run/position.c then needs to know the superblock that the thread ran
   last, so each superblock writes its id to the thread's CellMark.  It does so
   when its first instruction has completed, not before: if that instruction
   faults, the thread's position is still where the superblock before it left
   it.

   Say that a thread is at address X, with the mark of superblock P.  If X is
   an instruction of P other than the first, the thread has faulted there,
   inside P. Otherwise it has left P for X.  If P can also leave for one of its
   inner instructions, P sets DCFG_MARK_DONE when it has come to its end.  (For
   an indirect branch, the helper for misses sets it: such a target is never a
   hit.)

   The mark is a store to memory, not to guest state, for two reasons.  VEX
   moves no load across a store, so the loads of the first instruction, which
   may fault, stay before it.  And a signal frame, which saves the guest state,
   does not bring back an old mark.

   Excluded code (tool/run/exclude.h).  The mark stays that of the last
   collected superblock.  An excluded superblock sets CellAway once, when its
   first instruction has completed: the thread is away.  A collected superblock
   checks CellAway before it writes its mark.  tool/run/event.c does the rest.

   The inline cache of an indirect branch is a table of {target, count} whose
   index is some bits of the target.  Slots of the branch hold the mask and the
   place of the table.  tool/run/branch.c explains the rest. */

#include "dcfg_bb.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/dcfg_output.h"
#include "tool/run/event.h"
#include "tool/run/branch.h"
#include "tool/run/exclude.h"
#include "tool/run/flow.h"
#include "tool/run/generation.h"
#include "tool/run/ir.h"
#include "tool/run/landing.h"
#include "tool/run/region.h"
#include "tool/run/thread.h"
#include "tool/steady/steady.h"

/*--- What VEX need not do                                 ---*/

/* VEX checks each superblock before and after instrumentation.  That finds errors
   of VEX and of the tool only.  Tests ask for it. */
void DCFG_WRAP(sanityCheckIRSB)(const IRSB* sb, const HChar* when, Bool is_flat,
                                IRType word_ty)
{
   if (VG_(clo_sanity_level) > 1)
      DCFG_REAL(sanityCheckIRSB)(sb, when, is_flat, word_ty);
}

/* After instrumentation, VEX looks for dead code, constants and copies once more.
   Return whether it need not: nothing is found in code that only counts, and what
   is found in VEX's own is 0.4 % of the bytes.  On 32-bit hosts, counts in 64 bits
   have constants. */
static Bool is_clean(void)
{
   if (VG_WORDSIZE == 4)
      return False;
   for (UInt i = 0; i < DCFG_(n_watchers); i++)
      if (DCFG_(watchers)[i]->needs_cleanup)
         return False;
   return True;
}

void DCFG_WRAP(do_deadcode_BB)(IRSB* sb)
{
   if (!is_clean())
      DCFG_REAL(do_deadcode_BB)(sb);
}

IRSB* DCFG_WRAP(cprop_BB)(IRSB* sb)
{
   return is_clean() ? sb : DCFG_REAL(cprop_BB)(sb);
}

/*--- The kinds of instructions                            ---*/

static InsnEnd end_of(IRJumpKind jk)
{
   switch (jk) {
      case Ijk_Call:   return EndsCall;
      case Ijk_Ret:    return EndsReturn;
      case Ijk_Boring: return EndsBoring;
      default:
         return jk >= Ijk_Sys_syscall && jk <= Ijk_Sys_sysenter
                ? EndsSyscall : EndsOtherwise;
   }
}

/* Return whether instruction K has an exit that leads neither to itself nor to
   the next instruction. */
static Bool may_branch(const Work* work, UInt k)
{
   for (UInt i = 0; i < work->desc.n_exits; i++)
      if (work->exits[i].instr == k && work->exits[i].target != work->addrs[k]
          && work->exits[i].target != work->addrs[k] + work->lengths[k])
         return True;
   return False;
}

static InsnKind kind_without_decoder(const Work* work, const IRSB* sb, UInt k)
{
   const Superblock* d = &work->desc;

   return DCFG_(classify_generic)(k == d->n_instrs - 1 ? end_of(sb->jumpkind)
                                                       : EndsOtherwise,
                                  d->end == EndDirect,
                                  d->next == work->addrs[k] + work->lengths[k],
                                  may_branch(work, k));
}

/* Set the kinds of all instructions of SB, which WORK describes. */
static void find_kinds(Work* work, const IRSB* sb)
{
   UInt last = work->desc.n_instrs - 1;

   for (UInt k = 0; k <= last; k++)
      work->kinds[k] = DCFG_(guest).classify != NULL
                       ? DCFG_(guest).classify((const UChar*)work->addrs[k],
                                               work->lengths[k])
                       : kind_without_decoder(work, sb, k);
   if (sb->jumpkind == Ijk_NoRedir)
      work->kinds[last] = InsnIndirectCall;
}

/*--- Describing a superblock                              ---*/

/* The registers that are up to date in code that is not collected: as the user
   wants.  An output may need all of them, which takes several times as long. */
static VexRegisterUpdates usual_updates;

void DCFG_(set_vex_control)(void)
{
   usual_updates = VG_(clo_vex_control).iropt_register_updates_default;
   /* Chasing makes VEX run both sides of an `a && b`, and mark the instructions
      of both as executed. */
   VG_(clo_vex_control).guest_chase = False;
   /* An unrolled loop would have two iterations in one superblock. */
   VG_(clo_vex_control).iropt_unroll_thresh = 0;
}

/* --- Describing a superblock                              --- */

static Bool is_fault(IRJumpKind jk)
{
   switch (jk) {
      case Ijk_NoDecode: case Ijk_MapFail: case Ijk_SigILL:
      case Ijk_SigTRAP:  case Ijk_SigSEGV: case Ijk_SigBUS:
      case Ijk_SigFPE:   case Ijk_SigFPE_IntDiv: case Ijk_SigFPE_IntOvf:
         return True;
      default:
         return False;
   }
}

Bool DCFG_(may_fault)(const IRStmt* st)
{
   switch (st->tag) {
      case Ist_NoOp: case Ist_IMark: case Ist_AbiHint: case Ist_MBE:
      case Ist_Put:  case Ist_PutI:
         return False;
      case Ist_Exit:
         return is_fault(st->Ist.Exit.jk);
      case Ist_WrTmp:
         switch (st->Ist.WrTmp.data->tag) {
            case Iex_Get: case Iex_GetI: case Iex_RdTmp: case Iex_Const:
            case Iex_ITE: case Iex_Unop: case Iex_CCall:
               return False;
            case Iex_Binop:
               return !DCFG_(never_faults)(
                          st->Ist.WrTmp.data->Iex.Binop.op);
            default:
               return True;
         }
      default:
         return True;
   }
}

/* Return whether a statement behind I can fault, up to the end of the
   instruction or, if WHOLE, of the superblock. */
static Bool may_fault_behind(const IRSB* sb, Int i, Bool whole)
{
   for (i = i + 1; i < sb->stmts_used; i++) {
      if (sb->stmts[i]->tag == Ist_IMark && !whole)
         return False;
      if (DCFG_(may_fault)(sb->stmts[i]))
         return True;
   }
   return False;
}

static Addr const_addr(const IRConst* con)
{
   return con->tag == Ico_U64 ? (Addr)con->Ico.U64 : (Addr)con->Ico.U32;
}

/* Return whether an exit raises a signal for its own instruction.  That
   instruction did not complete, and the signal's delivery is reported. */
static Bool is_fault_exit(const IRStmt* st, Addr instr)
{
   return is_fault(st->Ist.Exit.jk) && const_addr(st->Ist.Exit.dst) == instr;
}

/* Describe SB, which is jumped to at ENTRY, in WORK.  Return False if no
   instruction of it can complete. */
static Bool describe(Work* work, const IRSB* sb, Addr entry)
{
   Superblock* d = &work->desc;
   Int         k = -1;                      // index of the present instruction

   for (Int i = 0; i < sb->stmts_used; i++) {
      const IRStmt* st = sb->stmts[i];
      if (st->tag == Ist_IMark) {
         tl_assert(++k < MAX_INSTRS);
         work->addrs[k]   = st->Ist.IMark.addr;
         work->lengths[k] = st->Ist.IMark.len;
      } else if (st->tag == Ist_Exit && k >= 0
                 && !is_fault_exit(st, work->addrs[k])) {
         tl_assert(d->n_exits < MAX_EXITS);
         SbExit* e   = &work->exits[d->n_exits++];
         e->target   = const_addr(st->Ist.Exit.dst);
         e->instr    = k;
         e->counting = may_fault_behind(sb, i, False) ? ExitBefore
                                                      : ExitAfter;
      }
   }
   d->n_instrs = k + 1;

   /* If the end raises a signal for its own instruction, that instruction never
      completes.  The rest goes on to it. */
   if (k >= 0 && is_fault(sb->jumpkind) && sb->next->tag == Iex_Const
       && const_addr(sb->next->Iex.Const.con) == work->addrs[k]
       && (d->n_exits == 0 || work->exits[d->n_exits - 1].instr != k))
      d->n_instrs--;
   if (d->n_instrs == 0)
      return False;

   d->entry   = entry;
   d->addr    = work->addrs[0];
   d->lengths = work->lengths;
   d->kinds   = work->kinds;
   d->exits   = work->exits;
   d->end     = sb->next->tag == Iex_Const ? EndDirect : EndIndirect;
   d->next    = d->end == EndDirect ? const_addr(sb->next->Iex.Const.con)
                                    : 0;
   d->unredirected = sb->jumpkind == Ijk_NoRedir;
   find_kinds(work, sb);
   return True;
}

/*--- Adding code                                          ---*/

static void set_mark(Work* work, IRExpr* mark)
{
   store(work, cell_addr(work, CellMark), mark);
}

static void tell_started(Work* work, IRExpr* n)
{
   DCFG_EACH_WATCHER(i, started)
      DCFG_(watchers)[i]->started(work, n);
}

/* If code is excluded: call came_back() if the thread was away.  GUARD: whether
   the first instruction has completed, or NULL. */
static void add_came_back(Work* work, IRExpr* guard)
{
   if (!DCFG_(excludes_code)())
      return;
   IRExpr* away = load(work, work->word_ty, cell_addr(work, CellAway));
   if (guard != NULL)
      away = assign(work, work->word_ty,
                    IRExpr_ITE(guard, away, word(work, 0)));
   call_if(work, assign(work, Ity_I1, IRExpr_Binop(work->word_ty == Ity_I64
                                                   ? Iop_CmpNE64 : Iop_CmpNE32,
                                                   away, word(work, 0))),
           "dcfg_came_back", &DCFG_(came_back),
           mkIRExprVec_3(base(work), word(work, work->sb->id),
                         work->entry_sp == NULL
                         ? word(work, 0) : work->entry_sp));
}

/* Return whether the counter of starts, which is there, is a watcher's. */
static Bool watcher_counts_starts(const Work* work)
{
   DCFG_EACH_WATCHER(i, counts_starts)
      if (DCFG_(watchers)[i]->counts_starts(work))
         return True;
   return False;
}

static void add_start(Work* work)
{
   if (work->started)
      return;
   add_came_back(work, NULL);
   if (work->sb->started != 0 && !watcher_counts_starts(work))
      count_one(work, work->sb->started);
   tell_started(work, IRExpr_Const(IRConst_U64(1)));
   set_mark(work, word(work, DCFG_MARK_OF(work->sb->id)));
   work->started = True;
}

static void add_done(Work* work)
{
   if (work->done)
      return;
   set_mark(work, word(work, DCFG_MARK_OF(work->sb->id) | DCFG_MARK_DONE));
   work->done = True;
}

/* --- The whole superblock                                 --- */

static void add_exit(Work* work, const IRSB* sb, Int i)
{
   IRStmt*       st    = sb->stmts[i];
   IRExpr*       guard = st->Ist.Exit.guard;
   UInt          x     = work->next_exit++;
   const SbExit* e     = &work->sb->exits[x];

   if (e->counting == ExitBefore) {
      if (e->instr == 0)
         add_came_back(work, guard);
      IRExpr* taken = bit_to_word(work, guard);
      count(work, e->cell, taken);
      if (e->instr == 0) {
         tell_started(work, word_to_I64(work, taken));
         IRExpr* mark = load(work, work->word_ty, cell_addr(work, CellMark));
         set_mark(work, assign(work, work->word_ty,
                               IRExpr_ITE(guard,
                                          word(work,
                                               DCFG_MARK_OF(work->sb->id)),
                                          mark)));
      }
   } else {
      add_start(work);
   }
   if (DCFG_(inner_instr)(work->sb, e->target) != 0) {
      if (may_fault_behind(sb, i, True)) {
         IRExpr* taken = bit_to_word(work, guard);
         set_mark(work,
                  add_words(work, word(work, DCFG_MARK_OF(work->sb->id)),
                            taken));
      } else {
         add_done(work);
      }
   }
   DCFG_EACH_WATCHER(o, exit)
      DCFG_(watchers)[o]->exit(work, x, st);
   add(work, st);
   if (e->counting == ExitAfter)
      count_one(work, e->cell);
}

static Bool is_division(const IRStmt* st)
{
   return st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag == Iex_Binop
          && DCFG_(divides)(st->Ist.WrTmp.data->Iex.Binop.op);
}

/* Add a division, which may raise SIGFPE.  VEX keeps the instruction pointer
   right for memory accesses only, so set it.  Use the result at once: VEX would
   divide where it is first used. */
static void add_division(Work* work, IRStmt* st, Addr instr)
{
   IRTemp  res = st->Ist.WrTmp.tmp;
   IRType  ty  = typeOfIRTemp(work->out->tyenv, res);
   IRExpr* low = IRExpr_RdTmp(res);

   add(work, IRStmt_Put(work->layout->offset_IP, word(work, instr)));
   add(work, st);
   if (ty == Ity_I128)
      low = assign(work, Ity_I64, IRExpr_Unop(Iop_128to64, low));
   add(work, IRStmt_Put(work->layout->total_sizeB + DCFG_SHADOW_UNUSED, low));
}

/* Count the target of the indirect branch that ends SB. */
static void add_indirect(Work* work, const IRSB* sb)
{
   IRExpr* target = sb->next;
   CellNo  site  = work->sb->branch->site;
   IRExpr* mask  = load(work, work->word_ty, cell_addr(work, site + SiteMask));
   IRExpr* cache = load(work, work->word_ty, cell_addr(work, site + SiteCache));
   IRExpr* index = word_op(work, Iop_And64, Iop_And32,
                           word_op(work, Iop_Shl64, Iop_Shl32, target,
                                   IRExpr_Const(IRConst_U8(
                                      DCFG_ENTRY_SHIFT))),
                           mask);
   IRExpr* entry = add_words(work, add_words(work, base(work), cache), index);
   IRExpr* miss  = assign(work, Ity_I1,
                          IRExpr_Binop(work->word_ty == Ity_I64 ? Iop_CmpNE64
                                                                : Iop_CmpNE32,
                                       load(work, work->word_ty, entry),
                                       target));
   Bool    told  = False;
   DCFG_EACH_WATCHER(i, miss)
      told = told || DCFG_(watchers)[i]->miss(work, sb, miss);
   if (!told)
      call_if(work, miss, "dcfg_branch_miss", &DCFG_(branch_miss),
              mkIRExprVec_3(base(work), word(work, work->sb->id), target));
   IRExpr* old = load(work, work->word_ty,
                      add_words(work, entry, word(work, DCFG_ENTRY_COUNT)));
   store(work, add_words(work, entry, word(work, DCFG_ENTRY_COUNT)),
         add_words(work, old, word(work, 1)));
}

/* Note that SB runs at its entry from now on.  If SB is excluded, only .entry,
   .addr and .image are set. */
static void note_landing(Superblock* sb, Bool unredirected)
{
   /* Inside of superblocks of the older image, its own code ran at the entry. */
   if (sb->image != DCFG_NO_IMAGE
       && !DCFG_(has_landed)(sb->entry, unredirected)
       && DCFG_(fall_from_older)(sb->entry, sb->image)) {
      DCFG_(claim_superblocks)();
      if (!DCFG_(has_landed)(sb->entry, unredirected))
         DCFG_(pass_landing)(sb->entry, unredirected);
   }
   Bool changed = DCFG_(lands_elsewhere)(sb, unredirected);

   DCFG_(part_generations)(sb, changed
                               || !DCFG_(has_landed)(sb->entry, unredirected));
   if (changed) {
      Target old = DCFG_(target_now)(sb->entry, unredirected);
      DCFG_(fix_away)();
      DCFG_(resolve_flows)(&old, 1);
   }
   DCFG_(land_here)(sb, unredirected);
   if (changed)
      DCFG_(retarget_threads)(DCFG_(target_now)(sb->entry, unredirected));
}

/* Return a superblock that makes the core translate this one again next, with
   all registers up to date at each instruction, so that VEX keeps each load.
   (VEX's IR cannot be made again within a translation.) */
static IRSB* translate_again(const Work* work, const IRSB* in, Addr entry)
{
   IRSB* out = emptyIRSB();

   vex_control.iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
   addStmtToIRSB(out, IRStmt_Put(DCFG_(guest).discard_start,
                                 word(work, work->addrs[0])));
   addStmtToIRSB(out, IRStmt_Put(DCFG_(guest).discard_length, word(work, 1)));
   out->next     = word(work, entry);
   out->jumpkind = Ijk_InvalICache;
   out->offsIP   = in->offsIP;
   return out;
}

/* Return whether a watcher lacks something of WORK that VEX has dropped.  False
   for code that is jumped to past redirections, because the second jump would
   be redirected. */
static Bool is_lacking(const Work* work, VexRegisterUpdates updates,
                       Bool unredirected)
{
   if (updates == VexRegUpdAllregsAtEachInsn || unredirected)
      return False;
   DCFG_EACH_WATCHER(o, lacks)
      if (DCFG_(watchers)[o]->lacks(work))
         return True;
   return False;
}

static void begin_work(Work* work, const VexGuestLayout* layout, IRType word_ty)
{
   VG_(memset)(work, 0, offsetof(Work, addrs));
   work->base    = IRTemp_INVALID;
   work->word_ty = word_ty;
   work->layout  = layout;
   work->now     = -1;
}

/* Keep the stack pointer at the entry if a watcher needs it when a thread comes
   back. */
static void keep_entry_sp(Work* work)
{
   if (DCFG_(excludes_code)() && work->entry_sp == NULL)
      DCFG_EACH_WATCHER(o, come_back)
         work->entry_sp = assign(work, work->word_ty,
                                 IRExpr_Get(work->layout->offset_SP,
                                            work->word_ty));
}

/* Return whether SB begins with the core's check that its code has not
   changed. */
static Bool is_checked(const IRSB* sb)
{
   for (Int i = 0; i < sb->stmts_used; i++) {
      if (sb->stmts[i]->tag == Ist_IMark)
         return False;
      if (sb->stmts[i]->tag == Ist_Exit
          && sb->stmts[i]->Ist.Exit.jk == Ijk_InvalICache)
         return True;
   }
   return False;
}

/* Return the code that runs in place of SBIN while it is collected. */
static IRSB* collect_superblock(const VgCallbackClosure* closure, IRSB* sbIn,
                                const VexGuestLayout* layout,
                                IRType hWordTy, VexRegisterUpdates updates)
{
   Work w;
   Bool any_after = False;
   Bool unredirected = DCFG_(jumps_unredirected)(closure->tid,
                                                 closure->nraddr);

   begin_work(&w, layout, hWordTy);
   if (!describe(&w, sbIn, closure->nraddr))
      return sbIn;
   UInt last    = w.desc.n_instrs - 1;
   w.desc.image = DCFG_(image_of)(w.desc.addr,
                                  w.addrs[last] + w.lengths[last]
                                  - w.desc.addr, is_checked(sbIn));

   for (UInt e = 0; e < w.desc.n_exits; e++)
      if (w.exits[e].counting == ExitAfter)
         any_after = True;
   w.sb  = DCFG_(register_superblock)(&w.desc, w.desc.end == EndDirect
                                               || any_after);
   note_landing(w.sb, unredirected);
   w.out = deepCopyIRSBExceptStmts(sbIn);
   DCFG_EACH_WATCHER(o, begin)
      DCFG_(watchers)[o]->begin(&w);
   keep_entry_sp(&w);

   for (Int i = 0; i < sbIn->stmts_used; i++) {
      IRStmt* st = sbIn->stmts[i];
      if (st->tag == Ist_NoOp)
         continue;
      if (st->tag == Ist_IMark && ++w.now >= 1) {
         add_start(&w);
         DCFG_EACH_WATCHER(o, instruction)
            DCFG_(watchers)[o]->instruction(&w, w.now);
      }
      if (st->tag == Ist_Exit && w.now >= 0
          && !is_fault_exit(st, w.addrs[w.now]))
         add_exit(&w, sbIn, i);
      else if (w.now >= 0 && is_division(st))
         add_division(&w, st, w.addrs[w.now]);
      else
         add(&w, st);
      DCFG_EACH_WATCHER(o, statement)
         DCFG_(watchers)[o]->statement(&w, st);
   }
   add_start(&w);
   if (is_lacking(&w, updates, unredirected))
      return translate_again(&w, sbIn, closure->nraddr);
   DCFG_EACH_WATCHER(o, end)
      DCFG_(watchers)[o]->end(&w, sbIn);
   if (w.sb->end == EndIndirect)
      add_indirect(&w, sbIn);
   else if (DCFG_(inner_instr)(w.sb, w.sb->next) != 0
            || w.sb->kinds[w.sb->n_instrs - 1] == InsnSyscall)
      add_done(&w);
   DCFG_EACH_WATCHER(o, leave)
      DCFG_(watchers)[o]->leave(&w, sbIn);
   return w.out;
}

/* Return whether SB is excluded: its first instruction is, and so are all. */
static Bool is_left_out(const IRSB* sb)
{
   if (!DCFG_(excludes_code)())
      return False;
   for (Int i = 0; i < sb->stmts_used; i++)
      if (sb->stmts[i]->tag == Ist_IMark)
         return DCFG_(is_excluded)(sb->stmts[i]->Ist.IMark.addr);
   return False;
}

/* Call went_away() when the first instruction has completed; GUARD tells
   whether, or is NULL. */
static void add_went_away(Work* work, IRExpr* guard)
{
   IRExpr* away = load(work, work->word_ty, cell_addr(work, CellAway));

   if (guard != NULL)
      away = assign(work, work->word_ty,
                    IRExpr_ITE(guard, away, word(work, 1)));
   call_if(work, assign(work, Ity_I1, IRExpr_Binop(work->word_ty == Ity_I64
                                                   ? Iop_CmpEQ64 : Iop_CmpEQ32,
                                                   away, word(work, 0))),
           "dcfg_went_away", &DCFG_(went_away),
           mkIRExprVec_2(base(work), word(work, work->desc.entry)));
   work->started = guard == NULL;
}

/* Return the code that runs in place of the excluded SBIN.  It does nothing but
   tell once that the thread has left collected code. */
static IRSB* exclude_superblock(const VgCallbackClosure* closure, IRSB* sbIn,
                                const VexGuestLayout* layout,
                                IRType hWordTy)
{
   Work w;
   UInt x = 0;

   begin_work(&w, layout, hWordTy);
   if (!describe(&w, sbIn, closure->nraddr))
      return sbIn;
   w.desc.image = DCFG_NO_IMAGE;
   note_landing(&w.desc, DCFG_(jumps_unredirected)(closure->tid,
                                               closure->nraddr));
   w.out = deepCopyIRSBExceptStmts(sbIn);

   for (Int i = 0; i < sbIn->stmts_used; i++) {
      IRStmt* st = sbIn->stmts[i];
      if (st->tag == Ist_IMark && ++w.now == 1 && !w.started)
         add_went_away(&w, NULL);
      if (st->tag == Ist_Exit && w.now == 0
          && !is_fault_exit(st, w.addrs[0])) {
         Bool before = w.exits[x++].counting == ExitBefore;
         if (!w.started)
            add_went_away(&w, before ? st->Ist.Exit.guard : NULL);
      }
      if (w.now == 0 && is_division(st))
         add_division(&w, st, w.addrs[0]);
      else
         add(&w, st);
   }
   if (!w.started)
      add_went_away(&w, NULL);
   if (w.desc.unredirected)
      store(&w, cell_addr(&w, CellAway), sbIn->next);
   return w.out;
}

IRSB* DCFG_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                        const VexGuestLayout* layout,
                        const VexGuestExtents* vge,
                        const VexArchInfo* archinfo_host,
                        IRType gWordTy, IRType hWordTy)
{
   Addr  entry = closure->nraddr;
   IRSB* out;
   VexRegisterUpdates updates = vex_control.iropt_register_updates_default;

   vex_control.iropt_register_updates_default
      = !DCFG_(is_collecting)() ? usual_updates
        : VG_(clo_vex_control).iropt_register_updates_default;
   tl_assert(gWordTy == hWordTy);
   DCFG_(answer_in_code)(sbIn);
   out = DCFG_(cut_before_place)(sbIn, entry, layout, hWordTy);
   if (out != NULL)
      return out;
   out = !DCFG_(is_collecting)() ? sbIn
         : is_left_out(sbIn) ? exclude_superblock(closure, sbIn, layout, hWordTy)
         : collect_superblock(closure, sbIn, layout, hWordTy, updates);
   return DCFG_(watch_places)(sbIn, out, entry, layout, hWordTy);
}
