/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Effects of instructions on registers and addresses. */

#ifndef DCFG_CMD_INSTR_EFFECT_H
#define DCFG_CMD_INSTR_EFFECT_H

#include "cmd/machine/machines.h"

/* Set *E to the effect of IN.  Return False if it is not known: the processor
   has no such function, or Capstone does not decode the code. */
bool instr_effect(const DcfgWetInstr* in, InstrEffect* e);

/* Return the operand of access ACCESS of IN, whose effect is E; or, for
   ACCESS_WRITTEN, the operand that IN writes.  NULL: an implicit operand, such
   as the stack in PUSH. */
#define ACCESS_WRITTEN UINT32_MAX
const MemoryOperand* accessed_operand(const DcfgWetInstr* in,
                                      const InstrEffect* e, uint32_t access);

#endif /* DCFG_CMD_INSTR_EFFECT_H */
