/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How an instruction hands on control. */

#ifndef __DCFG_INSN_H
#define __DCFG_INSN_H

#include "base/port.h"
#include "format/wet_code.h"

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
