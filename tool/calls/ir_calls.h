/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Generated code that follows calls. */

/* Private to calls/: hooks of tool/calls/follow.c's Watcher: see tool/dcfg_output.h. */

#ifndef __DCFG_IR_CALLS_H
#define __DCFG_IR_CALLS_H

#include "tool/run/ir.h"

void DCFG_(begin_calls)(Work* w);
void DCFG_(add_start_cost)(Work* w, IRExpr* n);
void DCFG_(add_segment_cost)(Work* w, UInt k);
void DCFG_(add_call_at_exit)(Work* w, UInt x, const IRStmt* st);
void DCFG_(track_stack_pointer)(Work* w, const IRStmt* st);
Bool DCFG_(add_jump_miss)(Work* w, const IRSB* in, IRExpr* miss);
void DCFG_(add_call_at_end)(Work* w, const IRSB* in);

#endif /* __DCFG_IR_CALLS_H */
