/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   One thread's buffers of an XRay log. */

#ifndef __DCFG_FLIGHT_H
#define __DCFG_FLIGHT_H

#include "pub_tool_basics.h"
#include "base/put.h"
#include "logs/active.h"

/* What a log is to be like.  To be set before the program runs. */
typedef
   struct {
      UInt  version;      // 1 or 5
      ULong limit;        // of the file in bytes, or 0
      Bool  keep_last;    // what was written last; else what was first
   }
   FlightFormat;
extern FlightFormat DCFG_(flight_format);

/* A thread's log, and how functions get there. */
typedef struct _FlightLog FlightLog;

extern const CallLog DCFG_(flight_calls);

/* Put the file's header; L, whose functions are A, which get their last exits
   at TICK.  Nothing of L is changed.  Returns False if there is nothing of
   L. */
void DCFG_(put_flight_header)(Put* out);
Bool DCFG_(put_flight_log)(Put* out, const FlightLog* l, const Active* a,
                           ULong tick);

/* Put a buffer without records, where no thread has any: llvm-xray takes a header
   alone for a text. */
void DCFG_(put_empty_flight)(Put* out);

/* Function records that are in the logs. */
ULong DCFG_(n_flight_records)(void);

/* Has the limit been reached? */
Bool DCFG_(flight_is_limited)(void);

#endif /* __DCFG_FLIGHT_H */
