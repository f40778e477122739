/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Graphs for other programs. */

#ifndef DCFG_CMD_EXPORT_H
#define DCFG_CMD_EXPORT_H

/* Private to the room export. */

#include "cmd/base/cmd.h"
#include "cmd/base/operands.h"
#include "cmd/base/select.h"
#include "cmd/lines/coverage.h"
#include "cmd/program/code.h"

/*--- Forms of one graph                                   ---*/

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
      const char*        file;          // the graph's
      bool               lines;         // --lines-only
      bool               no_markers;    // --no-markers
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
      bool packed;                      // compressed, whatever the suffix
      /* Write the export to X->out.  Say on stderr what was left out, and last,
         with say_next(), which command to run next. */
      void (*write)(const Export* x);
   }
   ExportForm;

/* All forms, a row each. */
#define EXPORT_FORMS(ROW) \
   ROW(bolt) ROW(profgen) ROW(lcov) ROW(drcov) ROW(mca) ROW(callgrind) ROW(pprof)

#define EXPORT_FORM_DECLARATION(name) \
        extern const ExportForm export_form_##name;
EXPORT_FORMS(EXPORT_FORM_DECLARATION)

/*--- The forms with command lines of their own            ---*/

/* Write the instructions of THREAD in the whole execution trace FILE to the
   file OUT, as a ChampSim trace.  If THREAD is NOT_GIVEN, FILE must have only
   one thread.  Its first WARMUP instructions, of all threads, are for warm-up.
   If OUT is NULL, write to the standard output.  Die after an error. */
void export_champsim(const char* file, uint64_t thread, uint64_t warmup,
                     const char* out);

/* TablesJob: where the tables go, and which part of the job this task is. */
typedef
   struct {
      const char* dir;
      const char* job;          // the job's name
      const char* shard;        // "I/N", or NULL
      bool        keep_going;   // leave out files that cannot be read
   }
   TablesJob;

/* Write the tables of the runs in FILES, or of the job's shard of them.  Return
   the exit status. */
int export_tables(const TablesJob* job, FileNames* files);

/*--- Markers in the source: export_markers.c              ---*/

/* Leave out of C the functions and branches that markers in the source exclude.
   KEYS: the numbers of all lines, in their order; those that stay come first.
   Return how many stay. */
size_t leave_out_marked(Coverage* c, uint64_t* keys);

/*--- Commands that come next: export_llvm.c               ---*/

/* Return TEXT and SUFFIX quoted as one word for a shell. */
const char* shell_word(const char* text, const char* suffix);

#endif /* DCFG_CMD_EXPORT_H */
