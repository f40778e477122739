/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of which the instances are kept. */

/* Owns: the kind of slice that keeps instances.  Each is a node, with edges
   to the writers of the bytes that it used.  At the end, nodes and inputs
   get the form for users.  Handed: members by slice_meet.c and slice_uses.c.

   The name of a node in wants is its number.  Nodes that are not real are
   forgotten here if they lead nowhere. */

#include "lib/slice/slice_keep.h"
#include "lib/slice/slice_uses.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

typedef
   struct {
      uint32_t node, writer;
      uint32_t at;
      uint8_t  port, reg;
      bool     weak;
   }
   Edge;

/* KeepState: a node's part of a Member, kept. */
typedef
   struct {
      uint8_t hops;             // as in Member, like all of these
      bool    real, limited, cut;
      bool    weak;             // weak now; it was not real before
   }
   KeepState;

typedef
   struct {
      Array states;             // KeepState, by node
      Array edges;              // Edge
   }
   Keep;

#define STATE(f, n) (&ELEM(((Keep*)(f)->own)->states, KeepState, n))
#define EDGE(f, n)  (&ELEM(((Keep*)(f)->own)->edges, Edge, n))

/*--- Members                                              ---*/

bool keep_start(Found* f, Live* l)
{
   (void)l;
   f->own = job_calloc(f->job, 1, sizeof(Keep));
   return f->own != NULL;
}

void keep_free(Found* f)
{
   Keep* k = f->own;

   array_free(f->job, &k->states, sizeof(KeepState));
   array_free(f->job, &k->edges, sizeof(Edge));
   job_free(f->job, k, sizeof(*k));
}

void keep_forget(Found* f)
{
   Keep* k = f->own;

   array_cut(&k->states, 0);
   array_cut(&k->edges, 0);
}

bool keep_add(Found* f, const Spot* spot, Member* m)
{
   Keep* k = f->own;

   return found_add_node(f, spot, &m->id)
          && array_add(f->job, &k->states, sizeof(KeepState)) != NULL;
}

User keep_user(const Found* f, const Want* want)
{
   return (User){ NODE(f, want->node)->distance,
                  (uint8_t)(STATE(f, want->node)->hops + 1) };
}

static bool add_edge(Found* f, const Want* want, uint32_t writer, uint32_t at)
{
   Keep* k = f->own;
   Edge* e = array_add(f->job, &k->edges, sizeof(*e));

   if (e == NULL)
      return false;
   *e = (Edge){ want->node, writer, at, want->port, want->reg, want->weak };
   return true;
}

bool keep_meet(Found* f, const Member* m, const Want* want, uint32_t at,
               bool result)
{
   (void)result;
   return add_edge(f, want, m->id, at);
}

bool keep_close(Found* f, const Spot* spot, Member* m)
{
   (void)spot;
   NODE(f, m->id)->distance = m->distance;
   *STATE(f, m->id) = (KeepState){ m->hops, m->real, m->limited, m->cut,
                                   false };
   m->name = m->weak_name = m->id;
   m->weakly = !m->real;
   return true;
}

/* Handle WANT, which is not followed.  A weak want gets an edge only when it is
   met. */
static bool keep_cut(Found* f, const Want* want)
{
   return want->weak || add_edge(f, want, DCFG_SLICE_NOT, 0);
}

/* Give WANT an edge from nobody: only unseen writes have such edges. */
static bool keep_unseen(Found* f, const Want* want, uint8_t mask)
{
   return want->weak
          || add_edge(f, want, DCFG_SLICE_NOBODY,
                      want->at + (uint32_t)__builtin_ctz(mask));
}

/*--- Edges by node                                        ---*/

COMPARE(compare, Edge, UP(port) ?: UP(reg) ?: UP(at) ?: UP(writer))

/* Sort the edges by node.  Return, by node, the index of its first edge. */
static uint32_t* sort_edges(Found* f)
{
   Keep*     k = f->own;
   uint32_t  n = (uint32_t)f->nodes.n;
   uint32_t* first = job_calloc(f->job, n + (size_t)2, sizeof(*first));
   Array     sorted = { 0 };

   if (first == NULL
       || (k->edges.n > 0
           && array_add_n(f->job, &sorted, sizeof(Edge), k->edges.n) == NULL))
      return NULL;
   for (size_t i = 0; i < k->edges.n; i++)
      first[EDGE(f, i)->node + 2]++;
   for (uint32_t i = 0; i < n; i++)
      first[i + 2] += first[i + 1];
   for (size_t i = 0; i < k->edges.n; i++)
      ELEM(sorted, Edge, first[EDGE(f, i)->node + 1]++) = *EDGE(f, i);
   array_free(f->job, &k->edges, sizeof(Edge));
   k->edges = sorted;
   for (uint32_t i = 0; i < n; i++)
      if (first[i + 1] - first[i] > 1)
         qsort(EDGE(f, first[i]), first[i + 1] - first[i], sizeof(Edge),
               compare);
   return first;
}

/*--- Weak nodes                                           ---*/

static bool is_program(const Found* f, uint32_t n)
{
   return !f->code->q->no_control_of[NODE(f, n)->instr];
}

/* Return how many flags and registers node N is away from a result of the
   program.  HOPS: the same of its inputs, which ran earlier. */
static uint8_t hops_to_program(const Found* f, const uint8_t* hops,
                               const uint32_t* first, uint32_t n)
{
   uint8_t least = NEVER;

   for (uint32_t k = first[n]; k < first[n + 1]; k++) {
      const Edge* e = EDGE(f, k);
      if (e->writer >= DCFG_SLICE_NOT
          || (e->port != DCFG_WET_FLAGS && e->port != DCFG_WET_GENERAL))
         continue;
      if (is_program(f, e->writer)) {
         if (e->port == DCFG_WET_GENERAL && e->reg == 0)
            least = 1;
      } else if (hops[e->writer] < least - 1) {
         least = hops[e->writer] + 1;
      }
   }
   return least;
}

/* Follow the weak edges of node I, which is in the slice, DEPTH[I] hops behind
   a branch.  Cut those on paths that are too long. */
static void choose_edges(Found* f, const uint32_t* first, const uint8_t* hops,
                         uint8_t* depth, uint32_t i)
{
   for (uint32_t k = first[i]; k < first[i + 1]; k++) {
      Edge*    e = EDGE(f, k);
      unsigned here = e->port == DCFG_WET_CONTROL ? 0 : depth[i] + 1u;
      if (!e->weak || e->writer >= DCFG_SLICE_NOT)
         continue;
      if (e->port == DCFG_WET_CONTROL || !is_program(f, e->writer)) {
         if (here + hops[e->writer] > MAX_HOPS) {
            e->writer = DCFG_SLICE_NOT;
            continue;
         }
         if (here < depth[e->writer])
            depth[e->writer] = (uint8_t)here;
      }
      STATE(f, e->writer)->weak |= !STATE(f, e->writer)->real;
      STATE(f, e->writer)->real  = true;
   }
}

/* Choose the weak nodes that are part of the slice: those on paths from a
   branch to a result of the program.  Users have lower numbers than the
   nodes that they used. */
static bool choose_weak(Found* f, const uint32_t* first)
{
   uint32_t n = (uint32_t)f->nodes.n;
   uint8_t* hops = job_calloc(f->job, n + (size_t)1, 1);
   uint8_t* depth = job_calloc(f->job, n + (size_t)1, 1);

   if (hops == NULL || depth == NULL)
      return false;
   memset(depth, NEVER, n);
   for (uint32_t i = n; i-- > 0; )
      hops[i] = is_program(f, i) ? NEVER : hops_to_program(f, hops, first, i);
   for (uint32_t i = 0; i < n; i++)
      if (STATE(f, i)->real)
         choose_edges(f, first, hops, depth, i);
   job_free(f->job, hops, n + (size_t)1);
   job_free(f->job, depth, n + (size_t)1);
   return true;
}

/*--- Inputs                                               ---*/

/* Renumbered: all nodes, and room for two more. */
typedef
   struct {
      uint32_t  n;              // nodes
      uint32_t* numbers;        // by node: its new number
      uint64_t* seen;           // by node: the last port that had it, as index
                                // of its first input, + 1
   }
   Renumbered;

/* Rest: a node's edges that are not handled yet. */
typedef
   struct {
      const Edge* at;
      const Edge* end;
      const Renumbered* all;
      bool        cut, weak;
      bool        control;      // the slice follows control
   }
   Rest;

/* Add the next K edges of REST, all of one port.  Each writer counts once: a
   system call may read bytes of thousands of writers.  Without any edge, the
   input is NONE. */
static bool add_port(Found* f, DcfgSliceNode* n, uint8_t port, uint8_t reg,
                     const Rest* r, uint32_t k, uint32_t none)
{
   size_t before = f->inputs.n;

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
      if (!found_add_input(f, n, (DcfgSliceInput){
                                    port, reg, writer == DCFG_SLICE_NOBODY,
                                    writer }))
         return false;
   }
   if (f->inputs.n == before
       && !found_add_input(f, n, (DcfgSliceInput){ port, reg, false, none }))
      return false;
   if (ELEM(f->inputs, DcfgSliceInput, before).node == DCFG_SLICE_NOT
       && (port == DCFG_WET_CONTROL || none != DCFG_SLICE_NOT))
      found_leave_out(f, port);
   return true;
}

/* Return the first edge from E on, before END, that is not of the port. */
static const Edge* behind_port(const Edge* e, const Edge* end, uint8_t port,
                               uint8_t reg)
{
   while (e < end && e->port == port && e->reg == reg)
      e++;
   return e;
}

static bool next_port(Found* f, DcfgSliceNode* n, Rest* r, uint8_t port,
                      uint8_t reg)
{
   const Edge* behind = behind_port(r->at, r->end, port, reg);
   uint32_t    k = (uint32_t)(behind - r->at);
   uint32_t    none = (port == DCFG_WET_CONTROL ? r->control : !r->weak)
                      ? DCFG_SLICE_NOBODY : DCFG_SLICE_NOT;

   if (r->cut)
      return found_add_input(f, n, (DcfgSliceInput){ port, reg, false,
                                                     DCFG_SLICE_NOT });
   if (!add_port(f, n, port, reg, r, k, none))
      return false;
   r->at = behind;
   return true;
}

/* Add the input of a criterion of which a part is asked: that part alone. */
static bool add_part(Found* f, DcfgSliceNode* n, Rest* r)
{
   static const uint8_t ports[] = {
      [DCFG_SLICE_REGISTER] = DCFG_WET_GENERAL,
      [DCFG_SLICE_FLAGS] = DCFG_WET_FLAGS, [DCFG_SLICE_X87] = DCFG_WET_X87,
      [DCFG_SLICE_MEMORY] = DCFG_WET_MEMORY,
      [DCFG_SLICE_FRAME] = DCFG_WET_MEMORY
   };
   uint8_t port = ports[f->code->q->of], reg = 0;

   if (f->code->q->of == DCFG_SLICE_REGISTER) {
      port = f->code->q->place < 32 ? DCFG_WET_GENERAL : DCFG_WET_VECTOR;
      reg  = (uint8_t)(f->code->q->place % 32);
   }
   return next_port(f, n, r, DCFG_WET_CONTROL, 0)
          && next_port(f, n, r, port, reg);
}

static bool add_inputs(Found* f, uint32_t id, DcfgSliceNode* n,
                       const uint32_t* first, const Renumbered* all)
{
   const Plan*      plan = plan_of(f->code, n->instr);
   const Use*       u = &ELEM(f->code->w->uses, Use, plan->uses);
   const WetAccess* a = accesses_of(f->code, n->instr);
   Rest r = { EDGE(f, first[id]), EDGE(f, first[id + 1]), all,
              STATE(f, id)->cut, STATE(f, id)->weak,
              follows_control(f->callbacks, n->instr) };

   n->first_input = f->inputs.n;
   if (STATE(f, id)->limited && !r.cut)
      return add_part(f, n, &r);
   if (!next_port(f, n, &r, DCFG_WET_CONTROL, 0))
      return false;
   for (uint32_t k = 0; k < plan->n_uses; k++)
      if (u[k].new && !next_port(f, n, &r, u[k].port, u[k].reg))
         return false;
   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)
          && !next_port(f, n, &r, DCFG_WET_MEMORY, (uint8_t)j))
         return false;
   return plan->kind != InsnSyscall
          || next_port(f, n, &r, DCFG_WET_MEMORY,
                       (uint8_t)plan->n_accesses);
}

bool keep_assemble(Found* f)
{
   uint32_t  n = (uint32_t)f->nodes.n, kept = 0;
   uint32_t* first = sort_edges(f);
   uint32_t* numbers = job_calloc(f->job, n + (size_t)1, sizeof(*numbers));
   uint64_t* seen = job_calloc(f->job, n + (size_t)2, sizeof(*seen));
   const Renumbered all = { n, numbers, seen };

   if (first == NULL || numbers == NULL || seen == NULL
       || (f->code->q->results && f->code->q->no_control_of != NULL
           && !choose_weak(f, first)))
      return false;
   for (uint32_t i = 0; i < n; i++) {
      numbers[i] = kept;
      kept      += STATE(f, i)->real;
   }
   for (uint32_t i = 0; i < n; i++) {
      DcfgSliceNode* to = NODE(f, numbers[i]);
      if (!STATE(f, i)->real)
         continue;
      *to = *NODE(f, i);
      if (!add_inputs(f, i, to, first, &all))
         return false;
   }
   for (uint32_t i = 0; i < f->criteria.n; i++)
      ELEM(f->criteria, uint32_t, i)
         = numbers[ELEM(f->criteria, uint32_t, i)];
   job_free(f->job, first, (n + (size_t)2) * sizeof(*first));
   job_free(f->job, numbers, (n + (size_t)1) * sizeof(*numbers));
   job_free(f->job, seen, (n + (size_t)2) * sizeof(*seen));
   array_cut(&f->nodes, kept);
   return found_hand_over(f);
}

static bool keep_finish(Found* f)
{
   if (!keep_assemble(f))
      return false;
   found_count_nodes(f);
   return true;
}

const SliceKind slice_keep = {
   .start = keep_start, .free = keep_free, .forget = keep_forget,
   .add = keep_add, .user = keep_user, .meet = keep_meet, .close = keep_close,
   .want = uses_want, .cut = keep_cut, .unseen = keep_unseen,
   .finish = keep_finish, .numbers = true
};
