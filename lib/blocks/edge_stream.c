/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages of a DCFG: which blocks follow each other without a jump. */

/* Owns: the jumps of a DCFG's blocks, and the passages between them.  Handed: a
   DCFG, and its trace if there is one, by blocks.c.

   A DCFG's block is only entered at its begin and left at its end, so it is
   never divided here.  But several blocks may be one block of the stream: a
   branch that was never taken ends a block only in the DCFG.  As in
   address_stream.c, a block counts as one that jumps from the first time that
   anything but its successor follows.

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
   PASS,        // straight on, as always; nothing to count
   CUT,         // the source is known to jump
   STRAIGHT,    // straight on, but not examined yet
   LEAP,        // not straight on: the source jumps
   INTERRUPT, RESUME,           // a signal, and the return of its handler
   BEGIN, END,                  // from or to a special node
   GAP,         // something between is not in the graph
   NO_EDGE      // no edge has this id
};

/* Values of BlockArc.from that are no node: nothing has been counted, or more
   must be done than counting; nothing must be done. */
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

/* Note that NODE jumps. */
static void set_jumps(EdgeStream* stream, uint32_t node)
{
   uint32_t        n;
   const uint32_t* out = dcfg_out_edges(stream->p, node, &n);

   stream->jumps[node] = 1;
   for (uint32_t i = 0; i < n; i++) {
      uint32_t a = arc_of(stream, out[i]);
      if (stream->kinds[a] > LEAP)
         continue;
      stream->kinds[a] = CUT;
      if (stream->arcs[a].from == PASSED)
         stream->arcs[a].from = UNCOUNTED;
   }
}

bool edges_start(EdgeStream* stream, Job* job, const DcfgProcess* p)
{
   uint64_t n_ids = 0;

   memset(stream, 0, sizeof(*stream));
   stream->job = job;
   stream->p = p;
   stream->here = (Standing){ DCFG_NONE, DCFG_NONE };
   for (uint32_t i = 0; i < p->n_edges; i++) {
      if (p->edges[i].id >= n_ids)
         n_ids = (uint64_t)p->edges[i].id + 1;
      stream->edges_left = add_capped(stream->edges_left, p->edges[i].count);
   }
   stream->dense = n_ids <= 4 * (uint64_t)p->n_edges + 1024;
   stream->n_arcs = stream->dense ? (uint32_t)n_ids : p->n_edges;
   /* Count memory as the graph's edges and nodes have grown: the graph was read
      within limits of its own. */
   job_read(job, stream->n_arcs, stream->n_arcs);
   job_read(job, p->n_nodes, p->n_nodes);
   stream->arcs = job_calloc(job, stream->n_arcs, sizeof(*stream->arcs));
   stream->kinds = job_calloc(job, stream->n_arcs, sizeof(*stream->kinds));
   stream->next = job_nones(job, p->n_nodes);
   stream->jumps = job_calloc(job, p->n_nodes, sizeof(*stream->jumps));
   if (stream->arcs == NULL || stream->kinds == NULL || stream->next == NULL
       || stream->jumps == NULL)
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

void edges_end(EdgeStream* stream)
{
   const DcfgProcess* p = stream->p;

   job_free(stream->job, stream->arcs, stream->n_arcs * sizeof(*stream->arcs));
   job_free(stream->job, stream->kinds,
            stream->n_arcs * sizeof(*stream->kinds));
   job_free(stream->job, stream->next, p->n_nodes * sizeof(*stream->next));
   job_free(stream->job, stream->jumps, p->n_nodes * sizeof(*stream->jumps));
   job_free(stream->job, stream->pieces, p->n_nodes * sizeof(*stream->pieces));
   passages_free(stream->job, &stream->passages);
   array_free(stream->job, &stream->interrupted, sizeof(Standing));
}

/*--- Following a trace                                    ---*/

/* Fail if this is the second pass: then everything is known. */
static bool is_known_stream(const EdgeStream* stream)
{
   return stream->dynamics == NULL
          || job_fail(stream->job, DCFG_ERROR_ARGUMENT, NULL,
                      "the stream differs from the one that was read first");
}

static bool count(EdgeStream* stream, uint32_t from, uint32_t at, uint32_t to)
{
   uint32_t block = DCFG_NONE;

   if (stream->dynamics == NULL)
      return passage_count(stream->job, &stream->passages, from, at, to, 1);
   if (to != DCFG_NONE) {
      if (stream->pieces[to] != DCFG_NONE)
         block = stream->dynamics->of_piece[stream->pieces[to]];
      if (block == DCFG_NONE)
         return is_known_stream(stream);
   }
   stream->visit(stream->visit_arg, block);
   return true;
}

static bool begin(EdgeStream* stream, uint32_t node)
{
   stream->here = (Standing){ node, node };
   return count(stream, DCFG_NONE, DCFG_NONE, node);
}

/* End the sequence, and those that wait for it, where they are. */
static bool end_all(EdgeStream* stream)
{
   bool ok = stream->here.from == DCFG_NONE
             || count(stream, stream->here.from, stream->here.at, DCFG_NONE);

   for (size_t i = 0; ok && i < stream->interrupted.n; i++) {
      Standing there = ELEM(stream->interrupted, Standing, i);
      ok = count(stream, there.from, there.at, DCFG_NONE);
   }
   array_cut(&stream->interrupted, 0);
   stream->here = (Standing){ DCFG_NONE, DCFG_NONE };
   return ok;
}

/* Return whether NODE goes straight on to TO, which becomes its successor if it
   has none. */
static bool go_straight(EdgeStream* stream, uint32_t node, uint32_t to)
{
   if (stream->jumps[node])
      return false;
   if (stream->next[node] == DCFG_NONE && stream->dynamics == NULL)
      stream->next[node] = to;
   return stream->next[node] == to;
}

/* Count a jump: from leader FROM, which ran to AT, to another leader. */
static bool jump(EdgeStream* stream, uint32_t from, uint32_t at, uint32_t to)
{
   if (!stream->jumps[at]) {
      if (!is_known_stream(stream))
         return false;
      set_jumps(stream, at);
   }
   stream->here = (Standing){ to, to };
   return count(stream, from, at, to);
}

static bool interrupt(EdgeStream* stream, uint32_t handler)
{
   Standing* there = array_add(stream->job, &stream->interrupted,
                               sizeof(*there));

   if (there == NULL)
      return false;
   *there = stream->here;
   if (stream->dynamics != NULL)
      stream->visit(stream->visit_arg, DCFG_NONE);
   return begin(stream, handler);
}

/* End the handler; the interrupted sequence goes on at NODE. */
static bool resume(EdgeStream* stream, uint32_t node)
{
   const DcfgProcess* p = stream->p;
   Standing           there;

   if (!count(stream, stream->here.from, stream->here.at, DCFG_NONE))
      return false;
   if (stream->interrupted.n == 0)
      return begin(stream, node);
   there = ELEM(stream->interrupted, Standing, array_pop(&stream->interrupted));
   if (is_straight(&p->nodes[there.at], &p->nodes[node])) {
      if (go_straight(stream, there.at, node)) {
         stream->here = (Standing){ there.from, node };
         return true;
      }
      return jump(stream, there.from, there.at, node);
   }
   if (stream->jumps[there.at] || can_jump(p, there.at))
      return jump(stream, there.from, there.at, node);
   return count(stream, there.from, there.at, DCFG_NONE) && begin(stream, node);
}

/* Move what an arc has counted to the passages. */
static bool settle(EdgeStream* stream, BlockArc* a)
{
   uint32_t n = a->pending;

   a->pending = 0;
   return n == 0
          || passage_count(stream->job, &stream->passages, a->from, a->source,
                           a->target, n);
}

static bool settle_all(EdgeStream* stream)
{
   stream->pending = 0;
   for (uint32_t i = 0; i < stream->n_arcs; i++)
      if (!settle(stream, &stream->arcs[i]))
         return false;
   return true;
}

/* Take an edge that needs more than counting. */
static bool step(EdgeStream* stream, uint32_t arc)
{
   BlockArc* a = &stream->arcs[arc];
   uint32_t from = stream->here.from, at = a->source, to = a->target;

   switch (stream->kinds[arc]) {
      case STRAIGHT:
         if (!go_straight(stream, at, to))
            return jump(stream, from, at, to);
         stream->kinds[arc] = PASS;
         a->from = PASSED;
         stream->here.at = to;
         return true;
      case LEAP:
         return jump(stream, from, at, to);
      case CUT:
         stream->here = (Standing){ to, to };
         if (stream->dynamics != NULL || from == DCFG_NONE)
            return count(stream, from, at, to);
         if (!settle(stream, a))
            return false;
         a->from = from;
         a->pending = 1;
         return true;
      case INTERRUPT:
         return interrupt(stream, to);
      case RESUME:
         return resume(stream, to);
      case BEGIN:
         return begin(stream, to);
      case END:
         stream->here = (Standing){ DCFG_NONE, to };
         /* Between special nodes nothing is executed. */
         return from == DCFG_NONE || count(stream, from, at, DCFG_NONE);
      default:
         return count(stream, from, at, DCFG_NONE) && begin(stream, to);
   }
}

static bool misfit(EdgeStream* stream, const DcfgChunkInfo* info, uint32_t id,
                   const char* what)
{
   char place[120];

   snprintf(place, sizeof(place), "PROCESSES[%" PRIu32 "].THREAD_DATA"
            "[THREAD_ID=%" PRIu32 "].TRACE_DATA[%" PRIu64 "]", info->process,
            info->thread, info->number);
   return job_fail(stream->job, DCFG_ERROR_FORMAT, place, "edge %" PRIu32 " %s",
                   id, what);
}

/* Begin a thread: its first edge may have any source. */
static bool enter(EdgeStream* stream, uint32_t source)
{
   if (stream->p->nodes[source].kind == DCFG_NODE_BLOCK)
      return begin(stream, source);
   stream->here = (Standing){ DCFG_NONE, source };
   return true;
}

static bool follow(EdgeStream* stream, const uint32_t* ids, size_t n,
                   const DcfgChunkInfo* info)
{
   const bool     dense = stream->dense;
   const uint32_t n_arcs = stream->n_arcs;
   BlockArc* const arcs = stream->arcs;
   uint32_t       from = stream->here.from, at = stream->here.at;

   for (size_t i = 0; i < n; i++) {
      uint32_t id = dense ? ids[i] : dcfg_edge_by_id(stream->p, ids[i]);
      BlockArc* a;
      if (id >= n_arcs)
         return misfit(stream, info, ids[i], "is not in the DCFG");
      a = &arcs[id];
      if (a->source == at && a->from == from) {
         a->pending++;
         from = at = a->target;
         continue;
      }
      if (a->source == at && a->from == PASSED) {
         at = a->target;
         continue;
      }
      stream->here = (Standing){ from, at };
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
      from = stream->here.from;
      at = stream->here.at;
   }
   stream->here = (Standing){ from, at };
   return true;
}

bool edges_follow(EdgeStream* stream, DcfgTrace* trace)
{
   static const DcfgError none;
   uint32_t               ids[N_IDS];
   uint64_t               left = stream->edges_left, thread = UINT64_MAX;
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
      stream->pending += n;
      if (stream->pending > UINT32_MAX && !settle_all(stream))
         return false;
      if (!follow(stream, ids, n, info))
         return false;
   }
   if (err.status != DCFG_OK)
      return job_adopt(stream->job, &err);
   return end_all(stream);
}

/*--- Pieces                                               ---*/

/* Number the blocks that were executed. */
static bool number_pieces(EdgeStream* stream)
{
   const DcfgProcess* p = stream->p;

   stream->pieces = job_nones(stream->job, p->n_nodes);
   if (stream->pieces == NULL)
      return false;
   for (uint32_t i = 0; i < stream->passages.all.n; i++) {
      const Passage* x = passage(&stream->passages, i);
      if (x->at != DCFG_NONE)
         stream->pieces[x->from] = stream->pieces[x->at] = 0;
      if (x->to != DCFG_NONE)
         stream->pieces[x->to] = 0;
   }
   for (uint32_t i = 0; i < p->n_nodes; i++)
      if (stream->next[i] != DCFG_NONE)
         stream->pieces[i] = stream->pieces[stream->next[i]] = 0;
   for (uint32_t i = 0; i < p->n_nodes; i++)
      if (stream->pieces[i] != DCFG_NONE)
         stream->pieces[i] = stream->n_pieces++;
   return true;
}

static void make_pieces(const EdgeStream* stream, Piece* pieces)
{
   for (uint32_t i = 0; i < stream->p->n_nodes; i++) {
      const DcfgNode* n = &stream->p->nodes[i];
      if (stream->pieces[i] == DCFG_NONE)
         continue;
      pieces[stream->pieces[i]] = (Piece){
         n->addr, n->addr + n->last_offset, n->addr + n->size, i,
         n->n_instrs,
         stream->next[i] == DCFG_NONE
         ? DCFG_NONE : stream->pieces[stream->next[i]], stream->jumps[i] };
   }
}

static void translate(const EdgeStream* stream)
{
   for (uint32_t i = 0; i < stream->passages.all.n; i++) {
      Passage* x = passage(&stream->passages, i);
      if (x->at != DCFG_NONE) {
         x->from = stream->pieces[x->from];
         x->at = stream->pieces[x->at];
      }
      if (x->to != DCFG_NONE)
         x->to = stream->pieces[x->to];
   }
}

bool edges_tally(EdgeStream* stream, Tally* statics, Tally* dynamics)
{
   Piece* pieces;
   bool   ok;

   if (!settle_all(stream))
      return false;
   passages_seal(stream->job, &stream->passages);
   if (!number_pieces(stream))
      return false;
   pieces = job_calloc(stream->job, stream->n_pieces, sizeof(*pieces));
   if (pieces == NULL)
      return false;
   make_pieces(stream, pieces);
   translate(stream);
   ok = tally(stream->job, pieces, stream->n_pieces, &stream->passages.all,
              statics, dynamics);
   job_free(stream->job, pieces, stream->n_pieces * sizeof(*pieces));
   passages_free(stream->job, &stream->passages);
   return ok;
}

void edges_visit(EdgeStream* stream, void (*visit)(void* arg, uint32_t block),
                 void* arg, const Tally* dynamics)
{
   stream->visit = visit;
   stream->visit_arg = arg;
   stream->dynamics = dynamics;
   stream->here = (Standing){ DCFG_NONE, DCFG_NONE };
   /* From now on nothing is counted. */
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

static bool many(EdgeStream* stream, uint32_t from, uint32_t at, uint32_t to,
                 uint64_t n)
{
   return n == 0
          || passage_count(stream->job, &stream->passages, from, at, to, n);
}

static bool end_many(EdgeStream* stream, uint32_t at, uint64_t n)
{
   return many(stream, at, at, DCFG_NONE, n);
}

static bool begin_many(EdgeStream* stream, uint32_t to, uint64_t n)
{
   return many(stream, DCFG_NONE, DCFG_NONE, to, n);
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
         s->jumps[a->source] = 1;
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
         s->jumps[a->source] = 1;
   }
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const BlockArc* a = &s->arcs[arc_of(s, i)];
      if (s->kinds[arc_of(s, i)] == STRAIGHT
          && (traversals(sum, i) > 0
              || (p->edges[i].type == DCFG_EDGE_CONTEXT_CHANGE_BYPASS
                  && sum->interrupted[a->source] > 0))
          && !go_straight(s, a->source, a->target))
         s->jumps[a->source] = 1;
   }
   for (uint32_t i = 0; i < p->n_nodes; i++)
      if (s->jumps[i])
         set_jumps(s, i);
}

/* Return the node that followed NODE each time it was interrupted; DCFG_NONE if
   there are several. */
static uint32_t way_on(const Sum* sum, uint32_t node)
{
   const EdgeStream* s = sum->s;
   uint32_t          n, to = DCFG_NONE;
   const uint32_t*   out = dcfg_out_edges(s->p, node, &n);

   if (!s->jumps[node])
      return s->next[node];
   for (uint32_t i = 0; i < n; i++) {
      const BlockArc* a = &s->arcs[arc_of(s, out[i])];
      if (s->p->edges[out[i]].type != DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          && (s->kinds[arc_of(s, out[i])] != CUT
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
         if (s->jumps[i] && !many(s, i, i, to, back))
            return false;
      } else if (s->jumps[i]) {
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
      case CUT:
         return many(s, a->source, a->source, a->target, n);
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
                    job_calloc(stream->job, n, sizeof(uint64_t)),
                    job_calloc(stream->job, n, sizeof(uint64_t)), 0 };
   bool     ok = sum.interrupted != NULL && sum.resumed != NULL;

   if (ok) {
      find_jumps(&sum);
      ok = add_interrupts(&sum);
   }
   for (uint32_t i = 0; ok && i < stream->p->n_edges; i++)
      ok = add_edge(&sum, i);
   job_free(stream->job, sum.interrupted, n * sizeof(uint64_t));
   job_free(stream->job, sum.resumed, n * sizeof(uint64_t));
   *unknown = sum.unknown;
   return ok;
}
