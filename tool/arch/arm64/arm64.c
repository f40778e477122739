/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instructions of arm64: kinds, memory, uses. */

/* Owns: what an instruction of A64 tells that VEX's IR does not, or tells
   wrongly.  This is its kind; its loads, quirks, and the target of a direct
   branch; and corrections of its uses and definitions.  Handed: the bytes of
   one instruction; usage from VEX's IR.

   The bytes decide, not VEX's IR: see tool/arch/x86/x86.c.  All instructions
   that transfer control are in the group of branches, exceptions and system
   instructions, in the first level of the architecture's encoding, and differ
   in the fixed bits of that group.  Optional ones, such as branches with
   pointer authentication, are decoded as well.  All loads and stores are in
   another group of the first level.

   tests/oracle/wet_capstone.py compares uses and definitions with Capstone. */

#include "tool/arch/arm64/arm64.h"

/*--- Kinds                                                ---*/

/* Return the kind of a branch to a register.  Bits 24 to 21 are its operation;
   the highest of them is set for some authenticated branches. */
static InsnKind classify_register_branch(UInt word)
{
   if ((word >> 16 & 31) != 31)                  // not allocated
      return InsnPlain;
   switch (word >> 21 & 15) {
      case 0: case 8: return InsnIndirectJump;   // BR, BRAAZ; BRAA
      case 1: case 9: return InsnIndirectCall;   // BLR, BLRAAZ; BLRAA
      case 2: case 4: return InsnReturn;         // RET, RETAA; ERET
      default:        return InsnPlain;
   }
}

InsnKind DCFG_(classify_arm64)(const UChar* bytes, UInt len)
{
   UInt word = arm64_word(bytes, len);

   switch (word >> 26) {
      case 0x05:
         return InsnJump;                        // B
      case 0x25:
         return InsnCall;                        // BL
      case 0x0D: case 0x2D:                      // CBZ, CBNZ, TBZ, TBNZ
         return InsnCond;
      case 0x15:                                 // B.cond, BC.cond
         return word >> 24 == 0x54 ? InsnCond : InsnPlain;
      case 0x35:
         if ((word & 0xFFE0001F) == 0xD4000001)
            return InsnSyscall;                  // SVC
         return word >> 25 == 0x6B ? classify_register_branch(word)
                                   : InsnPlain;
      default:
         return InsnPlain;
   }
}

/* Return the signed field of N bits from bit LOW of WORD: a distance in
   instructions. */
static Long distance(UInt word, UInt low, UInt n)
{
   UInt field = word >> low & ((1u << n) - 1);

   return (Long)field - (field >> (n - 1) ? 1ll << n : 0);
}

Addr DCFG_(target_arm64)(const UChar* bytes, UInt len, Addr addr)
{
   UInt word = arm64_word(bytes, len);
   Long n    = (word >> 26 & 31) == 0x05 ? distance(word, 0, 26)   // B, BL
               : (word >> 25 & 63) == 0x1B ? distance(word, 5, 14) // TBZ, TBNZ
               : distance(word, 5, 19);

   return addr + (Addr)(4 * n);
}

/*--- Memory                                               ---*/

/* Return the loads of LD1 to LD4: VEX loads the vector registers one by one. */
static UInt load_structures(UInt word)
{
   static const UChar multiple[16] = {
      [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2
   };

   if (bits(word, 22, 22) == 0)
      return 0;
   return bits(word, 24, 24) == 0
          ? multiple[bits(word, 15, 12)]
          : 2 * bits(word, 13, 13) + bits(word, 21, 21) + 1;
}

/* Return the loads of an instruction that loads one register, by any address
   but one relative to the program counter. */
static UInt load_register(UInt word)
{
   UInt size = bits(word, 31, 30), op = bits(word, 23, 22);

   if (bits(word, 26, 26) == 1)
      return op & 1;
   if (bits(word, 24, 24) == 0 && bits(word, 21, 21) == 1
       && bits(word, 11, 10) == 0)
      return 1;                                  // LDADD and others, SWP
   return op != 0 && !(size == 3 && op >= 2);    // PRFM
}

/* Return the load or store at CODE, or 0 if it is another instruction. */
static UInt memory_word(const UChar* code, UInt len)
{
   UInt word = arm64_word(code, len);

   return bits(word, 27, 27) == 1 && bits(word, 25, 25) == 0 ? word : 0;
}

UInt DCFG_(loads_arm64)(const UChar* code, UInt len)
{
   UInt word = memory_word(code, len);

   if (word == 0)
      return 0;
   switch (bits(word, 29, 28)) {
      case 0:
         if (bits(word, 26, 26) == 1)
            return bits(word, 31, 31) == 0 ? load_structures(word) : 0;
         /* Exclusive or ordered loads; CAS and CASP. */
         return bits(word, 22, 22) == 1
                || (bits(word, 21, 21) == 1 && bits(word, 31, 31) == 0)
                || (bits(word, 23, 23) == 1 && bits(word, 21, 21) == 1);
      case 1:
         if (bits(word, 24, 24) == 1)            // LDAPUR and those like it
            return bits(word, 26, 26) == 0 && bits(word, 21, 21) == 0
                   && bits(word, 11, 10) == 0 && load_register(word);
         /* Relative to the program counter; size 3 is PRFM. */
         return !(bits(word, 26, 26) == 0 && bits(word, 31, 30) == 3);
      case 2:
         return 2 * bits(word, 22, 22);          // pairs
      default:
         return load_register(word);
   }
}

UInt DCFG_(written_back_arm64)(const UChar* code, UInt len)
{
   UInt word = memory_word(code, len);
   Bool back = False;

   switch (bits(word, 29, 28)) {
      case 0:                                    // structures
         back = bits(word, 26, 26) == 1 && bits(word, 23, 23) == 1;
         break;
      case 2:                                    // pairs
         back = bits(word, 23, 23) == 1;
         break;
      case 3:                                    // one register
         back = bits(word, 24, 24) == 0 && bits(word, 21, 21) == 0
                && bits(word, 10, 10) == 1;
         break;
      default:
         break;
   }
   return back && word != 0 ? bits(word, 9, 5) : 32;
}

void DCFG_(find_besides_arm64)(const UChar* code, UInt len, Besides* to)
{
   UInt base = DCFG_(written_back_arm64)(code, len);

   if (base < 32) {
      to->registers[to->n]      = base;
      to->unless_alone[to->n++] = True;
   }
   to->registers[to->n]      = 31;                // SP
   to->unless_alone[to->n++] = True;
}

UInt DCFG_(quirks_arm64)(const UChar* code, UInt len)
{
   UInt word   = memory_word(code, len);
   UInt quirks = 0;

   /* VEX stores the last register of ST1 to ST4 first. */
   if (word != 0 && bits(word, 29, 28) == 0 && bits(word, 26, 26) == 1
       && bits(word, 22, 22) == 0)
      quirks |= QuirkStoresDownwards;
   /* STXR and STLXR of any size; pairs if bit 31 is set. */
   if (bits(word, 29, 24) == 0x08 && bits(word, 23, 22) == 0
       && word != 0 && (bits(word, 21, 21) == 0 || bits(word, 31, 31) == 1))
      quirks |= QuirkStoreExclusive;
   return quirks;
}

/*--- Corrections of uses and definitions                  ---*/

static void set_locs(UChar* locs, UInt first, UInt n, UChar to)
{
   dcfg_memset(locs + first, to, n);
}

static void add_general(UChar* locs, UInt reg)
{
   set_locs(locs, LocGeneral + 8 * reg, 8, 1);
}

/* Correct SVC: it uses the number and the arguments, and defines X0. */
static void correct_svc(Usage* usage)
{
   for (UInt r = 0; r <= 5; r++)
      add_general(usage->uses, r);
   add_general(usage->uses, 8);
   add_general(usage->defs, 0);
}

/* Correct instructions whose two operands are the same register.  SUBS with a
   destination gives 0 and constant flags; without one it is CMP, and stays. SBC
   and SBCS depend on C alone. */
static void correct_alike(Usage* usage, UInt word)
{
   Bool alike = bits(word, 20, 16) == bits(word, 9, 5)
                && bits(word, 15, 10) == 0 && bits(word, 4, 0) != 31;

   if (alike && bits(word, 30, 21) == 0x358) {            // SUBS, LSL
      set_locs(usage->uses, 0, N_LOCS, 0);
   } else if (alike && (bits(word, 30, 21) & 0x2FF) == 0x2D0) {
      set_locs(usage->uses, 0, N_LOCS, 0);
      usage->uses[LocCarry] = 1;
   }
}

/* Limit the uses of the register in bits LOW+4 to LOW to its N lowest bytes,
   unless it is register WHOLE. */
static void limit(Usage* usage, UInt word, UInt low, UInt n, UInt whole)
{
   UInt reg = bits(word, low + 4, low);

   if (reg < 31 && reg != whole)
      set_locs(usage->uses, LocGeneral + 8 * reg + n, 8 - n, 0);
}

/* Correct uses of 32 bits, or fewer, of registers that VEX reads whole. */
static void correct_halves(Usage* usage, UInt word)
{
   Bool wide = bits(word, 31, 31);
   UInt rn   = bits(word, 9, 5);

   if ((word & 0x1FE00000) == 0x0B200000) {               // ADD, SUB: extended
      if (bits(word, 14, 13) != 3)
         limit(usage, word, 16, 4, wide ? rn : 32);
      if (!wide)
         limit(usage, word, 5, 4, 32);
   } else if ((word & 0xFFE0F000) == 0x1AC02000) {        // LSLV and others
      limit(usage, word, 16, 4, 32);
   } else if ((word & 0xFE000000) == 0x36000000) {        // TBZ, TBNZ
      limit(usage, word, 0, 4, 32);
   } else if ((word & 0xFFFF0000) == 0x5AC00000) {        // RBIT, REV, CLZ
      limit(usage, word, 5, 4, 32);
   } else if ((word & 0x7FE0E000) == 0x1AC04000) {        // CRC32
      UInt n = 1u << bits(word, 11, 10);
      limit(usage, word, 16, n, n < 4 ? rn : 32);
      if (n < 4 && rn < 31)                               // CRC32W reads 32
                                                          // bits
         set_locs(usage->uses, LocGeneral + 8 * rn, 4, 1);
      if (n < 4)
         limit(usage, word, 5, 4, 32);
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
static void limit_vectors(Usage* usage, UInt word, Parts p)
{
   UInt of[3]   = { bits(word, 4, 0), bits(word, 9, 5), bits(word, 20, 16) };
   UInt may[3]  = { p.d, p.n, p.m };

   for (UInt i = 0; i < 3; i++) {
      UInt all = 0;
      for (UInt k = 0; k < 3; k++)
         all |= of[k] == of[i] ? may[k] : 0;
      for (UInt b = 0; b < 16; b++)
         if (!(all >> b & 1))
            usage->uses[LocVector + 16 * of[i] + b] = 0;
   }
}

static void correct_vectors(Usage* usage, UInt word)
{
   UInt all = bits(word, 30, 30) ? ALL : LOW;

   if ((word & 0x9F200400) == 0x0E200400)                 // three registers
                                                          // alike
      limit_vectors(usage, word, (Parts){ all, all, all });
   else if ((word & 0x9F200C00) == 0x0E200000)
      limit_vectors(usage, word, parts_of_different(word));
   else if ((word & 0x9F3E0C00) == 0x0E200800)
      limit_vectors(usage, word, parts_of_two(word));
   else if ((word & 0x9F3E0C00) == 0x0E300800)            // across one register
      limit_vectors(usage, word, (Parts){ 0, all, 0 });
   else if ((word & 0x9F800400) == 0x0F000400 && bits(word, 22, 19) != 0)
      limit_vectors(usage, word, parts_of_shift(word));
   else if ((word & 0xBF208C00) == 0x0E000800             // UZP, TRN, ZIP
            || (word & 0xBFE08400) == 0x2E000000)         // EXT
      limit_vectors(usage, word, (Parts){ 0, all, all });
   if (is_narrowing(word) && bits(word, 30, 30) == 1)
      set_locs(usage->defs, LocVector + 16 * bits(word, 4, 0), 8, 0);
}

void DCFG_(correct_usage_arm64)(Usage* usage, const UChar* code, UInt len)
{
   UInt word = arm64_word(code, len);

   /* ORR of X10 with itself behind four rotations is a client request of
      Valgrind: the core reads the request at X4 and changes X3. */
   if (len == 20 && arm64_word(code + 16, 4) == 0xAA0A014A) {
      add_general(usage->uses, 4);
      add_general(usage->uses, 3);
      add_general(usage->defs, 3);
      return;
   }
   correct_halves(usage, word);
   correct_alike(usage, word);
   correct_vectors(usage, word);
   if (word == 0xD4000001)
      correct_svc(usage);
   else if ((word & 0xFFF80000) == 0xD5180000             // MSR of a register
            && bits(word, 4, 0) != 31)                    // without a location
      add_general(usage->uses, bits(word, 4, 0));
}
