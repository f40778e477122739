/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Random programs and walks through them. */

#ifndef __UNIT_WALK_H
#define __UNIT_WALK_H

#include "unit_common.h"

#define MAX_INSTRS  160
#define MAX_THREADS 4
#define MAX_STEPS   4000
#define MAX_FLOWS   (2 * MAX_STEPS)
#define MAX_BYPASS  64

/* Step: a step of a walk.  FALLS: the end of an instruction that transfers no
   control. */
typedef
   struct {
      UInt     thread, source, target;   // instructions
      EdgeType type;
      Bool     falls;
   }
   Step;

/* FlowKind: the kinds of flows that the builder gets. */
typedef enum { FlowRun, FlowOnward, FlowEdge } FlowKind;
typedef
   struct {
      FlowKind kind;
      Step     step;
      UInt     first, n;           // FlowRun: in .trail
      ULong    count;
   }
   Flow;

/* Walks: a program, and all that its threads did, step by step. */
typedef
   struct {
      Instr  instrs[MAX_INSTRS];   // by (image, addr)
      UInt   n_instrs;
      UInt   jumps_to[MAX_INSTRS]; // by instruction: target of a direct
                                   // transfer
      UInt   n_threads;
      Step   steps[MAX_STEPS];     // thread after thread
      UInt   n_steps;
      Step   bypasses[MAX_BYPASS]; // CONTEXT_CHANGE_BYPASS
      UInt   n_bypasses;
      UInt   trail[MAX_STEPS + MAX_THREADS];  // all instructions that ran
      UInt   n_trail;
      Flow   flows[MAX_FLOWS];
      UInt   n_flows;
   }
   Walks;

/* Make random walks, and cut them. */
void make_walks(Walks* c, ULong seed);

/* Cut the walks into runs at random, as VEX cuts superblocks.  A step between
   two runs is a flow of its own. */
void cut_walks(Walks* c);

/* Add up equal flows, as counters do. */
void add_up_flows(Walks* c);

/* Return the graph of all flows, fed in random order. */
Graph* build_walks(const Walks* c);

/* Return the instruction at ADDR in IMAGE, or -1. */
Int instr_of(const Walks* c, UInt image, ULong addr);

#endif /* __UNIT_WALK_H */
