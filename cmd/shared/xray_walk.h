/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The calls in an XRay log. */

#ifndef DCFG_CMD_XRAY_WALK_H
#define DCFG_CMD_XRAY_WALK_H

#include "cmd/base/rules.h"
#include "cmd/shared/spread.h"

#include "lib/dcfg_xray.h"

/* A function that was entered, and when it was left. */
typedef
   struct {
      uint32_t function;
      uint32_t thread;          // index
      int32_t  thread_id;
      uint32_t pair;            // index of its Figures
      uint64_t from, to;        // ticks; TO when it has been left
      uint64_t inside;          // ticks in what it called
      uint64_t view;            // whoever watches may keep a number here
   }
   XrayCall;

/* XrayFigures: the costs of a function in a thread. */
typedef
   struct {
      uint32_t function;
      uint32_t thread;
      uint64_t active;          // how often it is active now
      uint64_t calls;
      uint64_t sum;             // ticks of all calls, with what they called
      uint64_t inclusive;       // without those from within itself
      uint64_t self;            // without what they called
      Spread   spread;          // ticks of each call
   }
   XrayFigures;

typedef
   struct {
      bool     begun;           // has it records?
      int32_t  id;
      uint64_t first, last;     // ticks
      uint64_t calls;
      uint64_t depth;           // most that were active at a time
   }
   XrayThreadFigures;

/* A log that has been read. */
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

/* Told of each call while a log is read.  Any may be NULL.  CALLER is NULL
   for a thread's root; DEPTH is 0 for it. */
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

/* Read a log from X, which is closed, to its end; what breaks a rule goes to
   RULES.  MAP, of whose functions all must be, and WATCHER may be NULL.  Dies
   if the log cannot be read.  The result is freed by xray_run_free(). */
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
