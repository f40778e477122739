
/*--------------------------------------------------------------------*/
/*--- What an instruction adds to the record.     trace/recorded.c ---*/
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

/* Owns: the rule of what is recorded of each instruction.  Handed:
   superblocks.  Taken by: trace/ir_record.c, which adds the code that does
   it, trace/record.c, and trace/ways.c, which says what it meant. */

#include "trace/recorded.h"

Bool DCFG_(bit_of_way)(InsnKind kind, Addr addr, UInt len, Addr target)
{
   switch (kind) {
      case InsnCond: return target != addr + len;
      case InsnRep:  return target == addr;
      default:       return True;
   }
}

/* Something is recorded on every way round a cycle, or the record of a
   thread would not tell how often it went round before a signal came. */
InsnRecord DCFG_(recorded)(const Superblock* sb, UInt k)
{
   Bool is_last = k + 1u == sb->n_instrs;

   switch (sb->kinds[k]) {
      case InsnCond: case InsnRep:
         return RecordBit;
      case InsnIndirectJump: case InsnIndirectCall: case InsnReturn:
         return RecordTarget;
      case InsnJump: case InsnCall:
         return is_last && sb->end == EndDirect
                && sb->next <= DCFG_(instr_addr)(sb, k)
                ? RecordBit : RecordNothing;
      default:
         return is_last && sb->end == EndIndirect ? RecordTarget
                                                  : RecordNothing;
   }
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
