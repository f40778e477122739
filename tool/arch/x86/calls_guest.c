/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   x86 and amd64: system calls. */

/* Owns: the registers of system calls, and which calls change the process in ways
   that other processors' calls do not.  Handed: numbers and arguments, by
   tool/record/call_log.c.

   x86 has calls that amd64 has not: older ones for signals, those for the
   segments of threads, and one for all of System V's communication.  Its mmap()
   has two forms: the first one has its arguments in memory, and mmap2() counts
   its offset in units of 4096 bytes. */

#include "pub_tool_basics.h"

#if defined(VGP_amd64_linux) || defined(VGP_x86_linux)

#include "pub_tool_guest.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "tool/arch/x86/x86.h"

#define GUEST(name) offsetof(VexGuestArchState, guest_##name)

#if defined(VGP_amd64_linux)

static CallKind kind(UInt sysno, const UWord* args)
{
   return sysno == __NR_arch_prctl ? CallExecuted : CallAnswered;
}

const CallLayout DCFG_(x86_calls) = {
   .number   = GUEST(RAX),
   .args     = { GUEST(RDI), GUEST(RSI), GUEST(RDX), GUEST(R10), GUEST(R8),
                 GUEST(R9) },
   .result   = GUEST(RAX),
   .ip       = GUEST(RIP),
   .length   = 2,
   .kind     = kind,
   .map      = __NR_mmap,
   .map_unit = 1,
   .ipc      = -1
};

#else

static CallKind kind_of_ipc(UWord command)
{
   switch (command & 0xFFFF) {
      case VKI_SHMAT:
         return CallAttaches;
      case VKI_SHMDT:
         return CallExecuted;
      default:
         return CallAnswered;
   }
}

static CallKind kind(UInt sysno, const UWord* args)
{
   switch (sysno) {
      case __NR_mmap2:
         return CallMaps;
      case __NR_ipc:
         return kind_of_ipc(args[0]);
      case __NR_sigaction: case __NR_sigprocmask: case __NR_modify_ldt:
      case __NR_set_thread_area: case __NR_get_thread_area:
         return CallExecuted;
      case __NR_sigreturn:
         return CallReturns;
      default:
         return CallAnswered;
   }
}

const CallLayout DCFG_(x86_calls) = {
   .number   = GUEST(EAX),
   .args     = { GUEST(EBX), GUEST(ECX), GUEST(EDX), GUEST(ESI), GUEST(EDI),
                 GUEST(EBP) },
   .result   = GUEST(EAX),
   .ip       = GUEST(EIP),
   .length   = 2,
   .kind     = kind,
   .map      = __NR_mmap2,
   .map_unit = 4096,
   .ipc      = __NR_ipc
};

#endif

#endif
