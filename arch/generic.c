
/*--------------------------------------------------------------------*/
/*--- Instructions that nobody decodes.             arch/generic.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the kind of an instruction as far as VEX's IR tells it.  Handed: how
   the superblock ends with it.  Taken by: run/instrument.c, for
   architectures without a file of their own.

   A branch that VEX has folded goes unseen: see arch/x86.c. */

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
