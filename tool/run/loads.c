/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How a superblock moves the stack pointer. */

/* Owns: the difference of the stack pointer, and of each temporary, from the
   stack pointer at the superblock's begin.  Handed: statements by the outputs that
   want to know.

   Additions to the stack pointer, and to copies of it, are followed.  What is
   computed from it otherwise, as an aligned stack pointer is, has changed in a way
   that is not known.  Anything else that is put there is a load: it may be of
   another stack. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "tool/run/loads.h"

/* CHANGED: it was computed from the stack pointer. */
#define UNKNOWN ((Long)1 << 62)
#define CHANGED ((Long)1 << 61)

void DCFG_(begin_sp)(SpTrack* t, Work* work)
{
   UInt n_tmps = work->out->tyenv->types_used;

   t->now = 0;
   if (n_tmps > t->room) {
      t->room   = 2 * n_tmps;
      t->of_tmp = VG_(realloc)("dcfg.ir.sp", t->of_tmp, t->room * sizeof(Long));
   }
   for (UInt i = 0; i < n_tmps; i++)
      t->of_tmp[i] = UNKNOWN;
   t->value = stack_pointer(work);
}

/* Return the difference of atom E. */
static Long of_atom(const SpTrack* t, const IRExpr* e)
{
   return e->tag == Iex_RdTmp ? t->of_tmp[e->Iex.RdTmp.tmp] : UNKNOWN;
}

/* Return the difference of the result of E. */
static Long of_binop(const SpTrack* t, const IRExpr* e)
{
   const Long    a = of_atom(t, e->Iex.Binop.arg1);
   const Long    b = of_atom(t, e->Iex.Binop.arg2);
   const Bool    is_const = e->Iex.Binop.arg2->tag == Iex_Const;
   const IRConst* c = is_const ? e->Iex.Binop.arg2->Iex.Const.con : NULL;
   const Long    n = c == NULL ? 0 : c->tag == Ico_U64 ? (Long)c->Ico.U64
                     : c->tag == Ico_U32 ? (Int)c->Ico.U32 : 0;

   if (a == UNKNOWN && b == UNKNOWN)
      return UNKNOWN;
   switch (e->Iex.Binop.op) {
      case Iop_Add64: case Iop_Add32:
         return is_const && a != CHANGED ? a + n : CHANGED;
      case Iop_Sub64: case Iop_Sub32:
         return a == UNKNOWN ? UNKNOWN : is_const && a != CHANGED ? a - n : CHANGED;
      case Iop_And64: case Iop_And32:
         return CHANGED;
      default:
         return UNKNOWN;
   }
}

static Long of_expr(const SpTrack* t, const Work* work, const IRExpr* e)
{
   if (e->tag == Iex_Get && e->Iex.Get.offset == work->layout->offset_SP)
      return t->now;
   if (e->tag == Iex_Binop)
      return of_binop(t, e);
   if (e->tag == Iex_ITE && of_atom(t, e->Iex.ITE.iftrue) != UNKNOWN
       && of_atom(t, e->Iex.ITE.iffalse) != UNKNOWN)
      return CHANGED;
   return of_atom(t, e);
}

Bool DCFG_(track_sp)(SpTrack* t, const Work* work, const IRStmt* st,
                     IRExpr** before)
{
   if (st->tag == Ist_WrTmp)
      t->of_tmp[st->Ist.WrTmp.tmp] = of_expr(t, work, st->Ist.WrTmp.data);
   if (st->tag != Ist_Put || st->Ist.Put.offset != work->layout->offset_SP)
      return False;
   *before  = t->value;
   t->value = st->Ist.Put.data;
   t->now   = of_atom(t, t->value);
   return t->now == UNKNOWN;
}
