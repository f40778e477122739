/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Kinds of arm64 instructions. */

/* Owns: the decoding of control-transfer instructions of A64.  Handed: the
   bytes of one instruction.

   The bytes decide, not VEX's IR: see tool/arch/x86/x86.c.  All these instructions
   are in the group of branches, exceptions and system instructions, in the
   first level of the architecture's encoding, and differ in the fixed bits of
   that group.  Optional ones, such as branches with pointer authentication, are
   decoded as well. */

#include "tool/arch/arm64/arm64.h"

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
