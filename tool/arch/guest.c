/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The default of Guest, for a processor without a folder. */

/* Owns: the facts that hold for each of VEX's guests.  Handed: nothing.  A
   folder NAME/ defines another DCFG_(guest) in NAME_guest.c, which replaces
   this weak one. */

#include "pub_tool_basics.h"
#include "pub_tool_guest.h"

#include "tool/arch/guest.h"

__attribute__((weak)) const Guest DCFG_(guest) = {
   .discard_start  = offsetof(VexGuestArchState, guest_CMSTART),
   .discard_length = offsetof(VexGuestArchState, guest_CMLEN)
};
