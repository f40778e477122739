/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Graphs for other programs. */

#ifndef DCFG_CMD_EXPORT_H
#define DCFG_CMD_EXPORT_H

#include "cmd/base/cmd.h"
#include "cmd/machine/code.h"
#include "cmd/base/select.h"

/* Export: the data that all forms of dcfg export use. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;             // = g.p
      Code*              code;
      const bool*        chosen;        // by image: those whose file is there
      Selection*         selected;      // those of .chosen that are selected
      uint32_t           thread;
      FILE*              out;
      const char*        out_name;      // how commands that follow name it
      const char*        what;          // the form's option's value, or ""
      const char*        root;          // folder of images' files; or NULL
   }
   Export;

/* ExportForm: what a graph can be written as; the file of each defines it. */
typedef
   struct {
      OptionChoice choice;              // its option, and what --help says
      bool one_file;                    // its addresses are those of one file
      bool code;                        // needs the code in files
      bool parts;                       // parts of a file may be left out
      bool text;
      /* Write X to X->out.  Say on stderr what was left out, and which command
         comes next. */
      void (*write)(const Export* x);
   }
   ExportForm;

/* All forms, a row each. */
#define EXPORT_FORMS(ROW) \
   ROW(bolt) ROW(profgen) ROW(lcov) ROW(drcov) ROW(mca) ROW(callgrind)

#define EXPORT_FORM_DECLARATION(name) \
        extern const ExportForm export_form_##name;
EXPORT_FORMS(EXPORT_FORM_DECLARATION)

/* TEXT and SUFFIX as one word of a shell. */
const char* shell_word(const char* text, const char* suffix);

/* Return the path of a program of LLVM, or only its name if there is none. */
const char* llvm_program(const char* name);

#endif /* DCFG_CMD_EXPORT_H */
