/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors of whole execution traces. */

/* Owns: what readers know of each processor, by its number in ELF.  Handed:
   numbers by wet_load.c.

   On all of them a function's result is in general register 0. */

#include "lib/wet/wet.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

/* Return the target of a direct branch: the displacement is the code's last 4
   bytes, or the last byte. */
static uint64_t target_x86(const uint8_t* code, uint32_t len, uint64_t addr)
{
   uint32_t at = 0, n, far = 0;

   while (at < len && (code[at] == 0x2E || code[at] == 0x3E
                       || code[at] == 0x66 || code[at] == 0x67
                       || code[at] == 0xF2 || code[at] == 0xF3
                       || (code[at] & 0xF0) == 0x40))
      at++;
   n = at < len && (code[at] == 0x0F || code[at] == 0xE9) ? 4 : 1;
   for (uint32_t k = 0; k < n && n <= len; k++)
      far |= (uint32_t)code[len - n + k] << 8 * k;
   return addr + len + (uint64_t)(n == 4 ? (int32_t)far : (int8_t)far);
}

/* Return the distance in bytes: N bits of WORD from bit LOW on count
   instructions. */
static uint64_t distance(uint32_t word, unsigned low, unsigned n)
{
   uint64_t field = word >> low & ((UINT32_C(1) << n) - 1);
   uint64_t sign  = UINT64_C(1) << (n - 1);

   return 4 * ((field ^ sign) - sign);
}

static uint64_t target_arm64(const uint8_t* code, uint32_t n, uint64_t addr)
{
   uint32_t word;

   if (n < 4)
      return addr;
   word = number_at(code);
   return addr + ((word >> 26 & 31) == 0x05 ? distance(word, 0, 26)   // B
                  : (word >> 25 & 63) == 0x1B ? distance(word, 5, 14) // TBZ
                  : distance(word, 5, 19));
}

/* PUSH and POP of a register, with or without REX, and LEAVE. */
static SavingKind saving_amd64(const uint8_t* code, uint32_t n, uint8_t* reg)
{
   uint8_t rex = n == 2 && (code[0] & 0xF0) == 0x40 ? code[0] : 0;
   uint8_t op = code[n - 1];

   if (n == 1 && op == 0xC9) {
      *reg = 5;                 // RBP
      return RESTORES;
   }
   if ((n != 1 && rex == 0) || (op & 0xF0) != 0x50)
      return SAVES_NOT;
   *reg = (uint8_t)((op & 7) | (rex & 1) << 3);
   return op < 0x58 ? SAVES : RESTORES;
}

static const WetMachine machines[] = {
   /* Given registers: EAX, EDX, ESP, ESI, EDI, and those of 64 bits. */
   { EM_386,     4, false, 4, 5, { 0, 2, 4, 6, 7 }, 4, 1,
     { 0, 3, 1, 2, 6, 7, 5 }, target_x86, { 0 }, NULL },
   { EM_X86_64,  8, false, 4, 5, { 0, 2, 4, 6, 7 }, 4, 6,
     { 0, 7, 6, 2, 10, 8, 9 }, target_x86, { 0 }, saving_amd64 },
   /* Given registers: three arguments, the return address, and SP.  The jump of
      longjmp is BR X30. */
   { EM_AARCH64, 8, true, 2, 5, { 0, 1, 2, 30, 31 }, 31, 1,
     { 8, 0, 1, 2, 3, 4, 5 }, target_arm64, { 0xC0, 0x03, 0x1F, 0xD6 }, NULL }
};

const WetMachine* wet_machine(uint32_t number)
{
   for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
      if (machines[i].number == number)
         return &machines[i];
   return NULL;
}

bool wet_goes_back(const WetMachine* m, const uint8_t* code, uint32_t n)
{
   return m->links && n == 4 && memcmp(code, m->goes_back, 4) == 0;
}
