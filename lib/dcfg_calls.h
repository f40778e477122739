/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls. */

/* Follows which calls are active, along a whole execution trace or a
   DCFG-trace.

   A whole execution trace has the addresses of return addresses, and the stack
   pointer behind jumps.  So a call ends by its place on the stack, also if
   longjmp() or an exception leaves it.

   A DCFG-trace has edges only.  There a call ends when control returns to its
   return address, or to that of a call made before it, or when a jump leads
   into the middle of a function that is active below.  Edges do not tell which
   of several calls of that function goes on.  Behind a call that has returned
   before, as setjmp() does, it is the innermost one in which it has; else the
   innermost one is taken.

   A whole execution trace tells when a thread leaves its stack for another one, as
   coroutines do: the calls of each stack stay there.  A DCFG-trace does not: see
   dcfg_calls_astray(). */

#ifndef DCFG_CALLS_H
#define DCFG_CALLS_H

#include "dcfg_wet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DcfgCalls DcfgCalls;

/* DcfgCall: an active call. */
typedef
   struct {
      uint64_t number;          // among all calls, in the order of their begins
      uint64_t frame;           // in a whole execution trace the stack pointer
                                // behind its return; 0: not known
      uint32_t function;        // along a DCFG-trace; DCFG_NONE: not known.  The
                                // user's along a whole execution trace, at first
                                // DCFG_NONE
   }
   DcfgCall;

/* DcfgCallWatcher: is told of calls that begin and end, in order.  A tail call
   along a DCFG-trace ends a call and begins another one. */
typedef
   struct {
      void (*begin)(void* arg, const DcfgCall* call);
      void (*end)(void* arg, const DcfgCall* call);
      /* The thread has left the stack of CALL, which is active, or come back to
         it.  All calls of a stack are told, in the order of end() and begin().
         Both may be NULL.  They may set CALL's .function along a whole execution
         trace. */
      void (*leave)(void* arg, DcfgCall* call);
      void (*resume)(void* arg, DcfgCall* call);
      void* arg;
   }
   DcfgCallWatcher;

/* DcfgCallFunctions: the functions of a DCFG, by block.  DCFG_NONE: a block of
   none, such as one of a linkage table, which belongs to the callers. */
typedef
   struct {
      const uint32_t* of;
      const bool*     begins;   // is the block its function's first?
      uint32_t        n;
   }
   DcfgCallFunctions;

/* Follow the calls of all threads of W, or of one thread of P at a time.  All
   objects must stay until the result is freed.  Return NULL, and set *ERR, on
   errors. */
DCFG_API DcfgCalls* dcfg_calls_of_wet(DcfgWet* w,
                                      const DcfgCallWatcher* watcher,
                                      DcfgError* err);
DCFG_API DcfgCalls* dcfg_calls_of_trace(const DcfgProcess* p,
                                        const DcfgCallFunctions* functions,
                                        const DcfgCallWatcher* watcher,
                                        DcfgError* err);
DCFG_API void dcfg_calls_free(DcfgCalls* c);

/* Take the next event of W.  Instructions that dcfg_calls_need() does not set
   may be left out.  Return false if memory is short. */
DCFG_API bool dcfg_calls_event(DcfgCalls* c, const DcfgWetEvent* e);

/* Find the activation of E, the next event of W, before taking it: the stack may
   have moved since the event before.  Return false if memory is short. */
DCFG_API bool dcfg_calls_arrive(DcfgCalls* c, const DcfgWetEvent* e);

/* Set the element of INSTRS, by number, of each call, return and indirect jump,
   and of each load of the stack pointer. */
DCFG_API void dcfg_calls_need(const DcfgWet* w, bool* instrs);

/* Take the next edge of the thread, by its index in P; take its first block
   before.  Return false if memory is short. */
DCFG_API bool dcfg_calls_edge(DcfgCalls* c, uint32_t edge);
DCFG_API bool dcfg_calls_first(DcfgCalls* c, uint32_t block);

/* End all calls of all threads: for a DCFG-trace, another thread follows. */
DCFG_API bool dcfg_calls_end(DcfgCalls* c);

/* Return the innermost call of THREAD, of a DCFG-trace's 0; NULL: there is
   none.  The result is valid until the next event or edge. */
DCFG_API const DcfgCall* dcfg_calls_top(const DcfgCalls* c, uint32_t thread);

/* Return how many calls are active in all threads together. */
DCFG_API uint32_t dcfg_calls_active(const DcfgCalls* c);

/* Return how many times along a DCFG-trace control came back to a function that was
   not active.  If it did, the program probably changes its stack, and calls that
   were active then have ended too early. */
DCFG_API uint64_t dcfg_calls_astray(const DcfgCalls* c);

/* DCFG_CALLS_MOST: as many calls as fit into a stack of 64 MB.  Further ones
   are not followed; dcfg_calls_lost() returns whether there were any. */
#define DCFG_CALLS_MOST 4000000
DCFG_API bool dcfg_calls_lost(const DcfgCalls* c);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_CALLS_H */
