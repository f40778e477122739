/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms: numbers of a superblock that readers can compute. */

/* Owns: the numbers of the superblock in translation, how each follows from
   others, and what is known of each register.  Handed: VEX's statements by
   tool/wet/ir_tape.c.

   A number that readers can compute from others need not be on the tape.  Every
   integer, double, word of a vector, and register of the superblock has a number
   here.  The number of an integer is its bits, with 0 above them; the number of
   a double is its bits.

   A number is known if a slot has it, if a register had it when the superblock
   began, or if it is the result of an operation on known numbers.  Such an
   operation is a term.  A term becomes a slot only when another slot needs it.

   A number that was loaded becomes known when its load from the mirror is added,
   which is done for numbers that lack nothing else.

   Terms of floating point compute what SSE does, with the rounding mode
   "nearest" where no mode is an operand.  VEX translates SSE's arithmetic to
   the same instructions, with the operands in their order, and ignores the mode
   that the program has set.  It does so for arithmetic of x87 on amd64, too.
   On x86, it has single doubles and floats in registers of x87, which can hold
   more; so these have no terms.  On arm64, NaNs follow other rules. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#include "format/wet_code.h"
#include "tool/arch/guest.h"
#include "tool/run/ir.h"
#include "tool/wet/terms.h"

/*--- Numbers                                              ---*/

/* Deeper operations are not computed, so that the time for a superblock has a
   bound. */
#define MAX_DEPTH 8

/* The slots that terms leave free for others. */
#define ROOM_FOR_OTHERS 1024u

/* NumberKind: NumUnknown, NumLoaded: only a slot can have it. */
typedef
   enum { NumUnknown, NumLoaded, NumConstant, NumRegister, NumTerm }
   NumberKind;

typedef
   struct {
      UChar kind;
      UChar term;            // for NumTerm: Term...; .a and .b are operands;
      UChar size;            // bytes that may not be 0
      Bool  by_constant;     // .c is the second operand
      Int   a, b;            // numbers; registers; a temporary and a word
      ULong c;
      Int   operand;         // how slots name it, without WhereSlot; or -1
      Int   access;          // for NumLoaded: the slot of the address, or -1
   }
   Number;

static struct {
   NewSlots* slots;
   Number*   all;
   UInt      n, room;
} numbers;

/* Begin a superblock, whose terms are added to SLOTS.  Numbers are counted
   from 0. */
static void begin_numbers(NewSlots* slots)
{
   numbers.slots = slots;
   numbers.n     = 0;
}

static Int add_number(Number n)
{
   if (numbers.n == numbers.room) {
      numbers.room = numbers.room == 0 ? 256 : 2 * numbers.room;
      numbers.all  = VG_(realloc)("dcfg.wet.numbers", numbers.all,
                                  numbers.room * sizeof(Number));
   }
   n.operand = n.kind == NumRegister ? n.a : -1;
   n.access  = -1;
   numbers.all[numbers.n] = n;
   return numbers.n++;
}

/* Return a new number of SIZE bytes that no operation gives. */
static Int unknown_number(UInt size)
{
   return add_number((Number){ .kind = NumUnknown, .size = size });
}

/* Return a new number of SIZE bytes that was loaded: word WORD of temporary
   TEMP. */
static Int loaded_number(UInt size, IRTemp temp, UInt word)
{
   return add_number((Number){ .kind = NumLoaded, .size = size, .a = temp,
                               .b = word });
}

/* Return a new number of SIZE bytes that register R had when the superblock
   began. */
static Int register_number(UInt r, UInt size)
{
   return add_number((Number){ .kind = NumRegister, .size = size, .a = r });
}

/* Return C's lowest SIZE bytes. */
static ULong cut(ULong c, UInt size)
{
   return size >= 8 ? c : c & ((1ull << 8 * size) - 1);
}

/* Return a new number of SIZE bytes: the constant C. */
static Int constant_number(ULong c, UInt size)
{
   return add_number((Number){ .kind = NumConstant, .size = size,
                               .c = cut(c, size) });
}

static Bool is_constant(Int n)
{
   return numbers.all[n].kind == NumConstant;
}

/* Return the number that is operation TERM of A and the constant C.  It has
   SIZE bytes, and above them 0. */
static Int number_by_constant(UInt term, Int a, ULong c, UInt size)
{
   const Number* of = &numbers.all[a];

   if (term == TermSub) {
      term = TermAdd;
      c    = -c;
   }
   c = cut(c, size);
   if (term == TermAdd && of->kind == NumConstant)
      return constant_number(of->c + c, size);
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
      if (c == 0 && numbers.all[a].size <= size)
         return a;
   }
   return add_number((Number){ .kind = NumTerm, .term = term, .size = size,
                               .by_constant = True, .a = a, .c = c });
}

/* Return the number that is operation TERM of A and B.  It has SIZE bytes, and
   above them 0. */
static Int number_of_two(UInt term, Int a, Int b, UInt size)
{
   Bool either = term == TermAdd || term == TermMul || term == TermAnd
                 || term == TermOr || term == TermXor;

   if (is_constant(b))
      return number_by_constant(term, a, numbers.all[b].c, size);
   if (term == TermMerge && is_constant(a) && numbers.all[a].c == 0)
      return number_by_constant(TermAdd, b, 0, 4);
   if (is_constant(a) && either)
      return number_by_constant(term, b, numbers.all[a].c, size);
   return add_number((Number){ .kind = NumTerm, .term = term, .size = size,
                               .a = a, .b = b });
}

/*--- Numbers as slots                                     ---*/

/* Return whether a slot can have the constant of N: it has an address, which is
   extended as a signed number. */
static Bool has_room(const Number* n)
{
   return n->size <= sizeof(Addr) || n->c >> (8 * sizeof(Addr) - 1) == 0;
}

/* Return whether readers can compute N. */
static Bool is_known(Int n, UInt depth)
{
   const Number* of = &numbers.all[n];

   if (of->operand >= 0)
      return True;
   if (depth == MAX_DEPTH)
      return False;
   if (of->kind == NumConstant)
      return has_room(of);
   return of->kind == NumTerm && is_known(of->a, depth + 1)
          && (of->by_constant ? has_room(of) : is_known(of->b, depth + 1));
}

/* Return how slots name N, which is known; add the slots that it needs, of
   instruction INSTR. */
static Int operand_of(Int n, UInt instr)
{
   Slot slot = { instr, numbers.all[n].size, AccessTerm, 0, 0 };

   if (numbers.all[n].operand >= 0)
      return numbers.all[n].operand;
   if (numbers.all[n].kind == NumConstant) {
      slot.what += 2 * TermAdd + 1;
      slot.from  = WhereConstant;
      slot.addr  = numbers.all[n].c;
   } else {
      const Number of = numbers.all[n];
      slot.what += 2 * of.term + of.by_constant;
      slot.from  = WhereSlot + operand_of(of.a, instr);
      slot.addr  = of.by_constant ? (Addr)of.c : operand_of(of.b, instr);
   }
   tl_assert(numbers.slots->n < DCFG_TAPE_SLACK / 2);
   numbers.all[n].operand = WET_REGISTERS + numbers.slots->n;
   numbers.slots->slots[numbers.slots->n++] = slot;
   return numbers.all[n].operand;
}

/* If readers can compute N, set where SLOT finds it, and return True.  Terms
   that it needs become slots of the same instruction. */
static Bool find_number(Int n, Slot* slot)
{
   const Number* of = &numbers.all[n];

   if (of->kind == NumConstant && has_room(of)) {
      slot->from = WhereConstant;
      slot->addr = of->c;
      return True;
   }
   if (!is_known(n, 0)
       || numbers.slots->n > DCFG_TAPE_SLACK / 2 - ROOM_FOR_OTHERS)
      return False;
   slot->addr = 0;
   if (of->operand < 0 && of->kind == NumTerm && of->term == TermAdd
       && of->by_constant && of->size == 8) {
      slot->addr = of->c;
      n          = of->a;
   }
   slot->from = WhereSlot + operand_of(n, slot->instr);
   return True;
}

/* Return whether readers can compute N if the mirror tells them what was
   loaded. */
static Bool lacks_only_loads(Int n, UInt depth)
{
   const Number* of = &numbers.all[n];

   if (is_known(n, depth))
      return True;
   if (of->kind == NumLoaded)
      return of->access >= 0;
   return of->kind == NumTerm && depth < MAX_DEPTH
          && lacks_only_loads(of->a, depth + 1)
          && (of->by_constant ? has_room(of)
                              : lacks_only_loads(of->b, depth + 1));
}

/* Return a number that was loaded and that N, which lacks only loads, lacks; or
   -1 if readers can compute N. */
static Int lacking_load(Int n)
{
   while (numbers.all[n].kind == NumTerm && !is_known(n, 0)) {
      const Number* of = &numbers.all[n];
      n = of->by_constant || !is_known(of->a, 0) ? of->a : of->b;
   }
   return is_known(n, 0) ? -1 : n;
}

void DCFG_(name_number)(Int n, UInt s)
{
   Number* of = &numbers.all[n];

   if (of->operand < 0)
      of->operand = WET_REGISTERS + s;
}

#define LAYOUT (DCFG_(guest).layout)

static struct {
   Int  numbers[WET_REGISTERS];
   Bool changed[WET_REGISTERS];
} now;

/*--- Places of registers                                  ---*/

/* Area: registers that are neighbours in the guest state. */
typedef
   struct {
      UInt first;            // number of the first one
      UInt n;
      UInt offset;           // bytes to the first one in the state
      UInt size;             // bytes of one register
   }
   Area;

#define N_AREAS 3

static Area area(UInt k)
{
   UInt general = LAYOUT->general_end - LAYOUT->general;
   UInt vectors = LAYOUT->vectors_end - LAYOUT->vectors;

   switch (k) {
      case 0:
         return (Area){ 0, general / LAYOUT->word, LAYOUT->general,
                        LAYOUT->word };
      case 1:
         return (Area){ WET_VECTORS, vectors / sizeof(ULong),
                        LAYOUT->vectors, sizeof(ULong) };
      default:
         return (Area){ WET_ROUNDING, LAYOUT->rounding != NO_OFFSET,
                        LAYOUT->rounding, LAYOUT->word };
   }
}

/* Return the area of register R; .n is 0 if there is none. */
static Area area_of(UInt r)
{
   for (UInt k = 0; k < N_AREAS; k++) {
      Area a = area(k);
      if (r >= a.first && r < a.first + a.n)
         return a;
   }
   return (Area){ 0, 0, 0, 0 };
}

UInt DCFG_(register_size)(UInt r)
{
   return area_of(r).size;
}

Int DCFG_(register_offset)(UInt r)
{
   Area a = area_of(r);

   return a.offset + (r - a.first) * a.size;
}

/* Find the register that has N bytes at OFFSET of the guest state; *AT is the
   first one's index in it.  Return WET_REGISTERS if there is none. */
static UInt register_at(Int offset, UInt n, UInt* at, UInt* size)
{
   for (UInt k = 0; k < N_AREAS; k++) {
      Area a = area(k);
      UInt o = (UInt)offset - a.offset;
      if ((UInt)offset < a.offset || o >= a.n * a.size)
         continue;
      *at   = o % a.size;
      *size = a.size;
      return *at + n > a.size ? WET_REGISTERS : a.first + o / a.size;
   }
   return WET_REGISTERS;
}

void DCFG_(read_registers_told)(ULong* to)
{
   ThreadId tid = VG_(get_running_tid)();

   VG_(memset)(to, 0, WET_REGISTERS * sizeof(*to));
   for (UInt k = 0; k < N_AREAS; k++) {
      Area  a = area(k);
      UWord words[32];
      if (a.n == 0)
         continue;
      if (a.size == sizeof(ULong)) {
         VG_(get_shadow_regs_area)(tid, (UChar*)(to + a.first), 0, a.offset,
                                   a.n * a.size);
         continue;
      }
      VG_(get_shadow_regs_area)(tid, (UChar*)words, 0, a.offset,
                                a.n * a.size);
      for (UInt i = 0; i < a.n; i++)
         to[a.first + i] = words[i];
   }
}

/*--- Numbers of registers                                 ---*/

/* Begin a superblock: no register has changed.  Called behind
   begin_numbers(). */
static void begin_registers(void)
{
   for (UInt k = 0; k < N_AREAS; k++) {
      Area a = area(k);
      for (UInt r = a.first; r < a.first + a.n; r++)
         now.numbers[r] = register_number(r, a.size);
   }
   VG_(memset)(now.changed, 0, sizeof(now.changed));
}

/* Return the number of the N bytes at OFFSET of the guest state, or -1 if they
   are no part of one register. */
static Int get_guest(Int offset, UInt n)
{
   UInt at, size, r = register_at(offset, n, &at, &size);
   Int  from;

   if (r == WET_REGISTERS)
      return -1;
   from = now.numbers[r];
   if (at > 0)
      from = number_by_constant(TermShr, from, 8 * at, size);
   return number_by_constant(TermAdd, from, 0, n);
}

/* Return the number WAS, of SIZE bytes, with the N bytes from AT on replaced by
   NUMBER. */
static Int replaced(Int was, UInt size, UInt at, UInt n, Int number)
{
   ULong mask = ((1ull << 8 * n) - 1) << 8 * at;
   Int   kept;

   if (at > 0)
      number = number_by_constant(TermShl, number, 8 * at, size);
   if (size == 8 && n == 4)
      return at == 0 ? number_of_two(TermMerge, was, number, 8)
                     : number_of_two(TermMerge, number, was, 8);
   kept = number_by_constant(TermAnd, was, ~mask, size);
   return number_of_two(TermOr, kept, number, size);
}

/* Note that the N bytes at OFFSET of the guest state have unknown contents. */
static void forget_guest(Int offset, UInt n)
{
   for (UInt k = 0; k < N_AREAS; k++) {
      Area a = area(k);
      if ((UInt)offset >= a.offset + a.n * a.size || offset + n <= a.offset)
         continue;
      for (UInt i = 0; i < a.n; i++) {
         Int at = a.offset + i * a.size;
         if (offset >= at + (Int)a.size || offset + (Int)n <= at)
            continue;
         now.numbers[a.first + i] = unknown_number(a.size);
         now.changed[a.first + i] = True;
      }
   }
}

/* Note that the N bytes at OFFSET of the guest state have this NUMBER. */
static void put_guest(Int offset, UInt n, Int number)
{
   UInt at, size, r = register_at(offset, n, &at, &size);

   if (r == WET_REGISTERS) {
      forget_guest(offset, n);
      return;
   }
   now.numbers[r] = n == size ? number
                    : replaced(now.numbers[r], size, at, n, number);
   now.changed[r] = True;
}

UInt DCFG_(changed_register)(UInt r)
{
   while (r < WET_REGISTERS && !now.changed[r])
      r++;
   return r;
}

Bool DCFG_(find_register)(UInt r, Slot* slot)
{
   now.changed[r] = False;
   return find_number(now.numbers[r], slot);
}

void DCFG_(set_register)(UInt r, UInt s)
{
   DCFG_(name_number)(now.numbers[r], s);
}

/*--- VEX's operations                                     ---*/

/* Operation: a term's operation on SIZE bytes; 0: there is none. */
typedef
   struct {
      UChar term, size;
   }
   Operation;

/* Conversion: from FROM to TO bytes, with the sign or without; 0: there is
   none. */
typedef
   struct {
      UChar from, to;
      Bool  is_signed;
   }
   Conversion;

/* LaneOperation: one on vectors.  LanesAll: TERM of each word of 8 bytes.
   LanesLow64, LanesLow32: TERM of the lowest 8 or 4 bytes; the others are those
   of the first vector. */
typedef enum { LanesNone, LanesAll, LanesLow64, LanesLow32 } Lanes;

typedef
   struct {
      UChar lanes;
      UChar term;
      UChar n_vectors;           // 1 or 2
      Bool  has_mode;            // comes a rounding mode before these?
   }
   LaneOperation;

static Bool has_sse(void)
{
   return DCFG_(guest).layout->rounding != NO_OFFSET;
}

/* Return whether temporaries with doubles and floats have their bits.  A host
   that has them in registers of x87 changes signalling NaNs. */
static Bool has_scalars(void)
{
   return has_sse() && sizeof(Addr) == 8;
}

/* Return whether a temporary of type TY has just the bits that it got. */
static Bool has_bits(IRType ty)
{
   return (ty != Ity_F32 && ty != Ity_F64) || !has_sse() || has_scalars();
}

#define OF_SIZES(op, term) \
   case op##8:  return (Operation){ term, 1 }; \
   case op##16: return (Operation){ term, 2 }; \
   case op##32: return (Operation){ term, 4 }; \
   case op##64: return (Operation){ term, 8 }

/* Return the operation on two integers or doubles that OP is.  An operation on
   doubles has the rounding mode before them. */
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
      default: break;
   }
   if (!has_scalars())
      return (Operation){ 0, 0 };
   switch (op) {
      case Iop_AddF64: return (Operation){ TermAddF64, 8 };
      case Iop_SubF64: return (Operation){ TermSubF64, 8 };
      case Iop_MulF64: return (Operation){ TermMulF64, 8 };
      case Iop_DivF64: return (Operation){ TermDivF64, 8 };
      default:         return (Operation){ 0, 0 };
   }
}

/* Return the operation that OP is on a number and, if it is a Binop, a rounding
   mode before it. */
static Operation rounded_of(IROp op)
{
   if (!has_scalars())
      return (Operation){ 0, 0 };
   switch (op) {
      case Iop_F32toF64:      return (Operation){ TermWiden, 8 };
      case Iop_F64toF32:      return (Operation){ TermNarrow, 4 };
      case Iop_I64StoF64:     return (Operation){ TermFromInt, 8 };
      case Iop_F64toI32S:     return (Operation){ TermToInt, 4 };
      case Iop_F64toI64S:     return (Operation){ TermToInt, 8 };
      case Iop_RoundF64toInt: return (Operation){ TermRound, 8 };
      default:                return (Operation){ 0, 0 };
   }
}

static Conversion conversion_of(IROp op)
{
   switch (op) {
      case Iop_8Uto16: case Iop_8Uto32: case Iop_8Uto64:
      case Iop_16Uto32: case Iop_16Uto64: case Iop_32Uto64:
      case Iop_ReinterpF64asI64: case Iop_ReinterpI64asF64:
         return (Conversion){ 8, 8, False };
      case Iop_ReinterpF32asI32: case Iop_ReinterpI32asF32:
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

/* The operations NAME of all vectors of doubles and floats, as VEX names them;
   those of whole vectors have a rounding mode if MODE. */
#define OF_FLOATS(name, term, n, mode) \
   case Iop_##name##64F0x2: return (LaneOperation){ LanesLow64, term##F64, n, \
                                                    False }; \
   case Iop_##name##32F0x4: return (LaneOperation){ LanesLow32, term##F32, n, \
                                                    False }; \
   case Iop_##name##64Fx2:  return (LaneOperation){ LanesAll, term##F64, n, \
                                                    mode }; \
   case Iop_##name##32Fx4:  return (LaneOperation){ LanesAll, term##F32x2, n, \
                                                    mode }

/* Those of 32 bytes, too. */
#define OF_LONG_FLOATS(name, term, n, mode) \
   OF_FLOATS(name, term, n, mode); \
   case Iop_##name##64Fx4: return (LaneOperation){ LanesAll, term##F64, n, \
                                                   mode }; \
   case Iop_##name##32Fx8: return (LaneOperation){ LanesAll, term##F32x2, n, \
                                                   mode }

#define OF_WORDS(op, term) \
   case op: return (LaneOperation){ LanesAll, term, 2, False }

static LaneOperation lane_operation_of(IROp op)
{
   switch (op) {
      OF_WORDS(Iop_AndV128, TermAnd);
      OF_WORDS(Iop_OrV128,  TermOr);
      OF_WORDS(Iop_XorV128, TermXor);
      OF_WORDS(Iop_AndV256, TermAnd);
      OF_WORDS(Iop_OrV256,  TermOr);
      OF_WORDS(Iop_XorV256, TermXor);
      OF_WORDS(Iop_Add64x2, TermAdd);
      OF_WORDS(Iop_Sub64x2, TermSub);
      OF_WORDS(Iop_Add64x4, TermAdd);
      OF_WORDS(Iop_Sub64x4, TermSub);
      default: break;
   }
   if (!has_sse())
      return (LaneOperation){ LanesNone };
   switch (op) {
      OF_LONG_FLOATS(Add, TermAdd, 2, True);
      OF_LONG_FLOATS(Sub, TermSub, 2, True);
      OF_LONG_FLOATS(Mul, TermMul, 2, True);
      OF_LONG_FLOATS(Div, TermDiv, 2, True);
      OF_LONG_FLOATS(Min, TermMin, 2, False);
      OF_LONG_FLOATS(Max, TermMax, 2, False);
      OF_FLOATS(Sqrt, TermSqrt, 1, True);
      OF_FLOATS(CmpEQ, TermEqual, 2, False);
      OF_FLOATS(CmpLT, TermLess, 2, False);
      OF_FLOATS(CmpLE, TermLessEqual, 2, False);
      OF_FLOATS(CmpUN, TermUnordered, 2, False);
      default: return (LaneOperation){ LanesNone };
   }
}

/* WORDS: those of 8 bytes of the longest vector. */
#define WORDS 4

static struct {
   Int*      temps;          // by temporary: its number, or -1
   const IRExpr** vectors;   // by temporary: the vector that it is, or NULL
   Int     (*words)[WORDS];  // by temporary: the numbers of its words, or -1
   UInt      n_temps;
   UInt      n_used;         // temporaries from here on have nothing
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
   if (t >= terms.n_used)
      terms.n_used = t + 1;
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
      case Ico_U8:   return constant_number(con->Ico.U8, 1);
      case Ico_U16:  return constant_number(con->Ico.U16, 2);
      case Ico_U32:  return constant_number(con->Ico.U32, 4);
      case Ico_U64:  return constant_number(con->Ico.U64, 8);
      case Ico_F64i: return constant_number(con->Ico.F64i, 8);
      default:       return unknown_number(8);
   }
}

/* Return the number of E, an integer, a double or a float. */
static Int number_of(const Work* w, const IRExpr* e)
{
   IRTemp t;

   if (e->tag == Iex_Const)
      return number_of_constant(e->Iex.Const.con);
   if (e->tag != Iex_RdTmp)
      return unknown_number(8);
   t = e->Iex.RdTmp.tmp;
   have_temp(t);
   if (terms.temps[t] < 0)
      terms.temps[t] = unknown_number
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
   return constant_number(word, 8);
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
            ? number_by_constant(o.term, x, 0, size)
            : number_of_two(o.term, x, word_of(w, i, b), size);
   return o.lanes == LanesLow32
          ? number_of_two(TermMerge, x, result, 8) : result;
}

/* Return word I of the operation OP on A, or -1. */
static Int word_of_unop(const Work* w, UInt i, IROp op, const IRExpr* a)
{
   LaneOperation o = lane_operation_of(op);

   if (o.lanes != LanesNone && o.n_vectors == 1)
      return word_of_lanes(w, i, o, a, NULL);
   switch (op) {
      case Iop_64UtoV128: case Iop_32UtoV128:
         return i > 0 ? constant_number(0, 8) : number_of(w, a);
      case Iop_ZeroHI64ofV128:
         return i > 0 ? constant_number(0, 8) : word_of(w, 0, a);
      case Iop_ZeroHI96ofV128:
         return i > 0 ? constant_number(0, 8)
                : number_by_constant(TermAdd, word_of(w, 0, a), 0, 4);
      case Iop_NotV128: case Iop_NotV256:
         return number_by_constant(TermXor, word_of(w, i, a), ~0ull, 8);
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
   LaneOperation o = lane_operation_of(op);

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
                : number_of_two(TermMerge, word_of(w, 0, a),
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
         o     = lane_operation_of(three->op);
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

/* Return word I of the vector E.  Words are kept: one may be used twice for
   each of many others. */
static Int word_of(const Work* w, UInt i, const IRExpr* e)
{
   IRTemp t;
   Int    n;

   if (e->tag != Iex_RdTmp) {
      n = word_of_data(w, i, e);
      return n >= 0 ? n : unknown_number(8);
   }
   t = e->Iex.RdTmp.tmp;
   have_temp(t);
   if (terms.words[t][i] < 0) {
      n = terms.vectors[t] == NULL ? -1 : word_of_data(w, i, terms.vectors[t]);
      /* The call may move .words. */
      terms.words[t][i] = n >= 0 ? n : unknown_number(8);
   }
   return terms.words[t][i];
}

/* Note that temporary T is the vector E. */
static void set_vector(const Work* w, IRTemp t, const IRExpr* e, UInt size)
{
   terms.vectors[t] = e;
   for (UInt i = 0; i < size / 8; i++)
      if (e->tag == Iex_Load)
         terms.words[t][i] = loaded_number(8, t, i);
      else if (e->tag == Iex_Get)      // the register may change
         terms.words[t][i] = get_guest(e->Iex.Get.offset + 8 * i, 8);
}

/*--- Integers and floating point                          ---*/

static Int number_of_unop(const Work* w, IROp op, const IRExpr* arg)
{
   Conversion c = conversion_of(op);
   Operation  o = rounded_of(op);

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
         return number_by_constant(TermAdd, word_of(w, 0, arg), 0, 4);
      case Iop_64HIto32:
         return number_by_constant(TermShr, number_of(w, arg), 32, 4);
      case Iop_Not64: case Iop_Not32:
         return number_by_constant(TermXor, number_of(w, arg), ~0ull,
                                          op == Iop_Not64 ? 8 : 4);
      case Iop_NegF64:
         return number_by_constant(TermXor, number_of(w, arg), 1ull << 63,
                                          8);
      case Iop_AbsF64:
         return number_by_constant(TermAnd, number_of(w, arg),
                                          ~(1ull << 63), 8);
      case Iop_I32StoF64:      // exact
         o = rounded_of(Iop_I64StoF64);
         return o.size == 0 ? -1
                : number_by_constant
                     (o.term, number_by_constant
                                 (TermExtend, number_of(w, arg), 4, 8),
                      RoundNearest, o.size);
      default:
         break;
   }
   if (o.size > 0)
      return number_by_constant(o.term, number_of(w, arg), RoundNearest,
                                       o.size);
   if (c.to == 0)
      return -1;
   return number_by_constant(c.is_signed ? TermExtend : TermAdd,
                                    number_of(w, arg),
                                    c.is_signed ? c.from : 0, c.to);
}

static Int number_of_binop(const Work* w, IROp op, const IRExpr* a,
                           const IRExpr* b)
{
   Operation o = operation_of(op);

   if (o.size > 0)
      return number_of_two(o.term, number_of(w, a), number_of(w, b),
                                  o.size);
   o = rounded_of(op);
   if (o.size > 0)
      return number_of_two(o.term, number_of(w, b), number_of(w, a),
                                  o.size);
   if (op == Iop_32HLto64)
      return number_of_two
                (TermMerge, number_by_constant(TermShl, number_of(w, a),
                                                      32, 8),
                 number_of(w, b), 8);
   return -1;
}

static Int number_of_triop(const Work* w, const IRTriop* e)
{
   Operation o = operation_of(e->op);

   return o.size == 0 || !is_nearest(e->arg1) ? -1
          : number_of_two(o.term, number_of(w, e->arg2),
                                 number_of(w, e->arg3), o.size);
}

/* Return the number of E, of type TY, or -1.  It becomes temporary T. */
static Int number_of_data(const Work* w, IRTemp t, const IRExpr* e, IRType ty)
{
   UInt size = ty == Ity_I1 ? 0 : sizeofIRType(ty);

   if (size == 0 || size > 8 || !has_bits(ty))
      return -1;
   switch (e->tag) {
      case Iex_RdTmp: case Iex_Const:
         return number_of(w, e);
      case Iex_Load:
         return loaded_number(size, t, 0);
      case Iex_Get:
         return get_guest(e->Iex.Get.offset, size);
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
         put_guest(offset + 8 * i, 8, word_of(w, i, data));
   else if (n <= 8)
      put_guest(offset, n, number_of(w, data));
   else
      forget_guest(offset, n);
}

/* Note that the helper D changes the guest state. */
static void note_helper(const IRDirty* d)
{
   for (Int i = 0; i < d->nFxState; i++)
      for (UInt k = 0; d->fxState[i].fx != Ifx_Read
                       && k <= d->fxState[i].nRepeats; k++)
         forget_guest(d->fxState[i].offset
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
      forget_guest(a->base, a->nElems * sizeofIRType(a->elemTy));
   } else if (st->tag == Ist_Dirty) {
      note_helper(st->Ist.Dirty.details);
   }
}

/*--- Terms as slots                                       ---*/

void DCFG_(begin_terms)(const Work* w, NewSlots* slots)
{
   begin_numbers(slots);
   begin_registers();
   for (UInt t = 0; t < terms.n_used; t++)
      forget_temp(t);
   terms.n_used = 0;
}

Bool DCFG_(find_term)(const Work* w, const IRExpr* e, Slot* slot)
{
   return find_number(number_of(w, e), slot);
}

void DCFG_(note_load)(IRTemp t, UInt s)
{
   have_temp(t);
   for (UInt i = 0; i <= WORDS; i++) {
      Int n = i == WORDS ? terms.temps[t] : terms.words[t][i];
      if (n >= 0 && numbers.all[n].kind == NumLoaded)
         numbers.all[n].access = s;
   }
}

/* Set LOAD to the number N, which was loaded. */
static Bool tell_load(Int n, LackingLoad* load)
{
   const Number* of;

   if (n < 0 || numbers.slots->n > DCFG_TAPE_SLACK / 2 - ROOM_FOR_OTHERS)
      return False;
   of    = &numbers.all[n];
   *load = (LackingLoad){ n, of->a, of->b, of->size, of->access };
   return True;
}

Bool DCFG_(lacking_term)(const Work* w, const IRExpr* e, LackingLoad* load)
{
   Int n = number_of(w, e);

   return lacks_only_loads(n, 0) && tell_load(lacking_load(n), load);
}

Bool DCFG_(lacking_register)(UInt r, LackingLoad* load)
{
   Int n = now.numbers[r];

   return lacks_only_loads(n, 0) && tell_load(lacking_load(n), load);
}

Bool DCFG_(store_operand)(const Work* w, const IRExpr* e, UInt size,
                          Slot* slot)
{
   Int n = number_of(w, e);

   if (numbers.slots->n > DCFG_TAPE_SLACK / 2 - ROOM_FOR_OTHERS)
      return False;
   slot->what = AccessTerm + 2 * TermStore + is_constant(n);
   if (is_constant(n)) {
      slot->addr = cut(numbers.all[n].c, size);
      return has_room(&numbers.all[n]);
   }
   if (numbers.all[n].operand < 0)
      return False;
   slot->addr = numbers.all[n].operand;
   return True;
}

void DCFG_(set_term)(const Work* w, const IRExpr* e, UInt s)
{
   DCFG_(name_number)(number_of(w, e), s);
}
