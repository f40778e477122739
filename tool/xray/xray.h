/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   XRay logs: the records of threads, and the map of functions. */

/* Private to xray/. */

#ifndef __DCFG_XRAY_H
#define __DCFG_XRAY_H

#include "pub_tool_basics.h"
#include "format/put.h"
#include "tool/calls/active.h"

/*--- Records: tool/xray/output_xray.c                          ---*/

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

/*--- The map: tool/xray/elf_map.c                         ---*/

/* Put the map of all functions with a number (tool/calls/active.h). */
void DCFG_(put_elf_map)(Put* out);

/* Reserve the numbers that functions have in the map NAME.  Return NULL, or the
   reason for a failure. */
const HChar* DCFG_(read_elf_map)(const HChar* name);

#endif /* __DCFG_XRAY_H */
