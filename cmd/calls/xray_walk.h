/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The calls in an XRay log. */

#ifndef DCFG_CMD_XRAY_WALK_H
#define DCFG_CMD_XRAY_WALK_H

#include "cmd/base/cmd.h"
#include "cmd/base/rules.h"
#include "cmd/calls/call_walk.h"

#include "lib/dcfg_xray.h"

/* Spread: numbers of which the N-th smallest can be asked for.  All zero:
   none. */
typedef
   struct {
      uint64_t value, count;
   }
   Run;

typedef
   struct {
      Run*      runs;           // by value
      size_t    n_runs;
      uint64_t* news;           // not merged yet
      size_t    n_news, room;
      uint64_t  total;          // how many numbers there are
   }
   Spread;

void     spread_free(Spread* s);

/* Move all of FROM, which is empty then, to TO. */
void     spread_move(Spread* to, Spread* from);

/* Return the number that has RANK numbers before it, in order.  RANK is less
   than s->total. */
uint64_t spread_at(Spread* s, uint64_t rank);

/* Return the path of the map that the tool wrote beside LOG, to be freed; NULL
   if there is none. */
char*       map_beside(const char* log);

/* Return a function's symbol; without one "libz.so.1.2.13+0x1234", as all
   commands call it.  The tool wrote the address in the file,
   "0x0000000000001234".  Valid until text_forget(). */
const char* log_symbol(const DcfgXrayFunction* f);

/* XrayCall: an entry to a function, and the exit. */
typedef
   struct {
      uint32_t function;
      uint32_t thread;          // index
      int32_t  thread_id;
      uint32_t pair;            // index of its XrayFigures
      uint64_t from, to;        // ticks; .to is set at the exit
      uint64_t begin, end;      // times: ticks of all threads together
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
      uint64_t           n_jumps;       // calls that end by a jump
      XrayFigures*       pairs;         // one for each pair of function and
                                        // thread
      size_t             n_pairs;
      XrayThreadFigures* threads;       // in the order of appearance
      size_t             n_threads;
   }
   XrayRun;

/* XrayWatcher: is told of each call while a log is read.  Anything may be NULL.  A
   thread's root has DEPTH 0, and CALLER is NULL for it.  PROCESS becomes the id of
   the process before the first call, or 0. */
typedef
   struct {
      void (*enter)(void* arg, XrayCall* call, XrayCall* caller,
                    uint64_t depth);
      void (*leave)(void* arg, XrayCall* call, XrayCall* caller,
                    uint64_t depth);
      void (*event)(void* arg, const DcfgXrayRecord* r, uint64_t time,
                    uint64_t depth);
      void*    arg;
      int32_t* process;
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

/* LogMap: a function that gets ARG and a log's map, which it has to free, before
   the log is read.  Return the watcher of the log's calls. */
typedef XrayWatcher LogMap(void* arg, DcfgXrayMap* map);

/* Read the XRay log FILE.  MAP_FILE has the names; NULL: the map beside FILE.
   Die if one of them cannot be read.  Free the result with xray_run_free(). */
XrayRun* log_walk(const char* file, const char* map_file, LogMap* use,
                  void* arg);

/* Add the calls of the log FILE to RUN of T; MAP_FILE is as in log_walk().
   MANGLED: names stay as the linker sees them. */
void tree_add_log(StackTree* t, const char* file, const char* map_file,
                  bool mangled, int run);

#endif /* DCFG_CMD_XRAY_WALK_H */
