
/*--------------------------------------------------------------------*/
/*--- Basic-block vectors of slices of a run.             slices.h ---*/
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

#ifndef DCFG_CMD_SLICES_H
#define DCFG_CMD_SLICES_H

#include "cmd/base/names.h"

/* A run is cut into slices; of each slice a vector says how many instructions
   were executed in which block.  The text is that of PinPlay's .bb files,
   which SimPoint reads too. */
typedef struct Slicer Slicer;

/* To OUT, which is the caller's and named PATH in errors.  A slice ends
   before the first block that begins when it has at least SIZE instructions;
   with HEADS, which has an element a node, only before one of these.  THREAD:
   whose blocks; DCFG_ALL_THREADS for all, in the order in which they began. */
Slicer* slicer_new(const Program* g, FILE* out, uint64_t size,
                   const bool* heads, uint32_t thread);

/* A block begins. */
void slicer_block(Slicer* s, uint32_t node);

/* The last slice has ended: write what is left and the table of blocks.
   Returns the number of slices. */
uint64_t slicer_end(Slicer* s);

#endif /* DCFG_CMD_SLICES_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
