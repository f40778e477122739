/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What an instruction does with registers and addresses. */

#ifndef DCFG_CMD_INSTR_EFFECT_H
#define DCFG_CMD_INSTR_EFFECT_H

#include "cmd/machine/machines.h"

/* Set *E to what IN does.  False if nobody knows: of another processor, or of
   code that Capstone does not decode. */
bool instr_effect(const DcfgWetInstr* in, InstrEffect* e);

/* The operand that access ACCESS of IN, whose effect is E, is made to; or, of
   ACCESS_WRITTEN, the one that IN writes.  NULL: an implicit one, such as what
   PUSH writes. */
#define ACCESS_WRITTEN UINT32_MAX
const MemoryOperand* accessed_operand(const DcfgWetInstr* in,
                                      const InstrEffect* e, uint32_t access);

#endif /* DCFG_CMD_INSTR_EFFECT_H */
