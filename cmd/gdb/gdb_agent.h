/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Conditions of breakpoints, as gdb compiles them. */

#ifndef DCFG_CMD_GDB_AGENT_H
#define DCFG_CMD_GDB_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AgentView: what a condition may read. */
typedef
   struct {
      void* arg;
      /* Set *VALUE to the register with that number in gdb's order. */
      bool (*read_register)(void* arg, unsigned n, uint64_t* value);
      bool (*read_memory)(void* arg, uint64_t addr, unsigned size,
                          uint64_t* value);
   }
   AgentView;

/* Evaluate the N bytes of CODE, and set *VALUE to the top of the stack at the
   end.  Return false if the code is wrong, runs too long, divides by zero,
   or reads what is not known. */
bool agent_evaluate(const uint8_t* code, size_t n, const AgentView* v,
                    uint64_t* value);

#endif /* DCFG_CMD_GDB_AGENT_H */
