/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A tree of stacks of calls. */

#ifndef DCFG_CMD_STACK_TREE_H
#define DCFG_CMD_STACK_TREE_H

#include "cmd/base/keymap.h"
#include "cmd/shared/call_walk.h"

/* StackTree: call stacks of one run or two, by names of functions.  Stack 0 is
   empty. */
typedef
   struct {
      const char* name;
      uint32_t    parent;
      uint32_t    depth;        // 0: the empty stack
      uint32_t    latest;       // its child that was asked for last, or 0
      uint64_t    self[2];      // by run: instructions in it
      uint64_t    total[2];     // by run: with stacks above it
   }
   Stack;

typedef
   struct {
      Stack*    stacks;         // a parent stands before its children
      uint32_t  n, room;
      KeyMap*   keys;
      Interned* names;
      KeyMap*   name_numbers;   // by address
      bool      is_full;        // the user was told
   }
   StackTree;

StackTree* tree_new(void);
void       tree_free(StackTree* t);

/* Return the stack with NAME, which T->names owns, above PARENT.  Return PARENT
   if it, or the tree, has too many stacks. */
uint32_t   tree_child(StackTree* t, uint32_t parent, const char* name);

/* Add the selected part of the trace at PATH to RUN 0 or 1.  Return the number
   of its instructions. */
uint64_t   tree_add(StackTree* t, const Functions* f, const char* path,
                    const Selection* sel, int run);

/* Sum the totals, after the last addition.  Return the stacks, to be freed:
   those with the same parent together, by name. */
uint32_t*  tree_finish(StackTree* t);

#endif /* DCFG_CMD_STACK_TREE_H */
