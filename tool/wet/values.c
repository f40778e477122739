/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The value of an instruction. */

/* Owns: the definition of an instruction's value, and the code that gets it.
   Handed: VEX's statements.

   If the instruction stores, the value is what it stores.  Otherwise it is what
   the instruction writes to its destinations: all of them if none is named, as
   in MUL, but not registers that change besides, as RSI in LODS.  RSP is a
   destination only if there is no other.  A branch, or an instruction that
   changes flags only, has no value.  A system call has none either: its results
   are the kernel's.

   Registers are read when the instruction has ended.  So all guest registers
   must be up to date at the end of each instruction:
   VexRegUpdAllregsAtEachInsn. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

#include "tool/arch/guest.h"
#include "tool/run/ir.h"
#include "tool/wet/slots.h"
#include "tool/wet/values.h"
#include "tool/wet/x87_top.h"

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

IRExpr* DCFG_(word_of_temp)(Work* w, IRTemp t, UInt i)
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

/* --- Stores                                               --- */

static void note_stored(Work* w, IRExpr* e)
{
   value.n_stored = add_data(w, value.stored, value.n_stored, e);
}

/* Likewise, for a store below the stores before it. */
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

/* Note what a store-exclusive has stored, or 0. */
static void note_exclusive(Work* w, const IRStmt* st)
{
   IRExpr* stored = DCFG_(has_stored)(w, st);
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

/* --- Registers                                            --- */

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

IRExpr* DCFG_(has_stored)(Work* w, const IRStmt* st)
{
   return st->tag == Ist_LLSC ? IRExpr_RdTmp(st->Ist.LLSC.result)
                              : has_swapped(w, st->Ist.CAS.details);
}

void DCFG_(begin_value)(void)
{
   for (UInt i = 0; i < value.n_written; i++)
      value.registers[value.written[i]].n_puts = 0;
   value.n_stored = value.n_written = value.n_pushed = 0;
}

void DCFG_(note_value)(Work* w, const IRStmt* st)
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

UInt DCFG_(end_value)(Work* w, UInt k, ValuePart* parts)
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
