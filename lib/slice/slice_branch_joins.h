/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The branches that join a slice. */

#ifndef DCFG_LIB_SLICE_BRANCH_JOINS_H
#define DCFG_LIB_SLICE_BRANCH_JOINS_H

#include "lib/slice/slice_acts.h"
#include "lib/slice/slice_live.h"

/* BranchJoins: written by slice_branch_joins.c alone. */
typedef
   struct {
      Job*                job;
      const ControlGraph* graph;
      Array               pending;      // uint32_t, by activation: control that
                                        // is asked for: Request, and 1
      Array               requests;     // Request
      uint32_t            free_request;
   }
   BranchJoins;

bool joins_start(BranchJoins* b, Job* job, const ControlGraph* graph);
void joins_free(BranchJoins* b);

/* A chunk begins, from behind: ACTS has activations that are new, or have other
   numbers than in the chunk behind. */
bool joins_begin_chunk(BranchJoins* b, const Acts* acts);

/* Does anything wait for a branch of ACT? */
static inline bool joins_pending(const BranchJoins* b, uint32_t act)
{
   return ELEM(b->pending, uint32_t, act) != 0;
}

/* Return a request in ACT: the first one if ID is 0, else the one behind
   request ID; 0 if there is none.  Its class to *GROUP, and one of those that
   ask to *INSTR. */
uint32_t joins_next(const BranchJoins* b, uint32_t act, uint32_t id,
                    uint64_t* group, uint32_t* instr);

/* WANT waits for the branch that INSTR in ACT depends on; L has it. */
bool joins_ask(BranchJoins* b, Live* l, uint32_t act, uint32_t instr,
               const Want* want);

/* Who waits in ACT for BRANCH, or for any if that is DCFG_NONE, has it from TO:
   the branch joins the slice of each of them. */
bool joins_answer(BranchJoins* b, Live* l, uint32_t act, uint32_t branch,
                  const Taker* to);

/* Nobody waits any more. */
bool joins_forget(BranchJoins* b, Live* l);

#endif /* DCFG_LIB_SLICE_BRANCH_JOINS_H */
