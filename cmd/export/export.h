/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Graphs for other programs. */

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
