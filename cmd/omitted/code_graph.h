/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The graph of the program's code. */

#ifndef DCFG_CMD_CODE_GRAPH_H
#define DCFG_CMD_CODE_GRAPH_H

/* Private to the room omitted/. */

#include "cmd/omitted/static_code.h"

/* CodeSeed: the address of an instruction of the program, and an instruction
   of the trace in the same image. */
typedef
   struct {
      uint64_t addr;
      uint32_t near;
   }
   CodeSeed;

/* Return the graph of the code that SEEDS lead to.  EXECUTED says, by
   instruction of the trace, whether it was executed.  Image files are looked
   for below ROOT first, unless ROOT is NULL. */
StaticCode* code_graph_new(DcfgWet* w, Variables* names, const char* root,
                           const bool* executed, const CodeSeed* seeds,
                           size_t n_seeds);
void        code_graph_free(StaticCode* c);

#endif /* DCFG_CMD_CODE_GRAPH_H */
