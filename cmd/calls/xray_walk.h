/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The calls in an XRay log. */

#ifndef DCFG_CMD_XRAY_WALK_H
#define DCFG_CMD_XRAY_WALK_H

#include "cmd/base/rules.h"
#include "cmd/calls/spread.h"

#include "lib/dcfg_xray.h"

/* XrayCall: an entry to a function, and the exit. */
typedef
   struct {
      uint32_t function;
      uint32_t thread;          // index
      int32_t  thread_id;
      uint32_t pair;            // index of its XrayFigures
      uint64_t from, to;        // ticks; .to is set at the exit
      uint64_t inside;          // ticks of calls within it
      uint64_t view;            // the watcher may keep a number here
   }
   XrayCall;

/* XrayFigures: the costs of a function in a thread. */
typedef
   struct {
      uint32_t function;
      uint32_t thread;
      uint64_t active;          // calls that are active now
      uint64_t calls;
      uint64_t sum;             // ticks of all calls, with calls within them
      uint64_t inclusive;       // without those within itself
      uint64_t self;            // without calls within it
      Spread   spread;          // ticks of each call
   }
   XrayFigures;

typedef
   struct {
      bool     begun;           // has records
      int32_t  id;
      uint64_t first, last;     // ticks
      uint64_t calls;
      uint64_t depth;           // most calls active at a time
   }
   XrayThreadFigures;

/* XrayRun: a log that has been read. */
typedef
   struct {
      DcfgXrayHeader     header;
      int32_t            process;       // or 0
      uint64_t           n_buffers, n_calls, n_events;
      XrayFigures*       pairs;         // one for each pair of function and
                                        // thread
      size_t             n_pairs;
      XrayThreadFigures* threads;       // in the order of appearance
      size_t             n_threads;
   }
   XrayRun;

/* XrayWatcher: is told of each call while a log is read.  Any function may be
   NULL.  A thread's root has DEPTH 0, and CALLER is NULL for it. */
typedef
   struct {
      void (*enter)(void* arg, XrayCall* call, XrayCall* caller,
                    uint64_t depth);
      void (*leave)(void* arg, XrayCall* call, XrayCall* caller,
                    uint64_t depth);
      void (*event)(void* arg, const DcfgXrayRecord* r, uint64_t depth);
      void* arg;
   }
   XrayWatcher;

/* Read a log from X to its end, and close X.  Broken rules go to RULES.  MAP
   must have all functions; MAP and WATCHER may be NULL.  Die if the log cannot
   be read.  Free the result with xray_run_free(). */
XrayRun* xray_walk(DcfgXray* x, const DcfgXrayMap* map, Rules* rules,
                   const XrayWatcher* watcher);
void     xray_run_free(XrayRun* run);

/* Return the ticks between FROM and TO.  It is 0 if they are in the wrong
   order; the reader has complained of that. */
static inline uint64_t ticks_between(uint64_t from, uint64_t to)
{
   return to < from ? 0 : to - from;
}

#endif /* DCFG_CMD_XRAY_WALK_H */
