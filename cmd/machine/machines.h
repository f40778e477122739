/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What is known of each processor. */

#ifndef DCFG_CMD_MACHINES_H
#define DCFG_CMD_MACHINES_H

#include "lib/dcfg_wet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A row for each processor, in machine_NAME.c. */

struct cs_insn;                 // Capstone's

/* One instruction. */
typedef
   struct {
      uint64_t       addr;      // as in the program's run
      uint32_t       size;
      const uint8_t* bytes;
      char           text[256]; // "mov eax, ebx"
      const char*    isa;       // "BASE", "SSE2", ...
      bool           conditional;       // a jump that may fall through
      bool           direct;    // a jump or call whose code has its target
      uint64_t       target;    // as in the program's run
      bool           ends_request;      // a client request of Valgrind ends so
   }
   Instr;

/* By an instruction's number in a whole execution trace. */
typedef
   struct {
      uint32_t* addresses;      // general registers, a bit for each by their
                                // encoding, that say where operands in memory
                                // are, and are nothing else to it
      uint32_t* targets;        // those of them that say where it stores
      uint32_t* lengths;        // that say how much it or its like copy, not
                                // what: the end from which an operand is
                                // counted back, the count of a repetition
      uint32_t* saves;          // that it puts on the stack as they are, of
                                // those that functions leave as they were
      bool*     lookups;        // loads what is narrower than an address, as an
                                // element of a table may be
      bool*     copies;         // it hands on what it reads, as it is
      bool*     widens;         // likewise, with zeros or signs above it
      uint32_t* moved;          // which a copy does not hand on to, but moves,
                                // as PUSH the stack pointer
      bool*     calls;          // it calls a function
   }
   Roles;

#define NO_REGISTER   UINT8_MAX
#define MOST_OPERANDS 2

/* MemoryOperand: the address of an operand in memory: .base + .index * .scale +
   .disp, registers by their encoding; or, if .fixed, .disp alone. */
typedef
   struct {
      uint8_t base, index;      // or NO_REGISTER
      uint8_t scale, size;
      bool    fixed;
      bool    segment;          // it is relative to the thread's storage
      int64_t disp;
   }
   MemoryOperand;

/* EffectKind: what general register .to gets. */
typedef
   enum {
      EFFECT_OTHER,             // something else, or nothing
      EFFECT_COPY,              // .from
      EFFECT_LOAD,              // the only operand in memory
      EFFECT_ADDRESS,           // that operand's address
      EFFECT_ADD,               // .to + .from
      EFFECT_ADD_NUMBER,        // .to + .number
      EFFECT_TIMES              // .from * .number
   }
   EffectKind;

typedef
   struct {
      MemoryOperand memory[MOST_OPERANDS];      // in the order of its text
      unsigned      n_memory;
      bool          on_stack;   // it also pushes or pops
      EffectKind    kind;
      uint8_t       to, from;
      int64_t       number;
      uint32_t      written;    // general registers, a bit for each
      bool          flow;       // a jump, call, return or system call
      bool          falls;      // a jump that may fall through
      bool          direct;     // its code has the target
      uint64_t      target;
   }
   InstrEffect;

#define MAX_GENERAL 32

/* A processor, and Linux there.  Functions may be NULL unless something else is
   said: nobody knows it, or there is nothing to know. */
typedef
   struct Processor {
      /* Code: of programs' files. */
      uint32_t    machine;      // as ELF files have it
      uint8_t     elf_class;    // and their class; 0: any
      int         arch, mode;   // Capstone's, of code that is little-endian
      bool        att;          // it has AT&T's syntax
      uint8_t     longest;      // bytes of its longest instruction,
      uint8_t     request;      // and of a client request; 0: nobody knows
      /* How many bytes at AT, of LEFT, are the preamble of a client request.
         With the instruction behind them they are one. */
      size_t      (*preamble)(const uint8_t* at, size_t left);
      /* Complete OUT, which has all but what is told from DETAIL. */
      void        (*tell)(const struct cs_insn* detail, Instr* out);
      /* Relocations of the slots that linkage stubs jump by, and the slot of
         the stub of SIZE bytes, CODE at ADDR; TABLE is where the global offset
         table is. */
      uint32_t    slot_types[2];
      bool        (*find_slot)(const uint8_t* code, size_t size,
                               uint64_t addr, uint64_t table, uint64_t* slot);

      /* Whole execution traces; none of it may be missing. */
      const char* general[MAX_GENERAL]; // names of general registers, by their
                                // encoding; NULL behind the last
      const char* vector;       // of vector registers: before the number
      bool        x87;          // it has that
      const char* sp;           // of the stack pointer, in texts
      uint8_t     stack, frame; // which it is, and the frame pointer
      uint8_t     call_number;  // register with the number of a system call,
      uint8_t     arguments[6]; // and those with its arguments
      uint32_t    kept;         // that functions leave as they were, a bit for
                                // each
      uint32_t    seccomp;      // libseccomp's name
      /* DWARF's numbers: of the frame pointer; of general registers, which are
         from 0 on, to their encoding, NULL if they are that; the first of
         vector registers. */
      uint8_t        dwarf_frame;
      const uint8_t* dwarf_general;
      uint8_t        n_dwarf_general, dwarf_vector, n_dwarf_vector;
      /* The functions of processor.h. */
      bool        (*is_syscall)(const DcfgWetInstr* in);
      uint32_t    (*constant_number)(const DcfgWetInstr* in);
      bool        (*makes_frame)(const DcfgWetInstr* in);
      bool        (*is_atomic)(const DcfgWetInstr* in);
      /* The register a part of which NAME is, as register_named has it. */
      uint32_t    (*part_named)(const char* name);
      /* Say what an instruction, DETAIL, does, as instr_effect() has it; E is
         all zero.  NULL: nobody knows. */
      void        (*tell_effect)(size_t h, const struct cs_insn* detail,
                                 InstrEffect* e);
      /* Set R for all of W's instructions; H is a decoder of Capstone's. */
      void        (*find_roles)(DcfgWet* w, size_t h, Roles* r);
   }
   Processor;

/* All rows.  The first is that of traces without any instruction. */
#define PROCESSORS(ROW) \
   ROW(amd64) ROW(x86) ROW(arm64) \
   ROW(arm) ROW(ppc64) ROW(ppc) ROW(s390) ROW(mips64) ROW(mips)

#define DECLARE_ROW(name) extern const Processor machine_##name;
PROCESSORS(DECLARE_ROW)

/* A number below END that is all of S; or UINT32_MAX. */
static inline uint32_t number_below(const char* s, uint32_t end)
{
   char*         behind;
   unsigned long n = strtoul(s, &behind, 10);

   return s[0] < '0' || s[0] > '9' || *behind != 0 || n >= end ? UINT32_MAX
                                                               : (uint32_t)n;
}

static inline uint32_t vector_named(uint32_t n)
{
   return n == UINT32_MAX ? n : MAX_GENERAL + n;
}

#endif /* DCFG_CMD_MACHINES_H */
