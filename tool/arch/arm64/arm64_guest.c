/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   arm64 as VEX's guest. */

/* Owns: facts about this processor other than its instructions.  Handed:
   nothing. */

#include "pub_tool_basics.h"

#if defined(VGA_arm64)

#include "pub_tool_guest.h"

#include <elf.h>

#include "tool/arch/arm64/arm64.h"

#define GUEST(name) offsetof(VexGuestArchState, guest_##name)

static void flags_of(UInt n, Bool* carry, Bool* others)
{
   *carry  = n >> 1 == 1 || n >> 1 == 4;         // CS, CC, HI, LS
   *others = n >> 1 != 1 && n >> 1 != 7;         // all but AL and NV
}

static const Int argument_registers[] = {
   GUEST(X0), GUEST(X1), GUEST(X2), GUEST(X3), GUEST(X4), GUEST(X5)
};

static const GuestLayout layout = {
   .word            = 8,
   .general         = GUEST(X0),     // up to XSP
   .general_end     = GUEST(PC),
   .flags           = GUEST(CC_OP),
   .flags_end       = GUEST(CC_NDEP) + 8,
   .CC_NDEP         = GUEST(CC_NDEP),
   .DFLAG           = NO_OFFSET,
   .DFLAG_end       = NO_OFFSET,
   .vector          = 16,
   .vector_room     = 16,
   .vectors         = GUEST(Q0),
   .vectors_end     = GUEST(Q31) + 16,
   .rounding        = NO_OFFSET,
   .FPREG           = NO_OFFSET,
   .FPTAG           = NO_OFFSET,
   .FC3210          = NO_OFFSET,
   .FTOP            = NO_OFFSET,
   .first_step      = 1,             // none
   .first_rotation  = 1,
   .condition       = "arm64g_calculate_condition",
   .carry           = "arm64g_calculate_flag_c",
   .all_flags       = "arm64g_calculate_flags_nzcv",
   .flags_of        = flags_of,
   .condition_shift = 4
};

static UInt other_registers(const void* state, OtherRegister* to)
{
   const VexGuestArchState* s = state;
   const OtherRegister all[] = {
      { RegisterIp, 8, s->guest_PC },
      { RegisterFlags, 4, LibVEX_GuestARM64_get_nzcv(s) },
      { RegisterThread, 8, s->guest_TPIDR_EL0 },
      { RegisterVectorControl, 4, s->guest_FPCR },
      { RegisterVectorStatus, 4, LibVEX_GuestARM64_get_fpsr(s) }
   };

   __builtin_memcpy(to, all, sizeof(all));
   return sizeof(all) / sizeof(all[0]);
}

const Guest DCFG_(guest) = {
   .classify             = DCFG_(classify_arm64),
   .discard_start        = GUEST(CMSTART),
   .discard_length       = GUEST(CMLEN),
   .n_argument_registers = sizeof(argument_registers) / sizeof(Int),
   .argument_registers   = argument_registers,
   .jumps_are_calls      = True,
   .layout               = &layout,
   .machine              = EM_AARCH64,
   .target               = DCFG_(target_arm64),
   .loads                = DCFG_(loads_arm64),
   .quirks               = DCFG_(quirks_arm64),
   .correct_usage        = DCFG_(correct_usage_arm64),
   .find_besides         = DCFG_(find_besides_arm64),
   .other_registers      = other_registers,
   .state_size           = sizeof(VexGuestArchState),
   .clone_tid            = 4,
   .calls_link           = True,
   .answer               = DCFG_(answer_arm64),
   .tell_host            = DCFG_(tell_lines_arm64),
#if defined(VGP_arm64_linux)
   .calls                = &DCFG_(arm64_calls),
#endif
   .reservation          = GUEST(LLSC_SIZE)
};

#endif
