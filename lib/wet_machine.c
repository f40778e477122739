
/*--------------------------------------------------------------------*/
/*--- Processors of whole execution traces.        wet_machine.c ---*/
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

/* Owns: what readers know of each processor, by its number.  Handed: numbers
   by wet_load.c.  Taken by: wet_plan.c, wet_writers.c, slice_live.c.

   A result is in general register 0 of each of them. */

#include "wet_machine.h"

#include <elf.h>
#include <stddef.h>

static const WetMachine machines[] = {
   { EM_386,     4, 4, 5, { 0, 2, 4, 6, 7 } },   // EAX EDX ESP ESI EDI
   { EM_X86_64,  8, 4, 5, { 0, 2, 4, 6, 7 } },   // RAX RDX RSP RSI RDI
   /* Three arguments, the frame pointer, where to return to, and SP. */
   { EM_AARCH64, 8, 2, 6, { 0, 1, 2, 29, 30, 31 } }
};

const WetMachine* wet_machine(uint32_t number)
{
   for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
      if (machines[i].number == number)
         return &machines[i];
   return NULL;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
