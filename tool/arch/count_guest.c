/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   VEX counts each superblock. */

/* Owns: the wrapper of VEX's instruction selector (Makefile.am: CORE_WRAPS) for
   the processors whose runs can be recorded.  Handed: superblocks, by VEX.

   Each superblock begins with code that counts down a counter and leaves if that
   is below zero.  VEX passes over this code where a jump leads forward, beyond
   the last address of the superblock, and such a jump is in place only when its
   target has been translated.  So the counter would depend on what was
   translated before.  If the selector takes the last address for the highest one,
   no jump is forward, and the counter is exact. */

#include "pub_tool_basics.h"

#include "libvex.h"

#include "tool/arch/guest.h"

static Bool counts_all;

void DCFG_(count_all)(void)
{
   counts_all = True;
}

#if defined(VGA_amd64)
#  define REAL __real_iselSB_AMD64
#  define WRAP __wrap_iselSB_AMD64
#elif defined(VGA_x86)
#  define REAL __real_iselSB_X86
#  define WRAP __wrap_iselSB_X86
#elif defined(VGA_arm64)
#  define REAL __real_iselSB_ARM64
#  define WRAP __wrap_iselSB_ARM64
#endif

#if defined(WRAP)
extern void* REAL(const void* sb, VexArch arch, const VexArchInfo* host,
                  const VexAbiInfo* abi, Int counter, Int fail, Bool chains,
                  Bool profiles, Addr last);
extern void* WRAP(const void* sb, VexArch arch, const VexArchInfo* host,
                  const VexAbiInfo* abi, Int counter, Int fail, Bool chains,
                  Bool profiles, Addr last);
void* WRAP(const void* sb, VexArch arch, const VexArchInfo* host,
           const VexAbiInfo* abi, Int counter, Int fail, Bool chains,
           Bool profiles, Addr last)
{
   return REAL(sb, arch, host, abi, counter, fail, chains, profiles,
               counts_all ? ~(Addr)0 : last);
}
#endif
