/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A tree of stacks of calls. */

#ifndef DCFG_CMD_STACK_TREE_H
#define DCFG_CMD_STACK_TREE_H

#include "cmd/base/interned.h"
#include "cmd/shared/call_walk.h"

/* Stacks of calls of one run or of two, by the names of functions.  Stack 0 is
   the empty one. */
typedef
   struct {
      const char* name;
      uint32_t    parent;
      uint32_t    depth;        // 0: the empty stack
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
      bool      is_full;        // the user knows
   }
   StackTree;

StackTree* tree_new(void);
void       tree_free(StackTree* t);

/* Return the stack with NAME, which T->names has, on top of PARENT; PARENT itself
   if there are too many, or too many in it. */
uint32_t   tree_child(StackTree* t, uint32_t parent, const char* name);

/* Add what the trace in PATH says of the part that is meant, to RUN 0 or 1.
   Return the number of instructions that count. */
uint64_t   tree_add(StackTree* t, const Functions* f, const char* path,
                    const Selection* sel, int run);

/* When all is added: totals; and stacks in order: those with the same parent
   together, by name.  To be freed. */
uint32_t*  tree_finish(StackTree* t);

#endif /* DCFG_CMD_STACK_TREE_H */
