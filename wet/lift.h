
/*--------------------------------------------------------------------*/
/*--- VEX's IR of one instruction.                      wet/lift.h ---*/
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

#ifndef __DCFG_LIFT_H
#define __DCFG_LIFT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "base/port.h"

/* TAKE gets ARG and the IR, without optimisation, of the instruction at CODE,
   where LEN bytes can be read, as if it stood at ADDR.  Not while anything is
   being translated. */
void DCFG_(lift)(const UChar* code, UInt len, Addr addr,
                 void (*take)(void* arg, const IRSB* sb), void* arg);

#endif /* __DCFG_LIFT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
