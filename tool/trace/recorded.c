/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The rule of what an instruction records. */

/* Owns: the rule of what each instruction records.  Handed: superblocks. Taken
   by: tool/trace/ir_record.c, which adds the code for it, tool/trace/record.c, and
   tool/trace/ways.c, which knows its meaning. */

#include "tool/trace/recorded.h"

Bool DCFG_(bit_of_way)(InsnKind kind, Addr addr, UInt len, Addr target)
{
   switch (kind) {
      case InsnCond: return target != addr + len;
      case InsnRep:  return target == addr;
      default:       return True;
   }
}

/* Something must be recorded in every cycle.  Otherwise the record would not
   tell how often a thread went round before a signal came. */
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
