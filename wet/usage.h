
/*--------------------------------------------------------------------*/
/*--- What an instruction uses and defines.          wet/usage.h ---*/
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

#ifndef __DCFG_USAGE_H
#define __DCFG_USAGE_H

#include "pub_tool_basics.h"

#include "base/port.h"
#include "wet/locations.h"

/* What the instruction of LEN bytes at CODE, which ran at ADDR, uses and
   defines.  Not while anything is being translated. */
void DCFG_(find_usage)(const UChar* code, UInt len, Addr addr,
                       /*OUT*/Usage* u);

#endif /* __DCFG_USAGE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
