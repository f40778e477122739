
/*--------------------------------------------------------------------*/
/*--- Which build of an object an image is.        run/build_id.h ---*/
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

#ifndef __DCFG_BUILD_ID_H
#define __DCFG_BUILD_ID_H

#include "pub_tool_basics.h"

/* Find out which build of an object is mapped at LOAD, by what is in memory:
   its file may be gone, or another one.  *BUILD_ID becomes the build id in
   hexadecimal, to be freed; NULL if it has none.  Then *CODE_HASH becomes a
   hash of its code, as docs/reference.md has it; 0 if that cannot be
   compared with a file. */
void DCFG_(identify_build)(Addr load, HChar** build_id, ULong* code_hash);

#endif /* __DCFG_BUILD_ID_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
