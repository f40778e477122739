/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Executions of a line of source. */

#ifndef DCFG_LIB_SLICE_EXECUTIONS_H
#define DCFG_LIB_SLICE_EXECUTIONS_H

#include "lib/slice/slice_code.h"

/* LineState: an activation's present execution of the line, forward. */
typedef
   struct {
      uint32_t last;            // the line's instruction that ran last, + 1; 0:
                                // in no execution
      bool     wanted;          // the query asks for this execution
   }
   LineState;

/* LineBack: the execution through which the walk goes backward. */
typedef
   struct {
      uint32_t next;            // the line's instruction that runs next
      bool     between;         // other lines' ran before that one
   }
   LineBack;

/* Executions: executions of the query's line that have begun so far.
   Written by slice_executions.c alone. */
typedef
   struct {
      const SliceCode* code;
      uint64_t n;
      uint64_t end;             // .order of the last instance of the execution
                                // asked for; UINT64_MAX: it has none
   }
   Executions;

void executions_start(Executions* x, const SliceCode* code);

/* Forward: note that an activation, in state S, executed instruction I. */
void executions_note(Executions* x, LineState* s, uint32_t i, uint64_t order);

/* Backward: return whether instruction I, which the activation executed before
   B, was before the execution began.  If not, I belongs to the line or ran
   between its instructions. */
bool executions_began(const SliceCode* code, LineBack* b, uint32_t i);

#endif /* DCFG_LIB_SLICE_EXECUTIONS_H */
