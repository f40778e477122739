/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Kinds of instructions from VEX's IR. */

#ifndef __DCFG_INSN_H
#define __DCFG_INSN_H

#include "format/port.h"
#include "format/wet_code.h"

/* InsnEnd: how a superblock ends with the instruction, in VEX's IR. */
typedef
   enum {
      EndsOtherwise,     // otherwise, or not with it
      EndsBoring,        // a jump, or falls through
      EndsCall,
      EndsReturn,
      EndsSyscall
   }
   InsnEnd;

/* Return the kind of an instruction without a decoder.  END is how the
   superblock ends with it.  IS_DIRECT: the next address is a constant.
   FALLS_THROUGH: that constant is the next instruction.  MAY_BRANCH: it has an
   exit that leads neither to the next instruction nor to itself. */
InsnKind DCFG_(classify_generic)(InsnEnd end, Bool is_direct,
                                 Bool falls_through, Bool may_branch);

#endif /* __DCFG_INSN_H */
