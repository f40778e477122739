/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Self and inclusive costs of functions. */

#ifndef DCFG_CMD_FUNCTION_COSTS_H
#define DCFG_CMD_FUNCTION_COSTS_H

#include "cmd/program/functions.h"

/* FunctionCost: instructions of a function's calls.  The inclusive cost counts
   once if a function calls itself. */
typedef
   struct {
      uint64_t calls, self, all;
      uint64_t from;            // when the outermost active call began
      uint32_t active;
      uint32_t function;
   }
   FunctionCost;

/* CostStack: the active calls of one thread after another, and the costs so
   far. */
typedef
   struct {
      FunctionCost* spent;      // by function
      uint32_t*     open;       // functions of the active calls
      size_t        n, room;
      uint64_t      last;       // instructions that have been counted
   }
   CostStack;

/* Begin a thread; begin a call of FUNCTION, whose .calls is not counted here;
   end the innermost call.  AT: instructions that the thread executed. */
void costs_begin(CostStack* c);
void costs_enter(CostStack* c, uint32_t function, uint64_t at);
void costs_leave(CostStack* c, uint64_t at);

/* Return, by function of F, what THREAD or all threads spent in the trace at
   PATH: an array that the caller frees.  *TOTAL is the sum of all instructions.
   Die if the trace cannot be read. */
FunctionCost* function_costs(const Functions* f, const char* path,
                             uint32_t thread, uint64_t* total);

#endif /* DCFG_CMD_FUNCTION_COSTS_H */
