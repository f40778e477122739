
/*--------------------------------------------------------------------*/
/*--- Is a file what was executed?                     same_file.h ---*/
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

#ifndef DCFG_CMD_SAME_FILE_H
#define DCFG_CMD_SAME_FILE_H

#include "cmd/machine/code.h"
#include "cmd/machine/same_build.h"

/* What an image and its file have in common.  A DCFG has no code, and often no
   build id; what it says of blocks and symbols must be so in the file. */
typedef
   struct {
      uint64_t blocks;          // executed, and their instructions compared
      uint64_t unknown;         // of these, with code the decoder cannot read
      uint64_t targets;         // of direct jumps and calls
      uint64_t symbols;         // names that both have
      char     build_id[BUILD_ID_SIZE];  // the file's; "" if it has none
      char     difference[256]; // the first one; "" if there is none
   }
   Sameness;

/* Compare.  False if the file cannot be read: then it has been said why. */
bool same_file(Code* c, const Program* g, uint32_t image, Sameness* s);

#endif /* DCFG_CMD_SAME_FILE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
