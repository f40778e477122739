
/*--------------------------------------------------------------------*/
/*--- What registers of arm64 instructions are for.roles_arm64.h ---*/
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

#ifndef DCFG_CMD_ROLES_ARM64_H
#define DCFG_CMD_ROLES_ARM64_H

#include "lib/dcfg_wet.h"

#include <stdbool.h>
#include <stdint.h>

/* What roles.h tells of IN. */
uint32_t arm64_addresses(const DcfgWetInstr* in);
uint32_t arm64_targets(const DcfgWetInstr* in);
uint32_t arm64_saves(const DcfgWetInstr* in);  // of all registers
bool     arm64_is_lookup(const DcfgWetInstr* in);
bool     arm64_is_copy(const DcfgWetInstr* in);
uint32_t arm64_moved(const DcfgWetInstr* in);

/* The same of all instructions, for that takes more than one to tell. */
void     arm64_lengths(DcfgWet* w, uint32_t* lengths);

#endif /* DCFG_CMD_ROLES_ARM64_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
