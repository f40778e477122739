
/*--------------------------------------------------------------------*/
/*--- The top of x87's stack.                      wet/x87_top.h ---*/
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
