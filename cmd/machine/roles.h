
/*--------------------------------------------------------------------*/
/*--- What instructions use registers for.               roles.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
