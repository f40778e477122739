/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instrumentation: its door for the core, and functions that add code. */

/* The core calls tool/run/instrument.c.  That file and the hooks of outputs
   share the superblock in translation, and functions that make IR. */

#ifndef __DCFG_IR_H
#define __DCFG_IR_H

#include "pub_tool_basics.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "dcfg_bb.h"
#include "tool/run/flow.h"
#include "tool/run/thread.h"

/*--- For the core                                         ---*/

/* Set VEX's options that counting relies on. */
void DCFG_(set_vex_control)(void);

IRSB* DCFG_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                        const VexGuestLayout* layout,
                        const VexGuestExtents* vge,
                        const VexArchInfo* archinfo_host,
                        IRType gWordTy, IRType hWordTy);

/*--- For watchers                                         ---*/

/* Return whether ST, a statement of the program, can raise a signal; True in
   case of doubt. */
Bool DCFG_(may_fault)(const IRStmt* st);

#if defined(VG_BIGENDIAN)
#  define HOST_ENDNESS Iend_BE
#else
#  define HOST_ENDNESS Iend_LE
#endif

/* The largest number of exits; an instruction has few. */
#define MAX_INSTRS DCFG_MAX_INSTRS
#define MAX_EXITS  256

/* Work: the superblock in translation. */
typedef
   struct _Work {
      IRSB*       out;
      IRType      word_ty;                  // a word of the host
      const VexGuestLayout* layout;
      IRTemp      base;                     // the cell array's base
      IRExpr*     entry_sp;                 // stack pointer at the start; NULL:
                                            // not needed
      Superblock  desc;
      Int         now;                      // index of the present instruction
      UInt        next_exit;                // number of the next exit
      Bool        started;                  // has its code been added?
      Bool        done;
      Superblock* sb;                       // the registered superblock
      /* From here on, as far as .desc says: */
      Addr        addrs[MAX_INSTRS];        // addresses of the instructions
      UChar       lengths[MAX_INSTRS];
      UChar       kinds[MAX_INSTRS];
      SbExit      exits[MAX_EXITS];
   }
   Work;

static inline void add(Work* work, IRStmt* st)
{
   addStmtToIRSB(work->out, st);
}

static inline IRExpr* assign(Work* work, IRType ty, IRExpr* e)
{
   IRTemp t = newIRTemp(work->out->tyenv, ty);
   add(work, IRStmt_WrTmp(t, e));
   return IRExpr_RdTmp(t);
}

static inline IRExpr* word(const Work* work, UWord n)
{
   return work->word_ty == Ity_I64 ? IRExpr_Const(IRConst_U64(n))
                                   : IRExpr_Const(IRConst_U32((UInt)n));
}

/* Return OP64 or its 32-bit counterpart of A and B. */
static inline IRExpr* word_op(Work* work, IROp op64, IROp op32, IRExpr* a,
                              IRExpr* b)
{
   return assign(work, work->word_ty,
                 IRExpr_Binop(work->word_ty == Ity_I64 ? op64 : op32, a, b));
}

static inline IRExpr* add_words(Work* work, IRExpr* a, IRExpr* b)
{
   return word_op(work, Iop_Add64, Iop_Add32, a, b);
}

static inline IRExpr* base(Work* work)
{
   if (work->base == IRTemp_INVALID) {
      IRExpr* e = assign(work, work->word_ty,
                         IRExpr_Get(work->layout->total_sizeB
                                    + DCFG_SHADOW_OFFSET, work->word_ty));
      work->base = e->Iex.RdTmp.tmp;
   }
   return IRExpr_RdTmp(work->base);
}

static inline IRExpr* cell_addr(Work* work, CellNo no)
{
   return add_words(work, base(work), word(work, DCFG_CELL_OFFSET(no)));
}

static inline IRExpr* load(Work* work, IRType ty, IRExpr* addr)
{
   return assign(work, ty, IRExpr_Load(HOST_ENDNESS, ty, addr));
}

static inline void store(Work* work, IRExpr* addr, IRExpr* data)
{
   add(work, IRStmt_Store(HOST_ENDNESS, addr, data));
}

static inline IRExpr* sum(Work* work, IRExpr* a, IRExpr* b)
{
   return assign(work, Ity_I64, IRExpr_Binop(Iop_Add64, a, b));
}

/* Return E, an I32, as an I64.  Some 32-bit hosts cannot generate code for
   VEX's combinations of 32Uto64 with other operations. */
static inline IRExpr* widened(Work* work, IRExpr* e)
{
   return assign(work, Ity_I64,
                 work->word_ty == Ity_I64
                 ? IRExpr_Unop(Iop_32Uto64, e)
                 : IRExpr_Binop(Iop_32HLto64, word(work, 0), e));
}

/* Return the word 1 if GUARD, else 0. */
static inline IRExpr* bit_to_word(Work* work, IRExpr* guard)
{
   return assign(work, work->word_ty,
                 IRExpr_Unop(work->word_ty == Ity_I64 ? Iop_1Uto64 : Iop_1Uto32,
                             guard));
}

static inline IRExpr* word_to_I64(Work* work, IRExpr* e)
{
   return work->word_ty == Ity_I64 ? e : widened(work, e);
}

static inline IRExpr* bit_to_I64(Work* work, IRExpr* guard)
{
   return word_to_I64(work, bit_to_word(work, guard));
}

/* Return whether E, an I64, is negative.  32-bit hosts can only compare its
   upper half. */
static inline IRExpr* is_negative(Work* work, IRExpr* e)
{
   if (work->word_ty == Ity_I64)
      return assign(work, Ity_I1, IRExpr_Binop(Iop_CmpLT64S, e,
                                               IRExpr_Const(IRConst_U64(0))));
   return assign(work, Ity_I1,
                 IRExpr_Binop(Iop_CmpLT32S,
                              assign(work, Ity_I32,
                                     IRExpr_Unop(Iop_64HIto32, e)),
                              word(work, 0)));
}

/* Add N, an I64, to a slot.  The address is computed twice, because VEX merges
   an expression with one use into the instruction that uses it. */
static inline void add_to_slot(Work* work, CellNo slot, IRExpr* n)
{
   IRExpr* old = load(work, Ity_I64, cell_addr(work, slot));
   store(work, cell_addr(work, slot), sum(work, old, n));
}

/* Return the address of the word of a counter that generated code adds to. */
static inline IRExpr* counter_addr(Work* work, CellNo counter)
{
   Addr half = work->word_ty == Ity_I32 && HOST_ENDNESS == Iend_BE ? 4 : 0;
   return add_words(work, base(work),
                    word(work, DCFG_CELL_OFFSET(counter) + half));
}

/* Add N, a word 0 or 1, to a counter.  A superblock adds to each of its
   counters once: see DCFG_(carry_counters). */
static inline void count(Work* work, CellNo counter, IRExpr* n)
{
   IRExpr* old = load(work, work->word_ty, counter_addr(work, counter));
   store(work, counter_addr(work, counter), add_words(work, old, n));
}

static inline void count_one(Work* work, CellNo counter)
{
   count(work, counter, word(work, 1));
}

/* Call FN(base, ...) if GUARD.  The call is declared to change cells, so that
   VEX does not move loads and stores of cells across it. */
static inline IRDirty* call_if(Work* work, IRExpr* guard, const HChar* name,
                           void* fn, IRExpr** args)
{
   IRDirty* di = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(fn), args);
   di->guard = guard;
   di->mFx   = Ifx_Modify;
   di->mAddr = base(work);
   di->mSize = DCFG_CELL_OFFSET(DCFG_(n_fixed_slots)());
   add(work, IRStmt_Dirty(di));
   return di;
}

#endif /* __DCFG_IR_H */
