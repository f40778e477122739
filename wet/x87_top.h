/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The top of x87's stack. */

/* Private to wet/. */

#ifndef __DCFG_X87_TOP_H
#define __DCFG_X87_TOP_H

#include "pub_tool_basics.h"
#include "base/port.h"
#include "pub_tool_tooliface.h"

/* Does ST call a helper that writes it? */
Bool DCFG_(loads_top)(const IRStmt* st);

/* What it is. */
IRExpr* DCFG_(get_x87_top)(void);

/* May the instruction, LEN bytes at CODE, push or not? */
Bool DCFG_(may_push)(const UChar* code, UInt len);

/* The statements of one that may. */
typedef
   struct {
      IRTemp condition;       // 1 if it does,
      IRTemp top;             // what it moves the top to
   }                          // IRTemp_INVALID: not so far
   TopPush;

void DCFG_(begin_push)(TopPush* p);
void DCFG_(note_push)(TopPush* p, const IRStmt* st);

/* Where the running thread has it; 0 if no thread runs. */
UInt DCFG_(x87_top)(void);

#endif /* __DCFG_X87_TOP_H */
