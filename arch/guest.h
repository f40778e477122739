
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
   }
   Guest;

extern const Guest DCFG_(guest);

#endif /* __DCFG_GUEST_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
