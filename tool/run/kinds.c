/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The kinds of a superblock's instructions. */

/* Owns: the choice of who finds the kind of an instruction: the processor's
   decoder or, if there is none, VEX's IR.  Handed: a superblock whose
   instructions, exits and end are described.  Taken by: tool/run/instrument.c. */

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "tool/arch/guest.h"
#include "tool/run/ir.h"
#include "tool/run/kinds.h"

static InsnEnd end_of(IRJumpKind jk)
{
   switch (jk) {
      case Ijk_Call:   return EndsCall;
      case Ijk_Ret:    return EndsReturn;
      case Ijk_Boring: return EndsBoring;
      default:
         return jk >= Ijk_Sys_syscall && jk <= Ijk_Sys_sysenter
                ? EndsSyscall : EndsOtherwise;
   }
}

/* Return whether instruction K has an exit that leads neither to itself nor to
   the next instruction. */
static Bool may_branch(const Work* w, UInt k)
{
   for (UInt i = 0; i < w->desc.n_exits; i++)
      if (w->exits[i].instr == k && w->exits[i].target != w->addrs[k]
          && w->exits[i].target != w->addrs[k] + w->lengths[k])
         return True;
   return False;
}

static InsnKind kind_without_decoder(const Work* w, const IRSB* sb, UInt k)
{
   const Superblock* d = &w->desc;

   return DCFG_(classify_generic)(k == d->n_instrs - 1 ? end_of(sb->jumpkind)
                                                       : EndsOtherwise,
                                  d->end == EndDirect,
                                  d->next == w->addrs[k] + w->lengths[k],
                                  may_branch(w, k));
}

void DCFG_(find_kinds)(Work* w, const IRSB* sb)
{
   UInt last = w->desc.n_instrs - 1;

   for (UInt k = 0; k <= last; k++)
      w->kinds[k] = DCFG_(guest).classify != NULL
                    ? DCFG_(guest).classify((const UChar*)w->addrs[k],
                                            w->lengths[k])
                    : kind_without_decoder(w, sb, k);
   if (sb->jumpkind == Ijk_NoRedir)
      w->kinds[last] = InsnIndirectCall;
}
