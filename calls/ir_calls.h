
/*--------------------------------------------------------------------*/
/*--- Adding code that follows calls.             calls/ir_calls.h ---*/
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

/* Private to calls/: hooks of calls/follow.c's Watcher: see dcfg_output.h. */

#ifndef __DCFG_IR_CALLS_H
#define __DCFG_IR_CALLS_H

#include "run/ir.h"

void DCFG_(begin_calls)(Work* w);
void DCFG_(add_start_cost)(Work* w, IRExpr* n);
void DCFG_(add_segment_cost)(Work* w, UInt k);
void DCFG_(add_call_at_exit)(Work* w, UInt x, const IRStmt* st);
void DCFG_(track_stack_pointer)(Work* w, const IRStmt* st);
Bool DCFG_(add_jump_miss)(Work* w, const IRSB* in, IRExpr* miss);
void DCFG_(add_call_at_end)(Work* w, const IRSB* in);

#endif /* __DCFG_IR_CALLS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
