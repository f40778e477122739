/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Iterations of each entry to a loop. */

#ifndef DCFG_CMD_LOOP_TRIPS_H
#define DCFG_CMD_LOOP_TRIPS_H

#include "cmd/program/functions.h"

/* Bins of entries with 1, 2 to 3, 4 to 7 iterations, and so on. */
#define TRIP_BINS 64

/* LoopTrips: the sum over all entries to a loop, and the least and most
   iterations of one entry. */
typedef
   struct {
      uint64_t entries, iterations, least, most;
      uint64_t bins[TRIP_BINS];
   }
   LoopTrips;

/* Return, by loop, the trips of THREAD or of all threads in the trace at PATH;
   NULL for a loop that was not entered.  Free it with loop_trips_free().  Die
   if the trace cannot be read. */
LoopTrips** loop_trips(const Functions* f, const char* path, uint32_t thread);
void        loop_trips_free(const Functions* f, LoopTrips** trips);

#endif /* DCFG_CMD_LOOP_TRIPS_H */
