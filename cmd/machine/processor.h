/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors. */

#ifndef DCFG_CMD_PROCESSOR_H
#define DCFG_CMD_PROCESSOR_H

#include "cmd/machine/machines.h"

#include <libelf.h>

/* That of whole execution trace W. */
const Processor* processor_of(DcfgWet* w);

/* The one of whole execution traces that ELF files call MACHINE. */
const Processor* processor_numbered(uint32_t machine);

/* The one that ELF was compiled for, or NULL; *MODE is Capstone's, for its
   code. */
const Processor* processor_of_file(Elf* elf, /*OUT*/int* mode);

/* May an instruction have SIZE bytes, as Valgrind counts them, on one processor
   or another?  And the most that it may have. */
bool     is_instr_size(uint32_t size);
uint32_t longest_instr(void);

/* Is IN a system call? */
bool is_syscall(const DcfgWetInstr* in);

/* The number that IN puts into a register, or onto the stack, whatever ran
   before; UINT32_MAX if IN is no such instruction. */
uint32_t constant_number(const DcfgWetInstr* in);

/* Does IN make the frame pointer from the stack pointer? */
bool makes_frame(const DcfgWetInstr* in);

/* Does IN change memory in a way that no other thread can see in parts, as
   locks do? */
bool is_atomic(const DcfgWetInstr* in);

/* The register that NAME means, as a slice can be asked for it: general ones
   from 0 on, vector registers from 32 on; or UINT32_MAX. */
uint32_t register_named(const Processor* p, const char* name);

/* The same of DWARF's register NUMBER. */
uint32_t register_of_dwarf(const Processor* p, unsigned number);

#endif /* DCFG_CMD_PROCESSOR_H */
