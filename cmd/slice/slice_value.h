/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values at an instance, and places that the source's words mean there. */

#ifndef DCFG_CMD_SLICE_VALUE_H
#define DCFG_CMD_SLICE_VALUE_H

#include "cmd/program/variables.h"

#include "lib/dcfg_slice.h"

/* ValueSearch: an instance; find_value() returns values as they were just
   before it. */
typedef
   struct {
      TraceProgram* program;
      uint32_t      instr;
      uint64_t      instance;
   }
   ValueSearch;

/* Set *VALUE to the value of O.  Return false if it is not known.  An
   ObjectReader; ARG is a ValueSearch. */
bool find_value(void* arg, const VariableObject* o, uint64_t* value);

/* Set what Q asks for to the place that EXPRESSION means just before
   INSTANCE of instruction INSTR.  Die if EXPRESSION has no place there. */
void variable_place(TraceProgram* p, uint32_t instr, uint64_t instance,
                    const char* expression, DcfgSliceQuery* q);

#endif /* DCFG_CMD_SLICE_VALUE_H */
