/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Processors: descriptions of them, and questions about their code. */

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

/* Return a decoder, one of Capstone's, for the code of P's whole execution traces. */
size_t processor_decoder(const Processor* p);

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

/* Return the roles in W, for roles_free(), and tell the library which values of W
   have loaded bytes (dcfg_wet_tell_loads()). */
Roles roles_new(DcfgWet* w);
void  roles_free(Roles* r);

/* Tell the library that alone, before an index of W is made. */
void tell_loads(DcfgWet* w);

/* Write the instruction's assembly to TEXT of SIZE bytes. */
void instr_text(const DcfgWetInstr* in, char* text, size_t size);

/* Set *E to the effect of IN.  Return False if it is not known: the processor
   has no such function, or Capstone does not decode the code. */
bool instr_effect(const DcfgWetInstr* in, InstrEffect* e);

/* Return the operand of access ACCESS of IN, whose effect is E; or, for
   ACCESS_WRITTEN, the operand that IN writes.  NULL: an implicit operand, such
   as the stack in PUSH. */
#define ACCESS_WRITTEN UINT32_MAX
const MemoryOperand* accessed_operand(const DcfgWetInstr* in,
                                      const InstrEffect* e, uint32_t access);

/* Return the number of the system call NAME, a name or a number, on the
   processor that is SECCOMP for libseccomp; or UINT32_MAX. */
uint32_t syscall_number(const char* name, uint32_t seccomp);

/* Return the name of system call NUMBER, which the caller frees; "?" if it has
   none. */
char* syscall_name(uint32_t number, uint32_t seccomp);

/* Return the most registers that system call NUMBER reads: 3 for calls with
   fewer than three arguments; SYSCALL_ARGUMENTS for an unknown call. */
#define SYSCALL_ARGUMENTS 6
unsigned syscall_arguments(uint32_t number, uint32_t seccomp);

#endif /* DCFG_CMD_PROCESSOR_H */
