/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to state/: the rules of x86 and amd64. */

#ifndef DCFG_CMD_X86_RULES_H
#define DCFG_CMD_X86_RULES_H

#include "cmd/state/state_rules.h"
#include "cmd/machine/x86_registers.h"

/* Groups of flags: C; O, S, Z, A and P; D. */
enum { X86_CARRY, X86_OTHERS, X86_DIRECTION, X86_FLAG_GROUPS };
extern const uint64_t x86_flag_groups[X86_FLAG_GROUPS + 1];

/* Decode IN.  The result is valid until the next call; NULL: Capstone does not
   know the instruction. */
const cs_insn* x86_decode(const DcfgWetInstr* in);

/* Return whether I is a string instruction. */
bool x86_is_string(const cs_insn* i);

/* Set *NUMBER to the number that is in the first SIZE bytes of access A, before
   the instance; in operand K, before the instance.  Return false if one of the
   bytes is not known. */
bool x86_memory_number(const StateView* v, const DcfgCursorAccess* a,
                       unsigned size, uint64_t* number);
bool x86_operand(const StateView* v, const cs_insn* i, unsigned k,
                 uint64_t* number);

/* Set *SAME to whether a compare-and-swap of twice SIZE bytes found in memory what
   RDX and RAX have.  Return false if one of the bytes is not known. */
bool x86_pair_is(const StateView* v, unsigned size, bool* same);

/* Members of StateRules. */
uint32_t x86_besides(const DcfgWetInstr* in);
bool x86_general_behind(const StateView* v, unsigned n, StateValue* to);
bool x86_flags_behind(const StateView* v, unsigned group, uint64_t* bits);
bool x86_clears_flags(const DcfgWetInstr* in);
uint32_t x86_cleared(const DcfgWetInstr* in);
uint32_t x86_others(const DcfgWetInstr* in);
bool x86_other_behind(const StateView* v, StateOther other, StateValue* to);
void x86_x87_behind(const StateView* v, X87Effect* e);

/* Set *CODES to x87's condition codes behind the instance, at their places in
   the status word; to those of a comparison of the top of the stack with
   register N from there.  Return false if they are not known. */
bool x86_x87_codes(const StateView* v, uint64_t* codes);
bool x86_compare_stack(const StateView* v, unsigned n, uint64_t* codes);

/* Return those codes of a comparison of A with B; shifted by 8, they are the
   flags that UCOMISD sets. */
uint64_t x86_comparison(double a, double b);

#endif /* DCFG_CMD_X86_RULES_H */
