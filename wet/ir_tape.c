/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code that writes the tape. */

/* Owns: the code that writes headers and addresses to the tape.  Handed:
   superblocks by run/instrument.c.  Taken by: wet/output_wet.c, which puts
   the watcher to work.

   An address is written beside its access, at a constant distance from the
   begin of the row: before a load, for VEX makes one instruction of a load and
   what uses it only if nothing is stored in between.  The header, and what says that there are one more of both,
   when the superblock is left.  An exit that is not taken may be followed by a
   fault, which must find all as it was: then that is said only if the exit is
   taken. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "arch/guest.h"
#include "run/ir.h"
#include "wet/ir_tape.h"
#include "wet/slots.h"
#include "wet/tape.h"
#include "wet/values.h"
#include "wet/x87_top.h"

/* What a temporary of the superblock in work is: a distance from another,
   which may be itself. */
typedef
   struct {
      IRTemp from;
      Addr   distance;
      UChar  where;      // WhereStack if that is RSP, WhereFrame if RBP
   }
   Distance;

/* The superblock in work. */
static struct {
   SlotList* list;
   IRExpr* tape;                          // DCFG_(tape)
   IRExpr* cursor;                        // where its header goes
   IRExpr* row;                           // and its words, if there are any
   IRConst* row_size;                     // in bytes
   IRStmt* make_room;                     // for a row
   Bool    moved, row_moved;              // behind them, for good
   UInt    n_slots, n_words;
   Slot    slots[DCFG_TAPE_SLACK / 2];
   IRTemp  roots[DCFG_TAPE_SLACK / 2];    // of slots on the tape
   Addr    distances[DCFG_TAPE_SLACK / 2];
   UShort  at_exit[TAPE_MAX_EXITS];
   UInt    n_segments;
   UShort  segment_ends[TAPE_MAX_EXITS + 1]; // up to that word
   IRExpr* first_stack;                   // DCFG_(tape)->stack, if it is used,
   IRExpr* stack;                         // and what it has become
   Bool    top_loaded;                    // x87's, by this instruction,
   TopPush push;                          // or perhaps moved
   Distance* temps;
   UInt    n_known;                       // that VEX has made
   UInt    n_temps;                       // that have room in .temps
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

/* Where P is, from the tape's begin, which is in a register: that is less code
   than its address, of which VEX, if it knew it, would make constants. */
static IRExpr* near_tape(Work* w, const void* p)
{
   Addr distance = (Addr)p - (Addr)DCFG_(tape);

   return distance + (1u << 31) < 1ull << 32
          ? add_words(w, work.tape, word(w, distance)) : place_of(w, p);
}

static void forget_distances(UInt n_temps)
{
   if (n_temps > work.n_temps) {
      work.temps   = VG_(realloc)("dcfg.wet.temps", work.temps,
                                  2 * n_temps * sizeof(Distance));
      work.n_temps = 2 * n_temps;
   }
   work.n_known = n_temps;
   for (UInt t = 0; t < n_temps; t++)
      work.temps[t].from = IRTemp_INVALID;
}

static void begin_instr(void)
{
   work.top_loaded = False;
   DCFG_(begin_push)(&work.push);
   DCFG_(begin_value)();
}

/* Call FN, which changes the SIZE bytes at P, if A OP64 B. */
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

/* The cursor may be anywhere up to the limit, and more than one record behind
   it.  If there are no words after all, the call that makes room for them is
   taken out. */
static void begin(Work* w)
{
   Rows* rows;

   forget_distances(w->out->tyenv->types_used);
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
   work.n_slots  = work.n_words = work.n_segments = 0;
   work.stack    = work.first_stack = NULL;
   begin_instr();
}

static Distance distance_of(IRTemp t)
{
   Distance d = { t, 0, WhereTape };

   return t < work.n_known && work.temps[t].from != IRTemp_INVALID
          ? work.temps[t] : d;
}

/* Is the result of OP the low part of its operand?  Distances hold for low
   parts as well. */
static Bool takes_low_part(IROp op)
{
   return op == Iop_64to32 || op == Iop_64to16 || op == Iop_64to8
          || op == Iop_32to16 || op == Iop_32to8 || op == Iop_16to8;
}

/* Does OP add or subtract words? */
static Bool is_sum(const Work* w, IROp op)
{
   return w->word_ty == Ity_I64 ? op == Iop_Add64 || op == Iop_Sub64
                                : op == Iop_Add32 || op == Iop_Sub32;
}

static Addr constant(const IRExpr* e)
{
   return e->Iex.Const.con->tag == Ico_U64 ? (Addr)e->Iex.Const.con->Ico.U64
                                           : e->Iex.Const.con->Ico.U32;
}

/* Who reads the tape adds distances in 64 bits.  Of 32-bit addresses these
   must not wrap; near ones do not, for nothing is mapped at either end. */
static Bool is_near(Addr distance)
{
   const Addr far = 1 << 20;

   return sizeof(Addr) == 8 || distance + far < 2 * far;
}

/* What ST says of addresses: a temporary may be another one, moved. */
static void note_distance(const Work* w, const IRStmt* st)
{
   const IRExpr* e = st->Ist.WrTmp.data;
   IRTemp        t = st->Ist.WrTmp.tmp;
   Distance      d = { IRTemp_INVALID, 0, WhereTape };

   if (e->tag == Iex_Get && e->Iex.Get.ty == w->word_ty) {
      d.from  = t;
      d.where = e->Iex.Get.offset == w->layout->offset_SP ? WhereStack
                : e->Iex.Get.offset == w->layout->offset_FP ? WhereFrame
                : WhereTape;
   } else if (e->tag == Iex_Unop && e->Iex.Unop.arg->tag == Iex_RdTmp
              && takes_low_part(e->Iex.Unop.op)) {
      d = distance_of(e->Iex.Unop.arg->Iex.RdTmp.tmp);
   } else if (e->tag == Iex_RdTmp) {
      d = distance_of(e->Iex.RdTmp.tmp);
   } else if (e->tag == Iex_Binop && is_sum(w, e->Iex.Binop.op)
              && e->Iex.Binop.arg1->tag == Iex_RdTmp
              && e->Iex.Binop.arg2->tag == Iex_Const) {
      Addr n = constant(e->Iex.Binop.arg2);
      d           = distance_of(e->Iex.Binop.arg1->Iex.RdTmp.tmp);
      d.distance += e->Iex.Binop.op == Iop_Add64
                    || e->Iex.Binop.op == Iop_Add32 ? n : -n;
   }
   work.temps[t] = d;
}

/* How the next slot, which is at ADDR, or whose value that is, is told; if it
   is not ALWAYS the same thing, by itself. */
static void place_slot(Slot* slot, const IRExpr* addr, Bool always)
{
   UInt me = work.n_slots;

   slot->from = WhereTape;
   slot->addr = 0;
   work.roots[me] = IRTemp_INVALID;
   if (!always)
      return;
   if (addr->tag == Iex_Const) {
      slot->from = WhereConstant;
      slot->addr = constant(addr);
      return;
   }
   Distance d = distance_of(addr->Iex.RdTmp.tmp);
   for (UInt i = 0; i < me; i++)
      if (work.roots[i] == d.from
          && is_near(d.distance - work.distances[i])) {
         slot->from = WhereSlot + i;
         slot->addr = d.distance - work.distances[i];
         return;
      }
   if (slot->what != AccessValue)
      slot->from = d.where;
   else if (slot->size < sizeof(Addr))
      return;
   work.roots[me]     = d.from;
   work.distances[me] = d.distance;
}

/* The superblock is left by exit X, or at its end; the words so far end a
   segment. */
static void put_header(Work* w, UInt x)
{
   UInt way = work.list->first_way + (x == HOW_END ? w->sb->n_exits : x);
   UInt end = work.n_segments == 0 ? 0
                                   : work.segment_ends[work.n_segments - 1];

   if (work.n_words > end)
      work.segment_ends[work.n_segments++] = work.n_words;
   DCFG_(ways)[way] = (SlotWay){ w->sb->id, x, work.n_segments, work.n_words };
   store(w, work.cursor, IRExpr_Const(IRConst_U64(way)));
}

/* E, a word or an I64, as an I64. */
static IRExpr* tape_number(Work* w, IRExpr* e)
{
   return typeOfIRExpr(w->out->tyenv, e) == Ity_I64 ? e : widened(w, e);
}

/* ADDR as it is told of what is near the stack pointer: how far it is from the
   last one that was made from RSP, so that it is the same at each depth. */
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

/* The next slot, which is at ADDR. */
static void add_slot(Work* w, const Slot* slot, IRExpr* addr)
{
   work.slots[work.n_slots++] = *slot;
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

   if (st->tag == Ist_WrTmp)
      note_distance(w, st);
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
   tl_assert(work.n_slots < DCFG_TAPE_SLACK / 2);
   access.instr = w->now;
   place_slot(&access, addr, guard == NULL);
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

/* Where instruction K has put the top of x87's stack, if that is not known
   without any execution. */
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
   tl_assert(work.n_slots < DCFG_TAPE_SLACK / 2);
   top = assign(w, Ity_I32, IRExpr_Binop(Iop_And32, top,
                                         IRExpr_Const(IRConst_U32(7))));
   work.roots[work.n_slots] = IRTemp_INVALID;
   add_slot(w, &slot, assign(w, Ity_I64, IRExpr_Unop(Iop_32Uto64, top)));
   work.top_loaded = False;
   DCFG_(begin_push)(&work.push);
}

/* The value that instruction K has computed. */
static void add_value(Work* w, UInt k)
{
   ValuePart parts[MAX_VALUE_PARTS];
   UInt      n = 0;

   if (!with_values)
      return;
   if (k < w->sb->n_instrs)
      n = DCFG_(end_value)(w, k, parts);
   for (UInt i = 0; i < n; i++) {
      Slot slot = { k, parts[i].size, AccessValue, WhereTape, 0 };
      tl_assert(work.n_slots < DCFG_TAPE_SLACK / 2);
      place_slot(&slot, parts[i].was == NULL ? parts[i].data : parts[i].was,
                 parts[i].was != NULL || parts[i].data->tag == Iex_Const);
      add_slot(w, &slot, parts[i].data);
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

/* What is at P is NOW, if GUARD is NULL or if so; else, as it was, WAS. */
static void change(Work* w, const void* p, IRExpr* guard, IRExpr* now,
                   IRExpr* was)
{
   if (guard != NULL)
      now = assign(w, w->word_ty, IRExpr_ITE(guard, now, was));
   store(w, near_tape(w, p), now);
}

/* There is one more header; and a row, if it has words. */
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

   /* FLDENV may be left behind all that it does: a warning of the core. */
   add_top(w, e->instr);
   work.at_exit[x] = work.n_slots;
   put_header(w, x);
   move(w, e->counting == ExitBefore || e->instr + 1u < w->sb->n_instrs
           ? st->Ist.Exit.guard : NULL);
}

/* VEX drops loads of what is not used before it is overwritten, as of
   `pop %rcx; mov $1,%ecx`. */
static Bool lacks(const Work* w)
{
   UInt s = 0;

   for (UInt k = 0; k < w->sb->n_instrs; k++) {
      UInt first = s;
      while (s < work.n_slots && work.slots[s].instr == k)
         s++;
      if (s - first < DCFG_(guest).loads((const UChar*)w->addrs[k],
                                         w->lengths[k]))
         return True;
   }
   return False;
}

/* Keep the list of W's slots, or see that it is what it was. */
static void keep_slots(const Work* w)
{
   SlotList* list  = work.list;
   SizeT     slots = work.n_slots * sizeof(Slot);
   SizeT     exits = w->sb->n_exits * sizeof(UShort);
   SizeT     ends  = work.n_segments * sizeof(UShort);

   if (list->at_exit != NULL) {
      tl_assert(list->n_slots == work.n_slots);
      for (UInt i = 0; i < work.n_slots; i++)
         tl_assert(list->slots[i].instr == work.slots[i].instr
                   && list->slots[i].from == work.slots[i].from);
      return;
   }
   UInt n = DCFG_(instr_addr)(w->sb, w->sb->n_instrs) - w->sb->addr;
   list->n_slots = work.n_slots;
   list->n_words = work.n_words;
   /* One allocation for all: there are many superblocks. */
   list->slots   = VG_(malloc)("dcfg.wet.slots", slots + exits + ends + n);
   list->at_exit = (UShort*)((UChar*)list->slots + slots);
   list->n_segments   = work.n_segments;
   list->segment_ends = list->at_exit + w->sb->n_exits;
   list->rows.size    = work.n_words + (work.n_segments > 1);
   list->code         = (UChar*)(list->segment_ends + work.n_segments);
   VG_(memcpy)(list->slots, work.slots, slots);
   VG_(memcpy)(list->at_exit, work.at_exit, exits);
   VG_(memcpy)(list->segment_ends, work.segment_ends, ends);
   VG_(memcpy)(list->code, (const void*)w->sb->addr, n);
}

/* Behind an indirect jump the stack pointer says which activations there
   still are: a longjmp ends some.  So it does behind calls and returns, if
   these have nothing on the stack. */
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
   Slot stack = { w->now, 0, AccessStack, WhereStack, 0 };

   if (w->now < 0 || w->now >= w->sb->n_instrs
       || !tells_stack(w->sb->kinds[w->now]))
      return;
   add_slot(w, &stack, assign(w, w->word_ty, IRExpr_Get(w->layout->offset_SP,
                                                        w->word_ty)));
}

static void end(Work* w, const IRSB* in)
{
   end_instr(w, w->now);
   add_stack_pointer(w);
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
   .left           = DCFG_(tape_left),
   .enter_handler  = DCFG_(tape_handler),
   .before_syscall = DCFG_(tape_syscall),
   .after_syscall  = DCFG_(tape_syscall_done),
   .memory_read    = DCFG_(tape_memory_read),
   .memory_written = DCFG_(tape_memory_written),
   .moved          = DCFG_(tape_moved),
   .unmapped       = DCFG_(tape_unmapped)
};
