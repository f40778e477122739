/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Static and dynamic blocks of a stream. */

/* Owns: units of code, passages with their counts, and the two tables of blocks
   that are made of them.  Handed: the way of control, by address_stream.c and
   edge_stream.c.

   The first unit that follows a unit without a jump is its successor.  If
   anything else follows it, even at the same address with another size, it
   becomes one that jumps.  From then on, each time it is executed, a passage
   ends: control came to a leader, ran straight on to here, and went on
   elsewhere.  Passages are in a hash table, each with its count.

   While the stream was read, not all units that jump were known, so a passage
   may run through some of them.  From a unit there is only one way straight on.
   So a passage that began at a leader and ran through a jump was in fact first
   the leader's block, left by falling through, and then the block behind.  It
   is divided.  Its count is exact, because everything that is counted for the
   whole happened to each part.  A passage has no more parts than units.

   A dynamic block goes from a leader straight on to the first jump.  A static
   block ends also where another one begins: at a leader, or at a unit that is
   reached straight on from two others.  So each unit is in one static block
   alone.  In the order of addresses, a unit stands behind those that lead
   straight on to it. */

#include "lib/blocks/streams.h"

#include "format/order.h"

#include <stdlib.h>
#include <string.h>

/*--- Passages                                             ---*/

/* Return the bucket where a passage is, or would be. */
static inline uint32_t* bucket_of(const Stream* stream, uint32_t from,
                                  uint32_t at, uint32_t to)
{
   uint32_t mask = stream->n_buckets - 1;
   uint64_t h = hash_word(&stream->hash, (uint64_t)from << 32 | at);
   uint32_t i = (uint32_t)hash_word(&stream->hash, h ^ to) & mask;

   for (; stream->buckets[i] != 0; i = (i + 1) & mask) {
      const Passage* x = &ELEM(stream->passages, Passage,
                               stream->buckets[i] - 1);
      if (x->from == from && x->at == at && x->to == to)
         break;
   }
   return &stream->buckets[i];
}

static void free_buckets(Stream* stream)
{
   job_free(stream->job, stream->buckets,
            stream->n_buckets * sizeof(*stream->buckets));
   stream->buckets = NULL;
   stream->n_buckets = 0;
}

/* Enlarge the hash table, of which at most three quarters are used. */
static bool make_room(Stream* stream)
{
   uint32_t n = stream->n_buckets == 0 ? 1024 : 2 * stream->n_buckets;

   if (n == 0)
      return job_fail(stream->job, DCFG_ERROR_LIMIT, NULL, "too many edges");
   free_buckets(stream);
   stream->buckets = job_calloc(stream->job, n, sizeof(*stream->buckets));
   if (stream->buckets == NULL)
      return false;
   stream->n_buckets = n;
   stream->hash      = hash_key();
   for (uint32_t i = 0; i < stream->passages.n; i++) {
      const Passage* x = &ELEM(stream->passages, Passage, i);
      *bucket_of(stream, x->from, x->at, x->to) = i + 1;
   }
   return true;
}

Passage* stream_passage(Stream* stream, uint32_t from, uint32_t at, uint32_t to)
{
   uint32_t* bucket;
   Passage*  new;

   if (stream->passages.n >= stream->n_buckets / 4 * 3 && !make_room(stream))
      return NULL;
   bucket = bucket_of(stream, from, at, to);
   if (*bucket != 0)
      return &ELEM(stream->passages, Passage, *bucket - 1);
   new = array_add(stream->job, &stream->passages, sizeof(*new));
   if (new == NULL)
      return NULL;
   *new = (Passage){ from, at, to, 0 };
   *bucket = (uint32_t)stream->passages.n;
   return new;
}

/*--- The way of control                                   ---*/

bool stream_is_new(Stream* stream)
{
   return stream->visit == NULL
          || job_fail(stream->job, DCFG_ERROR_ARGUMENT, NULL,
                      "the stream differs from the one that was read first");
}

bool stream_count(Stream* stream, uint32_t from, uint32_t at, uint32_t to,
                  uint64_t n)
{
   uint32_t block = DCFG_NONE;
   Passage* p;

   if (stream->visit != NULL) {
      if (to != DCFG_NONE)
         block = stream->dynamic_at[to];
      if (to != DCFG_NONE && block == DCFG_NONE)
         return stream_is_new(stream);
      stream->visit(stream->visit_arg, block);
      return true;
   }
   p = n == 0 ? NULL : stream_passage(stream, from, at, to);
   if (p != NULL)
      p->count = add_capped(p->count, n);
   return n == 0 || p != NULL;
}

bool stream_straight(Stream* stream, uint32_t at, uint32_t to)
{
   Unit* u = unit(stream, at);

   if (u->next == UNIT_NONE && stream->visit == NULL)
      u->next = to;
   return u->next == to;
}

bool stream_jump(Stream* stream, uint32_t from, uint32_t at, uint32_t to)
{
   Unit* u = unit(stream, at);

   if (!(u->next & UNIT_JUMPS) && !stream_is_new(stream))
      return false;
   u->next |= UNIT_JUMPS;
   stream->here = (Standing){ to, to };
   return stream_count(stream, from, at, to, 1);
}

bool stream_begin(Stream* stream, uint32_t to)
{
   stream->here = (Standing){ to, to };
   return stream_count(stream, DCFG_NONE, DCFG_NONE, to, 1);
}

bool stream_end(Stream* stream, Standing place)
{
   return place.from == DCFG_NONE
          || stream_count(stream, place.from, place.at, DCFG_NONE, 1);
}

/*--- Units in their order                                 ---*/

/* UnitState: facts about a unit. */
typedef
   struct {
      uint64_t arrivals;        // by a jump, or the begin of a sequence
      uint64_t ended;           // sequences that ended in it
      uint32_t straight_end;    // the unit where straight code from here jumps
                                // or ends
      uint32_t block;           // its static block
      uint32_t straight_instrs; // instructions up to .straight_end; only for
                                // the first unit of a static block
      uint8_t  preds;           // units that fall into this one; 2: or more
      bool     executed, leader;
   }
   UnitState;

typedef
   struct {
      uint64_t addr;
      uint32_t order;           // among those with the same address
      uint32_t unit;
   }
   BlockStart;

/* Work: the units, and the first units of static blocks by address. */
typedef
   struct {
      Stream*     s;
      uint32_t    n, n_starts;
      UnitState*  states;
      BlockStart* starts;
   }
   Work;

COMPARE(by_place, BlockStart, UP(addr) ?: UP(order) ?: UP(unit))

/* Return the unit that follows straight on, or UNIT_NONE. */
static inline uint32_t straight_next(const Work* w, uint32_t i)
{
   uint32_t next = unit(w->s, i)->next;

   return next < UNIT_NONE ? next : UNIT_NONE;
}

/* Find where straight code ends, and which units were executed. */
static void find_ends(Work* w)
{
   for (uint32_t i = 0; i < w->n; i++)
      w->states[i].straight_end = DCFG_NONE;
   for (uint32_t i = w->n; i-- > 0; ) {
      uint32_t end = i, next = unit(w->s, i)->next & UNIT_NONE;
      if (next != UNIT_NONE)
         w->states[i].executed = w->states[next].executed = true;
      while (w->states[end].straight_end == DCFG_NONE
             && straight_next(w, end) != UNIT_NONE)
         end = straight_next(w, end);
      if (w->states[end].straight_end != DCFG_NONE)
         end = w->states[end].straight_end;
      for (uint32_t k = i; w->states[k].straight_end == DCFG_NONE;
           k = straight_next(w, k)) {
         w->states[k].straight_end = end;
         if (k == end)
            break;
      }
      if (straight_next(w, i) != UNIT_NONE
          && w->states[straight_next(w, i)].preds < 2)
         w->states[straight_next(w, i)].preds++;
   }
}

/* Divide passages, so that each one is one dynamic block: from its leader to
   the first jump. */
static bool divide(Work* w)
{
   Array* passages = &w->s->passages;

   for (size_t i = 0; i < passages->n; i++) {
      Passage p = ELEM(*passages, Passage, i);
      while (p.from != DCFG_NONE) {
         uint32_t end = w->states[p.from].straight_end;
         Passage* more;
         if (end == p.at || unit(w->s, end)->addr >= unit(w->s, p.at)->addr)
            break;
         more = array_add(w->s->job, passages, sizeof(*more));
         if (more == NULL)
            return false;
         *more = (Passage){ p.from, end, unit(w->s, end)->next & UNIT_NONE,
                            p.count };
         p.from = more->to;
      }
      ELEM(*passages, Passage, i) = p;
   }
   return true;
}

/* Add up the ends of passages. */
static void count_arrivals(Work* w)
{
   for (size_t i = 0; i < w->s->passages.n; i++) {
      const Passage* p = &ELEM(w->s->passages, Passage, i);
      if (p->from != DCFG_NONE)
         w->states[p->from].executed = w->states[p->at].executed = true;
      if (p->to == DCFG_NONE) {
         UnitState* s = &w->states[p->at];
         s->ended = add_capped(s->ended, p->count);
      } else {
         UnitState* s = &w->states[p->to];
         s->arrivals = add_capped(s->arrivals, p->count);
         s->leader = s->executed = true;
      }
   }
}

/* Return whether unit I begins a static block. */
static inline bool is_start(const Work* w, uint32_t i)
{
   return w->states[i].leader || w->states[i].preds != 1;
}

static bool find_starts(Work* w)
{
   const DcfgNode* nodes = w->s->nodes;

   for (uint32_t i = 0; i < w->n; i++)
      w->n_starts += w->states[i].executed && is_start(w, i);
   w->starts = job_calloc(w->s->job, w->n_starts, sizeof(*w->starts));
   if (w->starts == NULL)
      return false;
   w->n_starts = 0;
   for (uint32_t i = 0; i < w->n; i++)
      if (w->states[i].executed && is_start(w, i))
         w->starts[w->n_starts++] = (BlockStart){
            unit(w->s, i)->addr, nodes != NULL ? i : unit(w->s, i)->size, i };
   if (w->n_starts > 0)
      qsort(w->starts, w->n_starts, sizeof(*w->starts), by_place);
   return true;
}

/*--- Tables                                               ---*/

/* TableEdge: an edge of a block. */
typedef
   struct {
      uint32_t       block;
      DcfgStreamEdge is;
   }
   TableEdge;

/* TableDraft: a table that is being made; its blocks, and edges, of which
   several may be the same. */
typedef
   struct {
      Job*   job;
      Array* blocks;            // DcfgStreamBlock
      Array* edges;             // DcfgStreamEdge
      Array  draft;             // TableEdge
   }
   TableDraft;

COMPARE(by_target, TableEdge, UP(block) ?: UP(is.target))
COMPARE(by_count, DcfgStreamEdge, DOWN(count) ?: UP(target))

static DcfgEndKind kind_of(const DcfgStreamEdge* edges, uint32_t n)
{
   uint32_t falls = 0;

   for (uint32_t i = 0; i < n; i++)
      falls += edges[i].falls;
   if (falls == n)
      return DCFG_END_NB;
   if (n - falls > 1)
      return DCFG_END_IJ;
   return falls > 0 ? DCFG_END_CB : DCFG_END_UB;
}

static DcfgStreamBlock* add_block(TableDraft* t, const Work* w, uint32_t first,
                                  uint32_t last)
{
   DcfgStreamBlock* b = array_add(t->job, t->blocks, sizeof(*b));

   if (b != NULL) {
      b->first = unit(w->s, first)->addr;
      b->last = unit(w->s, last)->addr
                + (w->s->nodes == NULL ? 0 : w->s->nodes[last].last_offset);
   }
   return b;
}

static bool add_edge(TableDraft* t, uint32_t block, uint32_t target,
                     uint64_t count, bool falls)
{
   TableEdge* e = array_add(t->job, &t->draft, sizeof(*e));

   if (e != NULL)
      *e = (TableEdge){ block, { count, target, falls } };
   return e != NULL;
}

/* Add the edges that are passages.  BLOCKS: the block of a unit at the end, if
   OF_ENDS, or at the begin of a passage; likewise where it goes on. */
static bool add_passages(TableDraft* t, const Work* w, bool of_ends)
{
   const Stream* s = w->s;

   for (size_t i = 0; i < s->passages.n; i++) {
      Passage p = ELEM(s->passages, Passage, i);
      if (p.from == DCFG_NONE || p.to == DCFG_NONE)
         continue;
      if (!add_edge(t, of_ends ? w->states[p.at].block : s->dynamic_at[p.from],
                    of_ends ? w->states[p.to].block : s->dynamic_at[p.to],
                    p.count, unit_end(s, p.at) == unit(s, p.to)->addr
                             && unit_end(s, p.at) != 0))
         return false;
   }
   return true;
}

/* Merge equal edges of each block, sort them, and show T. */
static bool finish(TableDraft* t, DcfgBlockTable* shown)
{
   TableEdge* drafts = &ELEM(t->draft, TableEdge, 0);
   size_t     k = 0;
   bool       ok = array_reserve(t->job, t->edges, sizeof(DcfgStreamEdge),
                                 t->draft.n + 1);

   if (t->draft.n > 1)
      qsort(drafts, t->draft.n, sizeof(*drafts), by_target);
   for (uint32_t b = 0; ok && b < t->blocks->n; b++) {
      DcfgStreamBlock* block = &ELEM(*t->blocks, DcfgStreamBlock, b);
      DcfgStreamEdge*  to = &ELEM(*t->edges, DcfgStreamEdge, t->edges->n);
      uint32_t         n = 0;
      for (; k < t->draft.n && drafts[k].block == b; k++) {
         const DcfgStreamEdge* e = &drafts[k].is;
         block->departures = add_capped(block->departures, e->count);
         if (n > 0 && to[n - 1].target == e->target)
            to[n - 1].count = add_capped(to[n - 1].count, e->count);
         else
            to[n++] = *e;
      }
      block->first_edge = (uint32_t)t->edges->n;
      block->n_edges = n;
      block->kind = kind_of(to, n);
      if (n > 1)
         qsort(to, n, sizeof(*to), by_count);
      t->edges->n += n;
   }
   array_free(t->job, &t->draft, sizeof(TableEdge));
   if (ok)
      array_trim(t->job, t->edges, sizeof(DcfgStreamEdge));
   *shown = (DcfgBlockTable){ (uint32_t)t->blocks->n, (uint32_t)t->edges->n,
                              t->blocks->data, t->edges->data };
   return ok;
}

/* Make static block B, of the units from START on. */
static bool make_static(TableDraft* t, Work* w, uint32_t b, uint32_t start)
{
   const DcfgNode*  nodes = w->s->nodes;
   DcfgStreamBlock* block = add_block(t, w, start, start);

   if (block == NULL)
      return false;
   for (uint32_t i = start, next; ; i = next) {
      next = straight_next(w, i);
      w->states[i].block = b;
      block->last = unit(w->s, i)->addr
                    + (nodes == NULL ? 0 : nodes[i].last_offset);
      block->n_instrs += nodes == NULL ? 1 : nodes[i].n_instrs;
      if (next == UNIT_NONE || is_start(w, next))
         return true;
   }
}

/* Count static block B, of the units from START on, and what falls from it into
   the next one. */
static bool count_static(TableDraft* t, Work* w, uint32_t b, uint32_t start)
{
   const DcfgNode*  nodes = w->s->nodes;
   DcfgStreamBlock* block = &ELEM(*t->blocks, DcfgStreamBlock, b);
   uint32_t         next = start;
   uint64_t         n;

   block->count = add_capped(block->count, w->states[start].arrivals);
   n = block->count;
   for (uint32_t i = start; ; i = next) {
      next = straight_next(w, i);
      w->s->instrs = add_capped(w->s->instrs, mul_capped(n, nodes == NULL ? 1
                                                         : nodes[i].n_instrs));
      n -= w->states[i].ended;
      if (next == UNIT_NONE)
         return true;
      if (is_start(w, next))
         break;
   }
   block = &ELEM(*t->blocks, DcfgStreamBlock, w->states[next].block);
   block->count = add_capped(block->count, n);
   return n == 0 || add_edge(t, b, w->states[next].block, n, true);
}

static bool make_statics(Work* w)
{
   TableDraft t = { w->s->job, &w->s->tables[0], &w->s->tables[1],
                    { NULL, 0, 0 } };
   bool       ok = true;

   for (uint32_t b = 0; ok && b < w->n_starts; b++)
      ok = make_static(&t, w, b, w->starts[b].unit);
   for (uint32_t b = 0; ok && b < w->n_starts; b++)
      ok = count_static(&t, w, b, w->starts[b].unit);
   ok = ok && add_passages(&t, w, true);
   return finish(&t, &w->s->statics) && ok;
}

static bool make_dynamics(Work* w)
{
   TableDraft t = { w->s->job, &w->s->tables[2], &w->s->tables[3],
                    { NULL, 0, 0 } };
   bool       ok = true;

   for (uint32_t b = w->n_starts; b-- > 0; ) {
      uint32_t   i = straight_next(w, w->starts[b].unit);
      UnitState* s = &w->states[w->starts[b].unit];
      while (i != UNIT_NONE && !is_start(w, i))
         i = straight_next(w, i);
      s->straight_instrs = ELEM(w->s->tables[0], DcfgStreamBlock, b).n_instrs
                           + (i == UNIT_NONE ? 0 : w->states[i].straight_instrs);
   }
   for (uint32_t k = 0; ok && k < w->n_starts; k++) {
      uint32_t         i = w->starts[k].unit;
      const UnitState* s = &w->states[i];
      DcfgStreamBlock* b;
      if (!s->leader)
         continue;
      w->s->dynamic_at[i] = (uint32_t)t.blocks->n;
      b = add_block(&t, w, i, s->straight_end);
      ok = b != NULL;
      if (ok) {
         b->n_instrs = s->straight_instrs;
         b->count = s->arrivals;
      }
   }
   ok = ok && add_passages(&t, w, false);
   return finish(&t, &w->s->dynamics) && ok;
}

/*--- Both tables                                          ---*/

bool stream_tally(Stream* stream, bool with_dynamics)
{
   uint32_t n = (uint32_t)stream->units.n;
   Work     w = { stream, n, 0, job_calloc(stream->job, n, sizeof(UnitState)),
                  NULL };
   bool     ok = w.states != NULL;

   free_buckets(stream);
   if (ok && with_dynamics) {
      stream->dynamic_at = job_nones(stream->job, n);
      ok = stream->dynamic_at != NULL;
   }
   if (ok) {
      find_ends(&w);
      ok = divide(&w);
   }
   if (ok) {
      count_arrivals(&w);
      ok = find_starts(&w) && make_statics(&w)
           && (!with_dynamics || make_dynamics(&w));
   }
   job_free(stream->job, w.states, n * sizeof(*w.states));
   job_free(stream->job, w.starts, w.n_starts * sizeof(*w.starts));
   array_free(stream->job, &stream->passages, sizeof(Passage));
   return ok;
}

void stream_free(Stream* stream)
{
   static const size_t sizes[] = { sizeof(DcfgStreamBlock),
                                   sizeof(DcfgStreamEdge) };

   free_buckets(stream);
   job_free(stream->job, stream->dynamic_at,
            stream->units.n * sizeof(*stream->dynamic_at));
   array_free(stream->job, &stream->passages, sizeof(Passage));
   array_free(stream->job, &stream->units, sizeof(Unit));
   for (size_t i = 0; i < 4; i++)
      array_free(stream->job, &stream->tables[i], sizes[i % 2]);
}
