/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The internals of a thread. */

/* Private to run/: the state of a thread that tool/run/position.c,
   tool/run/thread.c and tool/run/event.c share. */

#ifndef __DCFG_INSIDE_H
#define __DCFG_INSIDE_H

#include "pub_tool_basics.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"

#include "dcfg_bb.h"
#include "tool/dcfg_output.h"
#include "tool/run/branch.h"
#include "tool/run/cells.h"
#include "tool/run/diversion.h"

/* Interruption: a handler that has begun and not ended. */
typedef
   struct {
      Position from;
      Site     site;     // used instead of .from if that is in an earlier part
      Addr     sp;       // the interrupted stack pointer, which identifies it
      Addr     ip;       // the interrupted address
      Bool     hidden;   // is the interrupted code, or the handler's first
                         // code, excluded?
   }
   Interruption;

/* Route: a way through excluded code, and the diversion that counts it. */
typedef
   struct {
      Diversion* d;            // NULL: this place is free
      UInt       last, sb;     // from behind .last to .sb
      Addr       entry;        // address where the excluded code begins
   }
   Route;

/* ThreadCore: what the core does with a thread. */
typedef
   struct {
      Bool  started;         // has run generated code
      Bool  running;         // is in generated code now
      Addr  stop_ip;         // address where it last left generated code
      ULong start_blocks;    // superblocks that the core had counted when it
                             // last entered generated code
      ULong uncarried;       // superblocks since counters were carried
      Bool  holds;           // memory that its system call writes is told
                             // later
   }
   ThreadCore;

/* ThreadGap: a gap, in which a thread is not collected. */
typedef
   struct {
      Bool open;             // is not collected, and stands ...
      Addr ip;               // ... at this address, as far as known
      Bool ran;              // has run since
      Bool unseen;           // and ran code that counts nothing
   }
   ThreadGap;

/* ThreadIdle: a thread that is not collected while others are.  It counts in
   an array that nobody reads. */
typedef
   struct {
      Bool          now;       // its own collection is off: tool/run/event.c
      CellArray*    cells;     // array for counts to drop, or NULL
      BranchCaches* branches;
   }
   ThreadIdle;

/* ThreadLeaving: the way out at which a thread calls the tool. */
typedef
   struct {
      Bool now;              // is in generated code, at a way out
      Addr to;               // the address that it leaves for
   }
   ThreadLeaving;

/* ThreadAway: excluded code, which a thread runs while is_away(). */
typedef
   struct {
      Addr     entry;        // the address at which excluded code began
      Bool     fixed;        // has .from; else the thread came from its
                             // position then
      Position from;
      Route*   routes;       // N_ROUTES of the latest ones, or NULL
   }
   ThreadAway;

/* ThreadSignal: signals and their handlers. */
typedef
   struct {
      Bool    begun;         // has a handler begun since .core.stop_ip?
      Addr    ip;            // the interrupted address, if so
      Bool    sigreturn;     // was the last system call sigreturn?
      XArray* interruptions; // Interruption, innermost last
   }
   ThreadSignal;

/* ThreadBoundary: what this part of the run needs of the parts before it. */
typedef
   struct {
      Site       behind;     // the last instruction of earlier parts
      Bool       diverted;   // was it diverted behind that instruction?
      DivertKind kind;       // in this way
      ULong      preceding;  // instructions in earlier parts
   }
   ThreadBoundary;

typedef
   struct {
      UInt          index;
      ThreadId      tid;
      Bool          live;
      Position      last;      // its last position, if not .live
      Bool          fresh;     // has run since forget_runs()
      Bool          entered;   // has been collected in generated code
      Target        entry;     // its first instruction; if .entered
      Diversion*    diverted;  // the last diversion, if the mark has DIVERTED
      CellArray*    cells;
      BranchCaches* branches;  // if .live
      ULong         counted;   // instructions counted at the last reading
      ThreadCore    core;
      ThreadGap     gap;
      ThreadIdle    idle;
      ThreadLeaving leaving;
      ThreadAway    away;
      ThreadSignal  signal;
      ThreadBoundary boundary;
      void*         states[DCFG_MAX_WATCHERS];   // one for each watcher
   }
   Thread;

static inline UWord* mark_in(CellArray* cells)
{
   return (UWord*)(DCFG_(cell_base)(cells) + CellMark);
}

/* Return the mark in the array that THREAD uses while it is collected. */
static inline UWord* mark_of(const Thread* thread)
{
   return mark_in(thread->cells);
}

static inline Bool is_diverted(const Thread* thread)
{
   return (*mark_of(thread) & DCFG_MARK_DIVERTED) != 0;
}

/* Return whether THREAD runs excluded code.  Its position is then where it left
   collected code: see tool/run/event.c. */
static inline Bool is_away(const Thread* thread)
{
   return DCFG_(cell_base)(thread->cells)[CellAway] != 0;
}

/* Forget THREAD's routes: their diversions may have changed. */
void DCFG_(forget_routes)(Thread* thread);

/* Return THREAD's position if its instruction pointer is ADDR.  See "The mark"
   in tool/run/instrument.c. */
Position DCFG_(position)(const Thread* thread, Addr addr);

/* Return where THREAD was going when it last ran generated code and was
   collected. */
Addr DCFG_(bound_for)(const Thread* thread);

/* Divert THREAD, which was going to ADDR, to TO. */
void DCFG_(divert)(Thread* thread, Addr addr, DivertKind kind, Addr to);
void DCFG_(divert_to)(Thread* thread, Addr addr, DivertKind kind, Target to);

/* Count diversion D once more: THREAD took it again, and runs the next
   superblock at once. */
void DCFG_(divert_again)(Thread* thread, Diversion* d);

/* Let THREAD's last diversion lead to the code that is now at its target. */
void DCFG_(divert_anew)(Thread* thread);

/* Tell watchers that THREAD has left generated code at ADDR. */
void DCFG_(tell_left)(const Thread* thread, Addr addr);

/* Tell watchers that THREAD will not go on from its position. */
void DCFG_(tell_stop)(const Thread* thread);

/* End THREAD's handler, which returned to ADDR with stack pointer SP. */
void DCFG_(end_interruption)(Thread* thread, Addr addr, Addr sp);

void DCFG_(forget_diversions)(void);

/* Collect THREAD from IP on.  It has run to IP without being collected, or has
   not run. */
void DCFG_(end_gap)(Thread* thread, Addr ip);

/* Set the base that generated code finds, for the array that THREAD counts
   in. */
void DCFG_(set_base)(const Thread* thread);

/* The threads, in order of creation; the live ones by ThreadId. */
Word    DCFG_(all_threads)(void);
Thread* DCFG_(nth_thread)(Word i);
Thread* DCFG_(thread_of)(ThreadId tid);

Thread* DCFG_(new_thread)(ThreadId tid);
/* End a thread.  Delete the last thread, which never existed. */
void    DCFG_(end_thread)(Thread* thread);
void    DCFG_(delete_last_thread)(Thread* thread);

/* Make the array for counts to drop, if there is none. */
void    DCFG_(have_idle_cells)(Thread* thread);

#endif /* __DCFG_INSIDE_H */
