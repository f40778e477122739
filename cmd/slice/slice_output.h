
/*--------------------------------------------------------------------*/
/*--- System calls as criteria.                   slice_output.h ---*/
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

#ifndef DCFG_CMD_SLICE_OUTPUT_H
#define DCFG_CMD_SLICE_OUTPUT_H

#include "lib/dcfg_slice.h"
#include "cmd/machine/roles.h"

/* "NAME" or "NAME#N", the last one or number N from 0 on of these system
   calls, to INSTRS and Q.  SPARE of each instruction that makes system calls
   gets the registers for arguments that none of them has used.  Dies if there
   is none. */
void syscall_criterion(DcfgWet* w, const char* call, const Roles* roles,
                       bool* instrs, uint32_t* spare, DcfgSliceQuery* q);

/* The last system call that wrote TEXT, and those bytes; or several that wrote
   it one after the other to one file descriptor.  Q's parts are to be freed. */
void output_criterion(DcfgWet* w, const char* text, bool* instrs,
                      uint32_t* spare, DcfgSliceQuery* q);

#endif /* DCFG_CMD_SLICE_OUTPUT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
