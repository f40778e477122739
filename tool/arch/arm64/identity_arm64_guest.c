/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   arm64: instructions that ask the machine. */

/* Owns: which of VEX's helpers ask the machine, and what stands in their place; what
   else of the machine programs see.  Handed: calls of helpers in VEX's code, by
   tool/steady/steady.c.

   Programs ask with MRS, which reads a register: CNTVCT_EL0 has the counter of
   time, CNTFRQ_EL0 its ticks a second, others tell which processor it is.  VEX has
   a helper for each register that it leaves to the machine, more of them in newer
   versions.  CTR_EL0 has the sizes of cache lines: VEX puts them into the code that
   it makes. */

#include "pub_tool_basics.h"

#if defined(VGA_arm64)

#include "pub_tool_guest.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "tool/arch/arm64/arm64.h"

#define PREFIX "arm64g_dirtyhelper_MRS_"

void DCFG_(answer_arm64)(void* call, const FalseAnswers* a)
{
   IRDirty* d = call;

   if (a->other == NULL || d->args[0] != NULL
       || !VG_STREQN(sizeof(PREFIX) - 1, d->cee->name, PREFIX))
      return;
   d->args = mkIRExprVec_1(mkIRExpr_HWord((HWord)d->cee->addr));
   d->cee  = mkIRCallee(0, "dcfg_mrs", VG_(fnptr_to_fnentry)(a->other));
}

void DCFG_(tell_lines_arm64)(const void* host, HChar* to, SizeT n)
{
   const VexArchInfo* info = host;

   VG_(snprintf)(to, n, "-lines%u/%u", 1u << info->arm64_iMinLine_lg2_szB,
                 1u << info->arm64_dMinLine_lg2_szB);
}

#endif
