/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Activations of a whole execution trace, and what depends on a branch. */

#ifndef DCFG_LIB_SLICE_ACTS_H
#define DCFG_LIB_SLICE_ACTS_H

#include "lib/base/activations.h"
#include "lib/slice/slice_code.h"
#include "lib/wet/wet_graph.h"

typedef
   struct {
      uint32_t post;            // postorder number in the tree of
                                // post-dominators
      uint32_t pre;
      uint32_t first, n;        // arcs to successors, in .arcs
   }
   GraphNode;

/* ControlGraph: the graph of an index.  Written by slice_acts.c alone. */
typedef
   struct {
      Job*            job;
      uint32_t        n;        // nodes: see WetGraph
      const uint64_t* arcs;     // sorted keys, as in WetGraph
      uint32_t*       ipdom;
      GraphNode*      nodes;
      uint64_t*       groups;   // by instruction: key of its group, which
                                // depends on the same branches
   }
   ControlGraph;

/* Take the graph of IX. */
bool graph_start(ControlGraph* c, Job* job, WetIndex* ix);
void graph_free(ControlGraph* c);

/* Return whether I depends on branch B. */
bool graph_depends(const ControlGraph* c, uint32_t i, uint32_t b);

static inline bool graph_is_branch(const ControlGraph* c, uint32_t i)
{
   return c->nodes[i].n > 1;
}

/* Act: an activation.  Activations are a tree, shared by the chunks. */
typedef
   struct {
      Activation is;
      LineState  line;
   }
   Act;

/* Interrupted: a handler that may return: the top of x87's stack when it began,
   and its number among all handlers. */
typedef
   struct {
      uint32_t number;
      uint8_t  top;
   }
   Interrupted;

/* ThreadActs: the activation that a thread is in, and the state that belongs
   to it. */
typedef
   struct {
      ActThread at;
      uint32_t  top;            // top of x87's stack
      Array     interrupted;    // Interrupted
   }
   ThreadActs;

/* Snapshot: where all threads are at the begin of a chunk. */
typedef
   struct {
      ThreadActs* threads;
      Array       left;         // LeftStack: stacks that were left
      uint32_t    n_handlers;   // handlers so far
   }
   Snapshot;

/* StepPlace: the activations of a record.  Its last instruction may be in
   another one than its body, and may make one.  Of a handler's mark, .body is
   the handler's number. */
typedef
   struct {
      uint32_t step;
      uint32_t body, last, made;
      uint32_t act, top;        // the thread's, before the record
   }
   StepPlace;

/* Renamed: an activation's numbers in the chunk behind, and in this one. */
typedef
   struct {
      uint32_t then, now;
   }
   Renamed;

/* Acts: written by slice_acts.c alone. */
typedef
   struct {
      Job*             job;
      const SliceCode* code;
      WetGraph*        graph;   // gets the arcs in the first pass
      Callbacks*       callbacks;
      Executions*      executions;      // or NULL: the query has no number of
                                        // an execution
      uint64_t         n_ran;   // instances, in the first pass
      const WetSteps*  steps;   // steps of the present part
      Activations tree;         // Act; .keeps: a chunk is read again
      Array      renamed;       // Renamed: for this chunk, read again
      Array      snapshots;     // Snapshot: by chunk, then the end's
      ThreadActs* now;          // by thread
      uint32_t*  before;        // see wet_pass_known(); NULL: run all steps
      uint32_t   n_handlers;
      Array      returned;      // bool: by handler
      Array      places;        // StepPlace: of the steps that may move a
                                // thread
   }
   Acts;

bool acts_start(Acts* all, const SliceCode* code, WetGraph* graph,
                Callbacks* callbacks, Executions* executions);
void acts_free(Acts* all);

/* Take the next part of the first pass; end that pass. */
bool acts_take_part(Acts* all, const WetPart* part);
bool acts_end(Acts* all);

/* Read CHUNK again, all of its STEPS, and find the place of each.  Then leave
   it, and free the activations that began there. */
bool acts_place_chunk(Acts* all, const WetSteps* steps, uint32_t chunk);
void acts_leave_chunk(Acts* all);

static inline Act* act_of(const Acts* all, uint32_t id)
{
   return &ELEM(all->tree.acts, Act, id);
}

/* Step back before a record of THREAD, at PLACE. */
static inline void acts_step_back(Acts* all, uint32_t thread,
                                  const StepPlace* place)
{
   all->now[thread].at.act = place->act;
   all->now[thread].top = place->top;
}

#endif /* DCFG_LIB_SLICE_ACTS_H */
