/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Addresses that are others plus a constant. */

/* Owns: for each temporary of the superblock in translation, its distance
   from another one.  Handed: VEX's statements. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"

#include "format/wet_code.h"
#include "tool/run/ir.h"
#include "tool/wet/distances.h"

static struct {
   Distance* temps;
   UInt      n_known;        // temporaries that VEX made
   UInt      n_temps;        // size of .temps
} known;

void DCFG_(begin_distances)(UInt n_temps)
{
   if (n_temps > known.n_temps) {
      known.temps   = VG_(realloc)("dcfg.wet.temps", known.temps,
                                  2 * n_temps * sizeof(Distance));
      known.n_temps = 2 * n_temps;
   }
   known.n_known = n_temps;
   for (UInt t = 0; t < n_temps; t++)
      known.temps[t].from = IRTemp_INVALID;
}

Addr DCFG_(constant_address)(const IRExpr* e)
{
   return e->Iex.Const.con->tag == Ico_U64 ? (Addr)e->Iex.Const.con->Ico.U64
                                           : e->Iex.Const.con->Ico.U32;
}

Distance DCFG_(distance_of)(IRTemp t)
{
   Distance d = { t, 0, WhereTape };

   return t < known.n_known && known.temps[t].from != IRTemp_INVALID
          ? known.temps[t] : d;
}

/* Return whether OP's result is the low part of its operand.  Distances hold
   for low parts, too. */
static Bool takes_low_part(IROp op)
{
   return op == Iop_64to32 || op == Iop_64to16 || op == Iop_64to8
          || op == Iop_32to16 || op == Iop_32to8 || op == Iop_16to8;
}

/* Return whether OP adds or subtracts words. */
static Bool is_sum(const Work* w, IROp op)
{
   return w->word_ty == Ity_I64 ? op == Iop_Add64 || op == Iop_Sub64
                                : op == Iop_Add32 || op == Iop_Sub32;
}

void DCFG_(note_distance)(const Work* w, const IRStmt* st)
{
   const IRExpr* e = st->Ist.WrTmp.data;
   IRTemp        t = st->Ist.WrTmp.tmp;
   Distance      d = { IRTemp_INVALID, 0, WhereTape };

   if (e->tag == Iex_Get && e->Iex.Get.ty == w->word_ty) {
      d.from  = t;
      d.where = e->Iex.Get.offset == w->layout->offset_SP ? WhereStack
                : e->Iex.Get.offset == w->layout->offset_FP ? WhereFrame
                : WhereTape;
   } else if (e->tag == Iex_Unop && e->Iex.Unop.arg->tag == Iex_RdTmp
              && takes_low_part(e->Iex.Unop.op)) {
      d = DCFG_(distance_of)(e->Iex.Unop.arg->Iex.RdTmp.tmp);
   } else if (e->tag == Iex_RdTmp) {
      d = DCFG_(distance_of)(e->Iex.RdTmp.tmp);
   } else if (e->tag == Iex_Binop && is_sum(w, e->Iex.Binop.op)
              && e->Iex.Binop.arg1->tag == Iex_RdTmp
              && e->Iex.Binop.arg2->tag == Iex_Const) {
      Addr n = DCFG_(constant_address)(e->Iex.Binop.arg2);
      d           = DCFG_(distance_of)(e->Iex.Binop.arg1->Iex.RdTmp.tmp);
      d.distance += e->Iex.Binop.op == Iop_Add64
                    || e->Iex.Binop.op == Iop_Add32 ? n : -n;
   }
   known.temps[t] = d;
}
