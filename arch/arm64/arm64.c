/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How an arm64 instruction hands on control. */

/* Owns: the decoding of control-transfer instructions of A64.
   Handed: the bytes of one instruction.  Taken by: arm64_guest.c.

   As arch/x86/x86.c says, VEX's IR cannot answer the question.  Here it is a
   matter of the first of the two levels of the architecture's encoding: all
   of these instructions are in the group of branches, exceptions and system
   instructions, and differ in its fixed bits.  What an implementation may
   not have, such as branches with a pointer's authentication, is told all
   the same. */

#include "arch/arm64/arm64.h"

/* A branch to a register: its operation is bits 24 to 21, of which the highest
   one is a modifier of an authenticated one. */
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

/* How many instructions on, in N bits of WORD from bit LOW on. */
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
