/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The data of flame graphs. */

#ifndef DCFG_CMD_FLAME_TREE_H
#define DCFG_CMD_FLAME_TREE_H

#include "cmd/base/cmd.h"
#include "cmd/inline/inline_stacks.h"

/* Traced: a run, which is a graph with the functions in that and a trace, or an
   XRay log with its map. */
typedef
   struct {
      Dcfg*       d;
      Functions*  f;
      const char* trace;
      Selection*  sel;
      InlineView* inlined;      // with --inline; or NULL
      const char* log;          // NULL: it is a graph and a trace
      const char* map;          // NULL: the one beside LOG
      bool        mangled;      // leave a log's names as they are
   }
   Traced;

/* All that N runs have in their parts, in flame_runs.c; to be freed. */
StackTree* tree_of(const Traced* runs, int n);

/* FlameForm: what stacks of calls can be written as; the file of each defines
   it. */
typedef
   struct {
      OptionChoice choice;      // its option, and what --help says
      bool         one_run;     // cannot compare two runs
      bool         no_log;      // needs a trace
      void       (*write)(const Traced* runs, int n, FILE* out);
   }
   FlameForm;

/* All forms, a row each; the first is what is written without an option. */
#define FLAME_FORMS(ROW) ROW(folded) ROW(svg) ROW(speedscope)

#define FLAME_FORM_DECLARATION(name) extern const FlameForm flame_form_##name;
FLAME_FORMS(FLAME_FORM_DECLARATION)

#endif /* DCFG_CMD_FLAME_TREE_H */
