/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Post-dominators of code. */

#ifndef DCFG_CMD_STATIC_TREE_H
#define DCFG_CMD_STATIC_TREE_H

/* Private to the room omitted/. */

#include "cmd/omitted/static_code.h"

/* Set .up of all nodes of C. */
void static_tree_make(StaticCode* c);

#endif /* DCFG_CMD_STATIC_TREE_H */
