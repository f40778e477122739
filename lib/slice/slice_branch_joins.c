/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The branches that join a slice. */

/* Owns: which instances wait for a branch, by activation, until the walk
   meets it.  Handed: instances that want control by slice_uses.c, branches
   by slice_back.c.

   An instance depends on the last branch before it, in its activation, that its
   instruction depends on by slice_graph.c.  If there is none, it depends on the
   call that made the activation. */

#include "lib/slice/slice_branch_joins.h"

#define REQUEST(b, i) (&ELEM((b)->requests, Request, (i) - 1))
#define PENDING(b, i) (&ELEM((b)->pending, uint32_t, i))

bool joins_start(BranchJoins* b, Job* job, const ControlGraph* graph)
{
   *b = (BranchJoins){ .job = job, .graph = graph };
   return array_add(job, &b->pending, sizeof(uint32_t)) != NULL;
}

void joins_free(BranchJoins* b)
{
   array_free(b->job, &b->pending, sizeof(uint32_t));
   array_free(b->job, &b->requests, sizeof(Request));
}

bool joins_begin_chunk(BranchJoins* b, const Acts* acts)
{
   size_t n = acts->tree.acts.n;
   size_t more = n > b->pending.n ? n - b->pending.n : 0;

   if (more > 0
       && array_add_n(b->job, &b->pending, sizeof(uint32_t), more) == NULL)
      return false;
   for (size_t i = 0; i < acts->tree.made.n; i++)
      *PENDING(b, ELEM(acts->tree.made, uint32_t, i)) = 0;
   for (size_t i = 0; i < acts->renamed.n; i++) {
      const Renamed r = ELEM(acts->renamed, Renamed, i);
      *PENDING(b, r.now)  = *PENDING(b, r.then);
      *PENDING(b, r.then) = 0;
   }
   return true;
}

uint32_t joins_next(const BranchJoins* b, uint32_t act, uint32_t id,
                    uint64_t* group, uint32_t* instr)
{
   id = id == 0 ? *PENDING(b, act) : REQUEST(b, id)->next;
   if (id != 0) {
      *group = REQUEST(b, id)->group;
      *instr = REQUEST(b, id)->instr;
   }
   return id;
}

bool joins_ask(BranchJoins* b, Live* l, uint32_t act, uint32_t instr,
               const Want* want)
{
   uint64_t group = b->graph->groups[instr];
   uint32_t id = *PENDING(b, act);

   while (id != 0 && (REQUEST(b, id)->group != group
                      || REQUEST(b, id)->weak != want->weak))
      id = REQUEST(b, id)->next;
   if (id == 0) {
      id = b->free_request;
      if (id != 0) {
         b->free_request = REQUEST(b, id)->next;
      } else {
         if (array_add(b->job, &b->requests, sizeof(Request)) == NULL)
            return false;
         id = (uint32_t)b->requests.n;
      }
      *REQUEST(b, id)  = (Request){ group, instr, 0, *PENDING(b, act),
                                    want->weak };
      *PENDING(b, act) = id;
   }
   return (!want->weak && live_says(l, REQUEST(b, id)->wants, want->node,
                                    want->mask, want->thread))
          || live_add(l, &REQUEST(b, id)->wants, *want);
}

bool joins_answer(BranchJoins* b, Live* l, uint32_t act, uint32_t branch,
                  const Taker* to)
{
   for (uint32_t* at = PENDING(b, act); *at != 0; ) {
      Request* r = REQUEST(b, *at);
      uint32_t id = *at;
      if (branch != DCFG_NONE && !graph_depends(b->graph, r->instr, branch)) {
         at = &r->next;
         continue;
      }
      /* A weak want ends at a call, which tests nothing. */
      if (!live_take_list(l, &r->wants, 0xFF,
                          r->weak && branch == DCFG_NONE ? NULL : to))
         return false;
      *at     = r->next;
      r->next = b->free_request;
      b->free_request = id;
   }
   return true;
}

bool joins_forget(BranchJoins* b, Live* l)
{
   for (uint32_t a = 1; a < b->pending.n; a++)
      if (!joins_answer(b, l, a, DCFG_NONE, NULL))
         return false;
   return true;
}
