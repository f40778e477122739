/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The inside of a thread. */

/* Private to run/: what run/position.c, run/thread.c, run/gap.c and
   run/event.c share of a thread. */

#ifndef __DCFG_INSIDE_H
#define __DCFG_INSIDE_H

#include "pub_tool_basics.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"

#include "dcfg_bb.h"
#include "dcfg_output.h"
#include "run/branch.h"
#include "run/cells.h"
#include "run/diversion.h"

/* A handler that has been entered and not left. */
typedef
   struct {
      Position from;
      Site     site;     // in place of it, if an earlier part has that
      Addr     sp;       // the interrupted stack pointer, to know it by
      Bool     hidden;   // what was interrupted, or the handler's first
                         // code, is left out
   }
   Interruption;

/* A way through code that is left out, and the diversion that counts it. */
typedef
   struct {
      Diversion* d;            // NULL: there is none here
      UInt       last, sb;     // from behind this superblock to this one ...
      Addr       entry;        // ... by this address
   }
   Route;

typedef
   struct {
      UInt       index;
      ThreadId   tid;
      Bool       started;     // has been in generated code
      Bool       running;     // is there now
      Bool       entered;     // and been collected there
      Target     entry;       // if it has
      Bool       off;         // is not collected: stands at ...
      Addr       off_ip;      // ... this address, as far as is known, ...
      Bool       off_ran;     // ... or has run since
      Bool       unseen;      // by code that tells nothing
      Bool       idle;        // its own collection is off: run/gap.c
      Bool       leaving;     // is in generated code, at a way out ...
      Addr       leaving_for; // ... to this address
      Addr       away_entry;  // if it is away: where that began, and ...
      Bool       away_fixed;  // ... from here, or from where it stood then
      Position   away_from;
      Route*     routes;      // N_ROUTES that it has gone, or NULL
      Addr       stop_ip;     // where it last left generated code
      ULong      start_blocks;  // what the core had run when it last went
                                // there: superblocks
      ULong      uncarried;   // that it has run since counters were carried
      Bool       signalled;   // a handler was entered since then ...
      Addr       signal_ip;   // ... in place of this address
      Bool       sigreturn;   // the last system call was sigreturn
      Diversion* diverted;    // the last one, if the mark says so
      Bool       live;
      Position   last;        // unless live
      Site       behind;      // the last instruction of earlier parts, ...
      Bool       seam_diverted; // ... behind which it was diverted, ...
      DivertKind seam_kind;     // ... in this way
      ULong      preceding;   // instructions, in earlier parts
      ULong      counted;     // when what it did was last read
      CellArray* cells;
      BranchCaches* branches;     // if live
      CellArray*    idle_cells;   // what it counts in while idle, or NULL
      BranchCaches* idle_branches;
      void*      states[DCFG_MAX_WATCHERS];   // of those that watch
      XArray*    interruptions;   // Interruption, innermost last
   }
   Thread;

static inline UWord* mark_in(CellArray* cells)
{
   return (UWord*)(DCFG_(cell_base)(cells) + CellMark);
}

/* What T was collected with ran last. */
static inline UWord* mark_of(const Thread* t)
{
   return mark_in(t->cells);
}

static inline Bool is_diverted(const Thread* t)
{
   return (*mark_of(t) & DCFG_MARK_DIVERTED) != 0;
}

/* Does T run code that is left out?  Then it stands where it left what is
   not: see run/away.c. */
static inline Bool is_away(const Thread* t)
{
   return DCFG_(cell_base)(t->cells)[CellAway] != 0;
}

/* The diversions that T has gone by may be others from now on. */
void DCFG_(forget_routes)(Thread* t);

/* Where T stands, given that its instruction pointer is ADDR.  See "The
   mark" in run/instrument.c. */
Position DCFG_(position)(const Thread* t, Addr addr);

/* Where T was going when it was last collected in generated code. */
Addr DCFG_(bound_for)(const Thread* t);

/* T, which was bound for ADDR, goes on at TO instead. */
void DCFG_(divert)(Thread* t, Addr addr, DivertKind kind, Addr to);
void DCFG_(divert_to)(Thread* t, Addr addr, DivertKind kind, Target to);

/* It does so as it did before: the next superblock runs at once. */
void DCFG_(divert_again)(Thread* t, Diversion* d);

/* T's last diversion leads to what is now at its target. */
void DCFG_(divert_anew)(Thread* t);

/* T has left generated code when it was at ADDR. */
void DCFG_(tell_left)(const Thread* t, Addr addr);

/* T will not go on from where it stands. */
void DCFG_(tell_stop)(const Thread* t);

/* T's handler has returned to ADDR with the stack pointer SP. */
void DCFG_(end_interruption)(Thread* t, Addr addr, Addr sp);

void DCFG_(forget_diversions)(void);

/* T, which has run to IP without being collected, or not run at all, is
   collected from there on. */
void DCFG_(end_gap)(Thread* t, Addr ip);

/* Let generated code find the array that T counts in. */
void DCFG_(set_base)(const Thread* t);

/* The threads, in order of creation, and the live ones. */
Word    DCFG_(all_threads)(void);
Thread* DCFG_(nth_thread)(Word i);
Thread* DCFG_(thread_of)(ThreadId tid);

Thread* DCFG_(new_thread)(ThreadId tid);
/* It has ended, or (before it ran) there never was such a thread. */
void    DCFG_(end_thread)(Thread* t);
void    DCFG_(delete_last_thread)(Thread* t);

/* Its array for what is not wanted, which is made if there is none. */
void    DCFG_(have_idle_cells)(Thread* t);

#endif /* __DCFG_INSIDE_H */
