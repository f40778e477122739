/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A stream of a DCFG's edges: which blocks follow each other without a jump. */

/* Owns: the jumps of a DCFG's blocks, and the passages between them.  Handed: a
   DCFG, and its trace if there is one, by blocks.c.

   A DCFG's block is only entered at its begin and left at its end, so it is
   never divided here, and is a unit of tally.c.  But several blocks may be one
   block of the stream: a branch that was never taken ends a block only in the
   DCFG.

   The types of edges tell more than an address stream.  A signal's handler is a
   sequence of its own.  When it has returned, the interrupted sequence goes on
   as if nothing had been between: straight, or by a jump if its last
   instruction can jump.  If neither is possible, because the handler changed
   the place, the sequence has ended, and another one begins.  The same holds
   for a system call that does not go on behind its instruction.

   Without a trace, the passages are those from the end of each block, and
   only static blocks can be found.  All counts are known, with one
   exception.  If a signal interrupted after an instruction that can go on in
   several ways, the edges lead to the handler and from it, and the way is
   unknown.  With one way only, that is the way. */

#include "lib/blocks/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Kinds of edges for the stream. */
enum {
   STRAIGHT,    // straight on, unless the source is known to jump
   LEAP,        // not straight on: the source jumps
   INTERRUPT, RESUME,           // a signal, and the return of its handler
   BEGIN, END,                  // from or to a special node
   GAP,         // something between is not in the graph
   NO_EDGE      // no edge has this id
};

/* Values of BlockArc.from that are no node: nothing has been counted, or more
   must be done than counting; nothing must be done while the source does not
   jump. */
#define UNCOUNTED (UINT32_MAX - 1)
#define PASSED    (UINT32_MAX - 2)

#define N_IDS 4096

/*--- The graph                                            ---*/

/* Return the index of an edge's arc: its id, or, if ids are far apart, its
   index. */
static inline uint32_t arc_of(const EdgeStream* stream, uint32_t edge)
{
   return stream->dense ? stream->p->edges[edge].id : edge;
}

static bool is_straight(const DcfgNode* a, const DcfgNode* b)
{
   return a->size > 0 && a->addr <= UINT64_MAX - a->size
          && a->addr + a->size == b->addr;
}

static uint8_t kind_of(const DcfgProcess* p, const DcfgEdge* e)
{
   const DcfgNode *a, *b;

   if (e->source >= p->n_nodes || e->target >= p->n_nodes)
      return NO_EDGE;
   a = &p->nodes[e->source];
   b = &p->nodes[e->target];
   if (b->kind != DCFG_NODE_BLOCK)
      return END;
   if (a->kind != DCFG_NODE_BLOCK)
      return BEGIN;
   switch (e->type) {
      case DCFG_EDGE_CONTEXT_CHANGE:
         return INTERRUPT;
      case DCFG_EDGE_CONTEXT_CHANGE_RETURN:
         return RESUME;
      case DCFG_EDGE_SYSTEM_CALL:
      case DCFG_EDGE_SYSTEM_RETURN:
      case DCFG_EDGE_SYSTEM_CALL_BYPASS:
      case DCFG_EDGE_CONTEXT_CHANGE_BYPASS:
      case DCFG_EDGE_EXCLUDED_CODE_BYPASS:
         return is_straight(a, b) ? STRAIGHT : GAP;
      default:
         return is_straight(a, b) ? STRAIGHT : LEAP;
   }
}

/* Return whether a block's last instruction can jump. */
static bool can_jump(const DcfgProcess* p, uint32_t node)
{
   uint32_t        n;
   const uint32_t* out = dcfg_out_edges(p, node, &n);

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      if (e->count > 0
          && (dcfg_is_call(e->type) || e->type == DCFG_EDGE_RETURN
              || (e->type >= DCFG_EDGE_BRANCH && e->type <= DCFG_EDGE_REP)))
         return true;
   }
   return false;
}

static bool start_arcs(EdgeStream* stream)
{
   const DcfgProcess* p = stream->p;
   Job*               job = stream->s.job;

   stream->arcs = job_calloc(job, stream->n_arcs, sizeof(*stream->arcs));
   stream->kinds = job_calloc(job, stream->n_arcs, sizeof(*stream->kinds));
   if (stream->arcs == NULL || stream->kinds == NULL)
      return false;
   memset(stream->kinds, NO_EDGE, stream->n_arcs);
   for (uint32_t i = 0; i < stream->n_arcs; i++)
      stream->arcs[i].from = UNCOUNTED;
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      uint32_t        a = arc_of(stream, i);
      stream->arcs[a] = (BlockArc){ e->source, e->target, UNCOUNTED, 0 };
      stream->kinds[a] = kind_of(p, e);
   }
   return true;
}

bool edges_start(EdgeStream* stream, const DcfgProcess* p)
{
   Job*     job = stream->s.job;
   uint64_t n_ids = 0;

   stream->p = p;
   stream->s.nodes = p->nodes;
   for (uint32_t i = 0; i < p->n_edges; i++) {
      if (p->edges[i].id >= n_ids)
         n_ids = (uint64_t)p->edges[i].id + 1;
      stream->edges = add_capped(stream->edges, p->edges[i].count);
   }
   stream->dense = n_ids <= 4 * (uint64_t)p->n_edges + 1024;
   stream->n_arcs = stream->dense ? (uint32_t)n_ids : p->n_edges;
   /* Count memory as the graph's edges and nodes have grown: the graph was read
      within limits of its own. */
   job_read(job, stream->n_arcs, stream->n_arcs);
   job_read(job, p->n_nodes, p->n_nodes);
   if (p->n_nodes >= UNIT_NONE)
      return job_fail(job, DCFG_ERROR_LIMIT, NULL, "too many blocks");
   if (!start_arcs(stream)
       || array_add_n(job, &stream->s.units, sizeof(Unit), p->n_nodes) == NULL)
      return false;
   for (uint32_t i = 0; i < p->n_nodes; i++)
      *unit(&stream->s, i) = (Unit){ p->nodes[i].addr, p->nodes[i].size,
                                     UNIT_NONE };
   return true;
}

void edges_free(EdgeStream* stream)
{
   Job* job = stream->s.job;

   job_free(job, stream->arcs, stream->n_arcs * sizeof(*stream->arcs));
   job_free(job, stream->kinds, stream->n_arcs * sizeof(*stream->kinds));
   array_free(job, &stream->interrupted, sizeof(Standing));
   stream_free(&stream->s);
}

/*--- Following a trace                                    ---*/

/* End the sequence, and those that wait for it, where they are. */
static bool end_all(EdgeStream* stream)
{
   bool ok = stream_end(&stream->s, stream->s.here);

   for (size_t i = 0; ok && i < stream->interrupted.n; i++)
      ok = stream_end(&stream->s, ELEM(stream->interrupted, Standing, i));
   array_cut(&stream->interrupted, 0);
   stream->s.here = NOWHERE;
   return ok;
}

static bool interrupt(EdgeStream* stream, uint32_t handler)
{
   Standing* there = array_add(stream->s.job, &stream->interrupted,
                               sizeof(*there));

   if (there == NULL)
      return false;
   *there = stream->s.here;
   if (stream->s.visit != NULL)
      stream->s.visit(stream->s.visit_arg, DCFG_NONE);
   return stream_begin(&stream->s, handler);
}

/* End the handler; the interrupted sequence goes on at NODE. */
static bool resume(EdgeStream* stream, uint32_t node)
{
   const DcfgProcess* p = stream->p;
   Stream*            s = &stream->s;
   Standing           there;

   if (!stream_end(s, s->here))
      return false;
   if (stream->interrupted.n == 0)
      return stream_begin(s, node);
   there = ELEM(stream->interrupted, Standing, array_pop(&stream->interrupted));
   if (is_straight(&p->nodes[there.at], &p->nodes[node])) {
      if (stream_straight(s, there.at, node)) {
         s->here = (Standing){ there.from, node };
         return true;
      }
      return stream_jump(s, there.from, there.at, node);
   }
   if (unit(s, there.at)->next & UNIT_JUMPS || can_jump(p, there.at))
      return stream_jump(s, there.from, there.at, node);
   return stream_end(s, there) && stream_begin(s, node);
}

/* Jump along the arc A, and keep the passage for the next time.  In the second
   pass, visit the block there. */
static bool leap(EdgeStream* stream, BlockArc* a)
{
   Stream*  s = &stream->s;
   Unit*    u = unit(s, a->source);
   uint32_t from = s->here.from;
   Passage* p;

   s->here = (Standing){ a->target, a->target };
   if (s->visit != NULL) {
      uint32_t block = s->dynamic_at[a->target];
      if (!(u->next & UNIT_JUMPS) || block == DCFG_NONE)
         return stream_is_new(s);
      s->visit(s->visit_arg, block);
      return true;
   }
   u->next |= UNIT_JUMPS;
   p = stream_passage(s, from, a->source, a->target);
   if (p == NULL)
      return false;
   p->count = add_capped(p->count, 1);
   a->from = from;
   a->passage = (uint32_t)(p - &ELEM(s->passages, Passage, 0));
   return true;
}

/* Take an edge that needs more than counting. */
static bool step(EdgeStream* stream, uint32_t arc)
{
   Stream*   s = &stream->s;
   BlockArc* a = &stream->arcs[arc];
   uint32_t  to = a->target;
   Standing  here = s->here;

   switch (stream->kinds[arc]) {
      case STRAIGHT:
         if (!stream_straight(s, a->source, to))
            return leap(stream, a);
         a->from = PASSED;
         s->here.at = to;
         return true;
      case LEAP:
         return leap(stream, a);
      case INTERRUPT:
         return interrupt(stream, to);
      case RESUME:
         return resume(stream, to);
      case BEGIN:
         return stream_begin(s, to);
      case END:
         /* Between special nodes nothing is executed. */
         s->here = (Standing){ DCFG_NONE, to };
         return stream_end(s, here);
      default:
         return stream_end(s, here) && stream_begin(s, to);
   }
}

static bool misfit(EdgeStream* stream, const DcfgChunkInfo* info, uint32_t id,
                   const char* what)
{
   char place[120];

   snprintf(place, sizeof(place), "PROCESSES[%" PRIu32 "].THREAD_DATA"
            "[THREAD_ID=%" PRIu32 "].TRACE_DATA[%" PRIu64 "]", info->process,
            info->thread, info->number);
   return job_fail(stream->s.job, DCFG_ERROR_FORMAT, place, "edge %" PRIu32 " %s",
                   id, what);
}

/* Begin a thread: its first edge may have any source. */
static bool enter(EdgeStream* stream, uint32_t source)
{
   if (stream->p->nodes[source].kind == DCFG_NODE_BLOCK)
      return stream_begin(&stream->s, source);
   stream->s.here = (Standing){ DCFG_NONE, source };
   return true;
}

static bool follow(EdgeStream* stream, const uint32_t* ids, size_t n,
                   const DcfgChunkInfo* info)
{
   Stream*         s = &stream->s;
   const bool      dense = stream->dense;
   const uint32_t  n_arcs = stream->n_arcs;
   BlockArc* const arcs = stream->arcs;
   const Unit*     units = &ELEM(s->units, Unit, 0);
   Passage*        passages = &ELEM(s->passages, Passage, 0);
   uint32_t        from = s->here.from, at = s->here.at;

   for (size_t i = 0; i < n; i++) {
      uint32_t id = dense ? ids[i] : dcfg_edge_by_id(stream->p, ids[i]);
      BlockArc* a;
      if (id >= n_arcs)
         return misfit(stream, info, ids[i], "is not in the DCFG");
      a = &arcs[id];
      if (a->source == at && a->from == from) {
         passages[a->passage].count++;
         from = at = a->target;
         continue;
      }
      if (a->source == at && a->from == PASSED
          && units[at].next == a->target) {
         at = a->target;
         continue;
      }
      s->here = (Standing){ from, at };
      if (stream->kinds[id] == NO_EDGE)
         return misfit(stream, info, ids[i], "is not in the DCFG");
      if (a->source != at) {
         if (at != DCFG_NONE)
            return misfit(stream, info, ids[i],
                          "does not begin where the one before ended");
         if (!enter(stream, a->source))
            return false;
      }
      if (!step(stream, id))
         return false;
      passages = &ELEM(s->passages, Passage, 0);
      from = s->here.from;
      at = s->here.at;
   }
   s->here = (Standing){ from, at };
   return true;
}

bool edges_follow(EdgeStream* stream, DcfgTrace* trace)
{
   static const DcfgError none;
   uint32_t               ids[N_IDS];
   uint64_t               left = stream->edges, thread = UINT64_MAX;
   DcfgError              err = none;
   size_t                 n;

   while ((n = dcfg_trace_next(trace, ids, N_IDS, &err)) > 0) {
      const DcfgChunkInfo* info = dcfg_trace_chunk_info(trace);
      if (n > left)
         return misfit(stream, info, ids[0],
                       "is one of more than the DCFG has");
      left -= n;
      if (info->thread != thread && !end_all(stream))
         return false;
      thread = info->thread;
      if (!follow(stream, ids, n, info))
         return false;
   }
   if (err.status != DCFG_OK)
      return job_adopt(stream->s.job, &err);
   return end_all(stream);
}

void edges_again(EdgeStream* stream)
{
   stream->s.here = NOWHERE;
   for (uint32_t i = 0; i < stream->n_arcs; i++)
      if (stream->arcs[i].from != PASSED)
         stream->arcs[i].from = UNCOUNTED;
}

/*--- A DCFG without a trace                               ---*/

typedef
   struct {
      EdgeStream* s;
      uint32_t    thread;
      uint64_t*   interrupted;  // for each node: interruptions after it
      uint64_t*   resumed;      // for each node: returns of handlers to it
      uint64_t    unknown;
   }
   Sum;

static uint64_t traversals(const Sum* sum, uint32_t edge)
{
   return dcfg_edge_count(sum->s->p, edge, sum->thread);
}

static bool end_many(EdgeStream* stream, uint32_t at, uint64_t n)
{
   return stream_count(&stream->s, at, at, DCFG_NONE, n);
}

static bool begin_many(EdgeStream* stream, uint32_t to, uint64_t n)
{
   return stream_count(&stream->s, DCFG_NONE, DCFG_NONE, to, n);
}

static bool jumps(const EdgeStream* stream, uint32_t node)
{
   return unit(&stream->s, node)->next & UNIT_JUMPS;
}

static void set_jumps(EdgeStream* stream, uint32_t node)
{
   unit(&stream->s, node)->next |= UNIT_JUMPS;
}

/* Find the blocks that jump, and the successors of the others. */
static void find_jumps(Sum* sum)
{
   EdgeStream*        s = sum->s;
   const DcfgProcess* p = s->p;

   for (uint32_t i = 0; i < p->n_edges; i++) {
      uint64_t n = traversals(sum, i);
      uint32_t arc = arc_of(s, i), kind = s->kinds[arc];
      const BlockArc* a = &s->arcs[arc];
      if (n > 0 && kind == LEAP)
         set_jumps(s, a->source);
      else if (kind == INTERRUPT)
         sum->interrupted[a->source] += n;
      else if (kind == RESUME)
         sum->resumed[a->target] += n;
   }
   /* A bypass tells where an interrupted block went on. */
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const BlockArc* a = &s->arcs[arc_of(s, i)];
      if (p->edges[i].type == DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          && s->kinds[arc_of(s, i)] == GAP && sum->interrupted[a->source] > 0
          && can_jump(p, a->source))
         set_jumps(s, a->source);
   }
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const BlockArc* a = &s->arcs[arc_of(s, i)];
      if (s->kinds[arc_of(s, i)] == STRAIGHT
          && (traversals(sum, i) > 0
              || (p->edges[i].type == DCFG_EDGE_CONTEXT_CHANGE_BYPASS
                  && sum->interrupted[a->source] > 0))
          && !stream_straight(&s->s, a->source, a->target))
         set_jumps(s, a->source);
   }
}

/* Return the node that followed NODE each time it was interrupted; DCFG_NONE if
   there are several. */
static uint32_t way_on(const Sum* sum, uint32_t node)
{
   const EdgeStream* s = sum->s;
   uint32_t          n, to = DCFG_NONE;
   const uint32_t*   out = dcfg_out_edges(s->p, node, &n);

   if (!jumps(s, node))
      return unit(&s->s, node)->next == UNIT_NONE
             ? DCFG_NONE : unit(&s->s, node)->next;
   for (uint32_t i = 0; i < n; i++) {
      const BlockArc* a = &s->arcs[arc_of(s, out[i])];
      if (s->p->edges[out[i]].type != DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          && (s->kinds[arc_of(s, out[i])] > LEAP
              || traversals(sum, out[i]) == 0))
         continue;
      if (to != DCFG_NONE && to != a->target)
         return DCFG_NONE;
      to = a->target;
   }
   return to;
}

static bool add_interrupts(Sum* sum)
{
   EdgeStream* s = sum->s;

   for (uint32_t i = 0; i < s->p->n_nodes; i++) {
      uint64_t n = sum->interrupted[i], back = 0;
      uint32_t to;
      if (n == 0)
         continue;
      to = way_on(sum, i);
      if (to != DCFG_NONE) {
         back = n < sum->resumed[to] ? n : sum->resumed[to];
         sum->resumed[to] -= back;
         if (jumps(s, i) && !stream_count(&s->s, i, i, to, back))
            return false;
      } else if (jumps(s, i)) {
         sum->unknown += n;
      }
      if (!end_many(s, i, n - back))
         return false;
   }
   for (uint32_t i = 0; i < s->p->n_nodes; i++)
      if (!begin_many(s, i, sum->resumed[i]))
         return false;
   return true;
}

static bool add_edge(Sum* sum, uint32_t edge)
{
   EdgeStream* s = sum->s;
   uint32_t    arc = arc_of(s, edge);
   const BlockArc* a = &s->arcs[arc];
   uint64_t    n = traversals(sum, edge);
   bool        from_block;

   if (n == 0 || s->kinds[arc] == NO_EDGE)
      return true;
   from_block = s->p->nodes[a->source].kind == DCFG_NODE_BLOCK;
   switch (s->kinds[arc]) {
      case STRAIGHT:
      case LEAP:
         return !jumps(s, a->source)
                || stream_count(&s->s, a->source, a->source, a->target, n);
      case INTERRUPT:
      case BEGIN:
         return begin_many(s, a->target, n);
      case RESUME:
         return end_many(s, a->source, n);
      case END:
         return !from_block || end_many(s, a->source, n);
      case GAP:
         return end_many(s, a->source, n) && begin_many(s, a->target, n);
      default:
         return true;
   }
}

bool edges_sum(EdgeStream* stream, uint32_t thread, uint64_t* unknown)
{
   uint32_t n = stream->p->n_nodes;
   Sum      sum = { stream, thread,
                    job_calloc(stream->s.job, n, sizeof(uint64_t)),
                    job_calloc(stream->s.job, n, sizeof(uint64_t)), 0 };
   bool     ok = sum.interrupted != NULL && sum.resumed != NULL;

   if (ok) {
      find_jumps(&sum);
      ok = add_interrupts(&sum);
   }
   for (uint32_t i = 0; ok && i < stream->p->n_edges; i++)
      ok = add_edge(&sum, i);
   job_free(stream->s.job, sum.interrupted, n * sizeof(uint64_t));
   job_free(stream->s.job, sum.resumed, n * sizeof(uint64_t));
   *unknown = sum.unknown;
   return ok;
}
