/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The result of a slice. */

/* Owns: nodes and their inputs, in the form that users get.  Handed: what
   slice_back.c found.  Taken by: slice_open.c. */

#include "lib/slice/slice.h"

#include <stdlib.h>
#include <string.h>

#define STATE(z, n) (&ELEM((z)->states, NodeState, n))
#define NODE(z, n)  (&ELEM((z)->found, DcfgSliceNode, n))
#define EDGE(z, n)  (&ELEM((z)->edges, Edge, n))

/*------------------------------------------------------------*/
/*--- Edges by node                                        ---*/
/*------------------------------------------------------------*/

static int compare(const void* a, const void* b)
{
   const Edge* x = a;
   const Edge* y = b;

   if (x->port != y->port)
      return x->port < y->port ? -1 : 1;
   if (x->reg != y->reg)
      return x->reg < y->reg ? -1 : 1;
   if (x->at != y->at)
      return x->at < y->at ? -1 : 1;
   return x->writer < y->writer ? -1 : x->writer > y->writer;
}

/* Edges in the order of their nodes, those of node i from first[i] on. */
static uint32_t* sort_edges(Slicer* z)
{
   uint32_t  n = (uint32_t)z->found.n;
   uint32_t* first = job_calloc(z->job, n + (size_t)2, sizeof(*first));
   Array     sorted = { 0 };

   if (first == NULL
       || (z->edges.n > 0
           && array_add_n(z->job, &sorted, sizeof(Edge), z->edges.n) == NULL))
      return NULL;
   for (size_t i = 0; i < z->edges.n; i++)
      first[EDGE(z, i)->node + 2]++;
   for (uint32_t i = 0; i < n; i++)
      first[i + 2] += first[i + 1];
   for (size_t i = 0; i < z->edges.n; i++)
      ELEM(sorted, Edge, first[EDGE(z, i)->node + 1]++) = *EDGE(z, i);
   array_free(z->job, &z->edges, sizeof(Edge));
   z->edges = sorted;
   for (uint32_t i = 0; i < n; i++)
      if (first[i + 1] - first[i] > 1)
         qsort(EDGE(z, first[i]), first[i + 1] - first[i], sizeof(Edge),
               compare);
   return first;
}

/*------------------------------------------------------------*/
/*--- Weak nodes                                           ---*/
/*------------------------------------------------------------*/

#define NEVER UINT8_MAX

static bool is_program(const Slicer* z, uint32_t n)
{
   return !z->q->no_control_of[NODE(z, n)->instr];
}

/* How far node N is from a result of the program, over flags and registers:
   those of its inputs are known, which ran earlier. */
static uint8_t hops_to_program(const Slicer* z, const uint8_t* hops,
                               const uint32_t* first, uint32_t n)
{
   uint8_t least = NEVER;

   for (uint32_t k = first[n]; k < first[n + 1]; k++) {
      const Edge* e = EDGE(z, k);
      if (e->writer >= DCFG_SLICE_NOT
          || (e->port != DCFG_WET_FLAGS && e->port != DCFG_WET_GENERAL))
         continue;
      if (is_program(z, e->writer)) {
         if (e->port == DCFG_WET_GENERAL && e->reg == 0)
            least = 1;
      } else if (hops[e->writer] < least - 1) {
         least = hops[e->writer] + 1;
      }
   }
   return least;
}

/* Node I is part of the slice, DEPTH[I] hops behind a branch: where else ways
   lead from there. */
static void choose_edges(Slicer* z, const uint32_t* first, const uint8_t* hops,
                         uint8_t* depth, uint32_t i)
{
   for (uint32_t k = first[i]; k < first[i + 1]; k++) {
      Edge*    e = EDGE(z, k);
      unsigned here = e->port == DCFG_WET_CONTROL ? 0 : depth[i] + 1u;
      if (!e->weak || e->writer >= DCFG_SLICE_NOT)
         continue;
      if (e->port == DCFG_WET_CONTROL || !is_program(z, e->writer)) {
         if (here + hops[e->writer] > MAX_HOPS) {
            e->writer = DCFG_SLICE_NOT;
            continue;
         }
         if (here < depth[e->writer])
            depth[e->writer] = (uint8_t)here;
      }
      STATE(z, e->writer)->weak |= !STATE(z, e->writer)->real;
      STATE(z, e->writer)->real  = true;
   }
}

/* Which of the nodes that are not real are part of the slice: those on ways
   from a branch to a result of the program.  What used a node stands before
   it. */
static bool choose_weak(Slicer* z, const uint32_t* first)
{
   uint32_t n = (uint32_t)z->found.n;
   uint8_t* hops = job_calloc(z->job, n + (size_t)1, 1);
   uint8_t* depth = job_calloc(z->job, n + (size_t)1, 1);

   if (hops == NULL || depth == NULL)
      return false;
   memset(depth, NEVER, n);
   for (uint32_t i = n; i-- > 0; )
      hops[i] = is_program(z, i) ? NEVER : hops_to_program(z, hops, first, i);
   for (uint32_t i = 0; i < n; i++)
      if (STATE(z, i)->real)
         choose_edges(z, first, hops, depth, i);
   job_free(z->job, hops, n + (size_t)1);
   job_free(z->job, depth, n + (size_t)1);
   return true;
}

/*------------------------------------------------------------*/
/*--- Inputs                                               ---*/
/*------------------------------------------------------------*/

static bool add_input(Slicer* z, DcfgSliceNode* n, DcfgSliceInput in)
{
   DcfgSliceInput* to = array_add(z->job, &z->inputs, sizeof(*to));

   if (to == NULL)
      return false;
   *to = in;
   n->n_inputs++;
   return true;
}

/* All nodes, and two more for what is none. */
typedef
   struct {
      uint32_t  n;              // nodes
      uint32_t* numbers;        // what they become
      uint64_t* seen;           // the last port that had it: where its inputs
                                // begin, and 1
   }
   Renumbered;

/* A node's edges. */
typedef
   struct {
      const Edge* at;
      const Edge* end;
      const Renumbered* all;
      bool        cut, weak;
      bool        control;      // is followed
   }
   Rest;

/* The next K edges of REST, which are a port's: each writer once, for a system
   call may read what thousands wrote.  Without any it is NONE. */
static bool add_port(Slicer* z, DcfgSliceNode* n, uint8_t port, uint8_t reg,
                     const Rest* r, uint32_t k, uint32_t none)
{
   size_t before = z->inputs.n;

   for (uint32_t i = 0; i < k; i++) {
      uint32_t  writer = r->at[i].writer;
      bool      is_node = writer < DCFG_SLICE_NOT;
      uint64_t* seen = &r->all->seen[is_node ? writer
                                     : r->all->n + (writer - DCFG_SLICE_NOT)];
      if (*seen == before + 1)
         continue;
      *seen = before + 1;
      if (is_node)
         writer = r->all->numbers[writer];
      if (!add_input(z, n, (DcfgSliceInput){ port, reg, writer }))
         return false;
   }
   if (z->inputs.n == before
       && !add_input(z, n, (DcfgSliceInput){ port, reg, none }))
      return false;
   if (ELEM(z->inputs, DcfgSliceInput, before).node == DCFG_SLICE_NOT) {
      if (port == DCFG_WET_CONTROL)
         z->result->n_no_control++;
      else if (none != DCFG_SLICE_NOT)
         z->result->n_no_address++;
   }
   return true;
}

/* Behind the edges from E on and up to END that are of a port. */
static const Edge* behind_port(const Edge* e, const Edge* end, uint8_t port,
                               uint8_t reg)
{
   while (e < end && e->port == port && e->reg == reg)
      e++;
   return e;
}

static bool next_port(Slicer* z, DcfgSliceNode* n, Rest* r, uint8_t port,
                      uint8_t reg)
{
   const Edge* behind = behind_port(r->at, r->end, port, reg);
   uint32_t    k = (uint32_t)(behind - r->at);
   uint32_t    none = (port == DCFG_WET_CONTROL ? r->control : !r->weak)
                      ? DCFG_SLICE_NOBODY : DCFG_SLICE_NOT;

   if (r->cut)
      return add_input(z, n, (DcfgSliceInput){ port, reg, DCFG_SLICE_NOT });
   if (!add_port(z, n, port, reg, r, k, none))
      return false;
   r->at = behind;
   return true;
}

/* Of a criterion of which a part was asked: what was asked. */
static bool add_part(Slicer* z, DcfgSliceNode* n, Rest* r)
{
   static const uint8_t ports[] = {
      [DCFG_SLICE_REGISTER] = DCFG_WET_GENERAL,
      [DCFG_SLICE_FLAGS] = DCFG_WET_FLAGS, [DCFG_SLICE_X87] = DCFG_WET_X87,
      [DCFG_SLICE_MEMORY] = DCFG_WET_MEMORY,
      [DCFG_SLICE_FRAME] = DCFG_WET_MEMORY
   };
   uint8_t port = ports[z->q->of], reg = 0;

   if (z->q->of == DCFG_SLICE_REGISTER) {
      port = z->q->place < 16 ? DCFG_WET_GENERAL : DCFG_WET_VECTOR;
      reg  = (uint8_t)(z->q->place % 16);
   }
   return next_port(z, n, r, DCFG_WET_CONTROL, 0)
          && next_port(z, n, r, port, reg);
}

static bool add_inputs(Slicer* z, uint32_t id, DcfgSliceNode* n,
                       const uint32_t* first, const Renumbered* all)
{
   const Plan*      plan = &z->w->plans[n->instr];
   const Use*       u = &ELEM(z->w->uses, Use, plan->uses);
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   Rest r = { EDGE(z, first[id]), EDGE(z, first[id + 1]), all,
              STATE(z, id)->cut, STATE(z, id)->weak,
              slice_follows_control(z, n->instr) };

   n->first_input = z->inputs.n;
   if (STATE(z, id)->limited && !r.cut)
      return add_part(z, n, &r);
   if (!next_port(z, n, &r, DCFG_WET_CONTROL, 0))
      return false;
   for (uint32_t k = 0; k < plan->n_uses; k++)
      if (u[k].new && !next_port(z, n, &r, u[k].port, u[k].reg))
         return false;
   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)
          && !next_port(z, n, &r, DCFG_WET_MEMORY, (uint8_t)j))
         return false;
   return plan->kind != InsnSyscall
          || next_port(z, n, &r, DCFG_WET_MEMORY,
                       (uint8_t)plan->n_accesses);
}

bool slice_hand_over(Slicer* z)
{
   DcfgSlice* s = z->result;

   /* Nodes without a value have an address in the values, too. */
   if (z->values.data == NULL && array_add(z->job, &z->values, 1) == NULL)
      return false;
   free(s->nodes);
   free(s->inputs);
   free(s->values);
   free(s->criteria);
   free(s->reads);
   s->nodes      = z->found.data;
   s->n_nodes    = (uint32_t)z->found.n;
   s->inputs     = z->inputs.data;
   s->n_inputs   = z->inputs.n;
   s->values     = z->values.data;
   s->criteria   = z->criteria.data;
   s->n_criteria = (uint32_t)z->criteria.n;
   s->reads      = z->readings.data;
   s->n_met      = z->sums ? z->n_met : s->n_criteria;
   if (!z->sums)
      s->n_instances = s->n_nodes;
   z->found = z->inputs = z->values = z->criteria = z->readings
            = (Array){ 0 };
   return true;
}

bool slice_assemble(Slicer* z)
{
   uint32_t  n = (uint32_t)z->found.n, kept = 0;
   uint32_t* first = sort_edges(z);
   uint32_t* numbers = job_calloc(z->job, n + (size_t)1, sizeof(*numbers));
   uint64_t* seen = job_calloc(z->job, n + (size_t)2, sizeof(*seen));
   const Renumbered all = { n, numbers, seen };

   if (first == NULL || numbers == NULL || seen == NULL
       || (z->q->results && z->q->no_control_of != NULL
           && !choose_weak(z, first)))
      return false;
   for (uint32_t i = 0; i < n; i++) {
      numbers[i] = kept;
      kept      += STATE(z, i)->real;
   }
   for (uint32_t i = 0; i < n; i++) {
      DcfgSliceNode* to = NODE(z, numbers[i]);
      if (!STATE(z, i)->real)
         continue;
      *to = *NODE(z, i);
      if (!add_inputs(z, i, to, first, &all))
         return false;
   }
   for (uint32_t i = 0; i < z->criteria.n; i++)
      ELEM(z->criteria, uint32_t, i)
         = numbers[ELEM(z->criteria, uint32_t, i)];
   job_free(z->job, first, (n + (size_t)2) * sizeof(*first));
   job_free(z->job, numbers, (n + (size_t)1) * sizeof(*numbers));
   job_free(z->job, seen, (n + (size_t)2) * sizeof(*seen));
   z->found.n = kept;
   return slice_hand_over(z);
}
