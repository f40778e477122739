/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls, and the stack of active calls. */

#ifndef __DCFG_STACK_H
#define __DCFG_STACK_H

#include "pub_tool_basics.h"
#include "tool/calls/function.h"
#include "dcfg_bb.h"

/* LeaveKind: how control leaves a superblock, according to VEX. */
typedef
   enum {
      LeaveJump,      // or falls through
      LeaveCall,
      LeaveReturn
   }
   LeaveKind;

/* The number that generated code passes for a way out of a superblock. */
#define DCFG_LEAVE(instr, kind)  ((UWord)(instr) << 2 | (kind))
#define DCFG_LEAVE_INSTR(leave)  ((UInt)(leave) >> 2)
#define DCFG_LEAVE_KIND(leave)   ((LeaveKind)((leave) & 3))

/* Tell the stack that superblock SB is left as LEAVE says, for PLACE or TARGET,
   with stack pointer SP.  Called by generated code, with the base of the
   thread's cell array. */
void DCFG_(leave_for_place)(ULong* base, Superblock* sb, UWord leave,
                            const Place* place, Addr sp);
void DCFG_(leave_for)(ULong* base, Superblock* sb, UWord leave, Addr target,
                      Addr sp);

/* Likewise, if functions change what is collected.  SB has counted
   everything. */
void DCFG_(leave_heeding)(ULong* base, Superblock* sb, UWord leave,
                          Addr target, Addr sp);

/* Do the work of DCFG_(branch_miss) for an indirect jump; a target that makes
   it a call is a miss each time.  The stack is told by leave_heeding(). */
void DCFG_(count_jump)(ULong* base, Superblock* sb, Addr target);

/* Do the work of DCFG_(branch_miss), and tell the stack, for an indirect jump
   that cannot have raised the stack pointer. */
void DCFG_(jump_miss)(ULong* base, Superblock* sb, Addr target, Addr sp);

#endif /* __DCFG_STACK_H */
