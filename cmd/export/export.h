/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Graphs for other programs. */

#ifndef DCFG_CMD_EXPORT_H
#define DCFG_CMD_EXPORT_H

#include "cmd/base/cmd.h"
#include "cmd/machine/code.h"
#include "cmd/base/select.h"

/* Export: the graph, the choices and the output file, for every form. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;             // the graph, &g's
      Code*              code;
      const bool*        chosen;        // by image: its file is exported
      Selection*         selected;      // blocks that the user selected
      uint32_t           thread;
      FILE*              out;
      const char*        out_name;      // the output's name in printed commands
      const char*        what;          // value of the form's option, or ""
      bool               lines;         // --lines-only
      const char*        root;          // folder that holds the images' files,
                                        // or NULL
   }
   Export;

/* ExportForm: a format that dcfg export writes.  Each has a file that defines
   it. */
typedef
   struct {
      OptionChoice choice;              // the option, and its text in --help
      bool one_file;                    // has the addresses of one file alone
      bool code;                        // needs the machine code of the files
      bool parts;                       // can leave out parts of a file
      bool text;
      /* Write the export to X->out.  Say on stderr what was left out, and last,
         with say_next(), which command to run next. */
      void (*write)(const Export* x);
   }
   ExportForm;

/* All forms, a row each. */
#define EXPORT_FORMS(ROW) \
   ROW(bolt) ROW(profgen) ROW(lcov) ROW(drcov) ROW(mca) ROW(callgrind)

#define EXPORT_FORM_DECLARATION(name) \
        extern const ExportForm export_form_##name;
EXPORT_FORMS(EXPORT_FORM_DECLARATION)

/* Return TEXT and SUFFIX quoted as one word for a shell. */
const char* shell_word(const char* text, const char* suffix);

/* Return the path of a program of LLVM; its name alone if it is not
   installed. */
const char* llvm_program(const char* name);

#endif /* DCFG_CMD_EXPORT_H */
