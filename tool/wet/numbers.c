/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers that a superblock computes with. */

/* Owns: the numbers of the superblock in translation, and how each follows
   from others.  Handed: operations by tool/wet/terms.c.

   A number is known if a slot has it, if a register had it when the superblock
   began, or if it is the result of an operation on known numbers.  A term
   becomes a slot only when another slot needs it. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

#include "tool/wet/numbers.h"

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
   }
   Number;

static struct {
   NewSlots* slots;
   Number*   all;
   UInt      n, room;
} numbers;

void DCFG_(begin_numbers)(NewSlots* slots)
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
   numbers.all[numbers.n] = n;
   return numbers.n++;
}

Int DCFG_(unknown_number)(UInt size)
{
   return add_number((Number){ .kind = NumUnknown, .size = size });
}

Int DCFG_(loaded_number)(UInt size, IRTemp temp, UInt word)
{
   return add_number((Number){ .kind = NumLoaded, .size = size, .a = temp,
                               .b = word });
}

Int DCFG_(register_number)(UInt r, UInt size)
{
   return add_number((Number){ .kind = NumRegister, .size = size, .a = r });
}

/* Return C's lowest SIZE bytes. */
static ULong cut(ULong c, UInt size)
{
   return size >= 8 ? c : c & ((1ull << 8 * size) - 1);
}

Int DCFG_(constant_number)(ULong c, UInt size)
{
   return add_number((Number){ .kind = NumConstant, .size = size,
                               .c = cut(c, size) });
}

static Bool is_constant(Int n)
{
   return numbers.all[n].kind == NumConstant;
}

Int DCFG_(number_by_constant)(UInt term, Int a, ULong c, UInt size)
{
   const Number* of = &numbers.all[a];

   if (term == TermSub) {
      term = TermAdd;
      c    = -c;
   }
   c = cut(c, size);
   if (term == TermAdd && of->kind == NumConstant)
      return DCFG_(constant_number)(of->c + c, size);
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

Int DCFG_(number_of_two)(UInt term, Int a, Int b, UInt size)
{
   Bool either = term == TermAdd || term == TermMul || term == TermAnd
                 || term == TermOr || term == TermXor;

   if (is_constant(b))
      return DCFG_(number_by_constant)(term, a, numbers.all[b].c, size);
   if (term == TermMerge && is_constant(a) && numbers.all[a].c == 0)
      return DCFG_(number_by_constant)(TermAdd, b, 0, 4);
   if (is_constant(a) && either)
      return DCFG_(number_by_constant)(term, b, numbers.all[a].c, size);
   return add_number((Number){ .kind = NumTerm, .term = term, .size = size,
                               .a = a, .b = b });
}

/*--- Slots                                                ---*/

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

Bool DCFG_(find_number)(Int n, Slot* slot)
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

/* Count what readers lack for N: loads, up to 2, the last of which becomes *LOAD.
   Other unknown numbers, and operations that are too deep, count as 2.  IN_FLOAT:
   N is for a term of floating point. */
static UInt n_lacking(Int n, UInt depth, Bool in_float, Int* load)
{
   const Number* of = &numbers.all[n];
   UInt          count;

   if (is_known(n, depth))
      return 0;
   if (of->kind == NumLoaded && in_float) {
      count = *load >= 0 && *load != n ? 2 : 1;
      *load = n;
      return count;
   }
   if (of->kind != NumTerm || depth == MAX_DEPTH
       || (of->by_constant && !has_room(of)))
      return 2;
   in_float = in_float || of->term >= TermAddF64;
   count    = n_lacking(of->a, depth + 1, in_float, load);
   if (count < 2 && !of->by_constant) {
      UInt more = n_lacking(of->b, depth + 1, in_float, load);
      count = more > count ? more : count;
   }
   return count;
}

Int DCFG_(lacking_load)(Int n, IRTemp* temp, UInt* word)
{
   Int load = -1;

   if (n_lacking(n, 0, False, &load) != 1)
      return -1;
   *temp = numbers.all[load].a;
   *word = numbers.all[load].b;
   return load;
}

void DCFG_(name_number)(Int n, UInt s)
{
   Number* of = &numbers.all[n];

   if (of->operand < 0)
      of->operand = WET_REGISTERS + s;
}
