/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A part of a trace that stands for all of it. */

/* Private to encode/. */

#ifndef __DCFG_SAMPLE_H
#define __DCFG_SAMPLE_H

#include "encode/io.h"

typedef
   struct {
      UInt* ids;       // decision edges; a 0 behind those from one place
      UInt  n, room;
      ULong scale;     // what there is of the trace for each of them
   }
   Sample;

/* About MAX decision edges of the N THREADS, or all if there are no more.
   S->ids is for the caller to free. */
void DCFG_(take_sample)(Sample* s, const TraceThread* threads, UInt n,
                        UInt max);

#endif /* __DCFG_SAMPLE_H */
