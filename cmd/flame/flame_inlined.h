/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls with inlined functions. */

#ifndef DCFG_CMD_FLAME_INLINED_H
#define DCFG_CMD_FLAME_INLINED_H

#include "cmd/flame/flame_tree.h"

/* Do as tree_add(), with inlined functions, whose names get SUFFIX.  Return the
   number of instructions that count. */
uint64_t tree_add_inlined(StackTree* t, const Traced* r, int run,
                          const char* suffix);

#endif /* DCFG_CMD_FLAME_INLINED_H */
