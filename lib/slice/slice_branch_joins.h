/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The branches that join a slice. */

#ifndef DCFG_LIB_SLICE_BRANCH_JOINS_H
#define DCFG_LIB_SLICE_BRANCH_JOINS_H

#include "lib/slice/slice_acts.h"
#include "lib/slice/slice_live.h"

/* Request: instances in one activation that depend on the same branches as
   INSTR. */
typedef
   struct {
      uint64_t group;
      uint32_t instr;
      uint32_t wants;           // id of a Want, + 1
      uint32_t next;            // + 1
      bool     weak;
   }
   Request;

/* BranchJoins: written by slice_branch_joins.c alone. */
typedef
   struct {
      Job*                job;
      const ControlGraph* graph;
      Array               pending;      // uint32_t, by activation: its first
                                        // Request, + 1
      Array               requests;     // Request
      uint32_t            free_request;
   }
   BranchJoins;

bool joins_start(BranchJoins* b, Job* job, const ControlGraph* graph);
void joins_free(BranchJoins* b);

/* Begin a chunk, going backward.  Activations of ACTS are new, or have other
   numbers than in the chunk behind. */
bool joins_begin_chunk(BranchJoins* b, const Acts* acts);

/* Return whether anything waits for a branch of ACT. */
static inline bool joins_pending(const BranchJoins* b, uint32_t act)
{
   return ELEM(b->pending, uint32_t, act) != 0;
}

/* Return the first request in ACT, or the one behind request ID if that is not
   0.  Return 0 if there is none.  *GROUP gets its branches' group, and *INSTR
   an instruction that waits. */
uint32_t joins_next(const BranchJoins* b, uint32_t act, uint32_t id,
                    uint64_t* group, uint32_t* instr);

/* Return true only if a want of NODE and THREAD for the branch that INSTR
   depends on in ACT is superfluous.  Most are. */
static inline bool joins_says(const BranchJoins* b, const Live* l, uint32_t act,
                              uint32_t instr, uint32_t node, uint32_t thread)
{
   uint32_t       id = ELEM(b->pending, uint32_t, act);
   const Request* r = id == 0 ? NULL : &ELEM(b->requests, Request, id - 1);

   return r != NULL && r->group == b->graph->groups[instr] && !r->weak
          && live_says(l, r->wants, node, 0xFF, thread);
}

/* Let WANT, which becomes one of L, wait for the branch that INSTR depends on
   in ACT. */
bool joins_ask(BranchJoins* b, Live* l, uint32_t act, uint32_t instr,
               const Want* want);

/* Give BRANCH to the wants that wait for it in ACT; if it is DCFG_NONE, to
   all that wait there.  TO handles the wants. */
bool joins_answer(BranchJoins* b, Live* l, uint32_t act, uint32_t branch,
                  const Taker* to);

/* Forget all that waits. */
bool joins_forget(BranchJoins* b, Live* l);

#endif /* DCFG_LIB_SLICE_BRANCH_JOINS_H */
