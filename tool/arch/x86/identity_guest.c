/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   x86 and amd64: instructions that ask the machine. */

/* Owns: which of VEX's helpers stand for RDTSC, RDTSCP, RDRAND, RDSEED and
   CPUID, and what stands in their place; the processors that --cpu names.
   Handed: calls of helpers in VEX's code, by tool/steady/steady.c.

   VEX shows programs one of five processors, by what the host can do.  CPUID is
   a helper for each of them.  The processor of level 2 is the one with SSE4.2;
   that of level 3 the one with AVX2, where VEX adds F16C, RDRAND and RDSEED if
   the host has them.  The psABI's level 3 has F16C only, and so has ours. */

#include "pub_tool_basics.h"

#if defined(VGA_amd64) || defined(VGA_x86)

#include "pub_tool_guest.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "tool/arch/x86/x86.h"

const Processor DCFG_(x86_processors)[N_X86_PROCESSORS] = {
   { "x86-64-v2", 2 }, { "x86-64-v3", 3 }
};

/* AT_HWCAP is EDX of CPUID's leaf 1, AT_HWCAP2 has no bit of a level,
   AT_MINSIGSTKSZ is the least that any processor has. */
const AuxAnswer DCFG_(x86_aux_answers)[] = {
   { 16, 0x078BFBFF }, { 26, 0 }, { 51, 2048 }, { 0, 0 }
};

static FalseAnswers answers;

static void replace(IRDirty* call, const HChar* name, void* fn)
{
   call->cee = mkIRCallee(call->cee->regparms, name,
                          VG_(fnptr_to_fnentry)(fn));
}

#if defined(VGA_amd64)

#define PREFIX "amd64g_dirtyhelper_"

extern void amd64g_dirtyhelper_CPUID_avx2(VexGuestAMD64State* state,
                                          ULong f16c, ULong rdrand,
                                          ULong rdseed);
extern void amd64g_dirtyhelper_CPUID_sse42_and_cx16(VexGuestAMD64State* state);

extern ULong amd64g_dirtyhelper_RDTSC(void);
extern ULong amd64g_dirtyhelper_RDRAND(void);

ULong DCFG_(ticks_x86)(void)
{
   return amd64g_dirtyhelper_RDTSC();
}

/* A processor that has no number now says so; it has one soon. */
ULong DCFG_(random_x86)(void)
{
   ULong n = 0;

   while ((n >> 32 & 1) == 0)
      n = amd64g_dirtyhelper_RDRAND();
   return (UInt)n;
}

static void rdtscp(VexGuestAMD64State* state)
{
   ULong ticks = answers.ticks();

   state->guest_RAX = (UInt)ticks;
   state->guest_RDX = ticks >> 32;
   state->guest_RCX = 0;            // the processor's number
}

/* VEX takes bit 32 for the carry: a number was there. */
static ULong rdrand(void)
{
   return 1ULL << 32 | answers.random();
}

static void answer_cpuid(IRDirty* call)
{
   if (answers.level == 2) {
      replace(call, "amd64g_dirtyhelper_CPUID_sse42_and_cx16",
              &amd64g_dirtyhelper_CPUID_sse42_and_cx16);
      call->args = mkIRExprVec_1(IRExpr_GSPTR());
   } else if (answers.level == 3) {
      replace(call, "amd64g_dirtyhelper_CPUID_avx2",
              &amd64g_dirtyhelper_CPUID_avx2);
      call->args = mkIRExprVec_4(IRExpr_GSPTR(), mkIRExpr_HWord(1),
                                 mkIRExpr_HWord(0), mkIRExpr_HWord(0));
   }
}

static void answer_amd64(IRDirty* call, const HChar* name)
{
   if (VG_STREQN(6, name, "CPUID_"))
      answer_cpuid(call);
   else if (answers.ticks != NULL && VG_STREQ(name, "RDTSCP"))
      replace(call, "dcfg_rdtscp", &rdtscp);
   else if (answers.random != NULL
            && (VG_STREQ(name, "RDRAND") || VG_STREQ(name, "RDSEED")))
      replace(call, "dcfg_rdrand", &rdrand);
}

Bool DCFG_(can_be_x86)(UInt level, UInt hwcaps)
{
   UInt needed = VEX_HWCAPS_AMD64_SSSE3 | VEX_HWCAPS_AMD64_CX16
                 | (level < 3 ? 0 : VEX_HWCAPS_AMD64_AVX2
                                    | VEX_HWCAPS_AMD64_F16C);
   return (hwcaps & needed) == needed;
}

#else

#define PREFIX "x86g_dirtyhelper_"

extern ULong x86g_dirtyhelper_RDTSC(void);

ULong DCFG_(ticks_x86)(void)
{
   return x86g_dirtyhelper_RDTSC();
}

/* VEX has no such instruction here. */
ULong DCFG_(random_x86)(void)
{
   return 0;
}

static void answer_amd64(IRDirty* call, const HChar* name)
{
}

Bool DCFG_(can_be_x86)(UInt level, UInt hwcaps)
{
   return False;
}

#endif

void DCFG_(answer_x86)(void* call, const FalseAnswers* a)
{
   IRDirty*     d    = call;
   const HChar* name = d->cee->name;
   const SizeT  n    = sizeof(PREFIX) - 1;

   if (!VG_STREQN(n, name, PREFIX))
      return;
   answers = *a;
   if (answers.ticks != NULL && VG_(strcmp)(name + n, "RDTSC") == 0)
      replace(d, "dcfg_rdtsc", answers.ticks);
   else
      answer_amd64(d, name + n);
}

#endif
