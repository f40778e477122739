/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a superblock did in one thread. */

#ifndef __DCFG_FLOW_H
#define __DCFG_FLOW_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "run/thread.h"

#define DCFG_MAX_INSTRS 128   // of a superblock; VEX's limit is 100

/* A detour: a diversion of the superblock, or the end of the thread in it. */
typedef
   struct {
      Position   from;
      DivertKind kind;
      Bool       ends;        // the thread's end, in place of .kind, .to
      Target     to;
      ULong      count;
      ULong      to_undo;     // steps to .from.target to be taken back
      UInt       left_at;     // index of the instruction it came from
   }
   Detour;

/* A superblock in one thread. */
typedef
   struct {
      UInt              thread;
      const Superblock* sb;
      const ULong*      cells;
      Detour*           detours;
      UInt              n_detours, room;
      ULong faulted[DCFG_MAX_INSTRS];   // control left before instr K ran
      ULong executed[DCFG_MAX_INSTRS];  // instr K ran
      ULong at_end;                     // and no exit was taken
   }
   SbRun;

/* Fill in RUN, of which .room and .detours are used again.  SB is NULL
   for what came before the thread's first superblock: that only has
   detours.  Returns how many of SB's instructions ran at all. */
UInt DCFG_(read_run)(SbRun* run, UInt thread, const ThreadInfo* info,
                     const ULong* cells, const Superblock* sb);

/* Call DO_IT for the steps that RUN took from its K-th instruction to
   TARGET, but for those that were taken back. */
typedef void (*FlowFn)(void* arg, const SbRun* run, UInt k, Target target,
                       ULong count);
void DCFG_(each_flow)(SbRun* run, FlowFn do_it, void* arg);

/* Other code is about to run where OLD was run so far: settle which steps
   led to OLD. */
void DCFG_(settle_flows)(Target old);

/* The counters are all zero again. */
void DCFG_(forget_flows)(void);

#endif /* __DCFG_FLOW_H */
