/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Evaluates the bytecode that gdb makes of a breakpoint's condition. */

#ifndef DCFG_CMD_GDB_AGENT_H
#define DCFG_CMD_GDB_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AgentView: the program's state, for a condition to read.  Both functions
   return false if a byte of the value is not known. */
typedef
   struct {
      void* arg;                // passed to both functions
      /* Set *VALUE to register N of the target's description: its lowest 8
         bytes, if it has more. */
      bool (*read_register)(void* arg, unsigned n, uint64_t* value);
      /* Set *VALUE to the SIZE bytes at ADDR; SIZE is 1, 2, 4 or 8. */
      bool (*read_memory)(void* arg, uint64_t addr, unsigned size,
                          uint64_t* value);
   }
   AgentView;

/* Evaluate the N bytes of CODE, and set *VALUE to the top of the stack at the
   end.  Return false if the code is malformed, takes too many steps, divides by
   zero, or reads a byte that V does not know. */
bool agent_evaluate(const uint8_t* code, size_t n, const AgentView* v,
                    uint64_t* value);

#endif /* DCFG_CMD_GDB_AGENT_H */
