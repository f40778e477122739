/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Executions of a line of source. */

#ifndef DCFG_LIB_SLICE_EXECUTIONS_H
#define DCFG_LIB_SLICE_EXECUTIONS_H

#include "lib/slice/slice_code.h"

/* LineState: the execution of the line that an activation is in, forward. */
typedef
   struct {
      uint32_t last;            // the line's instruction that ran last, and 1;
                                // 0: the activation is in none
      bool     wanted;          // asked for by its number
   }
   LineState;

/* LineBack: the execution that is gone through backward. */
typedef
   struct {
      uint32_t next;            // the line's instruction that runs next
      bool     between;         // others ran before that one
   }
   LineBack;

/* Executions: of the query's line, all that began so far.  Written by
   slice_executions.c alone. */
typedef
   struct {
      const SliceCode* code;
      uint64_t n;
      uint64_t end;             // .order of the last instance of the one that
                                // is asked for; UINT64_MAX: it has none
   }
   Executions;

void executions_start(Executions* x, const SliceCode* code);

/* Forward: an activation, which is in S, executed instruction I. */
void executions_note(Executions* x, LineState* s, uint32_t i, uint64_t order);

/* Backward: was instruction I, which the activation executed before what is in
   B, before the execution began?  Else it is one of the line, and part of the
   execution, or stands between such ones. */
bool executions_began(const SliceCode* code, LineBack* b, uint32_t i);

#endif /* DCFG_LIB_SLICE_EXECUTIONS_H */
