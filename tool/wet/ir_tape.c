/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Generated code that writes the tape. */

/* Owns: the code that writes headers and addresses to the tape.  Handed:
   superblocks by tool/run/instrument.c.

   An address is written beside its access, at a constant offset in the row.
   For a load, it is written before: VEX merges a load with its use into one
   instruction only if no store is between.

   The header, and the moves of the cursor and the row, are written when the
   superblock is left.  After an exit that is not taken a fault may follow,
   which must find the old cursor: then they are moved only if the exit is
   taken. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "tool/arch/guest.h"
#include "tool/run/ir.h"
#include "tool/wet/distances.h"
#include "tool/wet/ir_tape.h"
#include "tool/wet/slots.h"
#include "tool/wet/kernel.h"
#include "tool/wet/numbers.h"
#include "tool/wet/registers.h"
#include "tool/wet/tape.h"
#include "tool/wet/terms.h"
#include "tool/wet/values.h"
#include "tool/wet/x87_top.h"

/* State of the superblock in translation. */
static struct {
   SlotList* list;
   IRExpr* tape;                          // DCFG_(tape)
   IRExpr* cursor;                        // address of its header
   IRExpr* row;                           // address of its row, or NULL
   IRConst* row_size;                     // in bytes
   IRStmt* make_room;                     // the call that makes room for a row
   Bool    moved, row_moved;              // have they been moved for good?
   NewSlots made;
   UInt    n_words;
   IRTemp  roots[DCFG_TAPE_SLACK / 2];    // temporaries of the slots on the
                                          // tape
   Addr    distances[DCFG_TAPE_SLACK / 2];
   UShort  at_exit[TAPE_MAX_EXITS];
   UInt    n_segments;
   UShort  segment_ends[TAPE_MAX_EXITS + 1]; // each one's last word + 1
   IRExpr* first_stack;                   // DCFG_(tape)->stack at the begin;
                                          // NULL: unused
   IRExpr* stack;                         // its present value
   Bool    top_loaded;                    // has this instruction loaded x87's
                                          // top,
   TopPush push;                          // or perhaps pushed?
} work;

static Bool with_values;

void DCFG_(write_values)(void)
{
   with_values = True;
}

static IRExpr* place_of(const Work* w, const void* p)
{
   return word(w, (UWord)p);
}

/* Return the address P as the tape's begin, which is in a register, plus a
   constant.  This takes less code than P itself; if VEX knew the tape's begin,
   it would turn the sum into a constant. */
static IRExpr* near_tape(Work* w, const void* p)
{
   Addr distance = (Addr)p - (Addr)DCFG_(tape);

   return distance + (1u << 31) < 1ull << 32
          ? add_words(w, work.tape, word(w, distance)) : place_of(w, p);
}

/* Note the statements that were added from number FIRST on. */
static void note_terms(const Work* w, Int first)
{
   for (Int i = first; i < w->out->stmts_used; i++)
      DCFG_(note_term)(w, w->out->stmts[i]);
}

static void begin_instr(void)
{
   work.top_loaded = False;
   DCFG_(begin_push)(&work.push);
   DCFG_(begin_value)();
}

/* Add a call of FN, which changes the SIZE bytes at P, if A OP64 B. */
static IRStmt* call_to_change(Work* w, IRDirty* di, IROp op64, IROp op32,
                              IRExpr* a, IRExpr* b, const void* p, UInt size)
{
   IRStmt* st = IRStmt_Dirty(di);

   di->guard = assign(w, Ity_I1,
                      IRExpr_Binop(w->word_ty == Ity_I64 ? op64 : op32, a, b));
   di->mFx   = Ifx_Modify;
   di->mAddr = place_of(w, p);
   di->mSize = size;
   add(w, st);
   return st;
}

/* Begin a superblock: check the cursor, and make room for a row.  The cursor
   may be up to a record beyond the limit.  If the superblock has no words after
   all, the call for the row is removed. */
static void begin(Work* w)
{
   Rows* rows;

   DCFG_(begin_distances)(w->out->tyenv->types_used);
   work.tape = load(w, w->word_ty, place_of(w, &DCFG_(tape)));
   work.list = DCFG_(slots_of)(w->sb);
   rows      = &work.list->rows;
   tl_assert(w->sb->n_exits < TAPE_MAX_EXITS);
   if (work.list->first_way == 0)
      work.list->first_way = DCFG_(new_ways)(w->sb->n_exits + 1);
   call_to_change(w, unsafeIRDirty_0_N(0, "dcfg_tape_is_full",
                                       VG_(fnptr_to_fnentry)
                                          (&DCFG_(tape_is_full)),
                                       mkIRExprVec_0()),
                  Iop_CmpLT64U, Iop_CmpLT32U,
                  load(w, w->word_ty, near_tape(w, &DCFG_(tape)->limit)),
                  load(w, w->word_ty, near_tape(w, &DCFG_(tape)->cursor)),
                  &DCFG_(tape)->cursor, sizeof(DCFG_(tape)->cursor));
   work.make_room
      = call_to_change(w, unsafeIRDirty_0_N(0, "dcfg_rows_are_full",
                                            VG_(fnptr_to_fnentry)
                                               (&DCFG_(rows_are_full)),
                                            mkIRExprVec_1(near_tape(w, rows))),
                       Iop_CmpEQ64, Iop_CmpEQ32,
                       load(w, w->word_ty, near_tape(w, &rows->next)),
                       load(w, w->word_ty, near_tape(w, &rows->end)),
                       rows, sizeof(*rows));
   work.row      = load(w, w->word_ty, near_tape(w, &rows->next));
   work.cursor   = load(w, w->word_ty, near_tape(w, &DCFG_(tape)->cursor));
   work.row_size = w->word_ty == Ity_I64 ? IRConst_U64(0) : IRConst_U32(0);
   work.moved    = work.row_moved = False;
   work.made.n  = work.n_words = work.n_segments = 0;
   work.stack    = work.first_stack = NULL;
   if (with_values)
      DCFG_(begin_terms)(w, &work.made);
   begin_instr();
}

/* Return whether a DISTANCE may be used.  Readers add distances in 64 bits, so
   sums of 32-bit addresses must not wrap.  Near ones do not, because nothing is
   mapped at either end. */
static Bool is_near(Addr distance)
{
   const Addr far = 1 << 20;

   return sizeof(Addr) == 8 || distance + far < 2 * far;
}

/* Choose how SLOT, the next one, with the address or value ADDR, is found by
   readers.  If not ALWAYS the same access: on the tape. */
static void place_slot(const Work* w, Slot* slot, const IRExpr* addr,
                       Bool always)
{
   UInt me = work.made.n;

   slot->from = WhereTape;
   slot->addr = 0;
   work.roots[me] = IRTemp_INVALID;
   if (!always)
      return;
   if (with_values) {
      if (!DCFG_(find_term)(w, addr, slot))
         DCFG_(set_term)(w, addr, work.made.n);
      return;
   }
   if (addr->tag == Iex_Const) {
      slot->from = WhereConstant;
      slot->addr = DCFG_(constant_address)(addr);
      return;
   }
   Distance d = DCFG_(distance_of)(addr->Iex.RdTmp.tmp);
   for (UInt i = 0; i < me; i++)
      if (work.roots[i] == d.from
          && is_near(d.distance - work.distances[i])) {
         slot->from = WhereSlot + i;
         slot->addr = d.distance - work.distances[i];
         return;
      }
   slot->from         = d.where;
   work.roots[me]     = d.from;
   work.distances[me] = d.distance;
}

/* Write the header: the superblock is left by exit X, or at its end.  The words
   so far end a segment. */
static void put_header(Work* w, UInt x)
{
   UInt way = work.list->first_way + (x == HOW_END ? w->sb->n_exits : x);
   UInt end = work.n_segments == 0 ? 0
                                   : work.segment_ends[work.n_segments - 1];

   if (work.n_words > end)
      work.segment_ends[work.n_segments++] = work.n_words;
   DCFG_(ways)[way] = (SlotWay){ w->sb->id, wet_history_hash(w->sb->id, x),
                                 work.n_words, x, work.n_segments };
   store(w, work.cursor, IRExpr_Const(IRConst_U64(way)));
}

/* Return E, a word or an I64, as an I64. */
static IRExpr* tape_number(Work* w, IRExpr* e)
{
   return typeOfIRExpr(w->out->tyenv, e) == Ity_I64 ? e : widened(w, e);
}

/* Return the number for an ADDR near the stack pointer: its distance from the
   last address that was made from RSP.  It is the same at each depth. */
static IRExpr* near_stack(Work* w, const Slot* slot, IRExpr* addr)
{
   if (work.stack == NULL)
      work.stack = work.first_stack = load(w, w->word_ty,
                                           near_tape(w, &DCFG_(tape)->stack));
   IRExpr* near = assign(w, Ity_I64,
                         IRExpr_Binop(Iop_Sub64, tape_number(w, addr),
                                      tape_number(w, work.stack)));
   if (slot->from == WhereStack)
      work.stack = addr;
   return near;
}

/* Add SLOT with the address or value ADDR. */
static void add_slot(Work* w, const Slot* slot, IRExpr* addr)
{
   work.made.slots[work.made.n++] = *slot;
   if (slot->from > WhereStack)
      return;
   if (slot->from != WhereTape)
      addr = near_stack(w, slot, addr);
   store(w, add_words(w, work.row, word(w, work.n_words++ * sizeof(ULong))),
         tape_number(w, addr));
}

static void add_access(Work* w, const IRStmt* st)
{
   Slot    access;
   IRExpr* addr;
   IRExpr* guard;
   IRStmt* last = NULL;

   if (with_values)
      DCFG_(note_term)(w, st);
   else if (st->tag == Ist_WrTmp)
      DCFG_(note_distance)(w, st);
   if (w->now < 0 || w->now >= w->sb->n_instrs)
      return;
   work.top_loaded = work.top_loaded || DCFG_(loads_top)(st);
   DCFG_(note_push)(&work.push, st);
   if (with_values)
      DCFG_(note_value)(w, st);
   if (!DCFG_(access_of)(w->out, st, &access, &addr, &guard)
       || !DCFG_(is_access)(w->out, (const UChar*)w->addrs[w->now],
                            w->lengths[w->now], &access, &addr, &guard))
      return;
   if (guard == NULL && (access.what & AccessGuarded))
      guard = DCFG_(has_stored)(w, st);
   tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
   access.instr = w->now;
   place_slot(w, &access, addr, guard == NULL);
   if (st->tag == Ist_WrTmp) {
      last = w->out->stmts[--w->out->stmts_used];
      tl_assert(last == st);
   }
   if (guard != NULL)
      addr = assign(w, w->word_ty, IRExpr_ITE(guard, addr, word(w, 0)));
   add_slot(w, &access, addr);
   if (last != NULL)
      add(w, last);
}

/* Add x87's top behind instruction K, if only the execution tells it. */
static void add_top(Work* w, UInt k)
{
   Slot    slot = { k, 0, AccessTop, WhereTape, 0 };
   IRExpr* top;

   if (k >= w->sb->n_instrs)
      return;
   if (work.top_loaded)
      top = assign(w, Ity_I32, DCFG_(get_x87_top)());
   else if (work.push.top != IRTemp_INVALID
            && DCFG_(may_push)((const UChar*)w->addrs[k], w->lengths[k]))
      top = IRExpr_RdTmp(work.push.top);
   else
      return;
   tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
   top = assign(w, Ity_I32, IRExpr_Binop(Iop_And32, top,
                                         IRExpr_Const(IRConst_U32(7))));
   work.roots[work.made.n] = IRTemp_INVALID;
   add_slot(w, &slot, assign(w, Ity_I64, IRExpr_Unop(Iop_32Uto64, top)));
   work.top_loaded = False;
   DCFG_(begin_push)(&work.push);
}

/* If a number that instruction K loaded is all that readers lack to compute E,
   add it. */
static void add_lacking(Work* w, UInt k, const IRExpr* e)
{
   Slot   slot = { k, sizeof(ULong), AccessTerm + 2 * TermAdd + 1, WhereTape,
                   0 };
   IRTemp t;
   UInt   i;
   Int    load = DCFG_(lacking_term)(w, e, &t, &i);

   if (load < 0)
      return;
   tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
   DCFG_(name_number)(load, work.made.n);
   add_slot(w, &slot, DCFG_(word_of_temp)(w, t, i));
}

/* Add the value that instruction K has computed. */
static void add_value(Work* w, UInt k)
{
   ValuePart parts[MAX_VALUE_PARTS];
   UInt      n = 0;
   Int       first = w->out->stmts_used;

   if (!with_values)
      return;
   if (k < w->sb->n_instrs)
      n = DCFG_(end_value)(w, k, parts);
   note_terms(w, first);
   for (UInt i = 0; i < n; i++) {
      Slot          slot = { k, parts[i].size, AccessValue, WhereTape, 0 };
      const IRExpr* e = parts[i].was == NULL ? parts[i].data : parts[i].was;
      add_lacking(w, k, e);
      tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
      place_slot(w, &slot, e, True);
      add_slot(w, &slot, parts[i].data);
   }
}

/* Tell the registers that have changed, at instruction K. */
static void add_registers(Work* w, UInt k)
{
   if (!with_values)
      return;
   k = k < w->sb->n_instrs ? k : w->sb->n_instrs - 1;
   for (UInt r = 0; (r = DCFG_(changed_register)(r)) < WET_REGISTERS; r++) {
      Slot    slot = { k, r, AccessRegister, WhereTape, 0 };
      IRExpr* now  = NULL;
      if (!DCFG_(find_register)(r, &slot)) {
         IRType ty = DCFG_(register_size)(r) == 8 ? Ity_I64 : Ity_I32;
         now = assign(w, ty, IRExpr_Get(DCFG_(register_offset)(r), ty));
         DCFG_(set_register)(r, work.made.n);
      }
      tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
      add_slot(w, &slot, now);
   }
}

static void end_instr(Work* w, UInt k)
{
   add_top(w, k);
   add_value(w, k);
   begin_instr();
}

static void end_instr_before(Work* w, UInt k)
{
   end_instr(w, k - 1);
}

/* Set the word at P to NOW; if GUARD is not NULL and false, leave it at WAS. */
static void change(Work* w, const void* p, IRExpr* guard, IRExpr* now,
                   IRExpr* was)
{
   if (guard != NULL)
      now = assign(w, w->word_ty, IRExpr_ITE(guard, now, was));
   store(w, near_tape(w, p), now);
}

/* Move the cursor behind the header, and the row behind its words. */
static void move(Work* w, IRExpr* guard)
{
   if (!work.moved)
      change(w, &DCFG_(tape)->cursor, guard,
             add_words(w, work.cursor, word(w, sizeof(ULong))), work.cursor);
   if (work.n_words > 0 && !work.row_moved)
      change(w, &work.list->rows.next, guard,
             add_words(w, work.row, IRExpr_Const(work.row_size)), work.row);
   if (work.stack != work.first_stack)
      change(w, &DCFG_(tape)->stack, guard, work.stack, work.first_stack);
   work.moved     = work.moved || guard == NULL;
   work.row_moved = work.row_moved || (guard == NULL && work.n_words > 0);
}

static void add_exit(Work* w, UInt x, const IRStmt* st)
{
   const SbExit* e = &w->sb->exits[x];

   /* FLDENV can be left by the core's exit for a warning, after all its
      work. */
   add_top(w, e->instr);
   /* LOOP has its value before it branches. */
   if (w->sb->kinds[e->instr] == InsnCond) {
      add_value(w, e->instr);
      DCFG_(begin_value)();
   }
   add_registers(w, e->instr);
   work.at_exit[x] = work.made.n;
   put_header(w, x);
   move(w, e->counting == ExitBefore || e->instr + 1u < w->sb->n_instrs
           ? st->Ist.Exit.guard : NULL);
}

/* Return whether VEX has dropped a load.  It does so if the result is
   overwritten before it is used, as in `pop %rcx; mov $1,%ecx`. */
static Bool lacks(const Work* w)
{
   UInt s = 0;

   for (UInt k = 0; k < w->sb->n_instrs; k++) {
      UInt n = 0;
      for (; s < work.made.n && work.made.slots[s].instr == k; s++)
         n += work.made.slots[s].what <= AccessAll;
      if (n < DCFG_(guest).loads((const UChar*)w->addrs[k],
                                         w->lengths[k]))
         return True;
   }
   return False;
}

/* Store the list of W's slots, or check that it is the same as before. */
static void keep_slots(const Work* w)
{
   SlotList* list  = work.list;
   SizeT     slots = work.made.n * sizeof(Slot);
   SizeT     exits = w->sb->n_exits * sizeof(UShort);
   SizeT     ends  = work.n_segments * sizeof(UShort);

   if (list->at_exit != NULL) {
      tl_assert(list->n_slots == work.made.n);
      for (UInt i = 0; i < work.made.n; i++)
         tl_assert(list->slots[i].instr == work.made.slots[i].instr
                   && list->slots[i].from == work.made.slots[i].from);
      return;
   }
   UInt n = DCFG_(instr_addr)(w->sb, w->sb->n_instrs) - w->sb->addr;
   list->n_slots = work.made.n;
   list->n_words = work.n_words;
   /* A single allocation, because there are many superblocks. */
   list->slots   = VG_(malloc)("dcfg.wet.slots", slots + exits + ends + n);
   list->at_exit = (UShort*)((UChar*)list->slots + slots);
   list->n_segments   = work.n_segments;
   list->segment_ends = list->at_exit + w->sb->n_exits;
   list->rows.size    = work.n_words + (work.n_segments > 1);
   list->code         = (UChar*)(list->segment_ends + work.n_segments);
   VG_(memcpy)(list->slots, work.made.slots, slots);
   VG_(memcpy)(list->at_exit, work.at_exit, exits);
   VG_(memcpy)(list->segment_ends, work.segment_ends, ends);
   VG_(memcpy)(list->code, (const void*)w->sb->addr, n);
}

/* Return whether an instruction of KIND records the stack pointer behind it. A
   longjmp is an indirect jump that ends activations.  Calls and returns record
   it, too, if they put nothing on the stack. */
static Bool tells_stack(InsnKind kind)
{
   switch (kind) {
      case InsnIndirectJump:
         return True;
      case InsnCall: case InsnIndirectCall: case InsnReturn:
         return DCFG_(guest).calls_link;
      default:
         return False;
   }
}

static void add_stack_pointer(Work* w)
{
   Slot    stack = { w->now, 0, AccessStack, WhereStack, 0 };
   IRExpr* sp;
   Int     first = w->out->stmts_used;

   if (w->now < 0 || w->now >= w->sb->n_instrs
       || !tells_stack(w->sb->kinds[w->now]))
      return;
   sp = assign(w, w->word_ty, IRExpr_Get(w->layout->offset_SP, w->word_ty));
   if (with_values) {
      note_terms(w, first);
      place_slot(w, &stack, sp, True);
   }
   add_slot(w, &stack, sp);
}

static void end(Work* w, const IRSB* in)
{
   end_instr(w, w->now);
   add_stack_pointer(w);
   add_registers(w, w->now);
   put_header(w, HOW_END);
   move(w, NULL);
   keep_slots(w);
   if (work.n_words == 0)
      work.make_room->tag = Ist_NoOp;
   if (w->word_ty == Ity_I64)
      work.row_size->Ico.U64 = work.list->rows.size * sizeof(ULong);
   else
      work.row_size->Ico.U32 = work.list->rows.size * sizeof(ULong);
}

const Watcher DCFG_(tape_watcher) = {
   .begin          = begin,
   .instruction    = end_instr_before,
   .exit           = add_exit,
   .statement      = add_access,
   .lacks          = lacks,
   .end            = end,
   .thread_new     = DCFG_(tape_thread_new),
   .thread_free    = DCFG_(tape_thread_free),
   .restart        = DCFG_(tape_restart),
   .come_back      = DCFG_(tape_come_back),
   .suspend        = DCFG_(tape_suspend),
   .turn           = DCFG_(tape_turn),
   .resume         = DCFG_(tape_resume),
   .pause          = DCFG_(tape_pause),
   .left           = DCFG_(tape_left),
   .enter_handler  = DCFG_(tape_handler),
   .register_written = DCFG_(tape_register_written),
   .before_syscall = DCFG_(tape_syscall),
   .after_syscall  = DCFG_(tape_syscall_done),
   .memory_read    = DCFG_(tape_memory_read),
   .memory_offered = DCFG_(tape_memory_offered),
   .memory_written = DCFG_(tape_memory_written),
   .framed         = DCFG_(tape_framed),
   .moved          = DCFG_(tape_moved),
   .unmapped       = DCFG_(tape_unmapped),
   .mapped         = DCFG_(tape_mapped),
   .thread_end     = DCFG_(tape_thread_end)
};
