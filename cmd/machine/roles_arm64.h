/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What registers of arm64 instructions are. */

#ifndef DCFG_CMD_ROLES_ARM64_H
#define DCFG_CMD_ROLES_ARM64_H

#include "lib/dcfg_wet.h"

#include <stdbool.h>
#include <stdint.h>

/* The functions of roles.h, for an arm64 instruction IN. */
uint32_t arm64_addresses(const DcfgWetInstr* in);
uint32_t arm64_targets(const DcfgWetInstr* in);
uint32_t arm64_saves(const DcfgWetInstr* in);  // of all registers
bool     arm64_is_lookup(const DcfgWetInstr* in);
bool     arm64_is_copy(const DcfgWetInstr* in);
uint32_t arm64_moved(const DcfgWetInstr* in);

/* The same of all instructions, for that takes more than one to tell. */
void     arm64_lengths(DcfgWet* w, uint32_t* lengths);

#endif /* DCFG_CMD_ROLES_ARM64_H */
