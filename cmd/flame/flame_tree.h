/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The data of flame graphs. */

#ifndef DCFG_CMD_FLAME_TREE_H
#define DCFG_CMD_FLAME_TREE_H

#include "cmd/base/cmd.h"
#include "cmd/calls/inline_walk.h"

/* Traced: a run: a graph with its functions and a trace, or with recorded calls;
   or an XRay log with its map. */
typedef
   struct {
      Dcfg*       d;
      Functions*  f;
      const char* trace;        // NULL: recorded calls
      Selection*  sel;
      InlineView* inlined;      // with --inline; or NULL
      const char* log;          // NULL: a graph and a trace
      const char* map;          // NULL: the one beside LOG
      bool        mangled;      // do not demangle a log's names
   }
   Traced;

/* FlameForm: a format of call stacks; the file of each defines it. */
typedef
   struct {
      OptionChoice choice;      // the option, and its text in --help
      bool         one_run;     // cannot compare two runs
      bool         no_log;      // needs a trace, which has the order of calls
      void       (*write)(const Traced* runs, int n, FILE* out);
   }
   FlameForm;

/* All forms.  The first is the default. */
#define FLAME_FORMS(ROW) ROW(folded) ROW(svg) ROW(speedscope)

#define FLAME_FORM_DECLARATION(name) extern const FlameForm flame_form_##name;
FLAME_FORMS(FLAME_FORM_DECLARATION)

#endif /* DCFG_CMD_FLAME_TREE_H */
