/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   arm64: instructions that ask the machine. */

/* Owns: which of VEX's helpers stand for reading the counter of time and its
   rate, and what stands in their place; what else of the machine programs see.
   Handed: calls of helpers in VEX's code, by tool/steady/steady.c.

   Programs read the counter from the register CNTVCT_EL0, and its ticks a second
   from CNTFRQ_EL0.  VEX knows no instruction that makes random numbers.  CTR_EL0
   has the sizes of cache lines: VEX puts them into the code that it makes. */

#include "pub_tool_basics.h"

#if defined(VGA_arm64)

#include "pub_tool_guest.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "tool/arch/arm64/arm64.h"

extern ULong arm64g_dirtyhelper_MRS_CNTVCT_EL0(void);
extern ULong arm64g_dirtyhelper_MRS_CNTFRQ_EL0(void);

ULong DCFG_(ticks_arm64)(void)
{
   return arm64g_dirtyhelper_MRS_CNTVCT_EL0();
}

ULong DCFG_(rate_arm64)(void)
{
   return arm64g_dirtyhelper_MRS_CNTFRQ_EL0();
}

ULong DCFG_(random_arm64)(void)
{
   return 0;
}

static void replace(IRDirty* call, const HChar* name, ULong (*fn)(void))
{
   if (fn != NULL)
      call->cee = mkIRCallee(call->cee->regparms, name,
                             VG_(fnptr_to_fnentry)(fn));
}

void DCFG_(answer_arm64)(void* call, const FalseAnswers* a)
{
   IRDirty*     d    = call;
   const HChar* name = d->cee->name;

   if (VG_STREQ(name, "arm64g_dirtyhelper_MRS_CNTVCT_EL0"))
      replace(d, "dcfg_cntvct", a->ticks);
   else if (VG_STREQ(name, "arm64g_dirtyhelper_MRS_CNTFRQ_EL0"))
      replace(d, "dcfg_cntfrq", a->rate);
}

void DCFG_(tell_lines_arm64)(const void* host, HChar* to, SizeT n)
{
   const VexArchInfo* info = host;

   VG_(snprintf)(to, n, "-lines%u/%u", 1u << info->arm64_iMinLine_lg2_szB,
                 1u << info->arm64_dMinLine_lg2_szB);
}

#endif
