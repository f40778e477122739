/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   arm64: system calls. */

/* Owns: the registers of system calls, and which calls change the process in ways
   that other processors' calls do not.  Handed: numbers and arguments, by
   tool/record/call_log.c.

   arm64 has Linux's generic calls only: no fork(), no dup2(), and one mmap(). */

#include "pub_tool_basics.h"

#if defined(VGP_arm64_linux)

#include "pub_tool_guest.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "tool/arch/arm64/arm64.h"

#define GUEST(name) offsetof(VexGuestArchState, guest_##name)

static CallKind kind(UInt sysno, const UWord* args)
{
   return CallAnswered;
}

const CallLayout DCFG_(arm64_calls) = {
   .number   = GUEST(X8),
   .args     = { GUEST(X0), GUEST(X1), GUEST(X2), GUEST(X3), GUEST(X4),
                 GUEST(X5) },
   .result   = GUEST(X0),
   .ip       = GUEST(PC),
   .length   = 4,
   .kind     = kind,
   .map      = __NR_mmap,
   .map_unit = 1,
   .ipc      = -1
};

#endif
