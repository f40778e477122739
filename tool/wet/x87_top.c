/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: how instructions move the top of x87's stack, and where it is now.
   Handed: VEX's statements; the guest state.

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

/*--- Places on the stack                                  ---*/

/* Bases that are no temporaries. */
enum { BaseBegin = -1,       // the top when the superblock begins
       BaseZero  = -2,       // 0
       BaseHelper = -3 };    // minus N: the top that statement N has loaded

/* Return the expression that statement number I of SB gives *IX, or the top if
   *IX is NULL; NULL if it gives another one.  Add to P what is added there. */
static const IRExpr* given_by(const IRSB* sb, Int i, const IRExpr** ix,
                              StackPlace* p)
{
   const IRStmt* st = sb->stmts[i];
   const IRExpr* e;

   if (*ix == NULL)
      return st->tag == Ist_Put
             && st->Ist.Put.offset == (Int)DCFG_(guest).layout->FTOP
             ? st->Ist.Put.data : NULL;
   if (st->tag != Ist_WrTmp || st->Ist.WrTmp.tmp != (*ix)->Iex.RdTmp.tmp)
      return NULL;
   e = st->Ist.WrTmp.data;
   if (e->tag == Iex_Get)
      *ix = NULL;
   if (e->tag == Iex_RdTmp)
      return e;
   if (e->tag != Iex_Binop || (e->Iex.Binop.op != Iop_Add32
                               && e->Iex.Binop.op != Iop_Sub32))
      return NULL;
   const IRExpr* more = e->Iex.Binop.arg2;
   Int           n    = more->tag == Iex_Const
                        ? (Int)more->Iex.Const.con->Ico.U32 : 1;
   p->distance += e->Iex.Binop.op == Iop_Add32 ? n : -n;
   return e->Iex.Binop.arg1;
}

StackPlace DCFG_(stack_place)(const IRSB* sb, const IRExpr* ix, Int bias)
{
   StackPlace p = { BaseBegin, bias };

   for (Int i = sb->stmts_used; i-- > 0 && (ix == NULL || ix->tag == Iex_RdTmp); ) {
      const IRExpr* e = given_by(sb, i, &ix, &p);
      if (e != NULL)
         ix = e;
      else if (ix == NULL && DCFG_(loads_top)(sb->stmts[i])) {
         p.base = BaseHelper - i;
         return p;
      }
   }
   if (ix != NULL && ix->tag == Iex_Const) {
      p.base      = BaseZero;
      p.distance += (Int)ix->Iex.Const.con->Ico.U32;
   } else if (ix != NULL) {
      p.base = (Int)ix->Iex.RdTmp.tmp;
   }
   return p;
}

Bool DCFG_(same_place)(StackPlace a, StackPlace b)
{
   return a.base == b.base && ((a.distance - b.distance) & 7) == 0;
}

/*--- The top now                                          ---*/

UInt DCFG_(x87_top)(void)
{
   ThreadId tid = VG_(get_running_tid)();
   UInt     top = 0;

   if (has_x87() && tid != VG_INVALID_THREADID)
      VG_(get_shadow_regs_area)(tid, (UChar*)&top, 0,
                                DCFG_(guest).layout->FTOP, sizeof(top));
   return top & 7;
}
