
/*--------------------------------------------------------------------*/
/*--- The parts of one run.                        merge_parts.h ---*/
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

#ifndef DCFG_CMD_MERGE_PARTS_H
#define DCFG_CMD_MERGE_PARTS_H

#include "lib/dcfg.h"
#include "cmd/merge/merge.h"

/* The images of the part P know their numbers; dies where what P says of
   itself does not fit. */
void      part_images(const DcfgProcess* p, MergedImage* images,
                      const char* path);

/* For each of these N numbers the place of the image in M, or UINT32_MAX.  To
   be freed. */
uint32_t* find_numbers(const Merged* m, const uint32_t* numbers, uint32_t n);

/* The block of an image by its number that ends with the instruction at
   OFFSET. */
bool      find_end(const Merged* m, uint32_t number, uint64_t offset,
                   uint32_t* place, uint32_t* block);

/* STEPS are those of a part that follows the ones in M: a thread's EXIT there
   and its ENTRY here become the edge between them, in STEPS. */
void      join_threads(Merged* m, const DcfgPart* part, MergedStep* steps,
                       size_t n_steps, const char* path);

/* All parts are in M: what nothing but the cuts divided is one block again. */
void      join_blocks(Merged* m);

#endif /* DCFG_CMD_MERGE_PARTS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
