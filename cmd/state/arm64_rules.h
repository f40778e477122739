/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to state/: the rules of arm64. */

#ifndef DCFG_CMD_ARM64_RULES_H
#define DCFG_CMD_ARM64_RULES_H

#include "cmd/machine/arm64_words.h"
#include "cmd/state/state_rules.h"

/* Groups of flags: C; N, Z and V. */
enum { ARM64_CARRY, ARM64_OTHERS, ARM64_FLAG_GROUPS };
extern const uint64_t arm64_flag_groups[ARM64_FLAG_GROUPS];

/* Set *NUMBER to the lowest SIZE bytes, at most 8, of general register N before
   the instance; register 31 is zero.  Return false if one of them is not
   known. */
bool arm64_register(const StateView* v, unsigned n, unsigned size,
                    uint64_t* number);

/* Members of StateRules. */
uint32_t arm64_besides(const DcfgWetInstr* in);
bool arm64_general_behind(const StateView* v, unsigned n, StateValue* to);
bool arm64_flags_behind(const StateView* v, unsigned group, uint64_t* bits);
uint32_t arm64_others(const DcfgWetInstr* in);
bool arm64_other_behind(const StateView* v, StateOther other, StateValue* to);

#endif /* DCFG_CMD_ARM64_RULES_H */
