/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The top of x87's stack. */

/* Private to wet/. */

#ifndef __DCFG_X87_TOP_H
#define __DCFG_X87_TOP_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "pub_tool_tooliface.h"

/* Return whether ST calls a helper that writes the top. */
Bool DCFG_(loads_top)(const IRStmt* st);

/* Return the top, as an expression. */
IRExpr* DCFG_(get_x87_top)(void);

/* Return whether the instruction of LEN bytes at CODE pushes in some executions
   only. */
Bool DCFG_(may_push)(const UChar* code, UInt len);

/* TopPush: the temporaries of an instruction that may push. */
typedef
   struct {
      IRTemp condition;       // 1 if it pushes
      IRTemp top;             // the new top
   }                          // IRTemp_INVALID: none yet
   TopPush;

void DCFG_(begin_push)(TopPush* p);
void DCFG_(note_push)(TopPush* p, const IRStmt* st);

/* StackPlace: a register of x87's stack: .distance from the number .base, which
   is a temporary or one of the negative ones. */
typedef
   struct {
      Int base;
      Int distance;
   }
   StackPlace;

/* Return the place of index IX, as PutI has it, plus BIAS, in a superblock of
   which SB has the statements up to now; if IX is NULL, that of the top.  A
   push that is perhaps made counts as made. */
StackPlace DCFG_(stack_place)(const IRSB* sb, const IRExpr* ix, Int bias);

Bool DCFG_(same_place)(StackPlace a, StackPlace b);

/* Return the running thread's top; 0 if no thread runs. */
UInt DCFG_(x87_top)(void);

#endif /* __DCFG_X87_TOP_H */
