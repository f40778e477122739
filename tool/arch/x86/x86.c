/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Kinds of x86 and amd64 instructions. */

/* Owns: the decoding of control-transfer instructions.  Handed: the bytes of
   one instruction.

   VEX's IR does not tell which instructions transfer control.  Constant folding
   may have turned `xor %eax,%eax; jz` into a plain jump, and a `jmp` to the
   next instruction looks like the end of a superblock that became too long.  A
   block ends at every control-transfer instruction, taken or not, so the bytes
   decide. */

#include "tool/arch/x86/x86.h"

InsnKind DCFG_(classify_x86)(const UChar* bytes, UInt len, Bool is64)
{
   UInt i   = 0;
   Bool rep = False;

   /* Skip prefixes in any order.  VEX and the processor ignore a REX that
      another prefix follows. */
   for (; i < len; i++) {
      switch (bytes[i]) {
         case 0xF2: case 0xF3:
            rep = True;
            continue;
         case 0x26: case 0x2E: case 0x36: case 0x3E:
         case 0x64: case 0x65: case 0x66: case 0x67: case 0xF0:
            continue;
         case 0x40 ... 0x4F:
            if (is64)
               continue;
            break;
         default:
            break;
      }
      break;
   }
   if (i >= len)
      return InsnPlain;

   UChar op  = bytes[i];
   UChar arg = i + 1 < len ? bytes[i + 1] : 0;   // second opcode or ModRM

   switch (op) {
      case 0x70 ... 0x7F:                        // Jcc rel8
      case 0xE0 ... 0xE3:                        // LOOPcc, JrCXZ
         return InsnCond;
      case 0x0F:
         if (arg >= 0x80 && arg <= 0x8F)         // Jcc rel32
            return InsnCond;
         if (arg == 0x05 || arg == 0x34)         // SYSCALL, SYSENTER
            return InsnSyscall;
         return InsnPlain;
      case 0xC7:
         return arg == 0xF8 ? InsnCond           // XBEGIN
                            : InsnPlain;
      case 0xE8:
         /* In 32-bit code, VEX takes a `call` to the next instruction and the
            `pop` there for one instruction.  It calls nothing. */
         return !is64 && len == i + 6 ? InsnPlain : InsnCall;
      case 0xE9: case 0xEB:
         return InsnJump;
      case 0xC2: case 0xC3: case 0xCA: case 0xCB: case 0xCF:
         return InsnReturn;
      case 0xCD:
         return InsnSyscall;                     // INT n
      case 0xFF:
         switch ((arg >> 3) & 7) {
            case 2: case 3: return InsnIndirectCall;
            case 4: case 5: return InsnIndirectJump;
            default:        return InsnPlain;
         }
      case 0x6C ... 0x6F:                        // INS, OUTS
      case 0xA4 ... 0xA7:                        // MOVS, CMPS
      case 0xAA ... 0xAF:                        // STOS, LODS, SCAS
         return rep ? InsnRep : InsnPlain;
      default:
         return InsnPlain;
   }
}
