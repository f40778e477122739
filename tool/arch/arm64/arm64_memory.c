/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Loads of arm64 instructions. */

/* Owns: what the bytes of an instruction tell about the memory that it
   reads.  Handed: the bytes of one instruction.

   All loads and stores are in one group of the first level of the encoding. */

#include "tool/arch/arm64/arm64.h"

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
