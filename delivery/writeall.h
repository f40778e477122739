
/*--------------------------------------------------------------------*/
/*--- Writing all of it.                           delivery/writeall.h ---*/
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

#ifndef __DCFG_WRITEALL_H
#define __DCFG_WRITEALL_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Write N bytes to FD.  Returns 0 or an errno.  The signals that may come
   with that do not come to the program, and what it may write itself
   (ulimit -f) is no limit, where it can be raised. */
Int DCFG_(write_all)(Int fd, const void* data, SizeT n);

/* Raise the limit of files' sizes as far as possible, and set it again as it
   was. */
void DCFG_(raise_file_limit)(/*OUT*/ULong before[2]);
void DCFG_(restore_file_limit)(const ULong before[2]);

#endif /* __DCFG_WRITEALL_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
