/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instructions that nobody decodes. */

/* Owns: the kind of an instruction as far as VEX's IR tells it.  Handed: how
   the superblock ends with it.  Taken by: run/kinds.c, for
   architectures without a file of their own.

   A branch that VEX has folded goes unseen: see arch/x86/x86.c. */

#include "arch/insn.h"

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
