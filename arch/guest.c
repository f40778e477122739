
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
   xray/active.c.

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

#elif defined(VGA_x86)

static InsnKind classify(const UChar* bytes, UInt len)
{
   return DCFG_(classify_x86)(bytes, len, False);
}

static const Int argument_registers[] = { GUEST(ESP) };

#endif

const Guest DCFG_(guest) = {
#if defined(VGA_amd64) || defined(VGA_x86)
   .classify = classify,
   .discard_start  = GUEST(CMSTART),
   .n_argument_registers = sizeof(argument_registers) / sizeof(Int),
   .argument_registers   = argument_registers,
   .arguments_on_stack   = sizeof(Addr) == 4,
#endif
   .discard_start  = GUEST(CMSTART),
   .discard_length = GUEST(CMLEN)
};

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
