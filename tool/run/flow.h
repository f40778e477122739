/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The flows of a superblock in one thread. */

#ifndef __DCFG_FLOW_H
#define __DCFG_FLOW_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "tool/run/thread.h"

#define DCFG_MAX_INSTRS 128   // in a superblock; VEX's limit is 100

/* SbDiversion: a diversion from the superblock, or the end of the thread in
   it. */
typedef
   struct {
      Position   from;
      DivertKind kind;
      Bool       ends;        // the thread's end; .kind and .to are not used
      Target     to;
      ULong      count;
      ULong      to_undo;     // steps to .from.target to take back
      UInt       left_at;     // index of the instruction that it left
   }
   SbDiversion;

/* SbRun: the executions of a superblock by one thread. */
typedef
   struct {
      UInt              thread;
      const Superblock* sb;
      const ULong*      cells;
      SbDiversion*      diversions;
      UInt              n_diversions, room;
      ULong faulted[DCFG_MAX_INSTRS];   // control left before instruction k ran
      ULong executed[DCFG_MAX_INSTRS];  // instruction k ran
      ULong at_end;                     // reached the end, without an exit
   }
   SbRun;

/* Fill in RUN; .room and .diversions are used again.  SB is NULL for the time
   before the thread's first superblock, which only has diversions.  Return how
   many of SB's instructions ran at all. */
UInt DCFG_(read_run)(SbRun* run, UInt thread, const ThreadInfo* info,
                     const ULong* cells, const Superblock* sb);

/* Call DO_IT for the steps from RUN's instruction K to TARGET, without those
   that were taken back.  TARGET.version may be DCFG_PRESENT. */
typedef void (*FlowFn)(void* arg, const SbRun* run, UInt k, Target target,
                       ULong count);
void DCFG_(each_flow)(SbRun* run, FlowFn do_it, void* arg);

/* Resolve the steps to the N targets OLDS: other code is about to run in their
   place. */
void DCFG_(resolve_flows)(const Target* olds, UInt n);

/* Superblock TO, a past of FROM, takes over FROM's resolved steps in THREAD. */
void DCFG_(move_resolved)(UInt thread, UInt from, UInt to);

/* Forget the resolved steps: all counters are zero again. */
void DCFG_(forget_flows)(void);

#endif /* __DCFG_FLOW_H */
