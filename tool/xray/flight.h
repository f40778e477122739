/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A thread's part of an XRay log. */

#ifndef __DCFG_FLIGHT_H
#define __DCFG_FLIGHT_H

#include "pub_tool_basics.h"
#include "format/put.h"
#include "tool/calls/active.h"

/* FlightFormat: the form of a log, set before the program runs. */
typedef
   struct {
      UInt  version;      // 1 or 5
      ULong limit;        // bytes in the file; 0: no limit
      Bool  keep_last;    // keep the last records, not the first
   }
   FlightFormat;
extern FlightFormat DCFG_(flight_format);

/* FlightLog: a thread's log. */
typedef struct _FlightLog FlightLog;

extern const CallLog DCFG_(flight_calls);

/* Put the file's header; put L, whose functions are A and get their last exits
   at TICK.  L is not changed.  Return False if L is empty. */
void DCFG_(put_flight_header)(Put* out);
Bool DCFG_(put_flight_log)(Put* out, const FlightLog* l, const Active* a,
                           ULong tick);

/* Put a buffer without records, if no thread has any: llvm-xray takes a header
   alone for a text file. */
void DCFG_(put_empty_flight)(Put* out);

/* Return the number of function records in the logs. */
ULong DCFG_(n_flight_records)(void);

/* Return whether the limit has been reached. */
Bool DCFG_(flight_is_limited)(void);

#endif /* __DCFG_FLIGHT_H */
