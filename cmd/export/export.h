
/*--------------------------------------------------------------------*/
/*--- Graphs for other programs.                          export.h ---*/
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

#ifndef DCFG_CMD_EXPORT_H
#define DCFG_CMD_EXPORT_H

#include "cmd/machine/code.h"
#include "cmd/base/select.h"

/* What the parts of dcfg export get. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;             // = g.p
      Code*              code;
      const bool*        chosen;        // by image: those whose file is there
      Selection*         selected;      // of them, what is meant
      uint32_t           thread;
      FILE*              out;
      const char*        out_name;      // how commands that follow name it
      const char*        what;          // --mca's; "" for none
   }
   Export;

/* Branches and straight code of one file, for what optimises that.  Says on
   stderr what was left out, and which command comes next. */
void export_bolt(const Export* x);
void export_profgen(const Export* x);

/* What was executed of files: lines, functions and branches; blocks. */
void export_lcov(const Export* x);
void export_drcov(const Export* x);

/* Loops as assembly. */
void export_mca(const Export* x);

/* TEXT and SUFFIX as one word of a shell. */
const char* shell_word(const char* text, const char* suffix);

/* Where a program of LLVM is; only its name if there is none. */
const char* llvm_program(const char* name);

#endif /* DCFG_CMD_EXPORT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
