/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values of pointers at an instance. */

#ifndef DCFG_CMD_SLICE_VALUE_H
#define DCFG_CMD_SLICE_VALUE_H

#include "cmd/variables/expression.h"

/* ValueSearch: an instance, just before which values are wanted. */
typedef
   struct {
      DcfgWet*    w;
      const char* file;         // the same trace
      Variables*  variables;
      uint32_t    instr;
      uint64_t    instance;
   }
   ValueSearch;

/* ObjectReader's: the value of O; ARG is a ValueSearch. */
bool find_value(void* arg, const VariableObject* o, uint64_t* value);

#endif /* DCFG_CMD_SLICE_VALUE_H */
