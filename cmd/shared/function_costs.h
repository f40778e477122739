/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Self and inclusive costs of functions. */

#ifndef DCFG_CMD_FUNCTION_COSTS_H
#define DCFG_CMD_FUNCTION_COSTS_H

#include "cmd/shared/functions.h"

/* FunctionCost: of a function's calls; instructions.  Those of a function that
   calls itself count once. */
typedef
   struct {
      uint64_t calls, self, all;
      uint64_t from;            // when the outermost active call began
      uint32_t active;
      uint32_t function;
   }
   FunctionCost;

/* Return what THREAD, or all threads, spent in each of F's functions, by the trace
   PATH: an array that the caller frees.  *TOTAL is what was spent in all.  Dies if
   the trace cannot be read. */
FunctionCost* function_costs(const Functions* f, const char* path,
                             uint32_t thread, uint64_t* total);

#endif /* DCFG_CMD_FUNCTION_COSTS_H */
