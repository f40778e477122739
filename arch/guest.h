
/*--------------------------------------------------------------------*/
/*--- The processor that the tool is for.             arch/guest.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

#ifndef __DCFG_GUEST_H
#define __DCFG_GUEST_H

#include "pub_tool_basics.h"

#include "arch/insn.h"

/* What x86 and amd64 have in common, for those who know their registers one
   by one.  Where VEX's guest state has them, by the names that they have
   there; of x86 RAX is EAX, and so on. */
typedef
   struct {
      Bool is_64;
      UInt word;               // bytes of a general register, which stand in
      UInt RAX, CC_OP;         // the order of their encoding, up to CC_OP
      UInt CC_NDEP, DFLAG, RIP;
      UInt vector;             // bytes of a vector register
      UInt YMM0, YMM16;        // the first one, and behind the last
      UInt FPREG, FPTAG, FC3210, FTOP;
      UInt CMSTART;
      /* In CC_OP: INC and DEC, which leave the carry, and rotations. */
      UInt first_step, last_step, first_rotation, last_rotation;
      /* VEX's helpers for a condition, for the carry, for all flags. */
      const HChar *condition, *carry, *all_flags;
   }
   X86Guest;

/* What of VEX's guest state, and of instructions, only those know who know
   the processor.  Offsets are of the guest state. */
typedef
   struct {
      /* Tells the kind of an instruction from its bytes; NULL: nobody
         decodes them, and DCFG_(classify_generic) has to do. */
      InsnKind (*classify)(const UChar* bytes, UInt len);
      /* Where VEX finds what to forget after an Ijk_InvalICache. */
      Int        discard_start, discard_length;
      /* The registers that the first arguments of a function are in; or (ON
         STACK) the stack pointer, and they are behind the return address
         there.  N is 0 if that is not known. */
      UInt       n_argument_registers;
      const Int* argument_registers;
      Bool       arguments_on_stack;
      /* VEX, and with it Callgrind, takes a direct jump for a call. */
      Bool       jumps_are_calls;
      /* Its number in ELF files. */
      UChar      machine;
      /* NULL: it is neither x86 nor amd64. */
      const X86Guest* x86;
   }
   Guest;

extern const Guest DCFG_(guest);

#endif /* __DCFG_GUEST_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
