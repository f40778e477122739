/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values at an instance, and places that the source's words mean there. */

#ifndef DCFG_CMD_SLICE_VALUE_H
#define DCFG_CMD_SLICE_VALUE_H

#include "cmd/variables/expression.h"

#include "lib/dcfg_slice.h"

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

/* Set what Q asks for to what EXPRESSION means just before INSTANCE of
   instruction INSTR in W, which is the trace in FILE.  Images are looked for
   below ROOT first, unless that is NULL.  Dies if it is nowhere. */
void variable_place(DcfgWet* w, const char* file, uint32_t instr,
                    uint64_t instance, const char* expression,
                    const char* root, DcfgSliceQuery* q);

#endif /* DCFG_CMD_SLICE_VALUE_H */
