
/*--------------------------------------------------------------------*/
/*--- The processor that the tool is for.             arch/guest.c ---*/
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

/* Owns: what the tool has to know of one processor or another beside its
   instructions.  Handed: nothing.  Taken by: run/instrument.c,
   calls/stack.c, calls/ir_calls.c, profile/jumps.c, xray/active.c,
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

#if defined(VGA_amd64)

static InsnKind classify(const UChar* bytes, UInt len)
{
   return DCFG_(classify_x86)(bytes, len, True);
}

/* In the order of the System V ABI. */
static const Int argument_registers[] = {
   GUEST(RDI), GUEST(RSI), GUEST(RDX), GUEST(RCX), GUEST(R8), GUEST(R9)
};

static const X86Guest x86 = {
   .is_64   = True,
   .word    = 8,
   .RAX     = GUEST(RAX),
   .CC_OP   = GUEST(CC_OP),
   .CC_NDEP = GUEST(CC_NDEP),
   .DFLAG   = GUEST(DFLAG),
   .RIP     = GUEST(RIP),
   .vector  = 32,
   .YMM0    = GUEST(YMM0),
   .YMM16   = GUEST(YMM16),
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
   .all_flags = "amd64g_calculate_rflags_all"
};

#elif defined(VGA_x86)

static InsnKind classify(const UChar* bytes, UInt len)
{
   return DCFG_(classify_x86)(bytes, len, False);
}

static const Int argument_registers[] = { GUEST(ESP) };

static const X86Guest x86 = {
   .is_64   = False,
   .word    = 4,
   .RAX     = GUEST(EAX),
   .CC_OP   = GUEST(CC_OP),
   .CC_NDEP = GUEST(CC_NDEP),
   .DFLAG   = GUEST(DFLAG),
   .RIP     = GUEST(EIP),
   .vector  = 16,
   .YMM0    = GUEST(XMM0),
   .YMM16   = GUEST(XMM7) + 16,
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
   .all_flags = "x86g_calculate_eflags_all"
};

#elif defined(VGA_arm64)

static InsnKind classify(const UChar* bytes, UInt len)
{
   return DCFG_(classify_arm64)(bytes, len);
}

static const Int argument_registers[] = {
   GUEST(X0), GUEST(X1), GUEST(X2), GUEST(X3), GUEST(X4), GUEST(X5)
};

#endif

const Guest DCFG_(guest) = {
#if defined(VGA_amd64) || defined(VGA_x86) || defined(VGA_arm64)
   .classify = classify,
   .n_argument_registers = sizeof(argument_registers) / sizeof(Int),
   .argument_registers   = argument_registers,
   .arguments_on_stack   = sizeof(Addr) == 4,
#endif
#if defined(VGA_amd64)
   .machine = 62,
   .x86     = &x86,
#elif defined(VGA_x86)
   .machine = 3,
   .x86     = &x86,
#elif defined(VGA_arm64)
   .machine = 183,
   .jumps_are_calls = True,
#endif
   .discard_start  = GUEST(CMSTART),
   .discard_length = GUEST(CMLEN)
};

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
