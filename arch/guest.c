/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The processor that the tool is for. */

/* Owns: what the tool has to know of one processor or another beside its
   instructions.  Handed: nothing.  Taken by: run/instrument.c,
   calls/stack.c, calls/ir_calls.c, profile/jumps.c, logs/active.c,
   wet/usage.c, wet/values.c and others of wet/.

   The only file of arch/ that is not pure, for it knows VEX's guest states;
   and the only place of the tool that asks for which processor it is
   compiled. */

#include "pub_tool_basics.h"
#if defined(VGA_amd64)
#  include "libvex_guest_amd64.h"
#  define GUEST(name) offsetof(VexGuestAMD64State, guest_##name)
#elif defined(VGA_x86)
#  include "libvex_guest_x86.h"
#  define GUEST(name) offsetof(VexGuestX86State, guest_##name)
#elif defined(VGA_arm64)
#  include "libvex_guest_arm64.h"
#  define GUEST(name) offsetof(VexGuestARM64State, guest_##name)
#else
#  include "pub_tool_guest.h"
#  define GUEST(name) offsetof(VexGuestArchState, guest_##name)
#endif

#include "arch/guest.h"

#if defined(VGA_amd64) || defined(VGA_x86)

#define IS_64 (sizeof(Addr) == 8)

static InsnKind classify(const UChar* bytes, UInt len)
{
   return DCFG_(classify_x86)(bytes, len, IS_64);
}

static Addr target(const UChar* code, UInt len, Addr addr)
{
   return DCFG_(target_x86)(code, len, IS_64, addr);
}

static UInt loads(const UChar* code, UInt len)
{
   return DCFG_(loads_x86)(code, len, IS_64);
}

static Bool has_false_memory(const UChar* code, UInt len)
{
   return DCFG_(has_false_memory_x86)(code, len, IS_64);
}

static Bool is_gather(const UChar* code, UInt len)
{
   return DCFG_(is_gather_x86)(code, len, IS_64);
}

static Bool is_store_exclusive(const UChar* code, UInt len)
{
   return False;
}

static Bool stores_downwards(const UChar* code, UInt len)
{
   return False;
}

static void flags_of(UInt n, Bool* carry, Bool* others)
{
   *carry  = n >> 1 == 1 || n >> 1 == 3;         // B, NB, BE, NBE
   *others = n >> 1 != 1;
}

#elif defined(VGA_arm64)

static InsnKind classify(const UChar* bytes, UInt len)
{
   return DCFG_(classify_arm64)(bytes, len);
}

static Bool has_false_memory(const UChar* code, UInt len)
{
   return False;
}

static void flags_of(UInt n, Bool* carry, Bool* others)
{
   *carry  = n >> 1 == 1 || n >> 1 == 4;         // CS, CC, HI, LS
   *others = n >> 1 != 1 && n >> 1 != 7;         // but AL and NV
}

static Addr target(const UChar* code, UInt len, Addr addr)
{
   return DCFG_(target_arm64)(code, len, addr);
}

static UInt loads(const UChar* code, UInt len)
{
   return DCFG_(loads_arm64)(code, len);
}

static Bool is_gather(const UChar* code, UInt len)
{
   return False;
}

static Bool is_store_exclusive(const UChar* code, UInt len)
{
   return DCFG_(is_store_exclusive_arm64)(code, len);
}

static Bool stores_downwards(const UChar* code, UInt len)
{
   return DCFG_(stores_structures_arm64)(code, len);
}

#endif

#if defined(VGA_amd64)

/* In the order of the System V ABI. */
static const Int argument_registers[] = {
   GUEST(RDI), GUEST(RSI), GUEST(RDX), GUEST(RCX), GUEST(R8), GUEST(R9)
};

static const GuestLayout layout = {
   .word        = 8,
   .general     = GUEST(RAX),
   .general_end = GUEST(CC_OP),
   .stack_pointer = 4,
   .flags       = GUEST(CC_OP),
   .flags_end   = GUEST(DFLAG),
   .CC_NDEP     = GUEST(CC_NDEP),
   .DFLAG       = GUEST(DFLAG),
   .DFLAG_end   = GUEST(RIP),
   .vector      = 32,
   .vector_room = 32,
   .vectors     = GUEST(YMM0),
   .vectors_end = GUEST(YMM16),
   .FPREG   = GUEST(FPREG),
   .FPTAG   = GUEST(FPTAG),
   .FC3210  = GUEST(FC3210),
   .FTOP    = GUEST(FTOP),
   .CMSTART = GUEST(CMSTART),
   .first_step     = 21,         // AMD64G_CC_OP_INCB .. DECQ
   .last_step      = 28,
   .first_rotation = 37,         // AMD64G_CC_OP_ROLB .. RORQ
   .last_rotation  = 44,
   .condition = "amd64g_calculate_condition",
   .carry     = "amd64g_calculate_rflags_c",
   .all_flags = "amd64g_calculate_rflags_all",
   .flags_of  = flags_of
};

#elif defined(VGA_x86)

static const Int argument_registers[] = { GUEST(ESP) };

static const GuestLayout layout = {
   .word        = 4,
   .general     = GUEST(EAX),
   .general_end = GUEST(CC_OP),
   .stack_pointer = 4,
   .flags       = GUEST(CC_OP),
   .flags_end   = GUEST(DFLAG),
   .CC_NDEP     = GUEST(CC_NDEP),
   .DFLAG       = GUEST(DFLAG),
   .DFLAG_end   = GUEST(EIP),
   .vector      = 16,
   .vector_room = 32,
   .vectors     = GUEST(XMM0),
   .vectors_end = GUEST(XMM7) + 16,
   .FPREG   = GUEST(FPREG),
   .FPTAG   = GUEST(FPTAG),
   .FC3210  = GUEST(FC3210),
   .FTOP    = GUEST(FTOP),
   .CMSTART = GUEST(CMSTART),
   .first_step     = 16,         // X86G_CC_OP_INCB .. DECL
   .last_step      = 21,
   .first_rotation = 28,         // X86G_CC_OP_ROLB .. RORL
   .last_rotation  = 33,
   .condition = "x86g_calculate_condition",
   .carry     = "x86g_calculate_eflags_c",
   .all_flags = "x86g_calculate_eflags_all",
   .flags_of  = flags_of
};

#elif defined(VGA_arm64)

static const Int argument_registers[] = {
   GUEST(X0), GUEST(X1), GUEST(X2), GUEST(X3), GUEST(X4), GUEST(X5)
};

static const GuestLayout layout = {
   .word        = 8,
   .general     = GUEST(X0),     // up to XSP
   .general_end = GUEST(PC),
   .stack_pointer = 31,
   .flags       = GUEST(CC_OP),
   .flags_end   = GUEST(CC_NDEP) + 8,
   .CC_NDEP     = GUEST(CC_NDEP),
   .DFLAG       = NO_OFFSET,
   .DFLAG_end   = NO_OFFSET,
   .vector      = 16,
   .vector_room = 16,
   .vectors     = GUEST(Q0),
   .vectors_end = GUEST(Q31) + 16,
   .FPREG   = NO_OFFSET,
   .FPTAG   = NO_OFFSET,
   .FC3210  = NO_OFFSET,
   .FTOP    = NO_OFFSET,
   .CMSTART = GUEST(CMSTART),
   .first_step     = 1,          // none
   .first_rotation = 1,
   .condition = "arm64g_calculate_condition",
   .carry     = "arm64g_calculate_flag_c",
   .all_flags = "arm64g_calculate_flags_nzcv",
   .flags_of  = flags_of,
   .condition_shift = 4
};

#endif

const Guest DCFG_(guest) = {
#if defined(VGA_amd64) || defined(VGA_x86) || defined(VGA_arm64)
   .classify = classify,
   .n_argument_registers = sizeof(argument_registers) / sizeof(Int),
   .argument_registers   = argument_registers,
   .arguments_on_stack   = sizeof(Addr) == 4,
   .layout               = &layout,
   .target               = target,
   .loads                = loads,
   .has_false_memory     = has_false_memory,
   .is_store_exclusive   = is_store_exclusive,
   .stores_downwards     = stores_downwards,
   .is_gather            = is_gather,
#endif
#if defined(VGA_amd64)
   .machine = MachineAmd64,
   .redzone = 128,
#elif defined(VGA_x86)
   .machine = MachineX86,
#elif defined(VGA_arm64)
   .machine = MachineArm64,
   .jumps_are_calls = True,
   .calls_link      = True,
#endif
   .discard_start  = GUEST(CMSTART),
   .discard_length = GUEST(CMLEN)
};
