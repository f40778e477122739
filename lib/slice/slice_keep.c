/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of which the instances are kept, and slices forward. */

/* Owns: the kind of slice that keeps instances.  Each is a node, with edges
   to the writers of the bytes that it used.  At the end, nodes and inputs
   get the form for users.  Handed: members by slice_back.c.

   The name of a node in wants is its number.  Nodes that are not real are
   forgotten here if they lead nowhere.

   A slice of some steps can go on from some of its nodes.  The walk then begins with
   these.  An instance that is met and was a node before is the same node: it has the
   lesser of its distances, and all bytes that are wanted of it.  If that changes
   nothing, it gets edges from those that want it, and the walk ends there.  Else its
   earlier edges are forgotten, and it wants all that it uses once more.  Distances
   only fall, and wants only grow.  So the result is that of one walk from all.

   In a slice forward the walk back finds only the criteria.  A pass forward,
   over the events of wet_events.c, then goes over all instances with their
   dependences.  One kind keeps nodes: an instance that depends on a node is a
   node.

   The other one only counts.  An instance in the slice has its distance for a
   name (see wet_record.h); any other one has no name.  So an instance is in the
   slice if it depends on anybody.  Memory grows with the program's memory, not
   with instances.  The pass finds criteria anew: of a line, instances between the
   first and the last one, in the same activation. */

#include "lib/slice/slice_found.h"
#include "lib/slice/slice_back.h"
#include "lib/base/sort.h"
#include "lib/wet/wet_record.h"

#include <stdlib.h>
#include <string.h>

typedef
   struct {
      uint32_t node, writer;
      uint32_t at;
      uint8_t  port, reg;
      uint8_t  mask;            // bytes, from .at on
      bool     weak;
      int8_t   behind;          // as in Hit
   }
   Edge;

/* KeepState: a node's part of a Member, kept. */
typedef
   struct {
      uint64_t bytes;           // as in Member, like most of these
      uint32_t open, distance;
      uint8_t  hops;
      bool     real    : 1;
      bool     limited : 1;
      bool     near    : 1;
      bool     starts  : 1;
      bool     cut     : 1;
      bool     weak    : 1;     // weak now; it was not real before
      bool     again   : 1;     // wants all that it uses once more
   }
   KeepState;

typedef
   struct {
      Array    states;          // KeepState, by node
      Array    edges;           // Edge
      uint32_t n_earlier;       // the first nodes, which the earlier slice had
      size_t   n_earlier_edges;
   }
   Keep;

#define STATE(f, n) (&ELEM(((Keep*)(f)->own)->states, KeepState, n))
#define EDGE(f, n)  (&ELEM(((Keep*)(f)->own)->edges, Edge, n))

/*--- Members                                              ---*/

/* Return the first node of the N at A that ran at ORDER or before; N: none did. */
static uint32_t node_at(const DcfgSliceNode* a, uint32_t n, uint64_t order)
{
   uint32_t i = 0;

   BISECT(i, n, middle, a[middle].order > order);
   return i;
}

bool keep_may_go_on(const KeptSlice* s, const DcfgSliceQuery* q)
{
   bool may = s->steps != 0 && q->steps >= s->steps;

   for (uint32_t i = 0; may && i < q->n_starts; i++) {
      uint32_t at = node_at(s->slice.nodes, s->slice.n_nodes, q->starts[i].order);
      may = at < s->slice.n_nodes && s->slice.nodes[at].order == q->starts[i].order;
   }
   return may;
}

/* Take the N elements of SIZE bytes at DATA, which nobody else has then, within the
   job's limit. */
static Array take_over(Found* f, void** data, size_t n, size_t size)
{
   Array to = { *data, n, n };

   if (!job_may_take(f->job, 0, n * size))
      return (Array){ 0 };
   job_take(f->job, 0, n * size);
   *data = NULL;
   return to;
}

/* Take over the nodes of the earlier slice, whose distances are MORE too small. */
static bool take_nodes(Found* f, uint32_t more)
{
   KeptSlice* e = f->earlier;
   DcfgSlice* s = &e->slice;
   Keep*      k = f->own;

   k->n_earlier       = s->n_nodes;
   k->n_earlier_edges = e->edges.n;
   k->states   = take_over(f, &e->states.data, s->n_nodes, sizeof(KeepState));
   k->edges    = take_over(f, &e->edges.data, e->edges.n, sizeof(Edge));
   f->nodes    = take_over(f, (void**)&s->nodes, s->n_nodes, sizeof(DcfgSliceNode));
   f->values   = take_over(f, (void**)&s->values, e->n_values, 1);
   f->criteria = take_over(f, (void**)&s->criteria, s->n_criteria,
                           sizeof(uint32_t));
   f->readings = take_over(f, (void**)&s->reads, e->n_reads,
                           sizeof(DcfgSliceReading));
   f->unseen   = take_over(f, (void**)&s->unseen, s->n_unseen,
                           sizeof(DcfgSliceUnseen));
   if (f->job->err.status != DCFG_OK)
      return false;
   for (uint32_t i = 0; i < k->n_earlier; i++) {
      DcfgSliceNode* n = NODE(f, i);
      n->distance = STATE(f, i)->distance += more;
      n->n_inputs = 0;
      STATE(f, i)->open += more;
      STATE(f, i)->again = false;
   }
   return true;
}

/* Begin with the earlier slice: its nodes, what is known of all of it, and the nodes
   from which it goes on. */
static bool take_earlier(Found* f)
{
   const DcfgSliceQuery* q = f->code->q;
   const KeptSlice*      e = f->earlier;
   const DcfgSlice*      s = &e->slice;
   uint32_t              more = q->steps - e->steps;

   if (!take_nodes(f, more * slice_code_step(f->code)))
      return false;
   f->chunk                = e->chunk;
   f->n_met                = s->n_met;
   f->result->frame        = s->frame;
   f->result->n_no_steps   = s->n_no_steps;
   for (uint32_t i = 0; i < s->n_crossings; i++) {
      DcfgSliceCrossing c = s->crossings[i];
      c.distance += more;
      if (!found_cross(f, c))
         return false;
   }
   for (uint32_t i = 0; i < q->n_starts; i++) {
      uint64_t         order = q->starts[i].order;
      const KeepState* at = STATE(f, node_at(f->nodes.data, s->n_nodes, order));
      uint64_t*        to;
      if (at->starts
          && at->distance <= slice_code_step(f->code) * q->starts[i].distance)
         continue;
      to = array_add(f->job, &f->begins, sizeof(*to));
      if (to == NULL)
         return false;
      *to = order;
   }
   return true;
}

static bool keep_start(Found* f, Live* l)
{
   (void)l;
   f->own = job_calloc(f->job, 1, sizeof(Keep));
   return f->own != NULL && (f->earlier == NULL || take_earlier(f));
}

static void keep_free(Found* f)
{
   Keep* k = f->own;

   array_free(f->job, &k->states, sizeof(KeepState));
   array_free(f->job, &k->edges, sizeof(Edge));
   job_free(f->job, k, sizeof(*k));
}

static void keep_forget(Found* f)
{
   Keep* k = f->own;

   array_cut(&k->states, 0);
   array_cut(&k->edges, 0);
}

static bool keep_add(Found* f, const Spot* spot, Member* m)
{
   Keep*    k = f->own;
   uint64_t order = spot->order + spot->place;

   m->id = node_at(f->nodes.data, k->n_earlier, order);
   if (m->id < k->n_earlier && NODE(f, m->id)->order == order)
      return true;
   return found_add_node(f, spot, &m->id)
          && array_add(f->job, &k->states, sizeof(KeepState)) != NULL;
}

static User keep_user(const Found* f, const Want* want)
{
   return (User){ NODE(f, want->node)->distance,
                  (uint8_t)(STATE(f, want->node)->hops + 1) };
}

static bool add_edge(Found* f, const Want* want, uint32_t writer, Hit hit)
{
   Keep* k = f->own;
   Edge* e = array_add(f->job, &k->edges, sizeof(*e));

   if (e == NULL)
      return false;
   *e = (Edge){ want->node, writer, hit.at, want->port, want->reg, hit.mask,
                want->weak, hit.behind };
   return true;
}

static bool keep_meet(Found* f, const Member* m, const Want* want, Hit hit)
{
   return add_edge(f, want, m->id, hit);
}

/* Join M, which was met anew at SPOT, and what the earlier slice had of it, S. */
static void join_earlier(Found* f, const Spot* spot, Member* m,
                         const KeepState* s)
{
   bool starts = m->starts && !s->starts;

   m->distance = s->open < m->open ? s->open : m->open;
   m->bytes   |= s->bytes;
   m->near    &= s->near;
   m->starts  |= s->starts;
   m->limited  = s->limited;
   member_set_end(f, spot, m);
   m->done     = s->cut == m->cut
                 && (m->cut || (!starts && m->distance == s->distance
                                && m->bytes == s->bytes && m->near == s->near));
   if (s->cut && !m->cut)
      f->result->n_no_steps -= plan_of(f->code, NODE(f, m->id)->instr)->n_ports;
}

static bool keep_close(Found* f, const Spot* spot, Member* m)
{
   if (m->id < ((Keep*)f->own)->n_earlier)
      join_earlier(f, spot, m, STATE(f, m->id));
   NODE(f, m->id)->distance = m->distance;
   *STATE(f, m->id) = (KeepState){ .bytes = m->bytes, .open = m->open,
                                   .distance = m->distance,
                                   .hops = m->hops, .real = m->real,
                                   .limited = m->limited, .near = m->near,
                                   .starts = m->starts, .cut = m->cut,
                                   .again = !m->done };
   m->name = m->weak_name = m->id;
   m->weakly = !m->real;
   return true;
}

/* Handle WANT, which is not followed.  A weak want gets an edge only when it is
   met. */
static bool keep_cut(Found* f, const Want* want)
{
   return want->weak || add_edge(f, want, DCFG_SLICE_NOT, (Hit){ 0 });
}

/* Give WANT an edge from nobody: only unseen writes have such edges. */
static bool keep_unseen(Found* f, const Want* want, uint8_t mask)
{
   unsigned first = (unsigned)__builtin_ctz(mask);

   return want->weak
          || add_edge(f, want, DCFG_SLICE_NOBODY,
                      (Hit){ .at = want->at + first,
                             .mask = (uint8_t)(mask >> first) });
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
      uint64_t* seen;           // by node: index of its last input, + 1
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
      uint64_t    bytes;        // wanted bytes of the node's result
   }
   Rest;

/* Add the bytes of E to IN, which has .bytes already unless it is NEW. */
static void add_bytes(DcfgSliceInput* in, const Edge* e, bool new)
{
   if (e->at + 8 > 64 || (!new && (in->bytes == 0 || in->behind != e->behind)))
      in->bytes = 0;
   else
      in->bytes |= (uint64_t)e->mask << e->at;
}

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
      if (is_node)
         writer = r->all->numbers[writer];
      if (*seen <= before) {
         if (!found_add_input(f, n, (DcfgSliceInput){
                                 .port = port, .reg = reg,
                                 .unseen = writer == DCFG_SLICE_NOBODY,
                                 .behind = r->at[i].behind, .node = writer }))
            return false;
         *seen = f->inputs.n;
         add_bytes(&ELEM(f->inputs, DcfgSliceInput, *seen - 1), &r->at[i], true);
      } else {
         add_bytes(&ELEM(f->inputs, DcfgSliceInput, *seen - 1), &r->at[i],
                   false);
      }
   }
   if (f->inputs.n == before
       && !found_add_input(f, n, (DcfgSliceInput){ .port = port, .reg = reg,
                                                   .node = none }))
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
   bool        follows = port == DCFG_WET_CONTROL ? r->control
                         : !r->weak && bytes_use_port(f->code, n->instr,
                                                      r->bytes, port, reg);
   uint32_t    none = follows ? DCFG_SLICE_NOBODY : DCFG_SLICE_NOT;

   if (r->cut)
      return found_add_input(f, n, (DcfgSliceInput){ .port = port, .reg = reg,
                                                     .node = DCFG_SLICE_NOT });
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
   if (!next_port(f, n, r, DCFG_WET_CONTROL, 0)
       || !next_port(f, n, r, port, reg))
      return false;
   /* Bytes of several parts have no common begin. */
   for (size_t i = n->first_input; i < f->inputs.n && f->code->q->n_parts > 1;
        i++)
      ELEM(f->inputs, DcfgSliceInput, i).bytes = 0;
   return true;
}

static bool add_inputs(Found* f, uint32_t id, DcfgSliceNode* n,
                       const uint32_t* first, const Renumbered* all)
{
   const Plan*      plan = plan_of(f->code, n->instr);
   const Use*       u = &ELEM(f->code->w->uses, Use, plan->uses);
   const WetAccess* a = accesses_of(f->code, n->instr);
   Rest r = { EDGE(f, first[id]), EDGE(f, first[id + 1]), all,
              STATE(f, id)->cut, STATE(f, id)->weak,
              follows_control(f->callbacks, n->instr), STATE(f, id)->bytes };

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

/*--- Nodes of an earlier slice, and later ones            ---*/

/* Forget the edges that nodes had before they wanted once more, and number all
   writers and users by TO. */
static void renumber_edges(Found* f, const uint32_t* to)
{
   Keep*  k = f->own;
   size_t n = 0;

   for (size_t i = 0; i < k->edges.n; i++) {
      Edge e = *EDGE(f, i);
      if (i < k->n_earlier_edges && STATE(f, e.node)->again)
         continue;
      e.node = to[e.node];
      if (e.writer < DCFG_SLICE_NOT)
         e.writer = to[e.writer];
      *EDGE(f, n++) = e;
   }
   array_cut(&k->edges, n);
}

/* Put the nodes in order: those that ran last come first, as in both parts. */
static bool join_nodes(Found* f)
{
   Keep*     k = f->own;
   uint32_t  n = (uint32_t)f->nodes.n, a = 0, b = k->n_earlier;
   uint32_t* to = job_calloc(f->job, n + (size_t)1, sizeof(*to));
   Array     nodes = { 0 }, states = { 0 };

   if (to == NULL || array_add_n(f->job, &nodes, sizeof(DcfgSliceNode), n) == NULL
       || array_add_n(f->job, &states, sizeof(KeepState), n) == NULL) {
      array_free(f->job, &nodes, sizeof(DcfgSliceNode));
      job_free(f->job, to, (n + (size_t)1) * sizeof(*to));
      return false;
   }
   for (uint32_t i = 0; i < n; i++) {
      uint32_t from = b == n || (a < k->n_earlier
                                 && NODE(f, a)->order > NODE(f, b)->order)
                      ? a++ : b++;
      to[from] = i;
      ELEM(nodes, DcfgSliceNode, i) = *NODE(f, from);
      ELEM(states, KeepState, i)    = *STATE(f, from);
   }
   renumber_edges(f, to);
   for (size_t i = 0; i < f->criteria.n; i++)
      ELEM(f->criteria, uint32_t, i) = to[ELEM(f->criteria, uint32_t, i)];
   array_free(f->job, &f->nodes, sizeof(DcfgSliceNode));
   array_free(f->job, &k->states, sizeof(KeepState));
   job_free(f->job, to, (n + (size_t)1) * sizeof(*to));
   f->nodes  = nodes;
   k->states = states;
   return true;
}

COMPARE(latest_first, DcfgSliceUnseen, DOWN(time) ?: DOWN(addr))

/* Sort the unseen writes that both walks met, each once. */
static void join_unseen(Found* f)
{
   DcfgSliceUnseen* u = f->unseen.data;
   size_t           n = 0;

   SORT(u, f->unseen.n, latest_first);
   for (size_t i = 0; i < f->unseen.n; i++)
      if (n == 0 || u[i].time != u[n - 1].time || u[i].addr != u[n - 1].addr)
         u[n++] = u[i];
   array_cut(&f->unseen, n);
}

/* Keep what the slice needs to go on. */
static void keep_for_later(Found* f)
{
   KeptSlice* to = (KeptSlice*)f->result;
   Keep*      k = f->own;

   to->n_values = f->values.n;
   to->n_reads  = f->readings.n;
   to->chunk    = f->chunk;
   if (f->code->q->results)
      return;
   to->steps  = f->code->q->steps;
   to->states = k->states;
   to->edges  = k->edges;
   k->states = k->edges = (Array){ 0 };
}

/* Tables for the result of N nodes. */
typedef
   struct {
      uint32_t* first;          // as sort_edges() returns them
      uint32_t* numbers;        // by node: its number in the result
      uint64_t* seen;
   }
   AssembleTables;

/* Turn nodes and edges into the result, with the tables T of all N nodes. */
static bool assemble(Found* f, uint32_t n, const AssembleTables* t)
{
   const Renumbered all = { n, t->numbers, t->seen };
   uint32_t         kept = 0;

   if (t->first == NULL || t->numbers == NULL || t->seen == NULL
       || (f->code->q->results && f->code->q->no_control_of != NULL
           && !choose_weak(f, t->first)))
      return false;
   for (uint32_t i = 0; i < n; i++) {
      t->numbers[i] = kept;
      kept         += STATE(f, i)->real;
   }
   for (uint32_t i = 0; i < n; i++) {
      DcfgSliceNode* to = NODE(f, t->numbers[i]);
      if (!STATE(f, i)->real)
         continue;
      *to = *NODE(f, i);
      to->distance /= slice_code_step(f->code);
      if (!add_inputs(f, i, to, t->first, &all))
         return false;
   }
   for (uint32_t i = 0; i < f->criteria.n; i++)
      ELEM(f->criteria, uint32_t, i)
         = t->numbers[ELEM(f->criteria, uint32_t, i)];
   array_cut(&f->nodes, kept);
   return true;
}

/* Turn nodes and edges into the result. */
static bool keep_assemble(Found* f)
{
   uint32_t             n = (uint32_t)f->nodes.n;
   const AssembleTables t = {
      sort_edges(f), job_calloc(f->job, n + (size_t)1, sizeof(*t.numbers)),
      job_calloc(f->job, n + (size_t)2, sizeof(*t.seen))
   };
   bool                 ok = assemble(f, n, &t);

   job_free(f->job, t.first, (n + (size_t)2) * sizeof(*t.first));
   job_free(f->job, t.numbers, (n + (size_t)1) * sizeof(*t.numbers));
   job_free(f->job, t.seen, (n + (size_t)2) * sizeof(*t.seen));
   if (!ok)
      return false;
   keep_for_later(f);
   return found_hand_over(f);
}

static bool keep_finish(Found* f)
{
   if (f->earlier != NULL) {
      if (f->begins.n > 0)
         return job_fail(f->job, DCFG_ERROR_FORMAT, "index",
                         "it is not of the trace");
      if (!join_nodes(f))
         return false;
      join_unseen(f);
   }
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

/*--- Slices forward                                       ---*/

/* Handle one dependence of an instance, whose writer has distance WAY.
   Lower *LEAST to that, or set *ENDED if the slice ends there. */
static inline void forward_step(const Found* f, uint32_t instr, uint32_t way,
                                uint32_t* least, bool* ended)
{
   const DcfgSliceQuery* q = f->code->q;
   uint32_t              cost = q->copies == NULL || !q->copies[instr];

   if (q->steps != 0 && way >= q->steps && cost > 0)
      *ended = true;
   else if (way + cost < *least)
      *least = way + cost;
}

/* NodeTable: nodes by instance; an instance is a Writer here. */
typedef
   struct {
      NumberMap map;
      uint8_t*  known;          // by instruction: it has a node
   }
   NodeTable;

static bool add_key(Found* f, NodeTable* t, DcfgWetDep d, uint32_t node)
{
   uint32_t* to = map_add(f->job, &t->map, writer_of(d.instr, d.instance));

   if (to == NULL)
      return false;
   *to = node;
   t->known[d.instr] = 1;
   return true;
}

/* Return the node of an instance, or DCFG_NONE. */
static inline uint32_t node_of(const NodeTable* t, DcfgWetDep d)
{
   size_t at;

   if (!t->known[d.instr])
      return DCFG_NONE;
   at = map_find(&t->map, writer_of(d.instr, d.instance));
   return t->map.keys[at] == 0 ? DCFG_NONE : t->map.values[at];
}

/* Return whether the slice follows the values that E uses by PORT. */
static bool forward_follows(const Found* f, const DcfgWetEvent* e,
                     const DcfgWetPort* port)
{
   const DcfgSliceQuery* q = f->code->q;

   if (port->kind == DCFG_WET_CONTROL)
      return !q->no_control
             && (q->no_control_of == NULL || !q->no_control_of[e->instr]);
   return port->kind != DCFG_WET_GENERAL || q->no_address == NULL
          || !(q->no_address[e->instr] >> port->reg & 1);
}

static uint64_t first_store(const Found* f, const DcfgWetEvent* e)
{
   const Plan*      plan = plan_of(f->code, e->instr);
   const WetAccess* a = accesses_of(f->code, e->instr);

   for (uint32_t j = 0; j < plan->n_accesses && j < e->n_accesses; j++)
      if ((a[j].what & AccessStore) && e->accesses[j] != 0)
         return e->accesses[j];
   return 0;
}

/* Add the inputs that E uses by PORT to node N, if they are nodes, and lower
   N's distance. */
static bool find_inputs(Found* f, const NodeTable* t, const DcfgWetEvent* e,
                        const DcfgWetPort* port, DcfgSliceNode* n)
{
   bool any_ended = false;

   for (uint32_t k = 0; k < port->n; k++) {
      uint32_t on = node_of(t, e->deps[port->first + k]);
      bool     ended = false;
      if (on == DCFG_NONE)
         continue;
      if (!forward_follows(f, e, port)) {
         found_leave_out(f, port->kind);
         return true;
      }
      forward_step(f, e->instr, NODE(f, on)->distance, &n->distance, &ended);
      any_ended |= ended;
      if (!ended
          && !found_add_input(f, n, (DcfgSliceInput){ .port = (uint8_t)port->kind,
                                                      .reg = (uint8_t)port->reg,
                                                      .node = on }))
         return false;
   }
   found_end(f, any_ended);
   return true;
}

static bool forward_take_event(Found* f, NodeTable* t, const DcfgWetEvent* e,
                       uint64_t order, bool criterion)
{
   DcfgSliceNode  n = { .instr = e->instr, .thread = e->thread,
                        .instance = e->instance, .order = order,
                        .distance = criterion ? 0 : UINT32_MAX,
                        .first_input = f->inputs.n };
   DcfgSliceNode* to;

   for (uint32_t i = 0; i < e->n_ports && !criterion; i++)
      if (!find_inputs(f, t, e, &e->ports[i], &n))
         return false;
   if (n.distance == UINT32_MAX)
      return true;
   n.addr  = first_store(f, e);
   n.value = e->has_value ? f->values.n : 0;
   if ((criterion && !found_add_criterion(f, (uint32_t)f->nodes.n))
       || !add_key(f, t, (DcfgWetDep){ e->instr, e->instance },
                   (uint32_t)f->nodes.n)
       || !found_add_value(f, &n, e->value, e->has_value ? e->value_size : 0)
       || (to = array_add(f->job, &f->nodes, sizeof(*to))) == NULL)
      return false;
   *to = n;
   return true;
}

/* The walk back left the criteria only, from the last to the first. */
static bool forward_go(Found* f, DcfgWetEvents* v, NodeTable* t)
{
   const DcfgSlice* s = f->result;
   DcfgWetEvent e;
   DcfgError    err;
   uint32_t     left = s->n_nodes;
   uint64_t     order = 0;

   while (dcfg_wet_next(v, &e, &err)) {
      bool criterion = left > 0 && e.kind == DCFG_WET_INSTR
                       && s->nodes[left - 1].order == order;
      if (e.kind != DCFG_WET_INSTR)
         continue;
      left -= criterion;
      if ((criterion || t->map.n > 0)
          && !forward_take_event(f, t, &e, order, criterion))
         return false;
      order++;
   }
   return err.status == DCFG_OK || job_adopt(f->job, &err);
}

/* Return the events of the trace; with control, if CONTROL. */
static DcfgWetEvents* forward_open(Found* f, bool control)
{
   DcfgWetEvents* v = dcfg_wet_events_new(f->code->w, &f->job->err);

   if (v == NULL || !control || dcfg_wet_find_control(v, &f->job->err))
      return v;
   dcfg_wet_events_free(v);
   return NULL;
}

/* Go forward from the criteria that the walk back found. */
static bool forward_finish(Found* f)
{
   size_t         n = f->code->w->instrs.n + 1;
   NodeTable      t = { .known = job_calloc(f->job, n, 1) };
   DcfgWetEvents* v = NULL;
   bool           ok = t.known != NULL && keep_assemble(f);

   /* The walk back counted the criteria's own uses as left out. */
   found_forget_left_out(f);
   ok = ok && (v = forward_open(f, !f->code->q->no_control)) != NULL
        && forward_go(f, v, &t);
   dcfg_wet_events_free(v);
   map_free(f->job, &t.map);
   job_free(f->job, t.known, n);
   if (!ok || !found_hand_over(f))
      return false;
   found_count_nodes(f);
   return true;
}

const SliceKind slice_forward = {
   .start = keep_start, .free = keep_free, .forget = keep_forget,
   .add = keep_add, .user = keep_user, .meet = keep_meet, .close = keep_close,
   .finish = forward_finish, .numbers = true
};

/* ForwardWalk: .first and .last are times of criteria. */
typedef
   struct {
      Found*         found;
      DcfgWetEvents* v;
      uint64_t first, last;
      uint32_t act;             // the activation of a run
   }
   ForwardWalk;

/*--- The criterion                                        ---*/

/* Return whether E runs in the activation of the run, which has begun. */
static bool is_in_run(ForwardWalk* z, const DcfgWetEvent* e)
{
   uint32_t act = wet_control_activation(z->v, e->thread);

   if (e->time == z->first)
      z->act = act;
   return act == z->act;
}

static bool is_criterion(ForwardWalk* z, const DcfgWetEvent* e)
{
   const DcfgSliceQuery* q = z->found->code->q;

   if (e->time < z->first || e->time > z->last || !q->instrs[e->instr])
      return false;
   if (z->first == z->last)
      return true;
   return q->instance == DCFG_SLICE_EVERY
          ? slice_code_is_part(z->found->code, e->instr, e->instance)
          : is_in_run(z, e);
}

/*--- Instances                                            ---*/

/* Lower *LEAST, the distance of E, by the writers of the values that E uses
   by PORT. */
static void take_port(Found* f, const DcfgWetEvent* e, const DcfgWetPort* port,
                      uint32_t* least)
{
   bool ended = false;

   if (port->n == 0
       || (port->kind == DCFG_WET_CONTROL && f->code->q->no_control))
      return;
   if (!forward_follows(f, e, port)) {
      found_leave_out(f, port->kind);
      return;
   }
   for (uint32_t k = 0; k < port->n; k++)
      forward_step(f, e->instr, (uint32_t)e->deps[port->first + k].instance,
                   least, &ended);
   found_end(f, ended);
}

static Writer name_of(void* arg, const DcfgWetEvent* e)
{
   ForwardWalk* z = arg;
   uint32_t     distance = UINT32_MAX;
   Writer       name = 0;

   if (is_criterion(z, e))
      distance = 0;
   else
      for (uint32_t i = 0; i < e->n_ports; i++)
         take_port(z->found, e, &e->ports[i], &distance);
   if (distance != UINT32_MAX) {
      found_count(z->found, e->instr, e->thread, e->time, distance);
      name = wet_name(distance);
   }
   if (z->v->control != NULL)
      wet_name_control(z->v, e, name);
   return name;
}

/*--- The whole                                            ---*/

static bool add_criterion(Found* f, const Spot* spot, Member* m)
{
   return found_add_end(f, spot, &m->id);
}

/* Put the first criterion before the last one: the walk back found them in
   reverse. */
static void reverse_criteria(Found* f)
{
   DcfgSliceNode last = *NODE(f, 0);

   if (f->nodes.n < 2)
      return;
   *NODE(f, 0) = *NODE(f, 1);
   *NODE(f, 1) = last;
}

static bool go_sums(ForwardWalk* z)
{
   const SliceCode* code = z->found->code;
   bool*            sbs = job_calloc(z->found->job, code->w->sbs.n,
                                     sizeof(*sbs));
   WetNamer         namer = { name_of, z, z->first, z->last, sbs };
   DcfgWetEvent     e;
   DcfgError        err = { 0 };

   if (sbs == NULL)
      return false;
   for (uint32_t id = 1; id < code->w->sbs.n; id++)
      sbs[id] = code->sbs[id].criterion;
   wet_use_namer(z->v, &namer);
   while (dcfg_wet_next(z->v, &e, &err))
      ;
   job_free(z->found->job, sbs, code->w->sbs.n * sizeof(*sbs));
   return err.status == DCFG_OK || job_adopt(z->found->job, &err);
}

static bool finish_sums(Found* f)
{
   const DcfgSliceQuery* q = f->code->q;
   ForwardWalk z = { .found = f };
   bool        ok = true;

   if (f->nodes.n > 0) {
      reverse_criteria(f);
      z.first = NODE(f, 0)->order;
      z.last  = NODE(f, f->nodes.n - 1)->order;
      z.v     = forward_open(f, !q->no_control || q->run);
      ok      = z.v != NULL && go_sums(&z);
      dcfg_wet_events_free(z.v);
   }
   return ok && found_hand_over(f);
}

const SliceKind slice_forward_sums = {
   .criterion = add_criterion,
   .finish = finish_sums, .numbers = true
};
