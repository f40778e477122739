/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How a superblock moves the stack pointer. */

/* Additions to the stack pointer, and to copies of it, are followed.  What is
   computed from it otherwise, as an aligned stack pointer is, has changed in a way
   that is not known.  Anything else that is put there is a load: it may be of
   another stack. */

#ifndef __DCFG_LOADS_H
#define __DCFG_LOADS_H

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "tool/run/ir.h"

/* SpTrack: what is known of the stack pointer in the superblock in
   translation.  A difference is one from the stack pointer at the begin. */
typedef
   struct {
      Long    now;         // its difference
      IRExpr* value;       // an atom: the stack pointer
      Long*   of_tmp;      // the difference of each temporary
      UInt    room;
   }
   SpTrack;

/* Return the stack pointer after all statements that have been added. */
static inline IRExpr* stack_pointer(Work* work)
{
   return assign(work, work->word_ty,
                 IRExpr_Get(work->layout->offset_SP, work->word_ty));
}

/* SP_CHANGED: it was computed from the stack pointer. */
#define SP_UNKNOWN ((Long)1 << 62)
#define SP_CHANGED ((Long)1 << 61)

/* Begin a superblock.  Temporaries of added code are not tracked. */
static inline void begin_sp(SpTrack* t, Work* work)
{
   UInt n_tmps = work->out->tyenv->types_used;

   t->now = 0;
   if (n_tmps > t->room) {
      t->room   = 2 * n_tmps;
      t->of_tmp = VG_(realloc)("dcfg.ir.sp", t->of_tmp, t->room * sizeof(Long));
   }
   for (UInt i = 0; i < n_tmps; i++)
      t->of_tmp[i] = SP_UNKNOWN;
   t->value = stack_pointer(work);
}

/* Return the difference of atom E. */
static inline Long sp_of_atom(const SpTrack* t, const IRExpr* e)
{
   return e->tag == Iex_RdTmp ? t->of_tmp[e->Iex.RdTmp.tmp] : SP_UNKNOWN;
}

/* Return the difference of the result of E. */
static inline Long sp_of_binop(const SpTrack* t, const IRExpr* e)
{
   const Long    a = sp_of_atom(t, e->Iex.Binop.arg1);
   const Long    b = sp_of_atom(t, e->Iex.Binop.arg2);
   const Bool    is_const = e->Iex.Binop.arg2->tag == Iex_Const;
   const IRConst* c = is_const ? e->Iex.Binop.arg2->Iex.Const.con : NULL;
   const Long    n = c == NULL ? 0 : c->tag == Ico_U64 ? (Long)c->Ico.U64
                     : c->tag == Ico_U32 ? (Int)c->Ico.U32 : 0;

   if (a == SP_UNKNOWN && b == SP_UNKNOWN)
      return SP_UNKNOWN;
   switch (e->Iex.Binop.op) {
      case Iop_Add64: case Iop_Add32:
         return is_const && a != SP_CHANGED ? a + n : SP_CHANGED;
      case Iop_Sub64: case Iop_Sub32:
         return a == SP_UNKNOWN ? SP_UNKNOWN : is_const && a != SP_CHANGED ? a - n : SP_CHANGED;
      case Iop_And64: case Iop_And32:
         return SP_CHANGED;
      default:
         return SP_UNKNOWN;
   }
}

static inline Long sp_of_expr(const SpTrack* t, const Work* work, const IRExpr* e)
{
   if (e->tag == Iex_Get && e->Iex.Get.offset == work->layout->offset_SP)
      return t->now;
   if (e->tag == Iex_Binop)
      return sp_of_binop(t, e);
   if (e->tag == Iex_ITE && sp_of_atom(t, e->Iex.ITE.iftrue) != SP_UNKNOWN
       && sp_of_atom(t, e->Iex.ITE.iffalse) != SP_UNKNOWN)
      return SP_CHANGED;
   return sp_of_atom(t, e);
}

/* Note ST, a statement of W->out.  Return whether it loads the stack pointer: with
   what was not computed from it.  .value is the new stack pointer then, and *BEFORE
   the one before. */
static inline Bool track_sp(SpTrack* t, const Work* work, const IRStmt* st,
                            /*OUT*/IRExpr** before)
{
   if (st->tag == Ist_WrTmp)
      t->of_tmp[st->Ist.WrTmp.tmp] = sp_of_expr(t, work, st->Ist.WrTmp.data);
   if (st->tag != Ist_Put || st->Ist.Put.offset != work->layout->offset_SP)
      return False;
   *before  = t->value;
   t->value = st->Ist.Put.data;
   t->now   = sp_of_atom(t, t->value);
   return t->now == SP_UNKNOWN;
}

#endif /* __DCFG_LOADS_H */
