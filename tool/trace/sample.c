/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A sample of a trace. */

/* Owns: the choice of the places of a sample.  Handed: readers of threads.
   Taken by: dcfg_trace_enc.c, to choose phrases. */

#include "tool/trace/sample.h"

/* The number of neighbouring decisions in a sample of a thread without
   places. */
#define WINDOW 4096

/* The largest number of places in a thread. */
#define MAX_PLACES 128

/* Read up to N edges of THREAD into the sample. */
static void sample_some(Sample* s, const TraceThread* thread, UInt n)
{
   UInt got;

   if (n > s->room - s->n - 1)
      n = s->room - s->n - 1;
   while (n > 0 && (got = thread->read(thread->arg, s->ids + s->n, n)) > 0) {
      s->n += got;
      n    -= got;
   }
   s->ids[s->n++] = 0;
}

/* Read all of THREAD, and keep one window in SCALE.  *PLACE counts the windows
   of all threads. */
static void sample_windows(Sample* s, const TraceThread* thread, ULong scale,
                           ULong* place)
{
   UInt* unwanted = dcfg_alloc("dcfg.trace.unwanted", WINDOW * sizeof(UInt));

   for (; s->room - s->n > 1; ++*place) {
      UInt n = s->n;
      if (*place % scale == 0) {
         sample_some(s, thread, WINDOW);
         if (s->n == n + 1)
            break;
      } else if (thread->read(thread->arg, unwanted, WINDOW) == 0) {
         break;
      }
   }
   dcfg_free(unwanted);
}

/* Sample one part in SCALE of THREAD. */
static void sample_thread(Sample* s, const TraceThread* thread, ULong scale,
                          ULong* place)
{
   UInt  n_places = thread->n_places;
   ULong n        = thread->n_decisions / scale / (n_places + 1) + 1;

   thread->start(thread->arg);
   if (scale == 1) {
      sample_some(s, thread, s->room);
   } else if (n_places == 0 || !thread->skip(thread->arg, 0)) {
      sample_windows(s, thread, scale, place);
   } else {
      for (UInt i = 0; i < n_places && s->room - s->n > 1; i++)
         if (thread->skip(thread->arg, i))
            sample_some(s, thread, (UInt)n);
   }
   thread->stop(thread->arg);
}

void DCFG_(take_sample)(Sample* s, const TraceThread* threads, UInt n,
                        UInt max)
{
   ULong total = 0, place = 0;

   for (UInt t = 0; t < n; t++)
      total += threads[t].n_decisions;
   s->n     = 0;
   s->scale = total / max + 1;
   s->room  = (UInt)(total / s->scale) + n * (MAX_PLACES + 1) + WINDOW;
   s->ids   = dcfg_alloc("dcfg.sample", (SizeT)s->room * sizeof(UInt));
   for (UInt t = 0; t < n; t++)
      sample_thread(s, &threads[t], s->scale, &place);
}
