/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to machine/: the rules of amd64. */

#ifndef DCFG_CMD_X86_RULES_H
#define DCFG_CMD_X86_RULES_H

#include "cmd/machine/state_rules.h"

#include <capstone/capstone.h>

/* Flags: C; O, S, Z, A and P; D. */
#define X86_FLAG_GROUPS 3
extern const uint64_t x86_flag_groups[X86_FLAG_GROUPS];

/* Set *N to the general register that R is a part of, and return the place of
   its lowest bit there; return -1 if R is no part of one. */
int x86_part_of(x86_reg r, unsigned* n);

/* Members of StateRules. */
bool x86_general_behind(const StateView* v, unsigned n, StateValue* to);
bool x86_flags_behind(const StateView* v, unsigned group, uint64_t* bits);

#endif /* DCFG_CMD_X86_RULES_H */
