/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What instructions use registers for. */

#ifndef DCFG_CMD_ROLES_H
#define DCFG_CMD_ROLES_H

#include "cmd/base/cmd.h"

#include "lib/dcfg_wet.h"

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
      uint32_t* moved;          // which a copy does not hand on to, but moves,
                                // as PUSH the stack pointer
   }
   Roles;

Roles roles_new(DcfgWet* w);
void  roles_free(Roles* r);

/* How an instruction reads, to TEXT of SIZE bytes. */
void instr_text(const DcfgWetInstr* in, char* text, size_t size);

#endif /* DCFG_CMD_ROLES_H */
