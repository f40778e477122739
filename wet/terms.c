/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms: numbers of a superblock that readers can compute. */

/* Owns: for each temporary and general register of the superblock in
   translation, how its number follows from others.  Handed: VEX's statements.
   Taken by: wet/ir_tape.c, which writes only numbers that do not follow.

   A number is known if a slot has it, if a general register had it when the
   superblock began, or if it is the result of an operation on known numbers. A
   term becomes a slot only when another slot needs it.  The number of an integer
   is its bits, with 0 above them; the number of a double is its bits. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "arch/guest.h"
#include "run/ir.h"
#include "wet/terms.h"

#define LAYOUT (DCFG_(guest).layout)

/* Deeper operations are not computed, so that the time for a superblock has a
   bound. */
#define MAX_DEPTH 8

/* The slots that terms leave free for others. */
#define ROOM_FOR_OTHERS 1024u

/* NumberKind: NumUnknown: only a slot can have it. */
typedef enum { NumUnknown, NumConstant, NumRegister, NumTerm } NumberKind;

typedef
   struct {
      UChar kind;
      UChar term;            // for NumTerm: Term...; .a and .b are operands;
      UChar size;            // bytes that may not be 0
      Bool  by_constant;     // .c is the second operand
      Int   a, b;            // numbers; registers
      ULong c;
      Int   operand;         // how slots name it, without WhereSlot; or -1
   }
   Number;

static struct {
   NewSlots* slots;
   Number*   all;
   UInt      n, room;
   Int*      temps;          // by temporary: its number, or -1
   const IRExpr** vectors;   // by temporary: the vector that it is, or NULL
   Int     (*halves)[2];     // by temporary: the numbers of its lower and upper
                             // half, or -1
   UInt      n_temps;
   Int       registers[WET_REGISTERS];
   Bool      changed[WET_REGISTERS];
} terms;

/*--- Numbers                                              ---*/

static Int add_number(Number n)
{
   if (terms.n == terms.room) {
      terms.room = terms.room == 0 ? 256 : 2 * terms.room;
      terms.all  = VG_(realloc)("dcfg.wet.terms", terms.all,
                                terms.room * sizeof(Number));
   }
   n.operand = n.kind == NumRegister ? n.a : -1;
   terms.all[terms.n] = n;
   return terms.n++;
}

static Int unknown(UInt size)
{
   return add_number((Number){ .kind = NumUnknown, .size = size });
}

/* Return C's lowest SIZE bytes. */
static ULong cut(ULong c, UInt size)
{
   return size >= 8 ? c : c & ((1ull << 8 * size) - 1);
}

static Int constant(ULong c, UInt size)
{
   return add_number((Number){ .kind = NumConstant, .size = size,
                               .c = cut(c, size) });
}

static Bool is_constant(Int n)
{
   return terms.all[n].kind == NumConstant;
}

/* Return TERM of A and the constant C, with SIZE bytes. */
static Int by_constant(UInt term, Int a, ULong c, UInt size)
{
   const Number* of = &terms.all[a];

   if (term == TermSub) {
      term = TermAdd;
      c    = -c;
   }
   c = cut(c, size);
   if (term == TermAdd && of->kind == NumConstant)
      return constant(of->c + c, size);
   if (term == TermAdd && c == 0 && of->size <= size)
      return a;
   if (term == TermAnd && of->kind == NumTerm && of->term == TermAnd
       && of->by_constant) {
      c &= of->c;
      a  = of->a;
   }
   /* The bytes of a sum do not depend on higher bytes. */
   if (term == TermAdd && of->kind == NumTerm && of->term == TermAdd
       && of->by_constant && of->size >= size) {
      c = cut(c + of->c, size);
      a = of->a;
      if (c == 0 && terms.all[a].size <= size)
         return a;
   }
   return add_number((Number){ .kind = NumTerm, .term = term, .size = size,
                               .by_constant = True, .a = a, .c = c });
}

/* Return TERM of A and B, with SIZE bytes. */
static Int of_two(UInt term, Int a, Int b, UInt size)
{
   Bool either = term == TermAdd || term == TermMul || term == TermAnd
                 || term == TermOr || term == TermXor;

   if (is_constant(b))
      return by_constant(term, a, terms.all[b].c, size);
   if (is_constant(a) && either)
      return by_constant(term, b, terms.all[a].c, size);
   return add_number((Number){ .kind = NumTerm, .term = term, .size = size,
                               .a = a, .b = b });
}

/*--- Temporaries                                          ---*/

static void forget_temp(IRTemp t)
{
   terms.temps[t]     = -1;
   terms.vectors[t]   = NULL;
   terms.halves[t][0] = terms.halves[t][1] = -1;
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
   terms.halves  = VG_(realloc)("dcfg.wet.terms.halves", terms.halves,
                                n * sizeof(*terms.halves));
   for (; terms.n_temps < n; terms.n_temps++)
      forget_temp(terms.n_temps);
}

static Int number_of_constant(const IRConst* con)
{
   switch (con->tag) {
      case Ico_U8:   return constant(con->Ico.U8, 1);
      case Ico_U16:  return constant(con->Ico.U16, 2);
      case Ico_U32:  return constant(con->Ico.U32, 4);
      case Ico_U64:  return constant(con->Ico.U64, 8);
      case Ico_F64i: return constant(con->Ico.F64i, 8);
      default:       return unknown(8);
   }
}

/* Return the number of E, an integer or a double. */
static Int number_of(const Work* w, const IRExpr* e)
{
   if (e->tag == Iex_Const)
      return number_of_constant(e->Iex.Const.con);
   if (e->tag != Iex_RdTmp)
      return unknown(8);
   IRTemp t = e->Iex.RdTmp.tmp;
   have_temp(t);
   if (terms.temps[t] < 0)
      terms.temps[t] = unknown(sizeofIRType(typeOfIRTemp(w->out->tyenv, t)));
   return terms.temps[t];
}

static Int half_of(const Work* w, Bool high, const IRExpr* e);

/* Return the lower or upper half of the operation OP on the vectors A and B, or
   -1. */
static Int half_of_two(const Work* w, Bool high, IROp op, const IRExpr* a,
                       const IRExpr* b)
{
   switch (op) {
      case Iop_64HLtoV128:
         return number_of(w, high ? a : b);
      case Iop_SetV128lo64:
         return high ? half_of(w, True, a) : number_of(w, b);
      case Iop_InterleaveLO64x2:
         return half_of(w, False, high ? a : b);
      case Iop_InterleaveHI64x2:
         return half_of(w, True, high ? a : b);
      case Iop_AndV128:
         return of_two(TermAnd, half_of(w, high, a), half_of(w, high, b), 8);
      case Iop_OrV128:
         return of_two(TermOr, half_of(w, high, a), half_of(w, high, b), 8);
      case Iop_XorV128:
         return of_two(TermXor, half_of(w, high, a), half_of(w, high, b), 8);
      case Iop_Add64x2:
         return of_two(TermAdd, half_of(w, high, a), half_of(w, high, b), 8);
      case Iop_Sub64x2:
         return of_two(TermSub, half_of(w, high, a), half_of(w, high, b), 8);
      default:
         return -1;
   }
}

/* Return the lower or upper half of the vector T, which is not kept yet. */
static Int find_half(const Work* w, Bool high, IRTemp t)
{
   const IRExpr* v = terms.vectors[t];
   Int           n = -1;

   if (v != NULL && v->tag == Iex_Unop
       && (v->Iex.Unop.op == Iop_64UtoV128 || v->Iex.Unop.op == Iop_32UtoV128))
      return high ? constant(0, 8) : number_of(w, v->Iex.Unop.arg);
   if (v != NULL && v->tag == Iex_Binop)
      n = half_of_two(w, high, v->Iex.Binop.op, v->Iex.Binop.arg1,
                      v->Iex.Binop.arg2);
   return n >= 0 ? n : unknown(8);
}

/* Return the lower or upper half of the vector E of 16 bytes.  Halves are kept:
   one may be used twice for each of many others. */
static Int half_of(const Work* w, Bool high, const IRExpr* e)
{
   IRTemp t;
   Int    n;

   if (e->tag != Iex_RdTmp)
      return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_V128
             && e->Iex.Const.con->Ico.V128 == 0 ? constant(0, 8) : unknown(8);
   t = e->Iex.RdTmp.tmp;
   have_temp(t);
   if (terms.halves[t][high] < 0) {
      n = find_half(w, high, t);        // the call may move .halves
      terms.halves[t][high] = n;
   }
   return terms.halves[t][high];
}

/*--- Registers                                            ---*/

/* Find the general register that has N bytes at OFFSET of the guest state; *AT
   is the first one's index in it.  Return WET_REGISTERS if there is none. */
static UInt register_at(Int offset, UInt n, UInt* at)
{
   UInt o = offset - LAYOUT->general;

   if (offset < (Int)LAYOUT->general || offset >= (Int)LAYOUT->general_end
       || o % LAYOUT->word + n > LAYOUT->word)
      return WET_REGISTERS;
   *at = o % LAYOUT->word;
   return o / LAYOUT->word;
}

/* Return the number of the N bytes from AT on of register R. */
static Int get_register(UInt r, UInt at, UInt n)
{
   Int from = terms.registers[r];

   if (at > 0)
      from = by_constant(TermShr, from, 8 * at, LAYOUT->word);
   return by_constant(TermAdd, from, 0, n);
}

static void put_register(UInt r, UInt at, UInt n, Int number)
{
   UInt  size = LAYOUT->word;
   ULong mask = cut(~0ull, n) << 8 * at;

   if (n < size) {
      Int kept = by_constant(TermAnd, terms.registers[r], ~mask, size);
      if (at > 0)
         number = by_constant(TermShl, number, 8 * at, size);
      number = of_two(TermOr, kept, number, size);
   }
   terms.registers[r] = number;
   terms.changed[r]   = True;
}

/* Note that the N bytes at OFFSET of the guest state have unknown contents. */
static void forget_state(Int offset, UInt n)
{
   UInt word = LAYOUT->word;

   for (UInt r = 0; LAYOUT->general + r * word < LAYOUT->general_end; r++) {
      Int at = LAYOUT->general + r * word;
      if (offset >= at + (Int)word || offset + (Int)n <= at)
         continue;
      terms.registers[r] = unknown(word);
      terms.changed[r]   = True;
   }
}

/*--- Operations                                           ---*/

/* Operation: a term's operation on SIZE bytes; 0: there is none. */
typedef
   struct {
      UChar term, size;
   }
   Operation;

#define OF_SIZES(op, term) \
   case op##8:  return (Operation){ term, 1 }; \
   case op##16: return (Operation){ term, 2 }; \
   case op##32: return (Operation){ term, 4 }; \
   case op##64: return (Operation){ term, 8 }

static Operation operation_of(IROp op)
{
   switch (op) {
      OF_SIZES(Iop_Add, TermAdd);
      OF_SIZES(Iop_Sub, TermSub);
      OF_SIZES(Iop_Mul, TermMul);
      OF_SIZES(Iop_And, TermAnd);
      OF_SIZES(Iop_Or,  TermOr);
      OF_SIZES(Iop_Xor, TermXor);
      OF_SIZES(Iop_Shl, TermShl);
      OF_SIZES(Iop_Shr, TermShr);
      OF_SIZES(Iop_Sar, TermSar);
      default: return (Operation){ 0, 0 };
   }
}

/* Conversion: from FROM to TO bytes, with the sign or without. */
typedef
   struct {
      UChar from, to;
      Bool  is_signed;
   }
   Conversion;

static Conversion conversion_of(IROp op)
{
   switch (op) {
      case Iop_8Uto16: case Iop_8Uto32: case Iop_8Uto64:
      case Iop_16Uto32: case Iop_16Uto64: case Iop_32Uto64:
      case Iop_ReinterpF64asI64: case Iop_ReinterpI64asF64:
         return (Conversion){ 8, 8, False };
      case Iop_64to32:             return (Conversion){ 8, 4, False };
      case Iop_64to16:             return (Conversion){ 8, 2, False };
      case Iop_64to8:              return (Conversion){ 8, 1, False };
      case Iop_32to16:             return (Conversion){ 4, 2, False };
      case Iop_32to8:              return (Conversion){ 4, 1, False };
      case Iop_16to8:              return (Conversion){ 2, 1, False };
      case Iop_8Sto16:             return (Conversion){ 1, 2, True };
      case Iop_8Sto32:             return (Conversion){ 1, 4, True };
      case Iop_8Sto64:             return (Conversion){ 1, 8, True };
      case Iop_16Sto32:            return (Conversion){ 2, 4, True };
      case Iop_16Sto64:            return (Conversion){ 2, 8, True };
      case Iop_32Sto64:            return (Conversion){ 4, 8, True };
      default:                     return (Conversion){ 0, 0, False };
   }
}

static Int number_of_unop(const Work* w, IROp op, const IRExpr* arg)
{
   Conversion c = conversion_of(op);

   if (op == Iop_V128to64 || op == Iop_V128HIto64)
      return half_of(w, op == Iop_V128HIto64, arg);
   if (op == Iop_64HIto32)
      return by_constant(TermShr, number_of(w, arg), 32, 8);
   if (op == Iop_Not64 || op == Iop_Not32)
      return by_constant(TermXor, number_of(w, arg), ~0ull,
                         op == Iop_Not64 ? 8 : 4);
   if (c.to == 0)
      return -1;
   return c.is_signed
          ? by_constant(TermExtend, number_of(w, arg), c.from, c.to)
          : by_constant(TermAdd, number_of(w, arg), 0, c.to);
}

/* Return the number of E, of type TY, or -1. */
static Int number_of_data(const Work* w, const IRExpr* e, IRType ty)
{
   UInt      size = ty == Ity_I1 ? 0 : sizeofIRType(ty), r, at = 0;
   Operation o;

   if (size == 0 || size > 8)
      return -1;
   switch (e->tag) {
      case Iex_RdTmp: case Iex_Const:
         return number_of(w, e);
      case Iex_Get:
         r = register_at(e->Iex.Get.offset, size, &at);
         return r == WET_REGISTERS ? -1 : get_register(r, at, size);
      case Iex_Unop:
         return number_of_unop(w, e->Iex.Unop.op, e->Iex.Unop.arg);
      case Iex_Binop:
         o = operation_of(e->Iex.Binop.op);
         return o.size == 0 ? -1
                : of_two(o.term, number_of(w, e->Iex.Binop.arg1),
                         number_of(w, e->Iex.Binop.arg2), o.size);
      default:
         return -1;
   }
}

void DCFG_(note_term)(const Work* w, const IRStmt* st)
{
   UInt r, at = 0;

   if (st->tag == Ist_WrTmp) {
      IRTemp t  = st->Ist.WrTmp.tmp;
      IRType ty = typeOfIRTemp(w->out->tyenv, t);
      have_temp(t);
      terms.vectors[t] = ty == Ity_V128 ? st->Ist.WrTmp.data : NULL;
      terms.temps[t]   = number_of_data(w, st->Ist.WrTmp.data, ty);
   } else if (st->tag == Ist_Put) {
      UInt n = sizeofIRType(typeOfIRExpr(w->out->tyenv, st->Ist.Put.data));
      r = register_at(st->Ist.Put.offset, n, &at);
      if (r < WET_REGISTERS)
         put_register(r, at, n, number_of(w, st->Ist.Put.data));
      else
         forget_state(st->Ist.Put.offset, n);
   } else if (st->tag == Ist_PutI) {
      const IRRegArray* a = st->Ist.PutI.details->descr;
      forget_state(a->base, a->nElems * sizeofIRType(a->elemTy));
   } else if (st->tag == Ist_Dirty) {
      const IRDirty* d = st->Ist.Dirty.details;
      for (Int i = 0; i < d->nFxState; i++)
         for (UInt k = 0; d->fxState[i].fx != Ifx_Read
                          && k <= d->fxState[i].nRepeats; k++)
            forget_state(d->fxState[i].offset + k * d->fxState[i].repeatLen,
                         d->fxState[i].size);
   }
}

/*--- Slots                                                ---*/

void DCFG_(begin_terms)(const Work* w, NewSlots* slots)
{
   terms.slots = slots;
   terms.n     = 0;
   for (UInt t = 0; t < terms.n_temps; t++)
      forget_temp(t);
   for (UInt r = 0; r < WET_REGISTERS; r++) {
      terms.registers[r] = add_number((Number){ .kind = NumRegister,
                                                .size = LAYOUT->word,
                                                .a = r });
      terms.changed[r]   = False;
   }
}

/* Return whether readers can compute N. */
static Bool is_known(Int n, UInt depth)
{
   const Number* of = &terms.all[n];

   if (of->operand >= 0)
      return True;
   if (of->size > sizeof(Addr) || depth == MAX_DEPTH)
      return False;
   return of->kind == NumConstant || (of->kind == NumTerm
          && is_known(of->a, depth + 1)
          && (of->by_constant || is_known(of->b, depth + 1)));
}

/* Return how slots name N, which is known; add the slots that it needs, of
   instruction INSTR. */
static Int operand_of(Int n, UInt instr)
{
   Slot slot = { instr, terms.all[n].size, AccessTerm, 0, 0 };

   if (terms.all[n].operand >= 0)
      return terms.all[n].operand;
   if (terms.all[n].kind == NumConstant) {
      slot.what += 2 * TermAdd + 1;
      slot.from  = WhereConstant;
      slot.addr  = terms.all[n].c;
   } else {
      const Number of = terms.all[n];
      slot.what += 2 * of.term + of.by_constant;
      slot.from  = WhereSlot + operand_of(of.a, instr);
      slot.addr  = of.by_constant ? (Addr)of.c : operand_of(of.b, instr);
   }
   tl_assert(terms.slots->n < DCFG_TAPE_SLACK / 2);
   terms.all[n].operand = WET_REGISTERS + terms.slots->n;
   terms.slots->slots[terms.slots->n++] = slot;
   return terms.all[n].operand;
}

static Bool find(Int n, Slot* slot)
{
   const Number* of = &terms.all[n];

   if (!is_known(n, 0)
       || terms.slots->n > DCFG_TAPE_SLACK / 2 - ROOM_FOR_OTHERS)
      return False;
   if (of->kind == NumConstant) {
      slot->from = WhereConstant;
      slot->addr = of->c;
      return True;
   }
   slot->addr = 0;
   if (of->operand < 0 && of->kind == NumTerm && of->term == TermAdd
       && of->by_constant && of->size == 8) {
      slot->addr = of->c;
      n          = of->a;
   }
   slot->from = WhereSlot + operand_of(n, slot->instr);
   return True;
}

/* Note that slot number S has number N. */
static void name(Int n, UInt s)
{
   Number* of = &terms.all[n];

   if (of->operand < 0)
      of->operand = WET_REGISTERS + s;
}

Bool DCFG_(find_term)(const Work* w, const IRExpr* e, Slot* slot)
{
   return find(number_of(w, e), slot);
}

void DCFG_(set_term)(const Work* w, const IRExpr* e, UInt s)
{
   name(number_of(w, e), s);
}

UInt DCFG_(changed_register)(UInt r)
{
   while (r < WET_REGISTERS && !terms.changed[r])
      r++;
   return r;
}

Int DCFG_(register_offset)(UInt r)
{
   return LAYOUT->general + r * LAYOUT->word;
}

Bool DCFG_(find_register)(UInt r, Slot* slot)
{
   terms.changed[r] = False;
   return find(terms.registers[r], slot);
}

void DCFG_(set_register)(UInt r, UInt s)
{
   name(terms.registers[r], s);
}
