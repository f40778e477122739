/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The top of x87's stack. */

/* Owns: how instructions move the top of x87's stack, and where it is now.
   Handed: VEX's statements; the guest state.  Taken by: tool/wet/usage.c,
   tool/wet/ir_tape.c, tool/wet/tape.c.

   Most instructions push, pop, or set the top to 0, which is known without an
   execution.  Two groups are different.  Instructions that load the stack from
   memory, as FLDENV and XRSTOR, call helpers that write the top.  FPTAN and
   FSINCOS push if their operand is in range: they subtract the result of that
   comparison from the top. */

#include "pub_tool_basics.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#include "tool/arch/guest.h"
#include "tool/wet/slots.h"
#include "tool/wet/x87_top.h"

static Bool has_x87(void)
{
   return DCFG_(guest).layout != NULL
          && DCFG_(guest).layout->FTOP != NO_OFFSET;
}

Bool DCFG_(loads_top)(const IRStmt* st)
{
   const IRDirty* d = has_x87() && st->tag == Ist_Dirty
                      ? st->Ist.Dirty.details : NULL;

   for (Int i = 0; d != NULL && i < d->nFxState; i++)
      if (d->fxState[i].fx != Ifx_Read
          && d->fxState[i].offset == DCFG_(guest).layout->FTOP)
         return True;
   return False;
}

IRExpr* DCFG_(get_x87_top)(void)
{
   return IRExpr_Get(DCFG_(guest).layout->FTOP, Ity_I32);
}

Bool DCFG_(may_push)(const UChar* code, UInt len)
{
   return (DCFG_(guest).quirks(code, len) & QuirkMayPush) != 0;
}

void DCFG_(begin_push)(TopPush* p)
{
   p->condition = p->top = IRTemp_INVALID;
}

void DCFG_(note_push)(TopPush* p, const IRStmt* st)
{
   const IRExpr* e = st->tag == Ist_WrTmp ? st->Ist.WrTmp.data : NULL;

   if (e == NULL)
      return;
   if (e->tag == Iex_Unop && e->Iex.Unop.op == Iop_1Uto32)
      p->condition = st->Ist.WrTmp.tmp;
   else if (e->tag == Iex_Binop && e->Iex.Binop.op == Iop_Sub32
            && p->condition != IRTemp_INVALID
            && e->Iex.Binop.arg2->tag == Iex_RdTmp
            && e->Iex.Binop.arg2->Iex.RdTmp.tmp == p->condition)
      p->top = st->Ist.WrTmp.tmp;
}

UInt DCFG_(x87_top)(void)
{
   ThreadId tid = VG_(get_running_tid)();
   UInt     top = 0;

   if (has_x87() && tid != VG_INVALID_THREADID)
      VG_(get_shadow_regs_area)(tid, (UChar*)&top, 0,
                                DCFG_(guest).layout->FTOP, sizeof(top));
   return top & 7;
}
