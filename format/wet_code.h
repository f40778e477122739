/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers in the tables of instructions and superblocks of a WET file. */

#ifndef DCFG_FORMAT_WET_CODE_H
#define DCFG_FORMAT_WET_CODE_H

/* InsnKind: how an instruction transfers control.  Every kind but InsnPlain
   ends a basic block. */
typedef
   enum {
      InsnPlain,         // control falls to the next instruction
      InsnCond,          // direct conditional branch
      InsnJump,          // direct jump
      InsnIndirectJump,
      InsnCall,          // direct call
      InsnIndirectCall,
      InsnReturn,
      InsnSyscall,
      InsnRep            // x86 string instruction with a repeat prefix
   }
   InsnKind;

/* Locations: each is one byte of a register, or a group of flags.  The numbers
   are the same for all processors. */
enum {
   LocGeneral   = 0,       // 32 registers, by their encoding, of 8 bytes
   LocCarry     = 256,     // C
   LocFlags     = 257,     // the other flags: O, S, Z, A, P; N, Z, V
   LocDirection = 258,     // DF
   LocStatus    = 259,     // x87's condition codes
   LocVector    = 288,     // 16 of 32 bytes, or 32 of 16
   LocX87       = 800,     // 8 registers of 8 bytes, shared with MMX
   LocStack     = 864,     // the same registers, counted from the top of the
                           // stack at the begin of the instruction
   N_LOCS       = 928
};

/* Bits of an access: the work that a superblock does at this place. */
enum {
   AccessLoad    = 1,
   AccessStore   = 2,
   AccessGuarded = 4,    // conditional; its address is 0 if the condition does
                         // not hold
   AccessStack   = 8,    // no access: the stack pointer after an indirect jump
   AccessValue   = 16,   // no access: up to eight bytes of a computed value
   AccessTop     = 32,   // no access: the top of x87's stack after an
                         // instruction that loads it
   AccessAll     = 63,
   /* Slots that no reader's user sees: */
   AccessRegister = 64,  // general register SIZE has this number from here on
   AccessTerm     = 128  // a term for other slots: plus 2 * TermAdd..., plus 1
                         // if the second operand is a constant
};

/* Terms: operations on numbers.  The result has a slot's size: the bytes above
   are 0.  Operands of other slots have no more bytes than the result, but for
   those of TermAdd, TermShr, TermExtend, and those from TermMerge on. */
typedef
   enum {
      TermAdd,
      TermSub,
      TermMul,
      TermAnd,
      TermOr,
      TermXor,
      TermShl,
      TermShr,
      TermSar,           // the shifted number is signed
      TermExtend,        // the second operand is the size of a signed number
      TermMerge,         // the lowest 4 bytes are the second operand's

      /* Floating point, as SSE computes it, rounded to nearest: of the doubles
         that the operands are.  TermSqrt... has one operand, comparisons yield
         all bits 1 or 0. */
      TermAddF64,
      TermSubF64,
      TermMulF64,
      TermDivF64,
      TermMinF64,
      TermMaxF64,
      TermSqrtF64,
      TermEqualF64,
      TermLessF64,
      TermLessEqualF64,
      TermUnorderedF64,
      /* The same, of the floats in the lowest 4 bytes. */
      TermAddF32,
      TermSubF32,
      TermMulF32,
      TermDivF32,
      TermMinF32,
      TermMaxF32,
      TermSqrtF32,
      TermEqualF32,
      TermLessF32,
      TermLessEqualF32,
      TermUnorderedF32,
      /* The same, of the floats in the lower and in the upper 4 bytes. */
      TermAddF32x2,
      TermSubF32x2,
      TermMulF32x2,
      TermDivF32x2,
      TermMinF32x2,
      TermMaxF32x2,
      TermSqrtF32x2,
      TermEqualF32x2,
      TermLessF32x2,
      TermLessEqualF32x2,
      TermUnorderedF32x2,

      /* Conversions of the first operand; the lowest 2 bits of the second one
         are a rounding mode, a WetRounding. */
      TermWiden,         // a float to a double, for which the mode is ignored
      TermNarrow,        // a double to a float
      TermFromInt,       // a signed integer of 8 bytes to a double
      TermToInt,         // a double to a signed integer of the result's size
      TermRound,         // a double to one without a fraction

      /* The mirror's number at an address (format/wet_mirror.h). */
      TermLoad,          // the number, plus the error if the tape has one; the
                         // sum becomes the mirror's number there
      TermStore,         // 0: the second operand becomes it
      N_TERMS
   }
   Term;

/* WetRounding: directions in which results are rounded. */
typedef
   enum { RoundNearest, RoundDown, RoundUp, RoundToZero }
   WetRounding;

/* The source of a slot's number, which is an address or a value. */
enum {
   WhereTape = 0,        // the next number on the tape
   WhereConstant,
   WhereSlot             // a register or another slot, plus a distance
};

/* WhereSlot + N means register N at the begin of the superblock if N is below
   WET_REGISTERS, else slot N minus that.  Registers are the general ones; from
   WET_VECTORS on, words of 8 bytes of the vector registers, in their order; and
   the rounding mode of SSE, a WetRounding. */
#define WET_VECTORS   32u
#define WET_ROUNDING  96u
#define WET_REGISTERS 97u

/* As a register's number in the mark MarkGeneral: all registers are 0 but for
   those that follow. */
#define WET_ALL_ZERO 255u

#endif /* DCFG_FORMAT_WET_CODE_H */
