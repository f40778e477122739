/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How an instruction hands on control. */

#ifndef __DCFG_INSN_H
#define __DCFG_INSN_H

#include "base/port.h"

/* How an instruction hands on control.  Everything but InsnPlain ends
   a basic block.  (A processor's folder has a function that tells the kind
   from an instruction's bytes: Guest, of arch/guest.h.) */
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

/* What VEX made of an instruction: how the superblock ends with it. */
typedef
   enum {
      EndsOtherwise,     // or does not end there
      EndsBoring,        // a jump, or what falls through
      EndsCall,
      EndsReturn,
      EndsSyscall
   }
   InsnEnd;

/* The kind of an instruction that nobody decodes: END; is where that leads
   a constant (IS_DIRECT), and if so, the next instruction (FALLS_THROUGH);
   has it an exit that leads neither there nor to itself (MAY_BRANCH)? */
InsnKind DCFG_(classify_generic)(InsnEnd end, Bool is_direct,
                                 Bool falls_through, Bool may_branch);

#endif /* __DCFG_INSN_H */
