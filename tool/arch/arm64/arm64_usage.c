/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Uses and definitions of arm64 instructions that VEX's IR tells wrongly. */

/* Owns: corrections for instructions whose IR has more or fewer uses and
   definitions than the instruction.  Handed: usage from VEX's IR, and the
   instruction.

   See tool/arch/x86/x86_usage.c.  tests/oracle/wet_capstone.py compares this with
   Capstone. */

#include "tool/arch/arm64/arm64.h"

static void set_locs(UChar* locs, UInt first, UInt n, UChar to)
{
   dcfg_memset(locs + first, to, n);
}

static void set_general(UChar* locs, UInt reg, UInt n, UChar to)
{
   set_locs(locs, LocGeneral + 8 * reg, n, to);
}

/*--- Instructions                                         ---*/

/* Correct SVC: it uses the number and the arguments, and defines X0. */
static void correct_svc(Usage* u)
{
   for (UInt r = 0; r <= 5; r++)
      set_general(u->uses, r, 8, 1);
   set_general(u->uses, 8, 8, 1);
   set_general(u->defs, 0, 8, 1);
}

/* Correct instructions whose two operands are the same register.  SUBS with a
   destination gives 0 and constant flags; without one it is CMP, and stays. SBC
   and SBCS depend on C alone. */
static void correct_alike(Usage* u, UInt word)
{
   Bool alike = bits(word, 20, 16) == bits(word, 9, 5)
                && bits(word, 15, 10) == 0 && bits(word, 4, 0) != 31;

   if (alike && bits(word, 30, 21) == 0x358) {            // SUBS, LSL
      set_locs(u->uses, 0, N_LOCS, 0);
   } else if (alike && (bits(word, 30, 21) & 0x2FF) == 0x2D0) {
      set_locs(u->uses, 0, N_LOCS, 0);
      u->uses[LocCarry] = 1;
   }
}

/* Limit the uses of the register in bits LOW+4 to LOW to its N lowest bytes,
   unless it is register WHOLE. */
static void limit(Usage* u, UInt word, UInt low, UInt n, UInt whole)
{
   UInt reg = bits(word, low + 4, low);

   if (reg < 31 && reg != whole)
      set_locs(u->uses, LocGeneral + 8 * reg + n, 8 - n, 0);
}

/* Correct uses of 32 bits, or fewer, of registers that VEX reads whole. */
static void correct_halves(Usage* u, UInt word)
{
   Bool wide = bits(word, 31, 31);
   UInt rn   = bits(word, 9, 5);

   if ((word & 0x1FE00000) == 0x0B200000) {               // ADD, SUB: extended
      if (bits(word, 14, 13) != 3)
         limit(u, word, 16, 4, wide ? rn : 32);
      if (!wide)
         limit(u, word, 5, 4, 32);
   } else if ((word & 0xFFE0F000) == 0x1AC02000) {        // LSLV and others
      limit(u, word, 16, 4, 32);
   } else if ((word & 0xFE000000) == 0x36000000) {        // TBZ, TBNZ
      limit(u, word, 0, 4, 32);
   } else if ((word & 0xFFFF0000) == 0x5AC00000) {        // RBIT, REV, CLZ
      limit(u, word, 5, 4, 32);
   } else if ((word & 0x7FE0E000) == 0x1AC04000) {        // CRC32
      UInt n = 1u << bits(word, 11, 10);
      limit(u, word, 16, n, n < 4 ? rn : 32);
      if (n < 4 && rn < 31)                               // CRC32W reads 32
                                                          // bits
         set_locs(u->uses, LocGeneral + 8 * rn, 4, 1);
      if (n < 4)
         limit(u, word, 5, 4, 32);
   }
}

/*--- Vector registers                                     ---*/

/* The bytes of a vector register, one bit each. */
#define LOW  0x00FFu
#define HIGH 0xFF00u
#define ALL  0xFFFFu

/* Parts: the bytes of its operands that an instruction may use. */
typedef
   struct {
      UInt d, n, m;
   }
   Parts;

/* Return the parts of an instruction with three registers whose result has
   twice the size, or half. */
static Parts parts_of_different(UInt word)
{
   UInt half = bits(word, 30, 30) ? HIGH : LOW;

   switch (bits(word, 15, 12)) {
      case 1: case 3:                                     // SADDW, SSUBW
         return (Parts){ ALL, ALL, half };
      case 4: case 6:                                     // ADDHN, SUBHN
         return (Parts){ 0, ALL, ALL };
      default:
         return (Parts){ ALL, half, half };
   }
}

static Parts parts_of_two(UInt word)
{
   UInt half = bits(word, 30, 30) ? HIGH : LOW;
   UInt all  = bits(word, 30, 30) ? ALL : LOW;

   switch (bits(word, 16, 12)) {
      case 0x12: case 0x14: case 0x16:                    // XTN, FCVTN
         return (Parts){ 0, ALL, 0 };
      case 0x13: case 0x17:                               // SHLL, FCVTL
         return (Parts){ 0, half, 0 };
      default:
         return (Parts){ all, all, 0 };
   }
}

static Parts parts_of_shift(UInt word)
{
   UInt half = bits(word, 30, 30) ? HIGH : LOW;
   UInt all  = bits(word, 30, 30) ? ALL : LOW;

   switch (bits(word, 15, 11)) {
      case 0x10: case 0x11: case 0x12: case 0x13:         // SHRN and others
         return (Parts){ 0, ALL, 0 };
      case 0x14:                                          // SSHLL, USHLL
         return (Parts){ 0, half, 0 };
      default:
         return (Parts){ all, all, 0 };
   }
}

/* Return whether the instruction writes its result to one half of the
   register. */
static Bool is_narrowing(UInt word)
{
   return ((word & 0x9F3E0C00) == 0x0E200800 && bits(word, 16, 16) == 1
           && (bits(word, 15, 12) == 2 || bits(word, 15, 12) == 4
               || bits(word, 15, 12) == 6))
          || ((word & 0x9F200C00) == 0x0E200000
              && (bits(word, 15, 12) == 4 || bits(word, 15, 12) == 6))
          || ((word & 0x9F800400) == 0x0F000400 && bits(word, 22, 19) != 0
              && bits(word, 15, 13) == 4);
}

/* Limit the uses of the operands to PARTS.  Operands may be the same
   register. */
static void limit_vectors(Usage* u, UInt word, Parts p)
{
   UInt of[3]   = { bits(word, 4, 0), bits(word, 9, 5), bits(word, 20, 16) };
   UInt may[3]  = { p.d, p.n, p.m };

   for (UInt i = 0; i < 3; i++) {
      UInt all = 0;
      for (UInt k = 0; k < 3; k++)
         all |= of[k] == of[i] ? may[k] : 0;
      for (UInt b = 0; b < 16; b++)
         if (!(all >> b & 1))
            u->uses[LocVector + 16 * of[i] + b] = 0;
   }
}

static void correct_vectors(Usage* u, UInt word)
{
   UInt all = bits(word, 30, 30) ? ALL : LOW;

   if ((word & 0x9F200400) == 0x0E200400)                 // three registers
                                                          // alike
      limit_vectors(u, word, (Parts){ all, all, all });
   else if ((word & 0x9F200C00) == 0x0E200000)
      limit_vectors(u, word, parts_of_different(word));
   else if ((word & 0x9F3E0C00) == 0x0E200800)
      limit_vectors(u, word, parts_of_two(word));
   else if ((word & 0x9F3E0C00) == 0x0E300800)            // across one register
      limit_vectors(u, word, (Parts){ 0, all, 0 });
   else if ((word & 0x9F800400) == 0x0F000400 && bits(word, 22, 19) != 0)
      limit_vectors(u, word, parts_of_shift(word));
   else if ((word & 0xBF208C00) == 0x0E000800             // UZP, TRN, ZIP
            || (word & 0xBFE08400) == 0x2E000000)         // EXT
      limit_vectors(u, word, (Parts){ 0, all, all });
   if (is_narrowing(word) && bits(word, 30, 30) == 1)
      set_locs(u->defs, LocVector + 16 * bits(word, 4, 0), 8, 0);
}

void DCFG_(correct_usage_arm64)(Usage* u, const UChar* code, UInt len)
{
   UInt word = arm64_word(code, len);

   /* ORR of X10 with itself behind four rotations is a client request of
      Valgrind: the core reads the request at X4 and changes X3. */
   if (len == 20 && arm64_word(code + 16, 4) == 0xAA0A014A) {
      set_general(u->uses, 4, 8, 1);
      set_general(u->uses, 3, 8, 1);
      set_general(u->defs, 3, 8, 1);
      return;
   }
   correct_halves(u, word);
   correct_alike(u, word);
   correct_vectors(u, word);
   if (word == 0xD4000001)
      correct_svc(u);
   else if ((word & 0xFFF80000) == 0xD5180000             // MSR of a register
            && bits(word, 4, 0) != 31)                    // without a location
      set_general(u->uses, bits(word, 4, 0), 8, 1);
}
