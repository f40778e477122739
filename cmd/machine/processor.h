/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors. */

#ifndef DCFG_CMD_PROCESSOR_H
#define DCFG_CMD_PROCESSOR_H

#include "cmd/machine/machines.h"

#include <libelf.h>

/* Return the processor of whole execution trace W. */
const Processor* processor_of(DcfgWet* w);

/* Return the processor of whole execution traces with number MACHINE in ELF
   files. */
const Processor* processor_numbered(uint32_t machine);

/* Return the processor that ELF was compiled for, or NULL.  *MODE is Capstone's
   mode for its code. */
const Processor* processor_of_file(Elf* elf, /*OUT*/int* mode);

/* Return whether an instruction can have SIZE bytes, as Valgrind counts, on any
   processor; return the largest size. */
bool     is_instr_size(uint32_t size);
uint32_t longest_instr(void);

/* Return the constant that IN puts into a register or onto the stack;
   UINT32_MAX if IN does something else. */
uint32_t constant_number(const DcfgWetInstr* in);

/* Return whether IN copies the stack pointer to the frame pointer. */
bool makes_frame(const DcfgWetInstr* in);

/* Return whether IN changes memory atomically, as locks do. */
bool is_atomic(const DcfgWetInstr* in);

/* Return the register NAME, as slices number them: general registers from 0,
   vector registers from 32; or UINT32_MAX. */
uint32_t register_named(const Processor* p, const char* name);

/* Likewise for DWARF's register NUMBER. */
uint32_t register_of_dwarf(const Processor* p, unsigned number);

#endif /* DCFG_CMD_PROCESSOR_H */
