/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Generated code that records a trace. */

/* Owns: the code that records what a trace cannot know from the code itself:
   see tool/trace/record.c.  Handed: superblocks by tool/run/instrument.c.  Taken by:
   tool/trace/output_trace.c, which registers the watcher. */

#include "tool/run/ir.h"
#include "tool/trace/ir_record.h"
#include "tool/trace/record.h"
#include "tool/trace/recorded.h"

/* Has the present instruction recorded a bit? */
static Bool bit_recorded;

static IRExpr* record_slot(Work* w, UInt slot)
{
   return cell_addr(w, DCFG_(first_record_slot) + slot);
}

/* Store WORD as SlotBits; call the helper if it is full. */
static void put_bits(Work* w, IRExpr* bits)
{
   store(w, record_slot(w, SlotBits), bits);
   call_if(w, is_negative(w, bits), "dcfg_record_word", &DCFG_(record_word),
           mkIRExprVec_1(base(w)));
}

/* Return SlotBits shifted up by one, or only if GUARD.  The shift is a sum,
   because 32-bit hosts take ten instructions to shift an I64. */
static IRExpr* shifted_bits(Work* w, IRExpr* guard)
{
   IRExpr* bits = load(w, Ity_I64, record_slot(w, SlotBits));
   IRExpr* more = bits;

   if (guard != NULL)
      more = assign(w, Ity_I64,
                    IRExpr_ITE(guard, bits, IRExpr_Const(IRConst_U64(0))));
   return sum(w, bits, more);
}

/* Return the bit for the way from instruction K to TARGET. */
static Bool bit_of(const Work* w, UInt k, Addr target)
{
   return DCFG_(bit_of_way)(w->sb->kinds[k], w->addrs[k], w->lengths[k],
                            target);
}

/* Record BIT. */
static void record_bit(Work* w, Bool bit)
{
   IRExpr* bits = shifted_bits(w, NULL);
   put_bits(w, bit ? sum(w, bits, IRExpr_Const(IRConst_U64(1))) : bits);
   bit_recorded = True;
}

/* Record the direction of the conditional branch K, whose only exit leads to
   TARGET. */
static void record_branch(Work* w, UInt k, Addr target, IRExpr* guard)
{
   IRExpr* taken = bit_to_I64(w, guard);
   IRExpr* bits  = shifted_bits(w, NULL);

   if (!bit_of(w, k, target)) {
      bits = sum(w, bits, IRExpr_Const(IRConst_U64(1)));
      put_bits(w, assign(w, Ity_I64, IRExpr_Binop(Iop_Sub64, bits, taken)));
   } else {
      put_bits(w, sum(w, bits, taken));
   }
   bit_recorded = True;
}

/* Record the bit of K's exit to TARGET if it is taken. */
static void record_if_taken(Work* w, UInt k, Addr target, IRExpr* guard)
{
   IRExpr* bits = shifted_bits(w, guard);

   if (bit_of(w, k, target))
      bits = sum(w, bits, bit_to_I64(w, guard));
   put_bits(w, bits);
}

static void record_target(Work* w, IRExpr* target)
{
   IRExpr* place = load(w, w->word_ty, record_slot(w, SlotTargets));
   IRExpr* next  = add_words(w, place, word(w, sizeof(Addr)));
   IRExpr* end   = load(w, w->word_ty, record_slot(w, SlotTargetsEnd));

   store(w, place, target);
   store(w, record_slot(w, SlotTargets), next);
   call_if(w, assign(w, Ity_I1, IRExpr_Binop(w->word_ty == Ity_I64
                                             ? Iop_CmpEQ64 : Iop_CmpEQ32,
                                             next, end)),
           "dcfg_record_targets", &DCFG_(record_targets),
           mkIRExprVec_1(base(w)));
}

static UInt n_exits_of(const Superblock* sb, UInt k)
{
   UInt n = 0;

   for (UInt i = 0; i < sb->n_exits; i++)
      n += sb->exits[i].instr == k;
   return n;
}

static void begin(Work* w)
{
   bit_recorded = False;
}

static void add_exit(Work* w, UInt x, const IRStmt* st)
{
   const SbExit* e     = &w->sb->exits[x];
   UInt          k     = e->instr;
   IRExpr*       guard = st->Ist.Exit.guard;

   if (DCFG_(recorded)(w->sb, k) != RecordBit)
      call_if(w, guard, "dcfg_record_exit", &DCFG_(record_exit),
              mkIRExprVec_3(base(w), word(w, w->sb->id), word(w, x)));
   else if (w->sb->kinds[k] == InsnCond && n_exits_of(w->sb, k) == 1)
      record_branch(w, k, e->target, guard);
   else
      record_if_taken(w, k, e->target, guard);
}

/* End instruction K, which took no exit.  NEXT is the target of the
   superblock's end, if K is its last instruction. */
static void end_of_instr(Work* w, UInt k, IRExpr* next)
{
   Bool is_last = k + 1u == w->sb->n_instrs;

   switch (DCFG_(recorded)(w->sb, k)) {
      case RecordNothing:
         break;
      case RecordBit:
         if (!bit_recorded)
            record_bit(w, bit_of(w, k, is_last ? w->sb->next
                                               : w->addrs[k + 1]));
         break;
      case RecordTarget:
         record_target(w, next);
         break;
   }
   bit_recorded = False;
}

static void begin_instr(Work* w, UInt k)
{
   end_of_instr(w, k - 1, NULL);
}

static void end(Work* w, const IRSB* in)
{
   if (w->now + 1u == w->sb->n_instrs)
      end_of_instr(w, w->now, in->next);
}

const Watcher DCFG_(recording_watcher) = {
   .begin       = begin,
   .instruction = begin_instr,
   .exit        = add_exit,
   .end         = end,
   .thread_new  = DCFG_(new_recorder),
   .thread_free = DCFG_(delete_recorder),
   .restart     = DCFG_(restart_recorder),
   .thread_end  = DCFG_(finish_recorder),
   .idle_cells  = DCFG_(have_idle_recorder),
   .divert      = DCFG_(record_divert),
   .redirect    = DCFG_(record_redirect),
   .landing     = DCFG_(record_landing),
   .landing_for = DCFG_(record_landing_for)
};
