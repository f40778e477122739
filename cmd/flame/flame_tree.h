/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A tree of stacks of calls. */

#ifndef DCFG_CMD_FLAME_TREE_H
#define DCFG_CMD_FLAME_TREE_H

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
      uint32_t    depth;        // 0 for the empty stack
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
      bool      is_full;        // a message has said so
   }
   FlameTree;

FlameTree* tree_new(void);
void       tree_free(FlameTree* t);

/* Return the stack with NAME, which T->names has, on top of PARENT; PARENT itself
   if there are too many. */
uint32_t   tree_child(FlameTree* t, uint32_t parent, const char* name);

/* Add what a trace says of the part that is meant, to run 0 or 1. */
void       tree_add(FlameTree* t, const Functions* f, const char* path,
                    const Selection* sel, int run);

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
