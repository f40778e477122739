/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Activations of a whole execution trace. */

#ifndef DCFG_LIB_SLICE_ACTS_H
#define DCFG_LIB_SLICE_ACTS_H

#include "lib/slice/slice_callbacks.h"
#include "lib/slice/slice_executions.h"
#include "lib/slice/slice_graph.h"
#include "lib/wet/wet_graph.h"

/* Act: an activation, in a tree: chunks share those that outlive them. */
typedef
   struct {
      uint64_t place;           // address of the return address; UINT64_MAX:
                                // none
      uint32_t up;              // who called it, or a free one's next
      uint32_t refs;
      uint32_t last;            // its last instruction so far, or DCFG_NONE
      uint32_t call;            // the instruction that made it, or DCFG_NONE
      LineState line;
      bool     handler;         // a signal began it
   }
   Act;

/* Interrupted: a handler that may return: the top of x87's stack then, and
   which one it is, of all. */
typedef
   struct {
      uint32_t number;
      uint8_t  top;
   }
   Interrupted;

/* Position: where a thread is. */
typedef
   struct {
      uint32_t act;             // or DCFG_NONE: it has not begun
      uint32_t top;             // top of x87's stack
      bool     entering;        // a handler: its frame is being written
      Array    interrupted;     // Interrupted
   }
   Position;

/* Snapshot: where all are, at the begin of a chunk. */
typedef
   struct {
      Position* threads;
      uint32_t  n_handlers;     // so far
   }
   Snapshot;

/* StepPlace: what a record was in: its last instruction may have ended
   activations before it ran, and it may have made one, or, of a mark, be number
   BODY of the handlers. */
typedef
   struct {
      uint32_t step;
      uint32_t body, last, made;
      uint32_t act, top;        // the thread's state before the record
   }
   StepPlace;

/* Renamed: what was activation THEN in the chunk behind is NOW in this one. */
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
      WetGraph*        graph;   // its arcs are noted
      Callbacks*       callbacks;
      Executions*      executions;      // or NULL: no one is asked for by
                                // its number
      uint64_t         n_ran;   // instances, the first time
      const WetSteps*  steps;   // steps of the part in work
      Array      acts;          // Act; 0 is none
      uint32_t   free_act;
      Array      made;          // uint32_t: in this chunk, when it is read
      Array      renamed;       // Renamed: likewise
      bool       again;         // for the second time
      Array      snapshots;     // Snapshot: by chunk, and of the end
      Position*  now;           // by thread
      uint32_t   n_handlers;
      Array      returned;      // bool: by handler
      Array      places;        // StepPlace: of those behind which a thread
                                // may be elsewhere than before
   }
   Acts;

bool acts_start(Acts* all, const SliceCode* code, WetGraph* graph,
                Callbacks* callbacks, Executions* executions);
void acts_free(Acts* all);

/* The first pass: the next part, forward; the end. */
bool acts_take_part(Acts* all, const WetPart* part);
bool acts_end(Acts* all);

/* CHUNK again, from behind: STEPS are all that it has.  Behind it, when it is
   left, activations that began in it are no more. */
bool acts_place_chunk(Acts* all, const WetSteps* steps, uint32_t chunk);
void acts_leave_chunk(Acts* all);

static inline Act* act_of(const Acts* all, uint32_t id)
{
   return &ELEM(all->acts, Act, id);
}

/* Record PLACE of THREAD comes next, from behind. */
static inline void acts_step_back(Acts* all, uint32_t thread,
                                  const StepPlace* place)
{
   all->now[thread].act = place->act;
   all->now[thread].top = place->top;
}

#endif /* DCFG_LIB_SLICE_ACTS_H */
