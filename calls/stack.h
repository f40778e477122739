/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls, and the stack of those that are active. */

#ifndef __DCFG_STACK_H
#define __DCFG_STACK_H

#include "pub_tool_basics.h"
#include "calls/function.h"
#include "dcfg_bb.h"

/* How control leaves a superblock, as VEX says. */
typedef
   enum {
      LeaveJump,      // or falls through
      LeaveCall,
      LeaveReturn
   }
   LeaveKind;

/* What generated code says of a way out of a superblock. */
#define DCFG_LEAVE(instr, kind)  ((UWord)(instr) << 2 | (kind))
#define DCFG_LEAVE_INSTR(leave)  ((UInt)(leave) >> 2)
#define DCFG_LEAVE_KIND(leave)   ((LeaveKind)((leave) & 3))

/* Called by generated code, with the base of the thread's cell array, when
   superblock SB is left as LEAVE says, for PLACE, or TARGET, with stack
   pointer SP. */
void DCFG_(leave_for_place)(ULong* base, Superblock* sb, UWord leave,
                            const Place* place, Addr sp);
void DCFG_(leave_for)(ULong* base, Superblock* sb, UWord leave, Addr target,
                      Addr sp);

/* The same where functions change what is collected.  All that SB counts has
   been counted. */
void DCFG_(leave_heeding)(ULong* base, Superblock* sb, UWord leave,
                          Addr target, Addr sp);

/* In place of DCFG_(branch_miss), for an indirect jump that cannot have
   raised the stack pointer. */
void DCFG_(jump_miss)(ULong* base, Superblock* sb, Addr target, Addr sp);

#endif /* __DCFG_STACK_H */
