/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The registers that readers of values follow. */

/* Owns: where these registers are in the guest state, and what is known of
   each in the superblock in translation.  Handed: reads and writes of the
   guest state by tool/wet/terms.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_machine.h"

#include "tool/arch/guest.h"
#include "tool/wet/numbers.h"
#include "tool/wet/registers.h"

#define LAYOUT (DCFG_(guest).layout)

static struct {
   Int  numbers[WET_REGISTERS];
   Bool changed[WET_REGISTERS];
} now;

/*--- Places                                               ---*/

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

/*--- Numbers                                              ---*/

void DCFG_(begin_registers)(void)
{
   for (UInt k = 0; k < N_AREAS; k++) {
      Area a = area(k);
      for (UInt r = a.first; r < a.first + a.n; r++)
         now.numbers[r] = DCFG_(register_number)(r, a.size);
   }
   VG_(memset)(now.changed, 0, sizeof(now.changed));
}

Int DCFG_(get_guest)(Int offset, UInt n)
{
   UInt at, size, r = register_at(offset, n, &at, &size);
   Int  from;

   if (r == WET_REGISTERS)
      return -1;
   from = now.numbers[r];
   if (at > 0)
      from = DCFG_(number_by_constant)(TermShr, from, 8 * at, size);
   return DCFG_(number_by_constant)(TermAdd, from, 0, n);
}

/* Return the number WAS, of SIZE bytes, with the N bytes from AT on replaced by
   NUMBER. */
static Int replaced(Int was, UInt size, UInt at, UInt n, Int number)
{
   ULong mask = ((1ull << 8 * n) - 1) << 8 * at;
   Int   kept;

   if (at > 0)
      number = DCFG_(number_by_constant)(TermShl, number, 8 * at, size);
   if (size == 8 && n == 4)
      return at == 0 ? DCFG_(number_of_two)(TermMerge, was, number, 8)
                     : DCFG_(number_of_two)(TermMerge, number, was, 8);
   kept = DCFG_(number_by_constant)(TermAnd, was, ~mask, size);
   return DCFG_(number_of_two)(TermOr, kept, number, size);
}

void DCFG_(put_guest)(Int offset, UInt n, Int number)
{
   UInt at, size, r = register_at(offset, n, &at, &size);

   if (r == WET_REGISTERS) {
      DCFG_(forget_guest)(offset, n);
      return;
   }
   now.numbers[r] = n == size ? number
                    : replaced(now.numbers[r], size, at, n, number);
   now.changed[r] = True;
}

void DCFG_(forget_guest)(Int offset, UInt n)
{
   for (UInt k = 0; k < N_AREAS; k++) {
      Area a = area(k);
      if ((UInt)offset >= a.offset + a.n * a.size || offset + n <= a.offset)
         continue;
      for (UInt i = 0; i < a.n; i++) {
         Int at = a.offset + i * a.size;
         if (offset >= at + (Int)a.size || offset + (Int)n <= at)
            continue;
         now.numbers[a.first + i] = DCFG_(unknown_number)(a.size);
         now.changed[a.first + i] = True;
      }
   }
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
   return DCFG_(find_number)(now.numbers[r], slot);
}

void DCFG_(set_register)(UInt r, UInt s)
{
   DCFG_(name_number)(now.numbers[r], s);
}
