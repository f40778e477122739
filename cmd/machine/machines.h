/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Descriptions of processors. */

#ifndef DCFG_CMD_MACHINES_H
#define DCFG_CMD_MACHINES_H

#include "lib/dcfg_slice.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Each processor has a row in machine_NAME.c. */

struct cs_insn;                 // Capstone's

/* Instr: one instruction. */
typedef
   struct {
      uint64_t       addr;      // in the program's run
      uint32_t       size;
      const uint8_t* bytes;
      char           text[256]; // for example "mov eax, ebx"
      const char*    isa;       // "BASE", "SSE2" or others
      bool           conditional;       // a jump that can fall through
      bool           direct;    // a jump or call with its target in the code
      uint64_t       target;    // in the program's run
      bool           ends_request;      // is it the last one of a client
                                        // request?
   }
   Instr;

enum { JOINS = 1, MASKS };

enum { FLOAT_ANY = 1, FLOAT_PACKED = 0x80 };

/* Roles: how instructions of a whole execution trace use registers, by number
   of the instruction.  A register is a bit, by its encoding. */
typedef
   struct {
      uint32_t* addresses;      // registers that only tell where memory
                                // operands are
      uint32_t* targets;        // those of .addresses that tell where it stores
      uint32_t* lengths;        // registers that tell how much is copied, not
                                // what: the end that an operand is counted back
                                // from, the count of a repetition
      uint32_t* saves;          // registers that it saves on the stack
                                // unchanged, among those that functions
                                // preserve
      bool*     lookups;        // does it load something narrower than an
                                // address, as an element of a table may be?
      bool*     copies;         // does it copy what it reads, unchanged?
      bool*     widens;         // does it copy with zero or sign extension?
      bool*     loads;          // either: if it loads, its recorded value begins
                                // with the bytes
      uint32_t* moved;          // registers that a copy changes besides, as the
                                // stack pointer in PUSH
      bool*     calls;          // does it call a function?
      DcfgSliceBytes* bytes;    // the bytes of its operands that make its result
      uint8_t*  floats;         // floating-point numbers that it makes: the bytes
                                // of one, and FLOAT_PACKED if its value is
                                // several; FLOAT_ANY: its whole value is one;
                                // 0: none
      uint8_t*  joins;          // does it join the bits of two registers, or
                                // mask one with the other?
      uint32_t  n;              // instructions
   }
   Roles;

#define NO_REGISTER   UINT8_MAX
#define MOST_OPERANDS 2

/* MemoryOperand: the address of a memory operand: .base + .index * .scale +
   .disp, with registers by their encoding; or, if .fixed, .disp alone. */
typedef
   struct {
      uint8_t base, index;      // or NO_REGISTER
      uint8_t scale, size;
      bool    fixed;
      bool    relative;         // to the instruction pointer, so .fixed, too
      bool    segment;          // relative to the thread's storage
      bool    written;          // the instruction stores there
      int64_t disp;
   }
   MemoryOperand;

/* EffectKind: the new value of general register .to, or of memory. */
typedef
   enum {
      EFFECT_OTHER,             // another value, or .to is not set
      EFFECT_COPY,              // .from
      EFFECT_LOAD,              // the only memory operand
      EFFECT_ADDRESS,           // address of the only memory operand
      EFFECT_ADD,               // .to + .from
      EFFECT_ADD_NUMBER,        // .to + .number
      EFFECT_TIMES,             // .from * .number
      EFFECT_STORE,             // the only memory operand: .from
      EFFECT_STORE_NUMBER       // the only memory operand: .number
   }
   EffectKind;

typedef
   struct {
      MemoryOperand memory[MOST_OPERANDS];      // in the order of the text
      unsigned      n_memory;
      bool          on_stack;   // does it also push or pop?
      EffectKind    kind;
      uint8_t       to, from;
      int64_t       number;
      uint8_t       size;       // bytes of the instruction
      uint32_t      written;    // general registers, one bit for each
      bool          flow;       // a jump, call, return or system call
      bool          call, returns, jumps;
      bool          stops;      // nothing runs after it
      bool          compares;   // with .number
      bool          falls;      // a jump that can fall through
      bool          direct;     // has its target in the code
      uint64_t      target;
   }
   InstrEffect;

#define MAX_GENERAL 32

/* Processor: a processor with Linux.  Functions may be NULL, unless stated
   otherwise: nothing is known, or there is nothing to know. */
typedef
   struct Processor {
      /* For code of programs' files: */
      uint32_t    machine;      // number in ELF files
      uint8_t     elf_class;    // class in ELF files; 0: any
      int         arch, mode;   // Capstone's, for little-endian code
      bool        att;          // has AT&T's syntax
      uint8_t     longest;      // bytes of its longest instruction
      uint8_t     request;      // bytes of a client request; 0: not known
      /* Return how many bytes at AT, of LEFT, are the preamble of a client
         request.  Together with the next instruction they are one. */
      size_t      (*preamble)(const uint8_t* at, size_t left);
      /* Set the members of OUT that follow from DETAIL. */
      void        (*tell)(const struct cs_insn* detail, Instr* out);
      /* Relocations of the slots that stubs of linkage tables use.  Find the
         slot of a stub of SIZE bytes, CODE at ADDR; TABLE is the global offset
         table. */
      uint32_t    slot_types[2];
      bool        (*find_slot)(const uint8_t* code, size_t size,
                               uint64_t addr, uint64_t table, uint64_t* slot);

      /* For whole execution traces; all are required: */
      const char* general[MAX_GENERAL]; // names of general registers, by
                                        // encoding; NULL behind the last
      const char* vector;       // name of vector registers, before the number
      bool        x87;          // does it have x87 registers?
      const char* sp;           // the stack pointer in texts
      uint8_t     stack, frame; // numbers of stack and frame pointer
      uint8_t     call_number;  // register with a system call's number
      uint8_t     arguments[6]; // and registers with its arguments
      uint32_t    kept;         // registers that functions preserve, one bit
                                // for each
      uint32_t    seccomp;      // libseccomp's number
      uint8_t     champsim[MAX_GENERAL];        // ChampSim's numbers of general
                                                // registers, by encoding
      /* DWARF's numbers: general registers from 0 on, with their encoding
         (NULL: the same); the first vector register. */
      const uint8_t* dwarf_general;
      uint8_t        n_dwarf_general, dwarf_vector, n_dwarf_vector;
      /* Functions of processor.h: */
      uint32_t    (*constant_number)(const DcfgWetInstr* in);
      bool        (*makes_frame)(const DcfgWetInstr* in);
      bool        (*is_atomic)(const DcfgWetInstr* in);
      /* Return the register that NAME is a part of, as register_named()
         does. */
      uint32_t    (*part_named)(const char* name);
      /* Set E, which is zero, to the effect of the instruction DETAIL, as
         instr_effect() does.  NULL: not known. */
      void        (*tell_effect)(size_t h, const struct cs_insn* detail,
                                 InstrEffect* e);
      /* Set R for all of W's instructions; H is a Capstone decoder. */
      void        (*find_roles)(DcfgWet* w, size_t h, Roles* r);
   }
   Processor;

/* All rows.  The first one is for traces without any instruction. */
#define PROCESSORS(ROW) \
   ROW(amd64) ROW(x86) ROW(arm64) \
   ROW(arm) ROW(ppc64) ROW(ppc) ROW(s390) ROW(mips64) ROW(mips)

#define DECLARE_ROW(name) extern const Processor machine_##name;
PROCESSORS(DECLARE_ROW)

/* Read S as a number below END; UINT32_MAX if it is none. */
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
