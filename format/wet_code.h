/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What the tables of a WET file say of instructions and superblocks. */

#ifndef DCFG_FORMAT_WET_CODE_H
#define DCFG_FORMAT_WET_CODE_H

/* How an instruction hands on control.  Every kind but InsnPlain ends a basic
   block. */
typedef
   enum {
      InsnPlain,         // falls to the next instruction
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

/* Locations: a byte of a register each, or a group of flags.  The numbers have
   room for each processor. */
enum {
   LocGeneral   = 0,       // 32 registers, by their encoding, of 8 bytes
   LocCarry     = 256,     // C
   LocFlags     = 257,     // the others: O, S, Z, A, P; N, Z, V
   LocDirection = 258,     // DF
   LocStatus    = 259,     // x87's condition codes
   LocVector    = 288,     // 16 of 32 bytes, or 32 of 16
   LocX87       = 800,     // 8 of 8 bytes, where MMX registers stand
   LocStack     = 864,     // the same, counted from the top of the stack as
                           // it is when the instruction begins
   N_LOCS       = 928
};

/* What an access of a superblock does, as bits. */
enum {
   AccessLoad    = 1,
   AccessStore   = 2,
   AccessGuarded = 4,    // if some condition holds; else its address is 0
   AccessStack   = 8,    // none: the stack pointer behind an indirect jump
   AccessValue   = 16,   // none: up to eight bytes of the value that was
                         // computed
   AccessTop     = 32,   // none: the top of x87's stack behind an instruction
                         // that loads it
   AccessAll     = 63
};

/* Where an access is made, or what the value is. */
enum {
   WhereTape = 0,        // at the next address on the tape; this is made
   WhereFrame,           // from RBP, or
   WhereStack,           // from RSP
   WhereConstant,
   WhereSlot             // at a distance from an earlier slot of the same
};                       // superblock, which is on the tape

#endif /* DCFG_FORMAT_WET_CODE_H */
