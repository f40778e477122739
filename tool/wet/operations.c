/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms that VEX's operations are. */

/* Owns: the tables of VEX's operations that readers can compute.

   Terms of floating point compute what SSE does, with the rounding mode
   "nearest" where no mode is an operand.  VEX translates SSE's arithmetic to the
   same instructions, with the operands in their order, and ignores the mode that
   the program has set.  It does so for arithmetic of x87 on amd64, too.  On x86,
   it has single doubles and floats in registers of x87, which can hold more; so
   these have no terms.  On arm64, NaNs follow other rules. */

#include "pub_tool_basics.h"

#include "tool/arch/guest.h"
#include "tool/wet/operations.h"

static Bool has_sse(void)
{
   return DCFG_(guest).layout->rounding != NO_OFFSET;
}

/* Return whether temporaries with doubles and floats have their bits.  A host
   that has them in registers of x87 changes signalling NaNs. */
static Bool has_scalars(void)
{
   return has_sse() && sizeof(Addr) == 8;
}

Bool DCFG_(has_bits)(IRType ty)
{
   return (ty != Ity_F32 && ty != Ity_F64) || !has_sse() || has_scalars();
}

#define OF_SIZES(op, term) \
   case op##8:  return (Operation){ term, 1 }; \
   case op##16: return (Operation){ term, 2 }; \
   case op##32: return (Operation){ term, 4 }; \
   case op##64: return (Operation){ term, 8 }

Operation DCFG_(operation_of)(IROp op)
{
   switch (op) {
      OF_SIZES(Iop_Add, TermAdd);
      OF_SIZES(Iop_Sub, TermSub);
      OF_SIZES(Iop_Mul, TermMul);
      OF_SIZES(Iop_And, TermAnd);
      OF_SIZES(Iop_Or,  TermOr);
      OF_SIZES(Iop_Xor, TermXor);
      OF_SIZES(Iop_Shl, TermShl);
      OF_SIZES(Iop_Shr, TermShr);
      OF_SIZES(Iop_Sar, TermSar);
      default: break;
   }
   if (!has_scalars())
      return (Operation){ 0, 0 };
   switch (op) {
      case Iop_AddF64: return (Operation){ TermAddF64, 8 };
      case Iop_SubF64: return (Operation){ TermSubF64, 8 };
      case Iop_MulF64: return (Operation){ TermMulF64, 8 };
      case Iop_DivF64: return (Operation){ TermDivF64, 8 };
      default:         return (Operation){ 0, 0 };
   }
}

Operation DCFG_(rounded_of)(IROp op)
{
   if (!has_scalars())
      return (Operation){ 0, 0 };
   switch (op) {
      case Iop_F32toF64:      return (Operation){ TermWiden, 8 };
      case Iop_F64toF32:      return (Operation){ TermNarrow, 4 };
      case Iop_I64StoF64:     return (Operation){ TermFromInt, 8 };
      case Iop_F64toI32S:     return (Operation){ TermToInt, 4 };
      case Iop_F64toI64S:     return (Operation){ TermToInt, 8 };
      case Iop_RoundF64toInt: return (Operation){ TermRound, 8 };
      default:                return (Operation){ 0, 0 };
   }
}

Conversion DCFG_(conversion_of)(IROp op)
{
   switch (op) {
      case Iop_8Uto16: case Iop_8Uto32: case Iop_8Uto64:
      case Iop_16Uto32: case Iop_16Uto64: case Iop_32Uto64:
      case Iop_ReinterpF64asI64: case Iop_ReinterpI64asF64:
         return (Conversion){ 8, 8, False };
      case Iop_ReinterpF32asI32: case Iop_ReinterpI32asF32:
      case Iop_64to32:             return (Conversion){ 8, 4, False };
      case Iop_64to16:             return (Conversion){ 8, 2, False };
      case Iop_64to8:              return (Conversion){ 8, 1, False };
      case Iop_32to16:             return (Conversion){ 4, 2, False };
      case Iop_32to8:              return (Conversion){ 4, 1, False };
      case Iop_16to8:              return (Conversion){ 2, 1, False };
      case Iop_8Sto16:             return (Conversion){ 1, 2, True };
      case Iop_8Sto32:             return (Conversion){ 1, 4, True };
      case Iop_8Sto64:             return (Conversion){ 1, 8, True };
      case Iop_16Sto32:            return (Conversion){ 2, 4, True };
      case Iop_16Sto64:            return (Conversion){ 2, 8, True };
      case Iop_32Sto64:            return (Conversion){ 4, 8, True };
      default:                     return (Conversion){ 0, 0, False };
   }
}

/* The operations NAME of all vectors of doubles and floats, as VEX names them;
   those of whole vectors have a rounding mode if MODE. */
#define OF_FLOATS(name, term, n, mode) \
   case Iop_##name##64F0x2: return (LaneOperation){ LanesLow64, term##F64, n, \
                                                    False }; \
   case Iop_##name##32F0x4: return (LaneOperation){ LanesLow32, term##F32, n, \
                                                    False }; \
   case Iop_##name##64Fx2:  return (LaneOperation){ LanesAll, term##F64, n, \
                                                    mode }; \
   case Iop_##name##32Fx4:  return (LaneOperation){ LanesAll, term##F32x2, n, \
                                                    mode }

/* Those of 32 bytes, too. */
#define OF_LONG_FLOATS(name, term, n, mode) \
   OF_FLOATS(name, term, n, mode); \
   case Iop_##name##64Fx4: return (LaneOperation){ LanesAll, term##F64, n, \
                                                   mode }; \
   case Iop_##name##32Fx8: return (LaneOperation){ LanesAll, term##F32x2, n, \
                                                   mode }

#define OF_WORDS(op, term) \
   case op: return (LaneOperation){ LanesAll, term, 2, False }

LaneOperation DCFG_(lane_operation_of)(IROp op)
{
   switch (op) {
      OF_WORDS(Iop_AndV128, TermAnd);
      OF_WORDS(Iop_OrV128,  TermOr);
      OF_WORDS(Iop_XorV128, TermXor);
      OF_WORDS(Iop_AndV256, TermAnd);
      OF_WORDS(Iop_OrV256,  TermOr);
      OF_WORDS(Iop_XorV256, TermXor);
      OF_WORDS(Iop_Add64x2, TermAdd);
      OF_WORDS(Iop_Sub64x2, TermSub);
      OF_WORDS(Iop_Add64x4, TermAdd);
      OF_WORDS(Iop_Sub64x4, TermSub);
      default: break;
   }
   if (!has_sse())
      return (LaneOperation){ LanesNone };
   switch (op) {
      OF_LONG_FLOATS(Add, TermAdd, 2, True);
      OF_LONG_FLOATS(Sub, TermSub, 2, True);
      OF_LONG_FLOATS(Mul, TermMul, 2, True);
      OF_LONG_FLOATS(Div, TermDiv, 2, True);
      OF_LONG_FLOATS(Min, TermMin, 2, False);
      OF_LONG_FLOATS(Max, TermMax, 2, False);
      OF_FLOATS(Sqrt, TermSqrt, 1, True);
      OF_FLOATS(CmpEQ, TermEqual, 2, False);
      OF_FLOATS(CmpLT, TermLess, 2, False);
      OF_FLOATS(CmpLE, TermLessEqual, 2, False);
      OF_FLOATS(CmpUN, TermUnordered, 2, False);
      default: return (LaneOperation){ LanesNone };
   }
}
