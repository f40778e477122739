/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Generated code that writes the tape. */

/* Owns: the generated code that writes headers, addresses and values to the
   tape; for each slot, whether readers find it without the tape; and the
   definition of an instruction's value.  Handed: superblocks by
   tool/run/instrument.c.

   An address is written beside its access, at a constant offset in the row.
   For a load, it is written before: VEX merges a load with its use into one
   instruction only if no store is between.  Addresses and values that readers
   can compute (tool/wet/terms.c) are not written.  A number that was loaded is
   compared with the mirror (tool/wet/mirror.c).  The mirror
   changes when the instruction has ended: first by its loads, then by its
   stores.  So an instruction that was not completed leaves it as it was.

   The header, and the moves of the cursor and the row, are written when the
   superblock is left.  After an exit that is not taken a fault may follow,
   which must find the old cursor: then they are moved only if the exit is
   taken.

   If an instruction stores, its value is what it stores.  Otherwise it is what
   the instruction writes to its destinations: all of them if none is named, as
   in MUL, but not registers that change besides, as RSI in LODS.  RSP is a
   destination only if there is no other.  A branch, or an instruction that
   changes flags only, has no value.  A system call has none either: its results
   are the kernel's.

   Registers are read when the instruction has ended.  So all guest registers
   must be up to date at the end of each instruction:
   VexRegUpdAllregsAtEachInsn.  Writes that are of no use then are removed. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_tooliface.h"

#include "format/wet_code.h"
#include "tool/arch/guest.h"
#include "tool/run/ir.h"
#include "tool/run/loads.h"
#include "tool/wet/hooks.h"
#include "tool/wet/mirror.h"
#include "tool/wet/slots.h"
#include "tool/wet/tape.h"
#include "tool/wet/terms.h"
#include "tool/wet/x87_top.h"

/*--- The value of an instruction                          ---*/

/* ValuePart: one to eight bytes of a value, the lowest bytes of .data, which is
   an I64. */
typedef
   struct {
      IRExpr* data;
      IRExpr* was;       // the integer that .data was widened from, or NULL
      UInt    size;
   }
   ValuePart;

#define MAX_VALUE_PARTS 160

#define OFFSET(field) (DCFG_(guest).layout->field)

/* Numbers of registers: MMX registers follow vector registers. */
enum { FirstMmx = 64, N_REGISTERS = 72 };

/* Written: the bytes of a register that are written, from LOW to below HIGH. */
typedef
   struct {
      UInt    low, high;
      UInt    n_puts;
      IRExpr* put;         // the value, if there is only one; or NULL
   }
   Written;

static struct {
   UInt      n_stored;
   ValuePart stored[MAX_VALUE_PARTS];
   Written   registers[N_REGISTERS];
   UInt      n_pushed;     // registers of x87's stack that are written,
   struct {                // by their places
      StackPlace at;
      IRExpr*    data;
   } pushed[8];
   /* The list of written registers, which are few. */
   UInt      n_written;
   UChar     written[N_REGISTERS];
} value;

/*--- Parts                                                ---*/

static IRExpr* unop(Work* w, IRType ty, IROp op, IRExpr* e)
{
   return assign(w, ty, IRExpr_Unop(op, e));
}

static UInt add_part(ValuePart* parts, UInt n, IRExpr* data, IRExpr* was,
                     UInt size)
{
   tl_assert(n < MAX_VALUE_PARTS);
   parts[n] = (ValuePart){ data, was, size };
   return n + 1;
}

static IRExpr* constant(const IRConst* con)
{
   switch (con->tag) {
      case Ico_U8:  return IRExpr_Const(IRConst_U64(con->Ico.U8));
      case Ico_U16: return IRExpr_Const(IRConst_U64(con->Ico.U16));
      case Ico_U32: return IRExpr_Const(IRConst_U64(con->Ico.U32));
      default:      return IRExpr_Const(IRConst_U64(con->Ico.U64));
   }
}

/* Return E, widened to a word if it is an I8 or I16.  32-bit hosts cannot widen
   these to 64 bits, nor arm64 to 32. */
static IRExpr* in_a_word(Work* w, IRExpr* e)
{
   IRType ty = typeOfIRExpr(w->out->tyenv, e);

   if (ty != Ity_I8 && ty != Ity_I16)
      return e;
   if (e->tag == Iex_Const)
      return word(w, ty == Ity_I8 ? e->Iex.Const.con->Ico.U8
                                  : e->Iex.Const.con->Ico.U16);
   return unop(w, w->word_ty,
               w->word_ty == Ity_I64
               ? (ty == Ity_I8 ? Iop_8Uto64 : Iop_16Uto64)
               : (ty == Ity_I8 ? Iop_8Uto32 : Iop_16Uto32), e);
}

/* Append the integer E to the N PARTS. */
static UInt add_integer(Work* w, ValuePart* parts, UInt n, IRExpr* e,
                        IRType ty)
{
   IRExpr* wide;

   if (e->tag == Iex_Const)
      return add_part(parts, n, constant(e->Iex.Const.con), NULL,
                      sizeofIRType(ty));
   wide = in_a_word(w, e);
   if (typeOfIRExpr(w->out->tyenv, wide) != Ity_I64)
      wide = widened(w, wide);
   return add_part(parts, n, wide, e, sizeofIRType(ty));
}

/* Return whether E is a vector of zeros. */
static Bool is_zero(const IRExpr* e)
{
   if (e->tag != Iex_Const)
      return False;
   return (e->Iex.Const.con->tag == Ico_V128 && e->Iex.Const.con->Ico.V128 == 0)
          || (e->Iex.Const.con->tag == Ico_V256
              && e->Iex.Const.con->Ico.V256 == 0);
}

/* Append E of any type. */
static UInt add_data(Work* w, ValuePart* parts, UInt n, IRExpr* e)
{
   static const IROp halves[]   = { Iop_V128to64, Iop_V128HIto64 };
   static const IROp quarters[] = { Iop_V256to64_0, Iop_V256to64_1,
                                    Iop_V256to64_2, Iop_V256to64_3 };
   IRType ty = typeOfIRExpr(w->out->tyenv, e);

   if (is_zero(e)) {
      for (UInt i = 0; i < sizeofIRType(ty); i += 8)
         n = add_part(parts, n, IRExpr_Const(IRConst_U64(0)), NULL, 8);
      return n;
   }
   switch (ty) {
      case Ity_I8: case Ity_I16: case Ity_I32: case Ity_I64:
         return add_integer(w, parts, n, e, ty);
      case Ity_F32:
         e = unop(w, Ity_I32, Iop_ReinterpF32asI32, e);
         return add_part(parts, n, widened(w, e), NULL, 4);
      case Ity_F64:
         return add_part(parts, n,
                         unop(w, Ity_I64, Iop_ReinterpF64asI64, e), NULL, 8);
      case Ity_I128:
         n = add_part(parts, n, unop(w, Ity_I64, Iop_128to64, e), NULL, 8);
         return add_part(parts, n, unop(w, Ity_I64, Iop_128HIto64, e), NULL,
                         8);
      case Ity_V128:
         for (UInt i = 0; i < 2; i++)
            n = add_part(parts, n, unop(w, Ity_I64, halves[i], e), NULL, 8);
         return n;
      case Ity_V256:
         for (UInt i = 0; i < 4; i++)
            n = add_part(parts, n, unop(w, Ity_I64, quarters[i], e), NULL, 8);
         return n;
      default:
         VG_(tool_panic)("a value of another type");
   }
}

/* Return word I of temporary T as an I64, with 0 above it. */
static IRExpr* word_of_temp(Work* w, IRTemp t, UInt i)
{
   ValuePart parts[4];

   add_data(w, parts, 0, IRExpr_RdTmp(t));
   return parts[i].data;
}

static IRType integer_of(UInt size)
{
   return size >= 8 ? Ity_I64 : size >= 4 ? Ity_I32 : size >= 2 ? Ity_I16
          : Ity_I8;
}

/*--- Stores                                               ---*/

static void note_stored(Work* w, IRExpr* e)
{
   value.n_stored = add_data(w, value.stored, value.n_stored, e);
}

/* Add what a store below the stores before it stores, in front of theirs. */
static void note_stored_below(Work* w, IRExpr* e)
{
   ValuePart above[MAX_VALUE_PARTS];
   UInt      n = value.n_stored;

   VG_(memcpy)(above, value.stored, n * sizeof(ValuePart));
   value.n_stored = 0;
   note_stored(w, e);
   tl_assert(value.n_stored + n <= MAX_VALUE_PARTS);
   VG_(memcpy)(value.stored + value.n_stored, above, n * sizeof(ValuePart));
   value.n_stored += n;
}

/* Note that A is stored if GUARD, else B, of the same type.  Some hosts cannot
   choose between values of less than 32 bits. */
static void note_choice(Work* w, IRExpr* guard, IRExpr* a, IRExpr* b)
{
   UInt    size  = sizeofIRType(typeOfIRExpr(w->out->tyenv, a));
   IRExpr* wide  = in_a_word(w, a);
   IRType  ty    = typeOfIRExpr(w->out->tyenv, wide);
   UInt    first = value.n_stored;

   note_stored(w, assign(w, ty, IRExpr_ITE(guard, wide, in_a_word(w, b))));
   value.stored[first].size = size;
}

/* Note what is in memory after a compare-and-swap. */
static void note_swapped(Work* w, const IRCAS* cas, IRExpr* same, Bool high)
{
   note_choice(w, same, high ? cas->dataHi : cas->dataLo,
               IRExpr_RdTmp(high ? cas->oldHi : cas->oldLo));
}

static IRExpr* equal(Work* w, IRTemp a, IRExpr* b)
{
   IRType ty = typeOfIRTemp(w->out->tyenv, a);
   IROp   op = ty == Ity_I8 ? Iop_CasCmpEQ8 : ty == Ity_I16 ? Iop_CasCmpEQ16
               : ty == Ity_I32 ? Iop_CasCmpEQ32 : Iop_CasCmpEQ64;

   return assign(w, Ity_I1, IRExpr_Binop(op, IRExpr_RdTmp(a), b));
}

static IRExpr* has_swapped(Work* w, const IRCAS* cas)
{
   IRExpr* same = equal(w, cas->oldLo, cas->expdLo);

   if (cas->dataHi == NULL)
      return same;
   IRExpr* too  = equal(w, cas->oldHi, cas->expdHi);
   IRExpr* both = assign(w, w->word_ty,
                         IRExpr_ITE(same, bit_to_word(w, too), word(w, 0)));
   return unop(w, Ity_I1, w->word_ty == Ity_I64 ? Iop_64to1 : Iop_32to1,
               both);
}

static void note_swap(Work* w, const IRCAS* cas)
{
   IRExpr* same = has_swapped(w, cas);

   note_swapped(w, cas, same, False);
   if (cas->dataHi != NULL)
      note_swapped(w, cas, same, True);
}

/* Return whether ST, a compare-and-swap or store-exclusive, has stored.  Added
   to W behind ST. */
static IRExpr* has_stored(Work* w, const IRStmt* st)
{
   return st->tag == Ist_LLSC ? IRExpr_RdTmp(st->Ist.LLSC.result)
                              : has_swapped(w, st->Ist.CAS.details);
}

/* Note what a store-exclusive has stored, or 0. */
static void note_exclusive(Work* w, const IRStmt* st)
{
   IRExpr* stored = has_stored(w, st);
   IRExpr* data   = st->Ist.LLSC.storedata;
   IRType  ty     = typeOfIRExpr(w->out->tyenv, data);
   IRExpr* none   = IRExpr_Const(ty == Ity_I8 ? IRConst_U8(0)
                                 : ty == Ity_I16 ? IRConst_U16(0)
                                 : ty == Ity_I32 ? IRConst_U32(0)
                                 : IRConst_U64(0));

   if (ty != Ity_I128) {
      note_choice(w, stored, data, none);
      return;
   }
   note_choice(w, stored, unop(w, Ity_I64, Iop_128to64, data), none);
   note_choice(w, stored, unop(w, Ity_I64, Iop_128HIto64, data), none);
}

/* Note that a helper has written to memory. */
static void note_helper_store(Work* w, const IRDirty* d)
{
   static const UChar zeros[MAX_VALUE_PARTS * 8];
   IRExpr* at   = d->mAddr;
   UInt    left = d->mSize;

   tl_assert(left <= sizeof(zeros));
   if (d->guard->tag != Iex_Const)
      at = assign(w, w->word_ty, IRExpr_ITE(d->guard, at,
                                            word(w, (UWord)zeros)));
   for (UInt done = 0; left > 0; ) {
      IRType ty = integer_of(left);
      note_stored(w, load(w, ty, add_words(w, at, word(w, done))));
      done += sizeofIRType(ty);
      left -= sizeofIRType(ty);
   }
}

/*--- Registers                                            ---*/

/* Return the offset of register R in the guest state. */
static UInt offset_of(UInt r)
{
   return r < FirstVector ? OFFSET(general) + OFFSET(word) * r
          : r < FirstMmx ? OFFSET(vectors) + OFFSET(vector) * (r - FirstVector)
          : OFFSET(FPREG) + 8 * (r - FirstMmx);
}

/* Return the register at OFFSET in the guest state, or N_REGISTERS. */
static UInt register_at(UInt offset)
{
   if (offset >= OFFSET(general) && offset < OFFSET(general_end))
      return (offset - OFFSET(general)) / OFFSET(word);
   if (offset >= OFFSET(vectors) && offset < OFFSET(vectors_end))
      return FirstVector + (offset - OFFSET(vectors)) / OFFSET(vector);
   if (offset >= OFFSET(FPREG) && offset < OFFSET(FPTAG))
      return FirstMmx + (offset - OFFSET(FPREG)) / 8;
   return N_REGISTERS;
}

/* Note that N bytes at OFFSET, of one register, are written: PUT, or NULL if
   not known. */
static void note_written(UInt offset, UInt n, IRExpr* put)
{
   UInt r = register_at(offset);

   if (r == N_REGISTERS)
      return;
   UInt     low = offset - offset_of(r);
   Written* to  = &value.registers[r];
   if (to->n_puts++ == 0) {
      value.written[value.n_written++] = r;
      to->low  = low;
      to->high = low + n;
      to->put  = put;
      return;
   }
   to->low  = low < to->low ? low : to->low;
   to->high = low + n > to->high ? low + n : to->high;
   to->put  = NULL;
}

static void note_helper_state(const IRDirty* d)
{
   for (Int i = 0; i < d->nFxState; i++)
      for (UInt r = 0; d->fxState[i].fx != Ifx_Read
                       && r <= d->fxState[i].nRepeats; r++)
         for (UInt k = 0; k < d->fxState[i].size; k++)
            note_written(d->fxState[i].offset + r * d->fxState[i].repeatLen
                         + k, 1, NULL);
}

/* Append the present value of register R.  For a vector register, it is
   extended to 16 or 32 bytes, even if fewer were written. */
static UInt add_register(Work* w, ValuePart* parts, UInt n, UInt r)
{
   Written* from = &value.registers[r];

   if (r >= FirstVector && r < FirstMmx
       && (from->low > 0 || from->high < 16
           || (from->high > 16 && from->high < 32))) {
      from->low  = 0;
      from->high = from->high <= 16 ? 16 : 32;
      from->put  = NULL;
   }
   if (from->put != NULL)
      return add_data(w, parts, n, from->put);
   for (UInt at = from->low; at < from->high; ) {
      IRType  ty = integer_of(from->high - at);
      IRExpr* e  = assign(w, ty, IRExpr_Get(offset_of(r) + at, ty));
      n   = add_integer(w, parts, n, e, ty);
      at += sizeofIRType(ty);
   }
   return n;
}

/* Note that the register at place AT of x87's stack becomes DATA. */
static void note_pushed(StackPlace at, IRExpr* data)
{
   UInt i = 0;

   while (i < value.n_pushed && !DCFG_(same_place)(value.pushed[i].at, at))
      i++;
   if (i == 8)
      return;
   value.pushed[i].at   = at;
   value.pushed[i].data = data;
   value.n_pushed      += i == value.n_pushed;
}

/* Append the registers of x87's stack in their order from its top, which the
   instruction has moved. */
static UInt add_pushed(Work* w, ValuePart* parts, UInt n)
{
   StackPlace top;

   if (value.n_pushed == 0)
      return n;
   top = DCFG_(stack_place)(w->out, NULL, 0);
   for (UInt k = 0; k < 8; k++, top.distance++)
      for (UInt i = 0; i < value.n_pushed; i++)
         if (DCFG_(same_place)(value.pushed[i].at, top))
            n = add_data(w, parts, n, value.pushed[i].data);
   return n;
}

/*--- Instructions                                         ---*/

/* Forget that R is written. */
static void drop(UInt r)
{
   if (value.registers[r].n_puts > 0) {
      value.registers[r].n_puts = 0;
      for (UInt i = 0; i < value.n_written; i++)
         if (value.written[i] == r) {
            value.written[i] = value.written[--value.n_written];
            break;
         }
   }
}

/* Forget registers that the instruction of LEN bytes at CODE changes besides
   its result. */
static void drop_others(const UChar* code, UInt len)
{
   Besides b;

   VG_(memset)(&b, 0, sizeof(b));
   DCFG_(guest).find_besides(code, len, &b);
   if (b.only_byte > 0) {
      value.registers[0].low  = b.only_byte - 1;
      value.registers[0].high = b.only_byte;
      value.registers[0].put  = NULL;
   }
   for (UInt i = 0; i < b.n; i++)
      if (!b.unless_alone[i] || value.n_written + value.n_pushed > 1)
         drop(b.registers[i]);
}

/* Begin an instruction. */
static void begin_value(void)
{
   for (UInt i = 0; i < value.n_written; i++)
      value.registers[value.written[i]].n_puts = 0;
   value.n_stored = value.n_written = value.n_pushed = 0;
}

/* Note ST, a statement of the instruction, which has been added to W. */
static void note_value(Work* w, const IRStmt* st)
{
   switch (st->tag) {
      case Ist_Store:
         if (DCFG_(guest).quirks((const UChar*)w->addrs[w->now],
                                 w->lengths[w->now]) & QuirkStoresDownwards)
            note_stored_below(w, st->Ist.Store.data);
         else
            note_stored(w, st->Ist.Store.data);
         break;
      case Ist_StoreG: {
         const IRStoreG* g  = st->Ist.StoreG.details;
         IRType          ty = typeOfIRExpr(w->out->tyenv, g->data);
         if (ty == Ity_I32 || ty == Ity_I64)
            note_stored(w, assign(w, ty, IRExpr_ITE(
               g->guard, g->data,
               IRExpr_Const(ty == Ity_I64 ? IRConst_U64(0)
                                          : IRConst_U32(0)))));
         else
            note_stored(w, g->data);
         break;
      }
      case Ist_LLSC:
         if (st->Ist.LLSC.storedata != NULL)
            note_exclusive(w, st);
         break;
      case Ist_CAS:
         note_swap(w, st->Ist.CAS.details);
         break;
      case Ist_Put:
         note_written(st->Ist.Put.offset,
                      sizeofIRType(typeOfIRExpr(w->out->tyenv,
                                                st->Ist.Put.data)),
                      st->Ist.Put.data);
         break;
      case Ist_PutI: {
         const IRPutI* p = st->Ist.PutI.details;
         if (p->descr->base == OFFSET(FPREG))
            note_pushed(DCFG_(stack_place)(w->out, p->ix, p->bias), p->data);
         break;
      }
      case Ist_Dirty:
         if (st->Ist.Dirty.details->mFx == Ifx_Write
             || st->Ist.Dirty.details->mFx == Ifx_Modify)
            note_helper_store(w, st->Ist.Dirty.details);
         note_helper_state(st->Ist.Dirty.details);
         break;
      default:
         break;
   }
}

/* End instruction K of W: return the number of PARTS of its value, the lowest
   bytes first.  0: it has no value. */
static UInt end_value(Work* w, UInt k, ValuePart* parts)
{
   const UChar* code = (const UChar*)w->addrs[k];
   UInt         n    = 0;

   switch (w->sb->kinds[k]) {
      case InsnJump: case InsnIndirectJump: case InsnReturn:
      case InsnSyscall:
         return 0;
      default:
         break;
   }
   if (value.n_stored > 0
       && !(DCFG_(guest).quirks(code, w->lengths[k]) & QuirkFalseMemory)) {
      VG_(memcpy)(parts, value.stored, value.n_stored * sizeof(ValuePart));
      return value.n_stored;
   }
   drop_others(code, w->lengths[k]);
   if (value.n_written > 0)
      for (UInt r = 0; r < N_REGISTERS; r++)
         if (value.registers[r].n_puts > 0)
            n = add_register(w, parts, n, r);
   return add_pushed(w, parts, n);
}

/*--- The superblock in translation                        ---*/

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
   UInt    n_loads;                       // from the mirror
   UShort  at_exit[TAPE_MAX_EXITS];
   UInt    n_segments;
   UShort  segment_ends[TAPE_MAX_EXITS + 1]; // each one's last word + 1
   Bool    top_loaded;                    // has this instruction loaded x87's
                                          // top,
   TopPush push;                          // or perhaps pushed?
   SpTrack sp;
   IRExpr* sp_before;                     // the stack pointer that this
                                          // instruction has replaced by a load,
                                          // or NULL
   IRExpr* addrs[DCFG_TAPE_SLACK / 2];    // by slot: of plain accesses
   UInt    n_stored;                      // parts that this instruction stored
   struct {
      ValuePart part;
      UInt      access;                   // the slot of the address, and how far
      UInt      behind;                   // the part is behind it
   } stored[MAX_VALUE_PARTS];
} work;

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
   work.sp_before  = NULL;
   work.n_stored   = 0;
   DCFG_(begin_push)(&work.push);
   begin_value();
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
   work.n_loads = 0;
   DCFG_(begin_terms)(w, &work.made);
   begin_sp(&work.sp, w);
   begin_instr();
}

/*--- Slots and their words                                ---*/

/* Choose how SLOT, the next one, with the address or value ADDR, is found by
   readers.  If not ALWAYS the same access: on the tape. */
static void place_slot(const Work* w, Slot* slot, const IRExpr* addr,
                       Bool always)
{
   slot->from = WhereTape;
   slot->addr = 0;
   if (always && !DCFG_(find_term)(w, addr, slot))
      DCFG_(set_term)(w, addr, work.made.n);
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

/* Add SLOT with the address or value ADDR. */
static void add_slot(Work* w, const Slot* slot, IRExpr* addr)
{
   work.made.slots[work.made.n++] = *slot;
   if (!DCFG_(has_word)(slot))
      return;
   store(w, add_words(w, work.row, word(w, work.n_words++ * sizeof(ULong))),
         tape_number(w, addr));
}

/*--- The mirror                                           ---*/

/* Return the place in the mirror of the number BEHIND bytes behind ADDR. */
static IRExpr* in_mirror(Work* w, IRExpr* addr, UInt behind)
{
   if (behind > 0)
      addr = add_words(w, addr, word(w, behind));
   addr = word_op(w, Iop_And64, Iop_And32, addr, word(w, WET_MIRROR - 1));
   return add_words(w, addr, place_of(w, DCFG_(mirror)));
}

/* Return PART as an integer of its size. */
static IRExpr* narrow(Work* w, const ValuePart* part)
{
   ULong c;

   if (part->was != NULL || part->size == 8)
      return part->was != NULL ? part->was : part->data;
   if (part->data->tag != Iex_Const) {
      tl_assert(part->size == 4);      // a float
      return unop(w, Ity_I32, Iop_64to32, part->data);
   }
   c = part->data->Iex.Const.con->Ico.U64;
   return IRExpr_Const(part->size == 1 ? IRConst_U8(c)
                       : part->size == 2 ? IRConst_U16(c) : IRConst_U32(c));
}

/* Return whether the number of SIZE bytes in temporary T, which is NOW with 0
   above it, is another one than the mirror's, WAS. */
static IRExpr* is_wrong(Work* w, IRTemp t, IRExpr* now, const ValuePart* was,
                        UInt size)
{
   Bool short_ok = size == 4 && w->word_ty == Ity_I64
                   && typeOfIRTemp(w->out->tyenv, t) == Ity_I32;

   return assign(w, Ity_I1,
                 short_ok ? IRExpr_Binop(Iop_CmpNE32, IRExpr_RdTmp(t), was->was)
                          : IRExpr_Binop(Iop_CmpNE64, now, was->data));
}

/* Add what readers lack at instruction K and find with the mirror; and a call
   that tells the number if the mirror has another one. */
static void add_load(Work* w, UInt k, const LackingLoad* lacking)
{
   Slot      slot = { k, lacking->size, SLOT_LOAD,
                      WhereSlot + WET_REGISTERS + lacking->access,
                      sizeof(ULong) * lacking->word };
   IRExpr*   at   = in_mirror(w, work.addrs[lacking->access],
                              sizeof(ULong) * lacking->word);
   UWord     what = DCFG_(missed_load)(work.n_loads++, lacking->size,
                                       work.moved);
   ValuePart was;
   IRDirty*  di;

   tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
   IRExpr* now = word_of_temp(w, lacking->temp, lacking->word);
   add_integer(w, &was, 0, load(w, integer_of(lacking->size), at),
               integer_of(lacking->size));
   DCFG_(name_number)(lacking->number, work.made.n);
   add_slot(w, &slot, NULL);
   di = unsafeIRDirty_0_N(0, "dcfg_load_missed",
                          VG_(fnptr_to_fnentry)(&DCFG_(load_missed)),
                          mkIRExprVec_3(at, word(w, what), now));
   di->guard = is_wrong(w, lacking->temp, now, &was, lacking->size);
   di->mFx   = Ifx_Modify;
   di->mAddr = at;
   di->mSize = lacking->size;
   add(w, IRStmt_Dirty(di));
}

/* Add the loads that readers lack to compute E, of instruction K. */
static void add_loads(Work* w, UInt k, const IRExpr* e)
{
   LackingLoad lacking;

   while (DCFG_(lacking_term)(w, e, &lacking))
      add_load(w, k, &lacking);
}

/* Note that the present instruction has stored PART, BEHIND bytes behind the
   address that slot number ACCESS has. */
static void note_mirrored(const ValuePart* part, UInt access, UInt behind)
{
   UInt n = work.n_stored++;

   tl_assert(n < MAX_VALUE_PARTS);
   work.stored[n].part   = *part;
   work.stored[n].access = access;
   work.stored[n].behind = behind;
}

/* Note the store of the present instruction to the address that slot number
   ACCESS has.  Its value had N parts before. */
static void note_stored_parts(const Work* w, UInt n, UInt access)
{
   Bool below = DCFG_(guest).quirks((const UChar*)w->addrs[w->now],
                                    w->lengths[w->now])
                & QuirkStoresDownwards;

   for (UInt i = n, behind = 0; i < value.n_stored; i++) {
      const ValuePart* part = &value.stored[below ? i - n : i];
      note_mirrored(part, access, behind);
      behind += part->size;
   }
}

/* Add what instruction K has stored to the mirror. */
static void add_stores(Work* w, UInt k)
{
   for (UInt i = 0; i < work.n_stored; i++) {
      const ValuePart* part   = &work.stored[i].part;
      UInt             behind = work.stored[i].behind;
      UInt             from   = WhereSlot + WET_REGISTERS
                                + work.stored[i].access;
      Slot             slot   = { k, part->size, 0, from, 0 };
      if (!DCFG_(store_operand)(w, part->was == NULL ? part->data : part->was,
                                part->size, &slot))
         continue;
      tl_assert(work.made.n + 1 < DCFG_TAPE_SLACK / 2);
      if (behind > 0) {
         Slot addr = { k, sizeof(ULong), AccessTerm + 2 * TermAdd + 1, from,
                       behind };
         slot.from = WhereSlot + WET_REGISTERS + work.made.n;
         add_slot(w, &addr, NULL);
      }
      add_slot(w, &slot, NULL);
      store(w, in_mirror(w, work.addrs[work.stored[i].access], behind),
            narrow(w, part));
   }
   work.n_stored = 0;
}

/*--- Accesses and values                                  ---*/

static void add_access(Work* w, const IRStmt* st)
{
   UInt    n_stored = value.n_stored;
   Slot    access;
   IRExpr* addr;
   IRExpr* guard;
   IRStmt* last = NULL;
   IRExpr* before;

   DCFG_(note_term)(w, st);
   if (track_sp(&work.sp, w, st, &before) && work.sp_before == NULL)
      work.sp_before = before;
   if (w->now < 0 || w->now >= w->sb->n_instrs)
      return;
   work.top_loaded = work.top_loaded || DCFG_(loads_top)(st);
   DCFG_(note_push)(&work.push, st);
   note_value(w, st);
   if (!DCFG_(access_of)(w->out, st, &access, &addr, &guard)
       || !DCFG_(is_access)(w->out, (const UChar*)w->addrs[w->now],
                            w->lengths[w->now], &access, &addr, &guard))
      return;
   if (guard == NULL && (access.what & AccessGuarded))
      guard = has_stored(w, st);
   tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
   access.instr = w->now;
   if (st->tag == Ist_WrTmp) {
      last = w->out->stmts[--w->out->stmts_used];
      tl_assert(last == st);
   }
   if (guard == NULL)
      add_loads(w, w->now, addr);
   place_slot(w, &access, addr, guard == NULL);
   if (guard != NULL)
      addr = assign(w, w->word_ty, IRExpr_ITE(guard, addr, word(w, 0)));
   work.addrs[work.made.n] = addr;
   if (guard == NULL && st->tag == Ist_WrTmp)
      DCFG_(note_load)(st->Ist.WrTmp.tmp, work.made.n);
   if (guard == NULL && st->tag == Ist_Store)
      note_stored_parts(w, n_stored, work.made.n);
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
   add_slot(w, &slot, assign(w, Ity_I64, IRExpr_Unop(Iop_32Uto64, top)));
   work.top_loaded = False;
   DCFG_(begin_push)(&work.push);
}

/* Add the value that instruction K has computed. */
static void add_value(Work* w, UInt k)
{
   ValuePart parts[MAX_VALUE_PARTS];
   UInt      n = 0;
   Int       first = w->out->stmts_used;

   if (k < w->sb->n_instrs)
      n = end_value(w, k, parts);
   note_terms(w, first);
   for (UInt i = 0; i < n; i++) {
      Slot          slot = { k, parts[i].size, AccessValue, WhereTape, 0 };
      const IRExpr* e = parts[i].was == NULL ? parts[i].data : parts[i].was;
      add_loads(w, k, e);
      tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
      place_slot(w, &slot, e, True);
      DCFG_(set_term)(w, e, work.made.n);
      add_slot(w, &slot, parts[i].data);
   }
}

/* Tell the registers that have changed, at instruction K. */
static void add_registers(Work* w, UInt k)
{
   k = k < w->sb->n_instrs ? k : w->sb->n_instrs - 1;
   for (UInt r = 0; (r = DCFG_(changed_register)(r)) < WET_REGISTERS; r++) {
      Slot    slot = { k, r, AccessRegister, WhereTape, 0 };
      IRExpr* now  = NULL;
      LackingLoad lacking;
      while (DCFG_(lacking_register)(r, &lacking))
         add_load(w, k, &lacking);
      if (!DCFG_(find_register)(r, &slot)) {
         IRType ty = DCFG_(register_size)(r) == 8 ? Ity_I64 : Ity_I32;
         now = assign(w, ty, IRExpr_Get(DCFG_(register_offset)(r), ty));
         DCFG_(set_register)(r, work.made.n);
      }
      tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
      add_slot(w, &slot, now);
   }
}

/* Add the stack pointer SP, at instruction K. */
static void add_stack_slot(Work* w, UInt k, IRExpr* sp)
{
   Slot slot = { k, 0, AccessStack, WhereTape, 0 };

   tl_assert(work.made.n < DCFG_TAPE_SLACK / 2);
   place_slot(w, &slot, sp, True);
   add_slot(w, &slot, sp);
}

/* Add the stack pointer behind instruction K. */
static void add_stack_now(Work* w, UInt k)
{
   Int     first = w->out->stmts_used;
   IRExpr* sp    = stack_pointer(w);

   note_terms(w, first);
   add_stack_slot(w, k, sp);
}

/* Add the stack pointers before and behind instruction K, if it has loaded
   it. */
static void add_load_of_sp(Work* w, UInt k)
{
   if (k >= w->sb->n_instrs || work.sp_before == NULL
       || w->sb->kinds[k] != InsnPlain)
      return;
   add_stack_slot(w, k, work.sp_before);
   add_stack_now(w, k);
}

static void end_instr(Work* w, UInt k)
{
   add_top(w, k);
   add_value(w, k);
   add_load_of_sp(w, k);
   add_stores(w, k);
   begin_instr();
}

static void end_instr_before(Work* w, UInt k)
{
   end_instr(w, k - 1);
}

/*--- Ways to leave                                        ---*/

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
      begin_value();
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

/*--- Registers that are written again                     ---*/

/* The tape needs the value of each register behind each instruction, so VEX
   keeps all writes of registers.  When the code of the tape has been added, many
   of them serve nobody: the register is written again before anything reads it.

   Three readers see registers in memory: the superblock's own code; a fault,
   whose handler gets the registers; and what runs behind the superblock.  The
   core delivers other signals, and switches threads, between superblocks.  So a
   write may go if the same bytes are written again later, and nothing between
   can read them.  Readers are: a GET, an exit, a call of a helper, and a
   statement of the program that may fault.  A fault finds all registers as
   before: this is VexRegUpdAllregsAtMemAccess. */

Bool DCFG_(all_registers);

/* A byte of the guest state is written again before it is read if its number is
   .now. */
static struct {
   UInt* bytes;
   UInt  n;
   UInt  now;
} again;

static void begin_again(UInt n)
{
   if (n > again.n) {
      again.bytes = VG_(realloc)("dcfg.wet.puts", again.bytes,
                                 n * sizeof(UInt));
      VG_(memset)(again.bytes + again.n, 0, (n - again.n) * sizeof(UInt));
      again.n = n;
   }
   again.now++;
}

/* The N bytes at OFFSET are read. */
static void read_bytes(UInt offset, UInt n)
{
   for (UInt i = offset; i < offset + n && i < again.n; i++)
      again.bytes[i] = 0;
}

/* The N bytes at OFFSET are written.  Return whether all are written again
   later. */
static Bool write_again(UInt offset, UInt n)
{
   Bool dead = offset + n <= again.n;

   for (UInt i = offset; i < offset + n && i < again.n; i++) {
      dead = dead && again.bytes[i] == again.now;
      again.bytes[i] = again.now;
   }
   return dead;
}

/* Return whether ST is a helper's call that may read any register.  The helper for
   missed loads reads none. */
static Bool reads_all(const IRStmt* st)
{
   return st->tag == Ist_Dirty
          && st->Ist.Dirty.details->cee->addr
             != VG_(fnptr_to_fnentry)(&DCFG_(load_missed));
}

/* Note that ST, which writes no register, is executed: what it reads. */
static void note_read(const IRStmt* st)
{
   const IRExpr* e = st->tag == Ist_WrTmp ? st->Ist.WrTmp.data : NULL;

   if (e != NULL && e->tag == Iex_Get)
      read_bytes(e->Iex.Get.offset, sizeofIRType(e->Iex.Get.ty));
   if (e != NULL && e->tag == Iex_GetI)
      read_bytes(e->Iex.GetI.descr->base,
                 e->Iex.GetI.descr->nElems
                 * sizeofIRType(e->Iex.GetI.descr->elemTy));
}

/* Remove from W's code, made of IN, writes of registers that nothing reads. */
static void drop_puts(Work* w, const IRSB* in)
{
   IRSB* out = w->out;
   Int   k   = in->stmts_used - 1;

   begin_again(w->layout->total_sizeB);
   /* The end of a superblock writes the instruction pointer. */
   write_again(in->offsIP, sizeofIRType(w->word_ty));
   for (Int i = out->stmts_used - 1; i >= 0; i--) {
      IRStmt* st = out->stmts[i];
      while (k >= 0 && in->stmts[k]->tag == Ist_NoOp)
         k--;
      Bool programs = k >= 0 && st == in->stmts[k];
      k -= programs;
      if (st->tag == Ist_Put) {
         UInt n = sizeofIRType(typeOfIRExpr(out->tyenv, st->Ist.Put.data));
         if (write_again(st->Ist.Put.offset, n))
            out->stmts[i] = IRStmt_NoOp();
      } else if (st->tag == Ist_Exit || reads_all(st)
                 || (programs && DCFG_(may_fault)(st))) {
         again.now++;
      } else {
         note_read(st);
      }
   }
}

/*--- The end of a superblock                              ---*/

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
   if (w->now >= 0 && w->now < w->sb->n_instrs
       && tells_stack(w->sb->kinds[w->now]))
      add_stack_now(w, w->now);
}

static void end(Work* w, const IRSB* in)
{
   end_instr(w, w->now);
   add_stack_pointer(w);
   add_registers(w, w->now);
   put_header(w, HOW_END);
   move(w, NULL);
   keep_slots(w);
   if (!DCFG_(all_registers))
      drop_puts(w, in);
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
   .needs_cleanup  = True,
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
   .diverted       = DCFG_(tape_diverted),
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
