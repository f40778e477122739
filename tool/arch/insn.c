/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Kinds of instructions without a decoder. */

/* Owns: the kind of an instruction as far as VEX's IR tells it.  Handed: the
   end of the superblock that ends with the instruction.

   A branch that VEX has folded to a constant is not seen: see
   tool/arch/x86/x86.c. */

#include "tool/arch/insn.h"

InsnKind DCFG_(classify_generic)(InsnEnd end, Bool is_direct,
                                 Bool falls_through, Bool may_branch)
{
   switch (end) {
      case EndsCall:
         return is_direct ? InsnCall : InsnIndirectCall;
      case EndsReturn:
         return InsnReturn;
      case EndsSyscall:
         return InsnSyscall;
      case EndsBoring:
         if (!is_direct)
            return InsnIndirectJump;
         if (!may_branch && !falls_through)
            return InsnJump;
         break;
      case EndsOtherwise:
         break;
   }
   return may_branch ? InsnCond : InsnPlain;
}
