/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Uses, definitions and length of an instruction. */

/* Owns: the location of each byte of VEX's guest state, and VEX's decoding of a
   single instruction outside of a translation.  From that: its length, and the
   part of its row in a file that says what it uses and defines.  Handed: bytes
   of instructions.

   A location is used if its value at the instruction's begin has a part in
   anything that the instruction does: the values that it writes, the addresses
   that it accesses, the next instruction.  VEX's unoptimised IR tells this,
   with two exceptions.  Of the flags, it keeps the operands that they would be
   computed from.  And in idioms such as PXOR of a register with itself, the
   result depends on nothing.  arch/ corrects where the IR tells more or less
   than that.

   Both answers take long to find, and most instructions have the bytes of an
   earlier one.  So both have a cache by bytes.  Lengths are asked for code that
   was not executed: VEX takes a microsecond to decode an instruction, and
   large programs have millions.  That cache has a fixed size.  Uses and
   definitions do not depend on the address.  They are kept for all instructions
   that were executed, once for equal bytes. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_tooliface.h"

#include "format/port.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/wet/coding.h"
#include "tool/wet/slots.h"
#include "tool/wet/usage.h"
#include "tool/wet/x87_top.h"

/*--- Locations of the guest state's bytes                 ---*/

/* Return the location, from 0, of byte AT in a group of registers.  A register
   has SIZE bytes, and ROOM locations. */
static UInt register_byte(UInt at, UInt size, UInt room)
{
   return at / size * room + at % size;
}

UInt DCFG_(location_at)(UInt offset)
{
   const GuestLayout* g = DCFG_(guest).layout;

   if (offset >= g->general && offset < g->general_end)
      return LocGeneral + register_byte(offset - g->general, g->word, 8);
   if (offset >= g->vectors && offset < g->vectors_end)
      return LocVector + register_byte(offset - g->vectors, g->vector,
                                       g->vector_room);
   if (offset >= g->FPREG && offset < g->FPTAG)
      return LocX87 + offset - g->FPREG;
   if (offset >= g->DFLAG && offset < g->DFLAG_end)
      return LocDirection;
   if (offset >= g->FC3210 && offset < g->FC3210 + g->word)
      return LocStatus;
   return N_LOCS;
}

/* Return whether the byte at OFFSET of the guest state is a component of the
   flags. */
static Bool is_flag_at(UInt offset)
{
   const GuestLayout* g = DCFG_(guest).layout;

   return offset >= g->flags && offset < g->flags_end;
}

/*--- VEX's IR of one instruction                          ---*/

/* VEX reads some bytes behind an instruction. */
#define MAX_CODE 64u

static Bool no_chasing(void* arg, Addr a)
{
   return False;
}

static UInt no_self_check(void* arg, VexRegisterUpdates* px,
                          const VexGuestExtents* extents)
{
   return 0;
}

/* Call TAKE with ARG and the unoptimised IR of the instruction at CODE, with
   LEN readable bytes, as if it were at ADDR.  Not while anything is being
   translated. */
static void lift(const UChar* code, UInt len, Addr addr,
                 void (*take)(void* arg, const IRSB* sb), void* arg)
{
   static const UChar no_code;
   UChar              padded[MAX_CODE];
   VexTranslateArgs   args;
   VexTranslateResult result;
   VexGuestExtents    extents;
   VexRegisterUpdates px;
   VexControl         control = vex_control;
   const IRSB*        sb;

   VG_(memset)(padded, 0x90, sizeof(padded));
   VG_(memcpy)(padded, code, len < MAX_CODE ? len : MAX_CODE);
   VG_(memset)(&args, 0, sizeof(args));
   VG_(machine_get_VexArchInfo)(&args.arch_guest, &args.archinfo_guest);
   args.arch_host     = args.arch_guest;
   args.archinfo_host = args.archinfo_guest;
   LibVEX_default_VexAbiInfo(&args.abiinfo_both);
   args.abiinfo_both.guest_stack_redzone_size = DCFG_(guest).redzone;
   args.abiinfo_both.guest_amd64_assume_fs_is_const = True;
   args.abiinfo_both.guest_amd64_assume_gs_is_const = True;
   args.guest_bytes      = padded;
   args.guest_bytes_addr = addr;
   args.chase_into_ok    = no_chasing;
   args.guest_extents    = &extents;
   args.needs_self_check = no_self_check;
   args.disp_cp_chain_me_to_slowEP = &no_code;
   args.disp_cp_chain_me_to_fastEP = &no_code;
   args.disp_cp_xindir             = &no_code;
   args.disp_cp_xassisted          = &no_code;

   vex_control.iropt_level     = 0;
   vex_control.guest_max_insns = 1;
   /* Without instrumentation, the front end does no more than this needs. */
   sb = LibVEX_FrontEnd(&args, &result, &px);
   vex_control = control;
   if (sb != NULL)
      take(arg, sb);
}

/*--- Lengths                                              ---*/

/* KnownInstr: the bytes of an instruction, the lowest first, and above them its
   length. */
typedef
   struct {
      ULong low, high;
   }
   KnownInstr;

#define KNOWN_BITS 18
static KnownInstr known[1u << KNOWN_BITS];

/* For the first two bytes of an instruction: a bit for each length that is
   known. */
static UShort lengths[1u << 16];

/* The longest instruction that has room beside its length. */
#define MAX_KNOWN 15u

/* Return whether VEX decodes an instruction by its own bytes alone.  Of x86, a
   call of the next instruction, and a client request, are one instruction with
   what follows. */
static Bool stands_alone(void)
{
   return sizeof(Addr) > 4;
}

/* Return the first LEN bytes of BYTES as an instruction of that length. */
static KnownInstr instr_of(const ULong* bytes, UInt len)
{
   KnownInstr i;

   i.low  = len >= 8 ? bytes[0] : bytes[0] & ((1ULL << 8 * len) - 1);
   i.high = len <= 8 ? 0 : bytes[1] & ((1ULL << 8 * (len - 8)) - 1);
   i.high |= (ULong)len << 56;
   return i;
}

static KnownInstr* place_of(const KnownInstr* i)
{
   ULong hash = (i->low ^ i->high * 0xC2B2AE3D27D4EB4FULL)
                * 0x9E3779B97F4A7C15ULL;

   return &known[hash >> (64 - KNOWN_BITS)];
}

static void take_length(void* arg, const IRSB* sb)
{
   UInt* len = arg;

   if (sb->jumpkind == Ijk_NoDecode)
      return;
   for (Int i = 0; i < sb->stmts_used; i++)
      if (sb->stmts[i]->tag == Ist_IMark) {
         *len = sb->stmts[i]->Ist.IMark.len;
         return;
      }
}

UInt DCFG_(length_of_instr)(const UChar* code, UInt n, Addr addr)
{
   ULong  bytes[2] = { 0, 0 };
   UInt   len      = 0;

   VG_(memcpy)(bytes, code, n);
   UShort* some = &lengths[bytes[0] & 0xFFFF];
   for (UInt left = *some; left != 0; left &= left - 1) {
      UInt       l = __builtin_ctz(left);
      KnownInstr i = instr_of(bytes, l);
      if (l <= n && place_of(&i)->low == i.low && place_of(&i)->high == i.high)
         return l;
   }
   lift(code, n, addr, take_length, &len);
   if (len > n)
      return 0;
   if (stands_alone() && len > 0 && len <= MAX_KNOWN) {
      KnownInstr i = instr_of(bytes, len);
      *some       |= 1u << len;
      *place_of(&i) = i;
   }
   return len;
}

#define OFFSET(field) (DCFG_(guest).layout->field)

/*--- Expressions                                          ---*/

/* Temp: a temporary, and how much of its value matters. */
typedef
   struct {
      const IRExpr* is;
      UInt live;          // the lowest bytes, as many as this, matter
      Bool tracked;       // is it x87's top plus .step?
      Int  step;
      UInt value;         // equal values have equal numbers; 0: not known
   }
   Temp;

typedef
   struct {
      Usage*      u;
      const UChar* code;                 // bytes of the instruction
      UInt        len;
      const IRSB* sb;
      Temp*       temps;
      UInt        n_values;
      UChar       written[N_LOCS];   // locations written so far
      Bool        step_flags;        // keeps C: INC, DEC
      Bool        rotate;            // keeps S, Z, A, P
      Int         top;               // x87's top, from its place at the begin
      Bool        top_zero;
      Bool        top_told;          // only an execution tells the top
   }
   Lifted;

static void use_loc(Lifted* l, UInt loc)
{
   if (loc < N_LOCS && !l->written[loc])
      l->u->uses[loc] = 1;
}

static void def_loc(Lifted* l, UInt loc)
{
   if (loc < N_LOCS)
      l->u->defs[loc] = 1;
}

/* Return a constant of the size of a general register. */
static ULong constant(const IRExpr* e)
{
   const IRConst* con = e->Iex.Const.con;

   return con->tag == Ico_U64 ? con->Ico.U64 : con->Ico.U32;
}

/* Use the flags of condition COND of VEX, and of the processor. */
static void use_condition(Lifted* l, UInt cond)
{
   Bool carry, others;

   OFFSET(flags_of)(cond, &carry, &others);
   if (carry)
      use_loc(l, LocCarry);
   if (others)
      use_loc(l, LocFlags);
}

/* Return the condition that the helper is given: a constant, or one above
   CC_OP. */
static const IRExpr* condition_of(const Lifted* l, const IRExpr* e)
{
   if (e->tag == Iex_RdTmp)
      e = l->temps[e->Iex.RdTmp.tmp].is;
   if (e != NULL && e->tag == Iex_Binop && OFFSET(condition_shift) > 0)
      e = e->Iex.Binop.arg2;
   return e != NULL && e->tag == Iex_Const ? e : NULL;
}

/* If E is a temporary, its N lowest bytes matter. */
static void need_low(Lifted* l, const IRExpr* e, UInt n)
{
   if (e->tag == Iex_RdTmp && l->temps[e->Iex.RdTmp.tmp].live < n)
      l->temps[e->Iex.RdTmp.tmp].live = n;
}

/* All of E matters. */
static void need(Lifted* l, const IRExpr* e)
{
   if (e != NULL)
      need_low(l, e, 32);
}

/* Return how many of the lowest bytes OP takes.  VEX reads part of a register
   as the whole, and takes the lowest bytes of that. */
static UInt low_bytes(IROp op)
{
   switch (op) {
      case Iop_64to8: case Iop_32to8: case Iop_16to8:
         return 1;
      case Iop_64to16: case Iop_32to16:
         return 2;
      case Iop_64to32: case Iop_V128to32:
         return 4;
      case Iop_V128to64: case Iop_V256to64_0:
         return 8;
      case Iop_V256toV128_0:
         return 16;
      default:
         return 32;
   }
}

static void use_bytes(Lifted* l, UInt offset, UInt n)
{
   for (UInt i = 0; i < n; i++) {
      if (is_flag_at(offset + i)) {
         use_loc(l, LocCarry);
         use_loc(l, LocFlags);
      } else {
         use_loc(l, DCFG_(location_at)(offset + i));
      }
   }
}

/* Use or DEFINE a register of x87's stack, whose index is a temporary. */
static void use_stack(Lifted* l, const IRRegArray* array, const IRExpr* ix,
                      Int bias, Bool define)
{
   const Temp* t = ix->tag == Iex_RdTmp ? &l->temps[ix->Iex.RdTmp.tmp] : NULL;

   if (array->base != OFFSET(FPREG) || t == NULL)
      return;
   UInt first = LocStack + ((t->step + bias) & 7) * 8;
   for (UInt i = 0; i < 8; i++) {
      if (define)
         def_loc(l, first + i);
      else
         use_loc(l, first + i);
   }
}

/* Use the operands of one of VEX's helpers for flags. */
static void use_call(Lifted* l, const IRExpr* e)
{
   const HChar*  name = e->Iex.CCall.cee->name;
   IRExpr**      args = e->Iex.CCall.args;
   const IRExpr* cond = VG_(strcmp)(name, OFFSET(condition)) != 0 ? NULL
                        : condition_of(l, args[0]);

   if (cond != NULL) {
      use_condition(l, constant(cond) >> OFFSET(condition_shift));
   } else if (VG_(strcmp)(name, OFFSET(carry)) == 0) {
      if (!l->step_flags)
         use_loc(l, LocCarry);
   } else if (VG_(strcmp)(name, OFFSET(all_flags)) == 0) {
      use_loc(l, LocFlags);
      if (!l->rotate)
         use_loc(l, LocCarry);
   } else {
      for (UInt i = 0; args[i] != NULL; i++)
         need(l, args[i]);
   }
}

static Bool same_value(const Lifted* l, const IRExpr* a, const IRExpr* b)
{
   return a->tag == Iex_RdTmp && b->tag == Iex_RdTmp
          && l->temps[a->Iex.RdTmp.tmp].value != 0
          && l->temps[a->Iex.RdTmp.tmp].value
             == l->temps[b->Iex.RdTmp.tmp].value;
}

/* Return whether OP of a value and itself is constant. */
static Bool cancels(IROp op)
{
   switch (op) {
      case Iop_Xor8: case Iop_Xor16: case Iop_Xor32: case Iop_Xor64:
      case Iop_XorV128: case Iop_XorV256:
      case Iop_Sub8: case Iop_Sub16: case Iop_Sub32: case Iop_Sub64:
      case Iop_Sub8x8: case Iop_Sub16x4: case Iop_Sub32x2:
      case Iop_Sub8x16: case Iop_Sub16x8: case Iop_Sub32x4: case Iop_Sub64x2:
      case Iop_Sub8x32: case Iop_Sub16x16: case Iop_Sub32x8:
      case Iop_Sub64x4:
      case Iop_CmpEQ8x8: case Iop_CmpEQ16x4: case Iop_CmpEQ32x2:
      case Iop_CmpEQ8x16: case Iop_CmpEQ16x8: case Iop_CmpEQ32x4:
      case Iop_CmpEQ64x2:
      case Iop_CmpEQ8x32: case Iop_CmpEQ16x16: case Iop_CmpEQ32x8:
      case Iop_CmpEQ64x4:
         return True;
      default:
         return False;
   }
}

/* Use what the N lowest bytes of E depend on. */
static void use_expr(Lifted* l, const IRExpr* e, UInt n)
{
   switch (e->tag) {
      case Iex_Get: {
         UInt size = sizeofIRType(e->Iex.Get.ty);
         use_bytes(l, e->Iex.Get.offset, n < size ? n : size);
         break;
      }
      case Iex_GetI:
         use_stack(l, e->Iex.GetI.descr, e->Iex.GetI.ix, e->Iex.GetI.bias,
                   False);
         break;
      case Iex_Binop:
         if (cancels(e->Iex.Binop.op)
             && same_value(l, e->Iex.Binop.arg1, e->Iex.Binop.arg2))
            break;
         need(l, e->Iex.Binop.arg1);
         need(l, e->Iex.Binop.arg2);
         break;
      case Iex_RdTmp:
         need_low(l, e, n);
         break;
      case Iex_Qop:
         need(l, e->Iex.Qop.details->arg1);
         need(l, e->Iex.Qop.details->arg2);
         need(l, e->Iex.Qop.details->arg3);
         need(l, e->Iex.Qop.details->arg4);
         break;
      case Iex_Triop:
         need(l, e->Iex.Triop.details->arg1);
         need(l, e->Iex.Triop.details->arg2);
         need(l, e->Iex.Triop.details->arg3);
         break;
      case Iex_Unop: {
         UInt low = low_bytes(e->Iex.Unop.op);
         need_low(l, e->Iex.Unop.arg, n < low && low < 32 ? n : low);
         break;
      }
      case Iex_ITE:
         need(l, e->Iex.ITE.cond);
         need(l, e->Iex.ITE.iftrue);
         need(l, e->Iex.ITE.iffalse);
         break;
      case Iex_CCall:
         use_call(l, e);
         break;
      default:                       // loads: the address is used elsewhere
         break;
   }
}

/* Return the number of E's value.  Only expressions of idioms are compared. */
static UInt value_of(Lifted* l, UInt tmp, const IRExpr* e)
{
   for (UInt t = 0; t < tmp; t++) {
      const IRExpr* x = l->temps[t].is;
      if (x == NULL || x->tag != e->tag)
         continue;
      if (e->tag == Iex_Get && x->Iex.Get.offset == e->Iex.Get.offset
          && x->Iex.Get.ty == e->Iex.Get.ty)
         return l->temps[t].value;
      if (e->tag == Iex_Unop && x->Iex.Unop.op == e->Iex.Unop.op
          && same_value(l, x->Iex.Unop.arg, e->Iex.Unop.arg))
         return l->temps[t].value;
   }
   return e->tag == Iex_RdTmp ? l->temps[e->Iex.RdTmp.tmp].value
                              : ++l->n_values;
}

/* Return the step of the top.  FPTAN and FSINCOS push if their operand is in
   range; for the location of the result, they are taken to push. */
static Int step_by(Lifted* l, const IRExpr* e)
{
   if (e->tag == Iex_Const)
      return (Int)e->Iex.Const.con->Ico.U32;
   l->top_told = True;
   return 1;
}

/* Track temporaries that hold x87's top. */
static void track_top(Lifted* l, Temp* t, const IRExpr* e)
{
   const Temp* a;

   switch (e->tag) {
      case Iex_Get:
         t->tracked = e->Iex.Get.offset == OFFSET(FTOP);
         t->step    = l->top;
         break;
      case Iex_Binop:
         if (e->Iex.Binop.arg1->tag != Iex_RdTmp)
            break;
         a          = &l->temps[e->Iex.Binop.arg1->Iex.RdTmp.tmp];
         t->tracked = a->tracked;
         t->step    = a->step;
         if (!a->tracked)
            break;
         if (e->Iex.Binop.op == Iop_Add32)
            t->step += step_by(l, e->Iex.Binop.arg2);
         else if (e->Iex.Binop.op == Iop_Sub32)
            t->step -= step_by(l, e->Iex.Binop.arg2);
         break;
      case Iex_RdTmp:
         t->tracked = l->temps[e->Iex.RdTmp.tmp].tracked;
         t->step    = l->temps[e->Iex.RdTmp.tmp].step;
         break;
      default:
         break;
   }
}

static void set_top(Lifted* l, const IRExpr* e)
{
   if (e->tag == Iex_RdTmp && l->temps[e->Iex.RdTmp.tmp].tracked)
      l->top = l->temps[e->Iex.RdTmp.tmp].step;
   else
      l->top_zero = True;
}

/* Note which kind of flags is written. */
static void note_flags(Lifted* l, const IRExpr* op)
{
   const GuestLayout* g = DCFG_(guest).layout;
   UInt               n;

   if (op->tag != Iex_Const)
      return;
   n = constant(op);
   l->step_flags = n >= g->first_step && n <= g->last_step;
   l->rotate     = n >= g->first_rotation && n <= g->last_rotation;
}

/*--- Statements                                           ---*/

static Bool same_address(const Lifted* l, const IRExpr* a, const IRExpr* b)
{
   if (a->tag == Iex_Const && b->tag == Iex_Const)
      return constant(a) == constant(b);
   return (a->tag == Iex_RdTmp && b->tag == Iex_RdTmp
           && a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp) || same_value(l, a, b);
}

static void add_accesses(Lifted* l)
{
   const IRExpr* addrs[MAX_ACCESSES];

   for (Int i = 0; i < l->sb->stmts_used; i++) {
      Slot    slot;
      IRExpr* addr;
      IRExpr* guard;
      if (!DCFG_(access_of)(l->sb, l->sb->stmts[i], &slot, &addr, &guard)
          || !DCFG_(is_access)(l->sb, l->code, l->len, &slot, &addr, &guard))
         continue;
      UInt n = l->u->n_accesses;
      tl_assert(n < MAX_ACCESSES);
      Access* a = &l->u->accesses[n];
      a->what = slot.what;
      a->size = slot.size;
      a->same = 0;
      for (UInt j = n; j-- > 0; )
         if (same_address(l, addr, addrs[j]))
            a->same = 1 + j;
      addrs[n] = addr;
      l->u->n_accesses++;
   }
}

/* Note what a statement needs in any case. */
static void find_roots(Lifted* l, const IRStmt* st)
{
   switch (st->tag) {
      case Ist_Put:
         if (DCFG_(location_at)(st->Ist.Put.offset) < N_LOCS
             || st->Ist.Put.offset == DCFG_(guest).discard_start // CLFLUSH
             || (is_flag_at(st->Ist.Put.offset)
                 && !(l->step_flags && st->Ist.Put.offset == OFFSET(CC_NDEP))))
            need(l, st->Ist.Put.data);
         break;
      case Ist_PutI:
         if (st->Ist.PutI.details->descr->base == OFFSET(FPREG))
            need(l, st->Ist.PutI.details->data);
         break;
      case Ist_WrTmp:
         if (st->Ist.WrTmp.data->tag == Iex_Load)
            need(l, st->Ist.WrTmp.data->Iex.Load.addr);
         break;
      case Ist_Store:
         need(l, st->Ist.Store.addr);
         need(l, st->Ist.Store.data);
         break;
      case Ist_LoadG:
         need(l, st->Ist.LoadG.details->addr);
         need(l, st->Ist.LoadG.details->alt);
         need(l, st->Ist.LoadG.details->guard);
         break;
      case Ist_StoreG:
         need(l, st->Ist.StoreG.details->addr);
         need(l, st->Ist.StoreG.details->data);
         need(l, st->Ist.StoreG.details->guard);
         break;
      case Ist_LLSC:
         need(l, st->Ist.LLSC.addr);
         need(l, st->Ist.LLSC.storedata);
         break;
      case Ist_CAS:
         need(l, st->Ist.CAS.details->addr);
         need(l, st->Ist.CAS.details->expdLo);
         need(l, st->Ist.CAS.details->expdHi);
         need(l, st->Ist.CAS.details->dataLo);
         need(l, st->Ist.CAS.details->dataHi);
         break;
      case Ist_Dirty: {
         const IRDirty* d = st->Ist.Dirty.details;
         need(l, d->guard);
         need(l, d->mAddr);
         for (UInt i = 0; d->args[i] != NULL; i++)
            if (!is_IRExpr_VECRET_or_GSPTR(d->args[i]))
               need(l, d->args[i]);
         break;
      }
      case Ist_Exit:
         need(l, st->Ist.Exit.guard);
         break;
      default:
         break;
   }
}

/* Use or DEFINE the state of a helper.  If the helper is called only sometimes,
   the old state has a part in the result. */
static void helper_state(Lifted* l, const IRDirty* d, Bool define)
{
   Bool always = d->guard->tag == Iex_Const;

   for (Int i = 0; i < d->nFxState; i++)
      for (UInt r = 0; r <= d->fxState[i].nRepeats; r++) {
         UInt at = d->fxState[i].offset + r * d->fxState[i].repeatLen;
         if (!define && (d->fxState[i].fx != Ifx_Write || !always))
            use_bytes(l, at, d->fxState[i].size);
         if (define && d->fxState[i].fx != Ifx_Read)
            for (UInt k = 0; k < d->fxState[i].size; k++)
               def_loc(l, DCFG_(location_at)(at + k));
      }
}

/* The pass forward: uses of each statement, for temporaries that matter, and
   definitions. */
static void pass(Lifted* l)
{
   VG_(memset)(l->written, 0, sizeof(l->written));
   l->top = 0;
   for (Int i = 0; i < l->sb->stmts_used; i++) {
      const IRStmt* st = l->sb->stmts[i];
      switch (st->tag) {
         case Ist_WrTmp:
            if (l->temps[st->Ist.WrTmp.tmp].live > 0)
               use_expr(l, st->Ist.WrTmp.data,
                        l->temps[st->Ist.WrTmp.tmp].live);
            break;
         case Ist_Dirty:
            helper_state(l, st->Ist.Dirty.details, False);
            helper_state(l, st->Ist.Dirty.details, True);
            break;
         case Ist_PutI:
            use_stack(l, st->Ist.PutI.details->descr,
                      st->Ist.PutI.details->ix, st->Ist.PutI.details->bias,
                      True);
            break;
         case Ist_Put: {
            UInt at = st->Ist.Put.offset;
            UInt n  = sizeofIRType(typeOfIRExpr(l->sb->tyenv,
                                                st->Ist.Put.data));
            if (at == OFFSET(flags)) {
               def_loc(l, LocFlags);
               l->written[LocFlags] = 1;
               if (!l->step_flags) {
                  def_loc(l, LocCarry);
                  l->written[LocCarry] = 1;
               }
            }
            for (UInt k = 0; k < n; k++) {
               UInt loc = DCFG_(location_at)(at + k);
               def_loc(l, loc);
               if (loc < N_LOCS)
                  l->written[loc] = 1;
            }
            break;
         }
         default:
            break;
      }
   }
}

/* Given: an instruction. */
typedef
   struct {
      Usage*       u;
      const UChar* code;
      UInt         len;
   }
   Given;

static void analyse(void* arg, const IRSB* sb)
{
   const Given* g = arg;
   Usage*       u = g->u;
   Lifted       l;

   VG_(memset)(&l, 0, sizeof(l));
   l.u     = u;
   l.code  = g->code;
   l.len   = g->len;
   l.sb    = sb;
   l.temps = VG_(calloc)("dcfg.usage.temps", sb->tyenv->types_used + 1,
                         sizeof(Temp));
   u->known = sb->jumpkind != Ijk_NoDecode;
   for (Int i = 0; i < sb->stmts_used; i++) {
      const IRStmt* st = sb->stmts[i];
      if (st->tag == Ist_WrTmp) {
         Temp* t  = &l.temps[st->Ist.WrTmp.tmp];
         t->value = value_of(&l, st->Ist.WrTmp.tmp, st->Ist.WrTmp.data);
         t->is    = st->Ist.WrTmp.data;
         track_top(&l, t, st->Ist.WrTmp.data);
      } else if (st->tag == Ist_Put && st->Ist.Put.offset == OFFSET(FTOP)) {
         set_top(&l, st->Ist.Put.data);
      } else if (st->tag == Ist_Put && st->Ist.Put.offset == OFFSET(flags)) {
         note_flags(&l, st->Ist.Put.data);
      } else if (DCFG_(loads_top)(st)) {
         l.top_told = True;
      }
   }
   u->top_step = l.top;
   u->top_zero = l.top_zero;
   u->top_told = l.top_told;
   add_accesses(&l);
   for (Int i = 0; i < sb->stmts_used; i++)
      find_roots(&l, sb->stmts[i]);
   need(&l, sb->next);
   /* The pass backward: operands of temporaries that matter. */
   for (Int i = sb->stmts_used; i-- > 0; )
      if (sb->stmts[i]->tag == Ist_WrTmp
          && l.temps[sb->stmts[i]->Ist.WrTmp.tmp].live > 0) {
         UChar uses[N_LOCS];
         VG_(memcpy)(uses, u->uses, N_LOCS);
         use_expr(&l, sb->stmts[i]->Ist.WrTmp.data,
                  l.temps[sb->stmts[i]->Ist.WrTmp.tmp].live);
         VG_(memcpy)(u->uses, uses, N_LOCS);
      }
   pass(&l);
   VG_(free)(l.temps);
}

/*--- Instructions                                         ---*/

/* Find the uses and definitions of the instruction of LEN bytes at CODE, which
   ran at ADDR.  Not while anything is being translated. */
static void find_usage(const UChar* code, UInt len, Addr addr, Usage* u)
{
   Given g = { u, code, len };

   VG_(memset)(u, 0, sizeof(*u));
   lift(code, len, addr, analyse, &g);
   DCFG_(guest).correct_usage(u, code, len);
}

/*--- The part of a row                                    ---*/

/* Add a set of locations as ranges: distance from the last one, length. */
static void add_locs(Bytes* b, const UChar* locs)
{
   UShort begins[N_LOCS / 2], ends[N_LOCS / 2];
   UInt   n = 0, last = 0;

   for (UInt i = 0; i < N_LOCS; ) {
      ULong some = 0;
      if (i % sizeof(some) == 0)
         __builtin_memcpy(&some, &locs[i], sizeof(some));
      if (i % sizeof(some) == 0 && some == 0) {
         i += sizeof(some);
      } else if (!locs[i]) {
         i++;
      } else {
         begins[n] = i;
         while (i < N_LOCS && locs[i])
            i++;
         ends[n++] = i;
      }
   }
   DCFG_(add_varint)(b, n);
   for (UInt i = 0; i < n; i++) {
      DCFG_(add_varint)(b, begins[i] - last);
      DCFG_(add_varint)(b, ends[i] - begins[i]);
      last = ends[i];
   }
}

static void add_usage(Bytes* b, const Usage* u)
{
   DCFG_(add_varint)(b, (u->known ? 1 : 0) | (u->top_zero ? 2 : 0)
                        | (u->top_step & 7) << 2 | (u->top_told ? 32 : 0));
   add_locs(b, u->uses);
   add_locs(b, u->defs);
   DCFG_(add_varint)(b, u->n_accesses);
   for (UInt i = 0; i < u->n_accesses; i++) {
      DCFG_(add_varint)(b, u->accesses[i].what);
      DCFG_(add_varint)(b, u->accesses[i].size);
      DCFG_(add_varint)(b, u->accesses[i].same);
   }
}

/* The parts, one behind the other: the length of the instruction, its bytes,
   the length of the part in 2 bytes, and the part. */
static Bytes parts;

/* A hash table with open addressing: for each part one more than its offset in
   .parts; 0: none. */
static UInt* places;
static UInt  n_places;          // a power of 2
static UInt  n_parts;

static ULong hash_of(const UChar* code, UInt len)
{
   ULong hash = len;

   for (UInt i = 0; i < len; i++)
      hash = (hash ^ code[i]) * 0x100000001B3ULL;
   return hash ^ hash >> 29;
}

/* Return the place of the part for CODE, or the free one where it belongs. */
static UInt* find_place(const UChar* code, UInt len)
{
   for (UInt i = hash_of(code, len);; i++) {
      UInt*        p  = &places[i & (n_places - 1)];
      const UChar* at = parts.bytes + *p - 1;
      if (*p == 0 || (at[0] == len && VG_(memcmp)(at + 1, code, len) == 0))
         return p;
   }
}

static void have_room(void)
{
   UInt* old = places;
   UInt  n   = n_places;

   if (2 * (n_parts + 1) <= n_places)
      return;
   n_places = n == 0 ? 1024 : 2 * n;
   places   = VG_(calloc)("dcfg.wet.usages", n_places, sizeof(UInt));
   for (UInt i = 0; i < n; i++)
      if (old[i] != 0) {
         const UChar* at = parts.bytes + old[i] - 1;
         *find_place(at + 1, at[0]) = old[i];
      }
   VG_(free)(old);
}

/* Append the part for CODE, which ran at ADDR. */
static void append_part(const UChar* code, UInt len, Addr addr)
{
   Usage* u = VG_(malloc)("dcfg.wet.usage", sizeof(Usage));
   UChar  code_len = len;
   UInt   begin = parts.used + 1 + len + 2, n;

   find_usage(code, len, addr, u);
   DCFG_(add_bytes)(&parts, &code_len, 1);
   DCFG_(add_bytes)(&parts, code, len);
   DCFG_(add_bytes)(&parts, "\0", 2);
   add_usage(&parts, u);
   n = parts.used - begin;
   tl_assert(n < 1 << 16);
   parts.bytes[begin - 2] = n;
   parts.bytes[begin - 1] = n >> 8;
   VG_(free)(u);
}

void DCFG_(add_usage_of)(Bytes* b, const UChar* code, UInt len, Addr addr)
{
   tl_assert(len <= 255);   // 20 for a client request of Valgrind
   have_room();
   UInt* place = find_place(code, len);
   if (*place == 0) {
      UInt at = parts.used;
      append_part(code, len, addr);
      *place = at + 1;
      n_parts++;
   }
   const UChar* part = parts.bytes + *place - 1 + 1 + len;
   DCFG_(add_bytes)(b, part + 2, part[0] | part[1] << 8);
}
