/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors of whole execution traces. */

/* Owns: what is to be known of each processor to ask for slices and to tell
   of them.  Handed: a whole execution trace, its instructions' code, names of
   registers.  Taken by: dcfg slice, dcfg why. */

#include "cmd/machine/processor.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

#define X86_NAMES \
   { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", \
     "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" }

static const Processor processors[] = {
   { EM_X86_64, X86_NAMES, "ymm", true, "RSP", 4, 5, 0, { 7, 6, 2, 10, 8, 9 },
     0xF028, SCMP_ARCH_X86_64, CS_ARCH_X86, CS_MODE_64 },
   { EM_386, X86_NAMES, "ymm", true, "RSP", 4, 5, 0, { 3, 1, 2, 6, 7, 5 },
     0xE8, SCMP_ARCH_X86, CS_ARCH_X86, CS_MODE_32 },
   { EM_AARCH64,
     { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
       "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20",
       "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30",
       "sp" },
     "v", false, "SP", 31, 29, 8, { 0, 1, 2, 3, 4, 5 },
     0x3FF80000, SCMP_ARCH_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM }
};

const Processor* processor_of(DcfgWet* w)
{
   return processor_numbered(dcfg_wet_instrs(w) == 0 ? EM_X86_64
                             : dcfg_wet_instr(w, 0)->machine);
}

const Processor* processor_numbered(uint32_t machine)
{
   for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++)
      if (processors[i].machine == machine)
         return &processors[i];
   return &processors[0];
}

/*------------------------------------------------------------*/
/*--- Code                                                 ---*/
/*------------------------------------------------------------*/

uint32_t word_of(const DcfgWetInstr* in)
{
   const uint8_t* c = in->code;

   return in->size != 4 ? 0
          : c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16
            | (uint32_t)c[3] << 24;
}

bool is_syscall(const DcfgWetInstr* in)
{
   const uint8_t* c = in->code;

   if (in->machine == EM_AARCH64)
      return word_of(in) == 0xD4000001;          // SVC
   if (in->size < 2)
      return false;
   /* SYSCALL; in 32-bit code INT 0x80 and SYSENTER. */
   c += in->size - 2;
   return in->machine == EM_386 ? (c[0] == 0xCD && c[1] == 0x80)
                                  || (c[0] == 0x0F && c[1] == 0x34)
                                : c[0] == 0x0F && c[1] == 0x05;
}

uint32_t constant_number(const DcfgWetInstr* in)
{
   const uint8_t* c = in->code;
   uint32_t       n = 0;

   if (in->machine == EM_AARCH64)                // MOVZ
      return (word_of(in) & 0x7FE00000) == 0x52800000
             ? word_of(in) >> 5 & 0xFFFF : UINT32_MAX;
   if (in->machine == EM_X86_64 && in->size > 1 && (c[0] & 0xF0) == 0x40)
      c++;                                       // REX
   if (in->size < 2)
      return UINT32_MAX;
   if ((c[0] == 0x31 || c[0] == 0x33) && c[1] == 0xC0)   // XOR %eax,%eax
      return 0;
   if (c[0] == 0x6A && c[1] < 0x80)              // PUSH of 8 bits
      return c[1];
   if (in->size < 5 || ((c[0] & 0xF8) != 0xB8 && c[0] != 0x68 && c[0] != 0xC7))
      return UINT32_MAX;                         // MOV, PUSH of 32 bits
   for (unsigned i = 0; i < 4; i++)
      n |= (uint32_t)in->code[in->size - 4 + i] << 8 * i;
   return n;
}

bool makes_frame(const DcfgWetInstr* in)
{
   if (in->machine == EM_AARCH64)                // ADD X29, SP, #N
      return (word_of(in) & 0xFF8003FF) == 0x910003FD;
   /* MOV %rsp,%rbp; of 32-bit code MOV %esp,%ebp. */
   return in->machine == EM_386
          ? in->size == 2 && memcmp(in->code, "\x89\xe5", 2) == 0
          : in->size == 3 && memcmp(in->code, "\x48\x89\xe5", 3) == 0;
}

/*------------------------------------------------------------*/
/*--- Names                                                ---*/
/*------------------------------------------------------------*/

/* A number below END that is all of S; or UINT32_MAX. */
static uint32_t number_below(const char* s, uint32_t end)
{
   char*         behind;
   unsigned long n = strtoul(s, &behind, 10);

   return s[0] < '0' || s[0] > '9' || *behind != 0 || n >= end ? UINT32_MAX
                                                               : (uint32_t)n;
}

static uint32_t vector_named(uint32_t n)
{
   return n == UINT32_MAX ? n : MAX_GENERAL + n;
}

/* Parts have other names. */
static uint32_t part_named(const Processor* p, const char* name)
{
   if (p->machine == EM_AARCH64) {
      if (strcmp(name, "lr") == 0 || strcmp(name, "fp") == 0)
         return name[0] == 'l' ? 30 : 29;
      if (name[0] == 'w')
         return number_below(name + 1, 31);
      return name[0] == 0 || strchr("bhsdqv", name[0]) == NULL ? UINT32_MAX
             : vector_named(number_below(name + 1, 32));
   }
   for (uint32_t i = 0; i < 8; i++)
      if (name[0] == 'e' && strcmp(name + 1, p->general[i] + 1) == 0)
         return i;
   return (name[0] == 'x' || name[0] == 'y') && strncmp(name + 1, "mm", 2) == 0
          ? vector_named(number_below(name + 3, 16)) : UINT32_MAX;
}

uint32_t register_named(const Processor* p, const char* name)
{
   for (uint32_t i = 0; i < MAX_GENERAL && p->general[i] != NULL; i++)
      if (strcmp(name, p->general[i]) == 0)
         return i;
   return part_named(p, name);
}
