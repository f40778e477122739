
/*--------------------------------------------------------------------*/
/*--- Stubs of procedure linkage tables.                   stubs.h ---*/
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

#ifndef DCFG_CMD_STUBS_H
#define DCFG_CMD_STUBS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* A stub jumps to where a slot of the global offset table points; which
   function that is for, the slot's relocation says. */
typedef struct Stubs Stubs;

/* Those of an ELF file, which has some if it is for x86-64, x86 or arm64. */
Stubs* stubs_new(Elf* elf);
void   stubs_free(Stubs* s);

/* The function whose stub is the SIZE bytes of CODE, at ADDR in the file; NULL
   if it is none. */
const char* stubs_name(const Stubs* s, const uint8_t* code, size_t size,
                       uint64_t addr);

/* A stub has no more than these. */
#define LONGEST_STUB 12

#endif /* DCFG_CMD_STUBS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
