/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A stream of a DCFG's edges: which blocks follow each other without a jump. */

/* Owns: the jumps of a DCFG's blocks, and the passages between them.  Handed: a
   DCFG, and its trace if there is one, by users.

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

/* Kinds of edges, which are no nodes. */
enum {
   STRAIGHT = UNIT_JUMPS,       // straight on, unless the source is known to
                                // jump
   PASSED,      // the same, and counted while the source does not jump
   LEAP,        // not straight on: the source jumps
   INTERRUPT, RESUME,           // a signal, and the return of its handler
   BEGIN, END,                  // from or to a special node
   GAP,         // something between is not in the graph
   NO_EDGE      // no edge has this id
};

#define N_IDS 4096

/*--- The graph                                            ---*/

/* Return an edge's arc, by its id, or, if ids are far apart, by its index. */
static inline BlockArc* arc_of(const DcfgBlocks* blocks, uint32_t edge)
{
   return &blocks->arcs[blocks->dense ? blocks->p->edges[edge].id : edge];
}

/* Return the kind of an arc: what has been counted leads from a jump. */
static inline uint32_t kind(const BlockArc* a)
{
   return a->from < UNIT_JUMPS ? LEAP : a->from;
}

static bool is_straight(const DcfgNode* a, const DcfgNode* b)
{
   return a->size > 0 && a->addr <= UINT64_MAX - a->size
          && a->addr + a->size == b->addr;
}

static uint32_t kind_of(const DcfgProcess* p, const DcfgEdge* e)
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
   if (e->type == DCFG_EDGE_CONTEXT_CHANGE)
      return INTERRUPT;
   if (e->type == DCFG_EDGE_CONTEXT_CHANGE_RETURN)
      return RESUME;
   if (is_straight(a, b))
      return STRAIGHT;
   switch (e->type) {
      case DCFG_EDGE_SYSTEM_CALL:
      case DCFG_EDGE_SYSTEM_RETURN:
      case DCFG_EDGE_SYSTEM_CALL_BYPASS:
      case DCFG_EDGE_CONTEXT_CHANGE_BYPASS:
      case DCFG_EDGE_EXCLUDED_CODE_BYPASS:
         return GAP;
      default:
         return LEAP;
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

static bool start(DcfgBlocks* blocks, const DcfgProcess* p)
{
   Job*     job = &blocks->job;
   uint64_t n_ids = 0;

   blocks->p = p;
   for (uint32_t i = 0; i < p->n_edges; i++) {
      if (p->edges[i].id >= n_ids)
         n_ids = (uint64_t)p->edges[i].id + 1;
      blocks->edges = add_capped(blocks->edges, p->edges[i].count);
   }
   blocks->dense = n_ids <= 4 * (uint64_t)p->n_edges + 1024;
   blocks->n_arcs = blocks->dense ? (uint32_t)n_ids : p->n_edges;
   /* Count memory as the graph's edges and nodes have grown: the graph was read
      within limits of its own. */
   job_read(job, blocks->n_arcs, blocks->n_arcs);
   job_read(job, p->n_nodes, p->n_nodes);
   if (p->n_nodes >= UNIT_NONE)
      return job_fail(job, DCFG_ERROR_LIMIT, NULL, "too many blocks");
   blocks->arcs = job_calloc(job, blocks->n_arcs, sizeof(*blocks->arcs));
   if (blocks->arcs == NULL
       || array_add_n(job, &blocks->units, sizeof(Unit), p->n_nodes) == NULL)
      return false;
   for (uint32_t i = 0; i < blocks->n_arcs; i++)
      blocks->arcs[i].from = NO_EDGE;
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      *arc_of(blocks, i) = (BlockArc){ e->source, e->target, kind_of(p, e), 0 };
   }
   for (uint32_t i = 0; i < p->n_nodes; i++)
      *unit(blocks, i) = (Unit){ p->nodes[i].addr, p->nodes[i].size,
                                 UNIT_NONE };
   return true;
}

static bool takes_graph(DcfgBlocks* blocks, const DcfgProcess* p)
{
   if (!stream_is_open(blocks))
      return false;
   if (blocks->p != NULL)
      return blocks->p == p || stream_argument(blocks, "a second DCFG");
   if (blocks->executed > 0)
      return stream_argument(blocks, "a DCFG after instructions");
   return start(blocks, p);
}

/*--- Following a trace                                    ---*/

static bool interrupt(DcfgBlocks* blocks, uint32_t handler)
{
   Standing* there = array_add(&blocks->job, &blocks->waiting, sizeof(*there));

   if (there == NULL)
      return false;
   *there = blocks->here;
   if (blocks->visit != NULL)
      blocks->visit(blocks->visit_arg, DCFG_NONE);
   return stream_begin(blocks, handler);
}

/* End the handler; the interrupted sequence goes on at NODE. */
static bool resume(DcfgBlocks* blocks, uint32_t node)
{
   const DcfgProcess* p = blocks->p;
   Standing           there;
   bool               straight;

   if (!stream_end(blocks, blocks->here))
      return false;
   if (blocks->waiting.n == 0)
      return stream_begin(blocks, node);
   there = ELEM(blocks->waiting, Standing, array_pop(&blocks->waiting));
   straight = is_straight(&p->nodes[there.at], &p->nodes[node]);
   if (straight && stream_straight(blocks, there.at, node)) {
      blocks->here = (Standing){ there.from, node };
      return true;
   }
   if (straight || unit(blocks, there.at)->next & UNIT_JUMPS
       || can_jump(p, there.at))
      return stream_jump(blocks, there.from, there.at, node);
   return stream_end(blocks, there) && stream_begin(blocks, node);
}

/* Jump along the arc A, and keep the passage for the next time. */
static bool leap(DcfgBlocks* blocks, BlockArc* a)
{
   uint32_t from = blocks->here.from;

   if (blocks->visit != NULL && unit(blocks, a->source)->next & UNIT_JUMPS) {
      blocks->here = (Standing){ a->target, a->target };
      return stream_visit(blocks, a->target);
   }
   if (!stream_jump(blocks, from, a->source, a->target))
      return false;
   a->from = from;
   a->passage = blocks->counted;
   return true;
}

/* Take an edge that needs more than counting. */
static bool step(DcfgBlocks* blocks, BlockArc* a)
{
   uint32_t to = a->target;
   Standing here = blocks->here;

   switch (kind(a)) {
      case STRAIGHT:
      case PASSED:
         if (!stream_straight(blocks, a->source, to))
            return leap(blocks, a);
         a->from = PASSED;
         blocks->here.at = to;
         return true;
      case LEAP:
         return leap(blocks, a);
      case INTERRUPT:
         return interrupt(blocks, to);
      case RESUME:
         return resume(blocks, to);
      case BEGIN:
         return stream_begin(blocks, to);
      case END:
         /* Between special nodes nothing is executed. */
         blocks->here = (Standing){ DCFG_NONE, to };
         return stream_end(blocks, here);
      default:
         return stream_end(blocks, here) && stream_begin(blocks, to);
   }
}

static bool misfit(DcfgBlocks* blocks, const DcfgChunkInfo* info, uint32_t id,
                   const char* what)
{
   char place[120];

   snprintf(place, sizeof(place), "PROCESSES[%" PRIu32 "].THREAD_DATA"
            "[THREAD_ID=%" PRIu32 "].TRACE_DATA[%" PRIu64 "]", info->process,
            info->thread, info->number);
   return job_fail(&blocks->job, DCFG_ERROR_FORMAT, place, "edge %" PRIu32
                   " %s", id, what);
}

/* Begin a thread: its first edge may have any source. */
static bool enter(DcfgBlocks* blocks, uint32_t source)
{
   if (blocks->p->nodes[source].kind == DCFG_NODE_BLOCK)
      return stream_begin(blocks, source);
   blocks->here = (Standing){ DCFG_NONE, source };
   return true;
}

static bool follow(DcfgBlocks* blocks, const uint32_t* ids, size_t n,
                   const DcfgChunkInfo* info)
{
   const bool      dense = blocks->dense;
   const uint32_t  n_arcs = blocks->n_arcs;
   BlockArc* const arcs = blocks->arcs;
   const Unit*     units = unit(blocks, 0);
   Passage*        passages = &ELEM(blocks->passages, Passage, 0);
   uint32_t        from = blocks->here.from, at = blocks->here.at;

   for (size_t i = 0; i < n; i++) {
      uint32_t id = dense ? ids[i] : dcfg_edge_by_id(blocks->p, ids[i]);
      BlockArc* a;
      if (id >= n_arcs)
         return misfit(blocks, info, ids[i], "is not in the DCFG");
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
      blocks->here = (Standing){ from, at };
      if (a->from == NO_EDGE)
         return misfit(blocks, info, ids[i], "is not in the DCFG");
      if (a->source != at && at != DCFG_NONE)
         return misfit(blocks, info, ids[i],
                       "does not begin where the one before ended");
      if ((a->source != at && !enter(blocks, a->source)) || !step(blocks, a))
         return false;
      passages = &ELEM(blocks->passages, Passage, 0);
      from = blocks->here.from;
      at = blocks->here.at;
   }
   blocks->here = (Standing){ from, at };
   return true;
}

static bool follow_all(DcfgBlocks* blocks, DcfgTrace* trace)
{
   uint32_t  ids[N_IDS];
   uint64_t  left = blocks->edges, thread = UINT64_MAX;
   DcfgError err = { .status = DCFG_OK };
   size_t    n;

   while ((n = dcfg_trace_next(trace, ids, N_IDS, &err)) > 0) {
      const DcfgChunkInfo* info = dcfg_trace_chunk_info(trace);
      if (n > left)
         return misfit(blocks, info, ids[0],
                       "is one of more than the DCFG has");
      left -= n;
      if (info->thread != thread && !stream_end_all(blocks))
         return false;
      thread = info->thread;
      if (!follow(blocks, ids, n, info))
         return false;
   }
   return err.status != DCFG_OK ? job_adopt(&blocks->job, &err)
                                : stream_end_all(blocks);
}

bool dcfg_blocks_trace(DcfgBlocks* blocks, const DcfgProcess* p,
                       DcfgTrace* trace, DcfgError* err)
{
   return stream_told(blocks,
                      takes_graph(blocks, p) && follow_all(blocks, trace), err);
}

void dcfg_blocks_visit(DcfgBlocks* blocks,
                       void (*visit)(void* arg, uint32_t block), void* arg)
{
   if (!blocks->finished || !blocks->has_dynamics)
      return;
   blocks->visit     = visit;
   blocks->visit_arg = arg;
   blocks->here      = NOWHERE;
   for (uint32_t i = 0; i < blocks->n_arcs; i++)
      blocks->arcs[i].from = kind(&blocks->arcs[i]);
}

/*--- A DCFG without a trace                               ---*/

/* Sum: how often a THREAD passed edges; for each node, interruptions behind it
   and returns of handlers to it. */
typedef
   struct {
      DcfgBlocks* blocks;
      uint32_t    thread;
      uint64_t*   interrupted;
      uint64_t*   resumed;
      uint64_t    unknown;
   }
   Sum;

static uint64_t traversals(const Sum* sum, uint32_t edge)
{
   return dcfg_edge_count(sum->blocks->p, edge, sum->thread);
}

static bool end_many(const Sum* sum, uint32_t at, uint64_t n)
{
   return stream_count(sum->blocks, at, at, DCFG_NONE, n);
}

static bool begin_many(const Sum* sum, uint32_t to, uint64_t n)
{
   return stream_count(sum->blocks, DCFG_NONE, DCFG_NONE, to, n);
}

static bool jumps(const Sum* sum, uint32_t node)
{
   return unit(sum->blocks, node)->next & UNIT_JUMPS;
}

/* Return whether EDGE tells where a block went on that was interrupted. */
static bool bypasses(const Sum* sum, uint32_t edge)
{
   const DcfgEdge* e = &sum->blocks->p->edges[edge];

   return e->type == DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          && sum->interrupted[e->source] > 0;
}

/* Find the blocks that jump, and the successors of the others. */
static void find_jumps(Sum* sum)
{
   DcfgBlocks*        blocks = sum->blocks;
   const DcfgProcess* p = blocks->p;

   for (uint32_t i = 0; i < p->n_edges; i++) {
      uint64_t        n = traversals(sum, i);
      const BlockArc* a = arc_of(blocks, i);
      if (n > 0 && kind(a) == LEAP)
         unit(blocks, a->source)->next |= UNIT_JUMPS;
      else if (kind(a) == INTERRUPT)
         sum->interrupted[a->source] += n;
      else if (kind(a) == RESUME)
         sum->resumed[a->target] += n;
   }
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const BlockArc* a = arc_of(blocks, i);
      if (kind(a) == GAP && bypasses(sum, i) && can_jump(p, a->source))
         unit(blocks, a->source)->next |= UNIT_JUMPS;
   }
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const BlockArc* a = arc_of(blocks, i);
      if (kind(a) == STRAIGHT
          && (traversals(sum, i) > 0 || bypasses(sum, i))
          && !stream_straight(blocks, a->source, a->target))
         unit(blocks, a->source)->next |= UNIT_JUMPS;
   }
}

/* Return the node that followed NODE each time it was interrupted; DCFG_NONE if
   there are several. */
static uint32_t way_on(const Sum* sum, uint32_t node)
{
   const DcfgProcess* p = sum->blocks->p;
   uint32_t           n, to = unit(sum->blocks, node)->next;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);

   if (!(to & UNIT_JUMPS))
      return to == UNIT_NONE ? DCFG_NONE : to;
   to = DCFG_NONE;
   for (uint32_t i = 0; i < n; i++) {
      const BlockArc* a = arc_of(sum->blocks, out[i]);
      if (p->edges[out[i]].type != DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          && (kind(a) > LEAP || traversals(sum, out[i]) == 0))
         continue;
      if (to != DCFG_NONE && to != a->target)
         return DCFG_NONE;
      to = a->target;
   }
   return to;
}

static bool add_interrupts(Sum* sum)
{
   bool ok = true;

   for (uint32_t i = 0; ok && i < sum->blocks->p->n_nodes; i++) {
      uint64_t n = sum->interrupted[i], back = 0;
      uint32_t to = n == 0 ? DCFG_NONE : way_on(sum, i);
      if (to != DCFG_NONE) {
         back = n < sum->resumed[to] ? n : sum->resumed[to];
         sum->resumed[to] -= back;
         ok = !jumps(sum, i) || stream_count(sum->blocks, i, i, to, back);
      } else if (jumps(sum, i)) {
         sum->unknown += n;
      }
      ok = ok && end_many(sum, i, n - back);
   }
   for (uint32_t i = 0; ok && i < sum->blocks->p->n_nodes; i++)
      ok = begin_many(sum, i, sum->resumed[i]);
   return ok;
}

static bool add_edge(const Sum* sum, uint32_t edge)
{
   const BlockArc* a = arc_of(sum->blocks, edge);
   uint64_t        n = traversals(sum, edge);

   switch (n == 0 ? NO_EDGE : kind(a)) {
      case STRAIGHT:
      case LEAP:
         return !jumps(sum, a->source)
                || stream_count(sum->blocks, a->source, a->source, a->target,
                                n);
      case INTERRUPT:
      case BEGIN:
         return begin_many(sum, a->target, n);
      case RESUME:
         return end_many(sum, a->source, n);
      case END:
         return sum->blocks->p->nodes[a->source].kind != DCFG_NODE_BLOCK
                || end_many(sum, a->source, n);
      case GAP:
         return end_many(sum, a->source, n) && begin_many(sum, a->target, n);
      default:
         return true;
   }
}

bool dcfg_blocks_graph(DcfgBlocks* blocks, const DcfgProcess* p,
                       uint32_t thread, uint64_t* unknown, DcfgError* err)
{
   Job* job = &blocks->job;
   Sum  sum = { .blocks = blocks, .thread = thread };
   bool ok = takes_graph(blocks, p);

   blocks->has_dynamics = false;
   if (ok) {
      sum.interrupted = job_calloc(job, p->n_nodes, sizeof(uint64_t));
      sum.resumed = job_calloc(job, p->n_nodes, sizeof(uint64_t));
      ok = sum.interrupted != NULL && sum.resumed != NULL;
   }
   if (ok) {
      find_jumps(&sum);
      ok = add_interrupts(&sum);
   }
   for (uint32_t i = 0; ok && i < p->n_edges; i++)
      ok = add_edge(&sum, i);
   job_free(job, sum.interrupted, p->n_nodes * sizeof(uint64_t));
   job_free(job, sum.resumed, p->n_nodes * sizeof(uint64_t));
   if (unknown != NULL)
      *unknown = sum.unknown;
   return stream_told(blocks, ok, err);
}
