/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms: numbers of a superblock that readers can compute. */

/* Owns: for each temporary of the superblock in translation, how its number
   follows from others.  Handed: VEX's statements.

   The number of an integer is its bits, with 0 above them; the number of a double
   is its bits. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "tool/run/ir.h"
#include "tool/wet/numbers.h"
#include "tool/wet/operations.h"
#include "tool/wet/registers.h"
#include "tool/wet/terms.h"

/* WORDS: those of 8 bytes of the longest vector. */
#define WORDS 4

static struct {
   Int*      temps;          // by temporary: its number, or -1
   const IRExpr** vectors;   // by temporary: the vector that it is, or NULL
   Int     (*words)[WORDS];  // by temporary: the numbers of its words, or -1
   UInt      n_temps;
} terms;

/*--- Temporaries                                          ---*/

static void forget_temp(IRTemp t)
{
   terms.temps[t]   = -1;
   terms.vectors[t] = NULL;
   for (UInt i = 0; i < WORDS; i++)
      terms.words[t][i] = -1;
}

static void have_temp(IRTemp t)
{
   if (t < terms.n_temps)
      return;
   UInt n = 2 * (t + 64);
   terms.temps   = VG_(realloc)("dcfg.wet.terms.temps", terms.temps,
                                n * sizeof(Int));
   terms.vectors = VG_(realloc)("dcfg.wet.terms.vectors", terms.vectors,
                                n * sizeof(const IRExpr*));
   terms.words   = VG_(realloc)("dcfg.wet.terms.words", terms.words,
                                n * sizeof(*terms.words));
   for (; terms.n_temps < n; terms.n_temps++)
      forget_temp(terms.n_temps);
}

static Int number_of_constant(const IRConst* con)
{
   switch (con->tag) {
      case Ico_U8:   return DCFG_(constant_number)(con->Ico.U8, 1);
      case Ico_U16:  return DCFG_(constant_number)(con->Ico.U16, 2);
      case Ico_U32:  return DCFG_(constant_number)(con->Ico.U32, 4);
      case Ico_U64:  return DCFG_(constant_number)(con->Ico.U64, 8);
      case Ico_F64i: return DCFG_(constant_number)(con->Ico.F64i, 8);
      default:       return DCFG_(unknown_number)(8);
   }
}

/* Return the number of E, an integer, a double or a float. */
static Int number_of(const Work* w, const IRExpr* e)
{
   IRTemp t;

   if (e->tag == Iex_Const)
      return number_of_constant(e->Iex.Const.con);
   if (e->tag != Iex_RdTmp)
      return DCFG_(unknown_number)(8);
   t = e->Iex.RdTmp.tmp;
   have_temp(t);
   if (terms.temps[t] < 0)
      terms.temps[t] = DCFG_(unknown_number)
                          (sizeofIRType(typeOfIRTemp(w->out->tyenv, t)));
   return terms.temps[t];
}

/* Return whether E is the rounding mode "nearest". */
static Bool is_nearest(const IRExpr* e)
{
   return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U32
          && e->Iex.Const.con->Ico.U32 == RoundNearest;
}

/*--- Vectors                                              ---*/

static Int word_of(const Work* w, UInt i, const IRExpr* e);

/* Return word I of the constant vector CON, of which each byte is a bit. */
static Int word_of_constant(UInt i, const IRConst* con)
{
   UInt  bits = con->tag == Ico_V128 ? con->Ico.V128
                : con->tag == Ico_V256 ? con->Ico.V256 : 0;
   ULong word = 0;

   for (UInt k = 0; k < 8; k++)
      if ((bits >> (8 * i + k) & 1) != 0)
         word |= 0xFFull << 8 * k;
   return DCFG_(constant_number)(word, 8);
}

/* Return word I of operation O on the vectors A and, if it has two, B. */
static Int word_of_lanes(const Work* w, UInt i, LaneOperation o,
                         const IRExpr* a, const IRExpr* b)
{
   UInt size = o.lanes == LanesLow32 ? 4 : 8;
   Int  x    = word_of(w, i, a), result;

   if (o.lanes != LanesAll && i > 0)
      return x;
   result = o.n_vectors == 1
            ? DCFG_(number_by_constant)(o.term, x, 0, size)
            : DCFG_(number_of_two)(o.term, x, word_of(w, i, b), size);
   return o.lanes == LanesLow32
          ? DCFG_(number_of_two)(TermMerge, x, result, 8) : result;
}

/* Return word I of the operation OP on A, or -1. */
static Int word_of_unop(const Work* w, UInt i, IROp op, const IRExpr* a)
{
   LaneOperation o = DCFG_(lane_operation_of)(op);

   if (o.lanes != LanesNone && o.n_vectors == 1)
      return word_of_lanes(w, i, o, a, NULL);
   switch (op) {
      case Iop_64UtoV128: case Iop_32UtoV128:
         return i > 0 ? DCFG_(constant_number)(0, 8) : number_of(w, a);
      case Iop_ZeroHI64ofV128:
         return i > 0 ? DCFG_(constant_number)(0, 8) : word_of(w, 0, a);
      case Iop_ZeroHI96ofV128:
         return i > 0 ? DCFG_(constant_number)(0, 8)
                : DCFG_(number_by_constant)(TermAdd, word_of(w, 0, a), 0, 4);
      case Iop_NotV128: case Iop_NotV256:
         return DCFG_(number_by_constant)(TermXor, word_of(w, i, a), ~0ull, 8);
      case Iop_V256toV128_0:
         return word_of(w, i, a);
      case Iop_V256toV128_1:
         return word_of(w, 2 + i, a);
      default:
         return -1;
   }
}

/* Return word I of the operation OP on A and B, or -1. */
static Int word_of_binop(const Work* w, UInt i, IROp op, const IRExpr* a,
                         const IRExpr* b)
{
   LaneOperation o = DCFG_(lane_operation_of)(op);

   if (o.lanes != LanesNone && o.n_vectors == 2)
      return o.has_mode ? -1 : word_of_lanes(w, i, o, a, b);
   if (o.lanes != LanesNone)
      return is_nearest(a) ? word_of_lanes(w, i, o, b, NULL) : -1;
   switch (op) {
      case Iop_64HLtoV128:
         return number_of(w, i > 0 ? a : b);
      case Iop_V128HLtoV256:
         return i > 1 ? word_of(w, i - 2, a) : word_of(w, i, b);
      case Iop_SetV128lo64:
         return i > 0 ? word_of(w, i, a) : number_of(w, b);
      case Iop_SetV128lo32:
         return i > 0 ? word_of(w, i, a)
                : DCFG_(number_of_two)(TermMerge, word_of(w, 0, a),
                                       number_of(w, b), 8);
      case Iop_InterleaveLO64x2:
         return word_of(w, 0, i > 0 ? a : b);
      case Iop_InterleaveHI64x2:
         return word_of(w, 1, i > 0 ? a : b);
      default:
         return -1;
   }
}

/* Return word I of the vector E, which is no temporary, or -1. */
static Int word_of_data(const Work* w, UInt i, const IRExpr* e)
{
   const IRTriop* three;
   const IRQop*   four;
   LaneOperation  o;

   switch (e->tag) {
      case Iex_Const:
         return word_of_constant(i, e->Iex.Const.con);
      case Iex_RdTmp:
         return word_of(w, i, e);
      case Iex_Unop:
         return word_of_unop(w, i, e->Iex.Unop.op, e->Iex.Unop.arg);
      case Iex_Binop:
         return word_of_binop(w, i, e->Iex.Binop.op, e->Iex.Binop.arg1,
                              e->Iex.Binop.arg2);
      case Iex_Triop:
         three = e->Iex.Triop.details;
         o     = DCFG_(lane_operation_of)(three->op);
         return o.lanes != LanesNone && o.n_vectors == 2 && o.has_mode
                && is_nearest(three->arg1)
                ? word_of_lanes(w, i, o, three->arg2, three->arg3) : -1;
      case Iex_Qop:
         four = e->Iex.Qop.details;
         return four->op != Iop_64x4toV256 ? -1
                : number_of(w, i == 0 ? four->arg4 : i == 1 ? four->arg3
                               : i == 2 ? four->arg2 : four->arg1);
      default:
         return -1;
   }
}

/* Return word I of the vector E.  Words are kept: one may be used twice for each
   of many others. */
static Int word_of(const Work* w, UInt i, const IRExpr* e)
{
   IRTemp t;
   Int    n;

   if (e->tag != Iex_RdTmp) {
      n = word_of_data(w, i, e);
      return n >= 0 ? n : DCFG_(unknown_number)(8);
   }
   t = e->Iex.RdTmp.tmp;
   have_temp(t);
   if (terms.words[t][i] < 0) {
      n = terms.vectors[t] == NULL ? -1 : word_of_data(w, i, terms.vectors[t]);
      /* The call may move .words. */
      terms.words[t][i] = n >= 0 ? n : DCFG_(unknown_number)(8);
   }
   return terms.words[t][i];
}

/* Note that temporary T is the vector E. */
static void set_vector(const Work* w, IRTemp t, const IRExpr* e, UInt size)
{
   terms.vectors[t] = e;
   for (UInt i = 0; i < size / 8; i++)
      if (e->tag == Iex_Load)
         terms.words[t][i] = DCFG_(loaded_number)(8, t, i);
      else if (e->tag == Iex_Get)      // the register may change
         terms.words[t][i] = DCFG_(get_guest)(e->Iex.Get.offset + 8 * i, 8);
}

/*--- Integers and floating point                          ---*/

static Int number_of_unop(const Work* w, IROp op, const IRExpr* arg)
{
   Conversion c = DCFG_(conversion_of)(op);
   Operation  o = DCFG_(rounded_of)(op);

   switch (op) {
      case Iop_V128to64: case Iop_V256to64_0:
         return word_of(w, 0, arg);
      case Iop_V128HIto64: case Iop_V256to64_1:
         return word_of(w, 1, arg);
      case Iop_V256to64_2:
         return word_of(w, 2, arg);
      case Iop_V256to64_3:
         return word_of(w, 3, arg);
      case Iop_V128to32:
         return DCFG_(number_by_constant)(TermAdd, word_of(w, 0, arg), 0, 4);
      case Iop_64HIto32:
         return DCFG_(number_by_constant)(TermShr, number_of(w, arg), 32, 4);
      case Iop_Not64: case Iop_Not32:
         return DCFG_(number_by_constant)(TermXor, number_of(w, arg), ~0ull,
                                          op == Iop_Not64 ? 8 : 4);
      case Iop_NegF64:
         return DCFG_(number_by_constant)(TermXor, number_of(w, arg), 1ull << 63,
                                          8);
      case Iop_AbsF64:
         return DCFG_(number_by_constant)(TermAnd, number_of(w, arg),
                                          ~(1ull << 63), 8);
      case Iop_I32StoF64:      // exact
         o = DCFG_(rounded_of)(Iop_I64StoF64);
         return o.size == 0 ? -1
                : DCFG_(number_by_constant)
                     (o.term, DCFG_(number_by_constant)
                                 (TermExtend, number_of(w, arg), 4, 8),
                      RoundNearest, o.size);
      default:
         break;
   }
   if (o.size > 0)
      return DCFG_(number_by_constant)(o.term, number_of(w, arg), RoundNearest,
                                       o.size);
   if (c.to == 0)
      return -1;
   return DCFG_(number_by_constant)(c.is_signed ? TermExtend : TermAdd,
                                    number_of(w, arg),
                                    c.is_signed ? c.from : 0, c.to);
}

static Int number_of_binop(const Work* w, IROp op, const IRExpr* a,
                           const IRExpr* b)
{
   Operation o = DCFG_(operation_of)(op);

   if (o.size > 0)
      return DCFG_(number_of_two)(o.term, number_of(w, a), number_of(w, b),
                                  o.size);
   o = DCFG_(rounded_of)(op);
   if (o.size > 0)
      return DCFG_(number_of_two)(o.term, number_of(w, b), number_of(w, a),
                                  o.size);
   if (op == Iop_32HLto64)
      return DCFG_(number_of_two)
                (TermMerge, DCFG_(number_by_constant)(TermShl, number_of(w, a),
                                                      32, 8),
                 number_of(w, b), 8);
   return -1;
}

static Int number_of_triop(const Work* w, const IRTriop* e)
{
   Operation o = DCFG_(operation_of)(e->op);

   return o.size == 0 || !is_nearest(e->arg1) ? -1
          : DCFG_(number_of_two)(o.term, number_of(w, e->arg2),
                                 number_of(w, e->arg3), o.size);
}

/* Return the number of E, of type TY, or -1.  It becomes temporary T. */
static Int number_of_data(const Work* w, IRTemp t, const IRExpr* e, IRType ty)
{
   UInt size = ty == Ity_I1 ? 0 : sizeofIRType(ty);

   if (size == 0 || size > 8 || !DCFG_(has_bits)(ty))
      return -1;
   switch (e->tag) {
      case Iex_RdTmp: case Iex_Const:
         return number_of(w, e);
      case Iex_Load:
         return DCFG_(loaded_number)(size, t, 0);
      case Iex_Get:
         return DCFG_(get_guest)(e->Iex.Get.offset, size);
      case Iex_Unop:
         return number_of_unop(w, e->Iex.Unop.op, e->Iex.Unop.arg);
      case Iex_Binop:
         return number_of_binop(w, e->Iex.Binop.op, e->Iex.Binop.arg1,
                                e->Iex.Binop.arg2);
      case Iex_Triop:
         return number_of_triop(w, e->Iex.Triop.details);
      default:
         return -1;
   }
}

/*--- Statements                                           ---*/

static void note_put(const Work* w, Int offset, const IRExpr* data)
{
   IRType ty = typeOfIRExpr(w->out->tyenv, data);
   UInt   n  = sizeofIRType(ty);

   if (ty == Ity_V128 || ty == Ity_V256)
      for (UInt i = 0; i < n / 8; i++)
         DCFG_(put_guest)(offset + 8 * i, 8, word_of(w, i, data));
   else if (n <= 8)
      DCFG_(put_guest)(offset, n, number_of(w, data));
   else
      DCFG_(forget_guest)(offset, n);
}

/* Note that the helper D changes the guest state. */
static void note_helper(const IRDirty* d)
{
   for (Int i = 0; i < d->nFxState; i++)
      for (UInt k = 0; d->fxState[i].fx != Ifx_Read
                       && k <= d->fxState[i].nRepeats; k++)
         DCFG_(forget_guest)(d->fxState[i].offset
                             + k * d->fxState[i].repeatLen,
                             d->fxState[i].size);
}

void DCFG_(note_term)(const Work* w, const IRStmt* st)
{
   if (st->tag == Ist_WrTmp) {
      IRTemp        t  = st->Ist.WrTmp.tmp;
      IRType        ty = typeOfIRTemp(w->out->tyenv, t);
      const IRExpr* e  = st->Ist.WrTmp.data;
      have_temp(t);
      if (ty == Ity_V128 || ty == Ity_V256)
         set_vector(w, t, e, sizeofIRType(ty));
      else
         terms.temps[t] = number_of_data(w, t, e, ty);
   } else if (st->tag == Ist_Put) {
      note_put(w, st->Ist.Put.offset, st->Ist.Put.data);
   } else if (st->tag == Ist_PutI) {
      const IRRegArray* a = st->Ist.PutI.details->descr;
      DCFG_(forget_guest)(a->base, a->nElems * sizeofIRType(a->elemTy));
   } else if (st->tag == Ist_Dirty) {
      note_helper(st->Ist.Dirty.details);
   }
}

/*--- Slots                                                ---*/

void DCFG_(begin_terms)(const Work* w, NewSlots* slots)
{
   DCFG_(begin_numbers)(slots);
   DCFG_(begin_registers)();
   for (UInt t = 0; t < terms.n_temps; t++)
      forget_temp(t);
}

Bool DCFG_(find_term)(const Work* w, const IRExpr* e, Slot* slot)
{
   return DCFG_(find_number)(number_of(w, e), slot);
}

Int DCFG_(lacking_term)(const Work* w, const IRExpr* e, IRTemp* temp,
                        UInt* word)
{
   return DCFG_(lacking_load)(number_of(w, e), temp, word);
}

void DCFG_(set_term)(const Work* w, const IRExpr* e, UInt s)
{
   DCFG_(name_number)(number_of(w, e), s);
}
