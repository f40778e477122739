/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls with inlined functions. */

#ifndef DCFG_CMD_INLINE_STACKS_H
#define DCFG_CMD_INLINE_STACKS_H

#include "cmd/program/inline_view.h"
#include "cmd/calls/stack_tree.h"

/* The end of names of inlined functions in one run's stacks. */
#define INLINED_SUFFIX "_[i]"

/* As tree_add(), add the trace in PATH to RUN of T, with inlined functions,
   whose names get SUFFIX.  Return the number of instructions that count. */
uint64_t tree_add_inlined(StackTree* t, const Functions* f, const char* path,
                          const Selection* sel, InlineView* inlined, int run,
                          const char* suffix);

#endif /* DCFG_CMD_INLINE_STACKS_H */
