/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A sample of a trace. */

/* Private to trace/. */

#ifndef __DCFG_SAMPLE_H
#define __DCFG_SAMPLE_H

#include "tool/trace/io.h"

typedef
   struct {
      UInt* ids;       // decision edges, with a 0 after each place
      UInt  n, room;
      ULong scale;     // edges of the trace for each of them
   }
   Sample;

/* Take about MAX decision edges of the N THREADS, or all if they have no more.
   The caller frees S->ids. */
void DCFG_(take_sample)(Sample* s, const TraceThread* threads, UInt n,
                        UInt max);

#endif /* __DCFG_SAMPLE_H */
