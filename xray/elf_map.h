
/*--------------------------------------------------------------------*/
/*--- The ELF file that names functions.            xray/elf_map.h ---*/
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

#ifndef __DCFG_ELF_MAP_H
#define __DCFG_ELF_MAP_H

#include "pub_tool_basics.h"
#include "base/put.h"

/* Put the map of all functions that have a number (logs/ids.h). */
void DCFG_(put_elf_map)(Put* out);

/* Take the numbers of functions from the map NAME.  Returns why that cannot
   be done, or NULL. */
const HChar* DCFG_(read_elf_map)(const HChar* name);

#endif /* __DCFG_ELF_MAP_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
