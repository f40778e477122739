
/*--------------------------------------------------------------------*/
/*--- One thread's buffers of an XRay log.           xray/flight.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

#ifndef __DCFG_FLIGHT_H
#define __DCFG_FLIGHT_H

#include "pub_tool_basics.h"
#include "base/put.h"

/* What a log is to be like.  To be set before the program runs. */
typedef
   struct {
      UInt  version;      // 1 or 5
      ULong limit;        // of the file in bytes, or 0
      Bool  keep_last;    // what was written last; else what was first
   }
   FlightFormat;
extern FlightFormat DCFG_(flight_format);

/* What happens to a function, as the log numbers it. */
typedef
   enum {
      FlightEnter     = 0,
      FlightExit      = 1,
      FlightTailExit  = 2,
      FlightEnterArgs = 3
   }
   FlightAction;

#define DCFG_N_ARGS 6

/* A thread's log. */
typedef struct _FlightLog FlightLog;

/* Told when no more fits, each log in turn: it must take its last exits and
   nothing afterwards.  N_OPEN says how many these would be. */
typedef
   struct {
      void (*stop)(void* arg);
      UInt (*n_open)(void* arg);
   }
   FlightOwner;

/* For THREAD, from 0 up.  OWNER is given ARG.  NULL: no more fits. */
FlightLog* DCFG_(new_flight_log)(UInt thread, const FlightOwner* owner,
                                 void* arg);
void       DCFG_(delete_flight_log)(FlightLog* l);

/* Function ID is entered or left at TICK, which is not below the last one.
   With FlightEnterArgs, ARGS are DCFG_N_ARGS words. */
void DCFG_(log_function)(FlightLog* l, UInt id, FlightAction action,
                         ULong tick, const UWord* args);

/* The program says TEXT at TICK. */
void DCFG_(log_text)(FlightLog* l, const HChar* text, ULong tick);

/* No more will be logged: keep no memory to spare. */
void DCFG_(finish_flight_log)(FlightLog* l);

/* The last tick of L, or 1. */
ULong DCFG_(flight_tick)(const FlightLog* l);

/* Put a buffer without records, where no thread has any: llvm-xray takes a header
   alone for a text. */
void DCFG_(put_empty_flight)(Put* out);

/* Put the file's header; L, behind which CLOSE, given ARG, logs the last
   exits to the log that it is handed.  Nothing of L is changed.  Returns
   False if there is nothing of L. */
void DCFG_(put_flight_header)(Put* out);
Bool DCFG_(put_flight_log)(Put* out, const FlightLog* l,
                           void (*close)(void* arg, FlightLog* l),
                           void* arg);

/* Function records that are in the logs. */
ULong DCFG_(n_flight_records)(void);

/* Has the limit been reached? */
Bool DCFG_(flight_is_limited)(void);

/* In a forked child, when all logs are gone. */
void DCFG_(forget_flights)(void);

#endif /* __DCFG_FLIGHT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
