/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors of whole execution traces. */

#ifndef DCFG_CMD_PROCESSOR_H
#define DCFG_CMD_PROCESSOR_H

#include "lib/dcfg_wet.h"

#include <stdbool.h>
#include <stdint.h>

#define MAX_GENERAL 32

/* What the subcommands about whole execution traces know of a processor and
   of Linux there. */
typedef
   struct {
      uint32_t    machine;      // as ELF files have it
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
      int         arch, mode;   // Capstone's
   }
   Processor;

/* W's. */
const Processor* processor_of(DcfgWet* w);

/* The one that ELF files call MACHINE. */
const Processor* processor_numbered(uint32_t machine);

/* The word of an arm64 instruction; 0 if it is none. */
uint32_t word_of(const DcfgWetInstr* in);

/* Is IN a system call? */
bool is_syscall(const DcfgWetInstr* in);

/* The number that IN puts into a register, or onto the stack, whatever ran
   before; UINT32_MAX if IN is no such instruction. */
uint32_t constant_number(const DcfgWetInstr* in);

/* Does IN make the frame pointer from the stack pointer? */
bool makes_frame(const DcfgWetInstr* in);

/* The register that NAME means, as a slice can be asked for it: general ones
   from 0 on, vector registers from 32 on; or UINT32_MAX. */
uint32_t register_named(const Processor* p, const char* name);

#endif /* DCFG_CMD_PROCESSOR_H */
