/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory operands and branch targets of x86 instructions. */

/* Owns: what the bytes of an instruction tell about the memory that it
   reads, and the targets of direct branches.  Handed: the bytes of one
   instruction. */

#include "tool/arch/x86/x86.h"

UInt DCFG_(x86_opcode)(const UChar* code, UInt len, Bool is64)
{
   UInt i = 0;

   while (i < len && (code[i] == 0x66 || code[i] == 0xF2 || code[i] == 0xF3
                      || code[i] == 0xF0 || code[i] == 0x2E
                      || code[i] == 0x36 || code[i] == 0x3E
                      || code[i] == 0x26 || code[i] == 0x64
                      || code[i] == 0x65 || code[i] == 0x67))
      i++;
   if (is64 && i < len && (code[i] & 0xF0) == 0x40)
      i++;
   return i;
}

/* The displacement is at the end of the instruction. */
Addr DCFG_(target_x86)(const UChar* code, UInt len, Bool is64, Addr addr)
{
   UInt i   = DCFG_(x86_opcode)(code, len, is64);
   Int  far = 0;

   if (i >= len || (code[i] != 0x0F && code[i] != 0xE9) || len < 4)
      return addr + len + (Addr)(Long)(signed char)code[len - 1];
   dcfg_memcpy(&far, code + len - 4, 4);
   return addr + len + (Addr)(Long)far;
}

Bool DCFG_(has_false_memory_x86)(const UChar* code, UInt len, Bool is64)
{
   UInt i = DCFG_(x86_opcode)(code, len, is64);

   return i + 2 < len && code[i] == 0x0F
          && (code[i + 1] & 0xE7) == 0xA3 && code[i + 2] >= 0xC0;
}

UInt DCFG_(quirks_x86)(const UChar* code, UInt len, Bool is64)
{
   UInt i      = DCFG_(x86_opcode)(code, len, is64);
   UInt quirks = 0;

   if (DCFG_(has_false_memory_x86)(code, len, is64))
      quirks |= QuirkFalseMemory;
   if (i + 4 < len && code[i] == 0xC4 && (code[i + 1] & 0x1F) == 2
       && (code[i + 2] & 3) == 1 && (code[i + 3] & 0xFC) == 0x90)
      quirks |= QuirkGather;
   if (i + 1 < len && code[i] == 0xD9                      // FPTAN, FSINCOS
       && (code[i + 1] == 0xF2 || code[i + 1] == 0xFB))
      quirks |= QuirkMayPush;
   if (!is64 && i < len && code[i] == 0x60)                // PUSHA
      quirks |= QuirkStoresDownwards;
   return quirks;
}

/* Return whether CODE[I] is a ModRM byte with a memory operand. */
static Bool names_memory(const UChar* code, UInt i, UInt len)
{
   return i < len && code[i] < 0xC0;
}

UInt DCFG_(loads_x86)(const UChar* code, UInt len, Bool is64)
{
   UInt  i  = DCFG_(x86_opcode)(code, len, is64);
   UChar op = i < len ? code[i] : 0;
   UChar next = i + 1 < len ? code[i + 1] : 0;

   if (op == 0x0F) {
      if (next == 0x38 || next == 0x3A)
         return names_memory(code, i + 3, len);
      if (next == 0x05 || next == 0x0B || next == 0x0D         // no operand
          || (next >= 0x18 && next <= 0x1F) || next == 0x31    // or only a hint
          || (next >= 0x80 && next <= 0x8F) || next == 0xA2
          || (next >= 0xC8 && next <= 0xCF))
         return 0;
      if (next == 0xA1 || next == 0xA9)                        // POP
         return 1;
      return names_memory(code, i + 2, len);
   }
   if (op == 0xC4 || op == 0xC5) {                             // VEX
      i += op == 0xC4 ? 3 : 2;
      return i < len && code[i] != 0x77 && names_memory(code, i + 1, len);
   }
   if (!is64 && (op == 0x07 || op == 0x17 || op == 0x1F))      // POP
      return 1;
   if (op < 0x40)
      return (op & 7) < 4 && names_memory(code, i + 1, len);
   switch (op) {
      case 0x8D:                                               // LEA
         return 0;
      case 0x61:                                               // POPA reads all
         return is64 ? 0 : 7;                                  // but ESP
      case 0x9D: case 0xA0: case 0xA1: case 0xC2: case 0xC3: case 0xC9:
      case 0xA4: case 0xA5: case 0xAC ... 0xAF: case 0xD7:     // POPF, MOV
         return 1;                                             // RET, LEAVE
      case 0xA6: case 0xA7:                                    // strings
         return 2;                                             // XLAT; CMPS
      case 0x63: case 0x69: case 0x6B:
      case 0xC0: case 0xC1: case 0xC6: case 0xC7: case 0xF6: case 0xF7:
      case 0xFE: case 0xFF:
         return names_memory(code, i + 1, len);
      default:
         if (op >= 0x58 && op <= 0x5F)                         // POP
            return 1;
         return ((op >= 0x80 && op <= 0x8F) || (op >= 0xD0 && op <= 0xDF))
                && names_memory(code, i + 1, len);
   }
}
