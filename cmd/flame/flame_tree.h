/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A tree of stacks of calls. */

#ifndef DCFG_CMD_FLAME_TREE_H
#define DCFG_CMD_FLAME_TREE_H

#include "cmd/inline/inline_view.h"
#include "cmd/shared/call_walk.h"
#include "cmd/base/cmd.h"
#include "cmd/base/interned.h"

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

/* Stacks of calls of one run or of two, by the names of functions.  Stack 0 is
   the empty one. */
typedef
   struct {
      const char* name;
      uint32_t    parent;
      uint32_t    depth;        // of the empty one 0
      uint64_t    self[2];      // instructions in it, by run
      uint64_t    total[2];     // and with stacks on top of it
   }
   Stack;

typedef
   struct {
      Stack*    stacks;         // each behind its parent
      uint32_t  n, room;
      KeyMap*   keys;
      Interned* names;
      KeyMap*   name_numbers;   // by address
      bool      is_full;        // that was said
   }
   FlameTree;

FlameTree* tree_new(void);
void       tree_free(FlameTree* t);

/* Return the stack with NAME, which T->names has, on top of PARENT; PARENT itself
   if there are too many, or too many in it. */
uint32_t   tree_child(FlameTree* t, uint32_t parent, const char* name);

/* The same of a run with inlined functions, in flame_inlined.c.  Return the number
   of instructions that count. */
uint64_t   tree_add_inlined(FlameTree* t, const Traced* r, int run,
                            const char* suffix);

/* Add what the trace of a run without XRay log says of the part that is meant, to
   RUN 0 or 1.  Return the number of instructions that count. */
uint64_t   tree_add(FlameTree* t, const Traced* r, int run);

/* The end of names of inlined functions in one run's stacks. */
#define INLINED_SUFFIX "_[i]"

/* When all is added: totals; and stacks in order: those with the same parent
   together, by name.  To be freed. */
uint32_t*  tree_finish(FlameTree* t);

/* All that N runs have in their parts, in flame_runs.c; to be freed. */
FlameTree* tree_of(const Traced* runs, int n);

/* FlameForm: what stacks of calls can be written as; the file of each defines
   it. */
typedef
   struct {
      OptionChoice choice;      // its option, and what --help says
      bool         one_run;     // it cannot compare two
      bool         no_log;      // it needs a trace
      void       (*write)(const Traced* runs, int n, FILE* out);
   }
   FlameForm;

/* All forms, a row each; the first is what is written without an option. */
#define FLAME_FORMS(ROW) ROW(folded) ROW(svg) ROW(speedscope)

#define FLAME_FORM_DECLARATION(name) extern const FlameForm flame_form_##name;
FLAME_FORMS(FLAME_FORM_DECLARATION)

#endif /* DCFG_CMD_FLAME_TREE_H */
