/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A processor that nobody knows. */

/* Owns: what is so of each of VEX's guests.  Handed: nothing.  Taken by:
   whoever includes arch/guest.h, where the tool is for a processor without a
   folder here.  A folder NAME/ has another DCFG_(guest) in NAME_guest.c, which
   takes the place of this one. */

#include "pub_tool_basics.h"
#include "pub_tool_guest.h"

#include "arch/guest.h"

__attribute__((weak)) const Guest DCFG_(guest) = {
   .discard_start  = offsetof(VexGuestArchState, guest_CMSTART),
   .discard_length = offsetof(VexGuestArchState, guest_CMLEN)
};
