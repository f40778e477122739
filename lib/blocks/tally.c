/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Static and dynamic blocks of a stream. */

/* Owns: passages with their counts, the two tables of blocks that are made of
   them, and the order of calls.  Handed: units of code and the way of control,
   by address_stream.c and edge_stream.c.

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

/*--- The order of calls                                   ---*/

DcfgBlocks* dcfg_blocks_new(const char* name, const DcfgOptions* options,
                            DcfgError* err)
{
   DcfgBlocks* blocks = job_object(sizeof(*blocks), offsetof(DcfgBlocks, job),
                                   name, options, err);

   if (blocks != NULL) {
      blocks->here = NOWHERE;
      blocks->has_dynamics = true;
   }
   return blocks;
}

bool stream_told(DcfgBlocks* blocks, bool ok, DcfgError* err)
{
   if (!ok)
      job_tell(&blocks->job, err);
   return ok;
}

bool stream_argument(DcfgBlocks* blocks, const char* what)
{
   return job_fail(&blocks->job, DCFG_ERROR_ARGUMENT, NULL, "%s", what);
}

bool stream_is_open(DcfgBlocks* blocks)
{
   return blocks->job.err.status == DCFG_OK
          && (!blocks->finished || blocks->visit != NULL
              || stream_argument(blocks, "the blocks are finished"));
}

bool stream_is_new(DcfgBlocks* blocks)
{
   return blocks->visit == NULL
          || stream_argument(blocks, "the stream differs from the one that was "
                                     "read first");
}

/*--- Passages                                             ---*/

static void free_buckets(DcfgBlocks* blocks, Buckets* buckets)
{
   job_free(&blocks->job, buckets->at, buckets->room * sizeof(*buckets->at));
   *buckets = (Buckets){ .at = NULL };
}

bool stream_enlarge(DcfgBlocks* blocks, Buckets* buckets, size_t n,
                    uint64_t (*hash)(const DcfgBlocks* blocks, uint32_t i),
                    const char* too_many)
{
   uint32_t room = buckets->room == 0 ? 1024 : 2 * buckets->room;

   if (room == 0)
      return job_fail(&blocks->job, DCFG_ERROR_LIMIT, NULL, "%s", too_many);
   free_buckets(blocks, buckets);
   buckets->at = job_calloc(&blocks->job, room, sizeof(*buckets->at));
   if (buckets->at == NULL)
      return false;
   buckets->room = room;
   buckets->hash = hash_key();
   for (uint32_t i = 0; i < n; i++) {
      uint32_t at = (uint32_t)hash(blocks, i) & (room - 1);
      while (buckets->at[at] != 0)
         at = (at + 1) & (room - 1);
      buckets->at[at] = i + 1;
   }
   return true;
}

static inline uint64_t hash_passage(const HashKey* key, uint32_t from,
                                    uint32_t at, uint32_t to)
{
   return hash_word(key, hash_word(key, (uint64_t)from << 32 | at) ^ to);
}

static uint64_t hash_of(const DcfgBlocks* blocks, uint32_t i)
{
   const Passage* p = &ELEM(blocks->passages, Passage, i);

   return hash_passage(&blocks->passage_at.hash, p->from, p->at, p->to);
}

/* Return the index of the passage, which is added with count 0 if it is new;
   DCFG_NONE without memory. */
static uint32_t passage_at(DcfgBlocks* blocks, uint32_t from, uint32_t at,
                           uint32_t to)
{
   Buckets* b = &blocks->passage_at;
   uint32_t mask, i;
   Passage* p;

   if (!has_room(b, blocks->passages.n)
       && !stream_enlarge(blocks, b, blocks->passages.n, hash_of,
                          "too many edges"))
      return DCFG_NONE;
   mask = b->room - 1;
   i = (uint32_t)hash_passage(&b->hash, from, at, to) & mask;
   for (; b->at[i] != 0; i = (i + 1) & mask) {
      p = &ELEM(blocks->passages, Passage, b->at[i] - 1);
      if (p->from == from && p->at == at && p->to == to)
         return b->at[i] - 1;
   }
   p = array_add(&blocks->job, &blocks->passages, sizeof(*p));
   if (p == NULL)
      return DCFG_NONE;
   *p = (Passage){ from, at, to, 0 };
   b->at[i] = (uint32_t)blocks->passages.n;
   return b->at[i] - 1;
}

/*--- The way of control                                   ---*/

bool stream_count(DcfgBlocks* blocks, uint32_t from, uint32_t at, uint32_t to,
                  uint64_t n)
{
   uint32_t i;
   Passage* p;

   if (blocks->visit != NULL)
      return stream_visit(blocks, to);
   i = n == 0 ? DCFG_NONE : passage_at(blocks, from, at, to);
   if (i == DCFG_NONE)
      return n == 0;
   p = &ELEM(blocks->passages, Passage, i);
   p->count = add_capped(p->count, n);
   blocks->counted = i;
   return true;
}

bool stream_straight(DcfgBlocks* blocks, uint32_t at, uint32_t to)
{
   Unit* u = unit(blocks, at);

   if (u->next == UNIT_NONE && blocks->visit == NULL)
      u->next = to;
   return u->next == to;
}

bool stream_jump(DcfgBlocks* blocks, uint32_t from, uint32_t at, uint32_t to)
{
   Unit* u = unit(blocks, at);

   if (!(u->next & UNIT_JUMPS) && !stream_is_new(blocks))
      return false;
   u->next |= UNIT_JUMPS;
   blocks->here = (Standing){ to, to };
   return stream_count(blocks, from, at, to, 1);
}

bool stream_begin(DcfgBlocks* blocks, uint32_t to)
{
   blocks->here = (Standing){ to, to };
   return stream_count(blocks, DCFG_NONE, DCFG_NONE, to, 1);
}

bool stream_end(DcfgBlocks* blocks, Standing place)
{
   return place.from == DCFG_NONE
          || stream_count(blocks, place.from, place.at, DCFG_NONE, 1);
}

bool stream_end_all(DcfgBlocks* blocks)
{
   bool ok = stream_end(blocks, blocks->here);

   for (size_t i = 0; ok && i < blocks->waiting.n; i++)
      ok = stream_end(blocks, ELEM(blocks->waiting, Standing, i));
   array_cut(&blocks->waiting, 0);
   blocks->here = NOWHERE;
   return ok;
}

/*--- Units in their order                                 ---*/

/* UnitState: facts about a unit. */
typedef
   struct {
      uint64_t arrivals;        // by a jump, or the begin of a sequence
      uint64_t ended;           // sequences that ended in it
      uint32_t straight_end;    // the unit where straight code from here jumps
                                // or ends
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
      DcfgBlocks* blocks;
      uint32_t    n, n_starts;
      UnitState*  states;
      BlockStart* starts;
      uint32_t*   static_at;    // by unit: its static block
   }
   Work;

COMPARE(by_place, BlockStart, UP(addr) ?: UP(order) ?: UP(unit))

/* Return the unit that follows straight on, or UNIT_NONE. */
static inline uint32_t straight_next(const Work* w, uint32_t i)
{
   uint32_t next = unit(w->blocks, i)->next;

   return next < UNIT_NONE ? next : UNIT_NONE;
}

/* Return how many instructions unit I has. */
static inline uint32_t unit_instrs(const Work* w, uint32_t i)
{
   return w->blocks->p == NULL ? 1 : w->blocks->p->nodes[i].n_instrs;
}

/* Return the address of the last instruction of unit I. */
static inline uint64_t unit_last(const Work* w, uint32_t i)
{
   return unit(w->blocks, i)->addr
          + (w->blocks->p == NULL ? 0 : w->blocks->p->nodes[i].last_offset);
}

/* Find where straight code ends, and which units were executed. */
static void find_ends(Work* w)
{
   for (uint32_t i = 0; i < w->n; i++)
      w->states[i].straight_end = DCFG_NONE;
   for (uint32_t i = w->n; i-- > 0; ) {
      uint32_t end = i, next = unit(w->blocks, i)->next & UNIT_NONE, k;
      if (next != UNIT_NONE)
         w->states[i].executed = w->states[next].executed = true;
      next = straight_next(w, i);
      if (next != UNIT_NONE && w->states[next].preds < 2)
         w->states[next].preds++;
      while (w->states[end].straight_end == DCFG_NONE
             && (k = straight_next(w, end)) != UNIT_NONE)
         end = k;
      if (w->states[end].straight_end != DCFG_NONE)
         end = w->states[end].straight_end;
      for (k = i; k != UNIT_NONE && w->states[k].straight_end == DCFG_NONE;
           k = straight_next(w, k))
         w->states[k].straight_end = end;
   }
}

/* Divide passages, so that each one is one dynamic block: from its leader to
   the first jump. */
static bool divide(Work* w)
{
   Array* passages = &w->blocks->passages;

   for (size_t i = 0; i < passages->n; i++) {
      Passage p = ELEM(*passages, Passage, i);
      while (p.from != DCFG_NONE) {
         uint32_t    end = w->states[p.from].straight_end;
         const Unit* u = unit(w->blocks, end);
         Passage*    more;
         if (end == p.at || u->addr >= unit(w->blocks, p.at)->addr)
            break;
         more = array_add(&w->blocks->job, passages, sizeof(*more));
         if (more == NULL)
            return false;
         *more = (Passage){ p.from, end, u->next & UNIT_NONE, p.count };
         p.from = more->to;
      }
      ELEM(*passages, Passage, i) = p;
   }
   return true;
}

/* Add up the ends of passages. */
static void count_arrivals(Work* w)
{
   for (size_t i = 0; i < w->blocks->passages.n; i++) {
      const Passage* p = &ELEM(w->blocks->passages, Passage, i);
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
   uint32_t n = 0;

   for (uint32_t i = 0; i < w->n; i++)
      w->n_starts += w->states[i].executed && is_start(w, i);
   w->starts = job_calloc(&w->blocks->job, w->n_starts, sizeof(*w->starts));
   if (w->starts == NULL)
      return false;
   for (uint32_t i = 0; i < w->n; i++) {
      const Unit* u = unit(w->blocks, i);
      if (w->states[i].executed && is_start(w, i))
         w->starts[n++] = (BlockStart){
            u->addr, w->blocks->p != NULL ? i : u->size, i };
   }
   SORT(w->starts, n, by_place);
   return true;
}

/*--- Tables                                               ---*/

COMPARE(by_target, DcfgStreamEdge, UP(target))
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

/* Give blocks the edges that are passages; at first, with EDGES NULL, only count
   them.  BLOCK_AT: the block of a unit at the end, if OF_ENDS, or at the begin
   of a passage; likewise where it goes on. */
static void add_edges(const Work* w, DcfgStreamBlock* blocks,
                      DcfgStreamEdge* edges, const uint32_t* block_at,
                      bool of_ends)
{
   for (size_t i = 0; i < w->blocks->passages.n; i++) {
      const Passage*   p = &ELEM(w->blocks->passages, Passage, i);
      uint32_t         of = of_ends ? p->at : p->from;
      DcfgStreamBlock* b;
      if (of == DCFG_NONE || p->to == DCFG_NONE)
         continue;
      b = &blocks[block_at[of]];
      if (edges != NULL) {
         uint64_t end = unit_end(w->blocks, p->at);
         edges[b->first_edge + b->n_edges] = (DcfgStreamEdge){
            p->count, block_at[p->to],
            end != 0 && end == unit(w->blocks, p->to)->addr };
      }
      b->n_edges++;
   }
}

/* Sort the edges of block B, merge equal ones, and move them to TO. */
static void finish_block(DcfgStreamBlock* b, const DcfgStreamEdge* edges,
                         DcfgStreamEdge* to)
{
   uint32_t n = 0;

   for (uint32_t i = 0; i < b->n_edges; i++) {
      DcfgStreamEdge e = edges[i];
      b->departures = add_capped(b->departures, e.count);
      if (n > 0 && to[n - 1].target == e.target)
         to[n - 1].count = add_capped(to[n - 1].count, e.count);
      else
         to[n++] = e;
   }
   b->n_edges = n;
   b->kind = kind_of(to, n);
   SORT(to, n, by_count);
}

/* Make SHOWN of the blocks in table WHICH, and of their edges in the next one;
   see add_edges(). */
static bool make_table(const Work* w, uint32_t which, DcfgBlockTable* shown,
                       const uint32_t* block_at, bool of_ends)
{
   Job*             job = &w->blocks->job;
   Array*           edges = &w->blocks->tables[which + 1];
   uint32_t         n = (uint32_t)w->blocks->tables[which].n;
   DcfgStreamBlock* blocks = &ELEM(w->blocks->tables[which], DcfgStreamBlock,
                                   0);
   DcfgStreamEdge*  to;
   size_t           all = 0, kept = 0;

   add_edges(w, blocks, NULL, block_at, of_ends);
   for (uint32_t b = 0; b < n; b++) {
      blocks[b].first_edge = (uint32_t)all;
      all += blocks[b].n_edges;
      blocks[b].n_edges = 0;
   }
   if (!array_reserve(job, edges, sizeof(*to), all + 1))
      return false;
   to = edges->data;
   add_edges(w, blocks, to, block_at, of_ends);
   for (uint32_t b = 0; b < n; b++) {
      DcfgStreamEdge* from = to + blocks[b].first_edge;
      SORT(from, blocks[b].n_edges, by_target);
      blocks[b].first_edge = (uint32_t)kept;
      finish_block(&blocks[b], from, to + kept);
      kept += blocks[b].n_edges;
   }
   edges->n = kept;
   array_trim(job, edges, sizeof(*to));
   *shown = (DcfgBlockTable){ n, (uint32_t)kept, blocks, edges->data };
   return true;
}

/* Make the static blocks, from the last one on: how many instructions there are
   up to the next jump is known of the blocks behind. */
static bool make_statics(Work* w)
{
   DcfgBlocks*      s = w->blocks;
   DcfgStreamBlock* blocks = array_add_n(&s->job, &s->tables[0],
                                         sizeof(*blocks), w->n_starts);

   for (uint32_t b = w->n_starts; blocks != NULL && b-- > 0; ) {
      uint32_t   i = w->starts[b].unit, next = i;
      UnitState* state = &w->states[i];
      blocks[b].first = unit(s, i)->addr;
      do {
         i = next;
         next = straight_next(w, i);
         w->static_at[i] = b;
         blocks[b].last = unit_last(w, i);
         blocks[b].n_instrs += unit_instrs(w, i);
      } while (next != UNIT_NONE && !is_start(w, next));
      state->straight_instrs = blocks[b].n_instrs
         + (next == UNIT_NONE ? 0 : w->states[next].straight_instrs);
   }
   return blocks != NULL || w->n_starts == 0;
}

/* Count the static blocks.  What falls from one into the next is a passage, but
   of no dynamic block. */
static bool count_statics(Work* w)
{
   DcfgBlocks*      s = w->blocks;
   DcfgStreamBlock* blocks = &ELEM(s->tables[0], DcfgStreamBlock, 0);

   for (uint32_t b = 0; b < w->n_starts; b++) {
      uint32_t i = w->starts[b].unit, next = i;
      uint64_t n = add_capped(blocks[b].count, w->states[i].arrivals);
      Passage* falls;
      blocks[b].count = n;
      do {
         i = next;
         next = straight_next(w, i);
         s->instrs = add_capped(s->instrs, mul_capped(n, unit_instrs(w, i)));
         n -= w->states[i].ended;
      } while (next != UNIT_NONE && !is_start(w, next));
      if (next == UNIT_NONE || n == 0)
         continue;
      blocks[w->static_at[next]].count
         = add_capped(blocks[w->static_at[next]].count, n);
      falls = array_add(&s->job, &s->passages, sizeof(*falls));
      if (falls == NULL)
         return false;
      *falls = (Passage){ DCFG_NONE, i, next, n };
   }
   return true;
}

static bool make_dynamics(Work* w)
{
   DcfgBlocks* s = w->blocks;

   for (uint32_t k = 0; k < w->n_starts; k++) {
      uint32_t         i = w->starts[k].unit;
      const UnitState* state = &w->states[i];
      DcfgStreamBlock* b;
      if (!state->leader)
         continue;
      s->dynamic_at[i] = (uint32_t)s->tables[2].n;
      b = array_add(&s->job, &s->tables[2], sizeof(*b));
      if (b == NULL)
         return false;
      b->first = unit(s, i)->addr;
      b->last = unit_last(w, state->straight_end);
      b->n_instrs = state->straight_instrs;
      b->count = state->arrivals;
   }
   return make_table(w, 2, &s->dynamics, s->dynamic_at, false);
}

/*--- Both tables                                          ---*/

static bool tally(Work* w)
{
   DcfgBlocks* s = w->blocks;

   if (w->states == NULL || w->static_at == NULL || s->dynamic_at == NULL)
      return false;
   find_ends(w);
   if (!divide(w))
      return false;
   count_arrivals(w);
   return find_starts(w) && make_statics(w)
          && (!s->has_dynamics || make_dynamics(w)) && count_statics(w)
          && make_table(w, 0, &s->statics, w->static_at, true);
}

bool dcfg_blocks_finish(DcfgBlocks* blocks, DcfgError* err)
{
   Job*     job = &blocks->job;
   bool     ok = job->err.status == DCFG_OK;
   Work     w = { .blocks = blocks, .n = (uint32_t)blocks->units.n };

   if (ok && !blocks->finished) {
      ok = stream_end_all(blocks);
      free_buckets(blocks, &blocks->passage_at);
      w.states = job_calloc(job, w.n, sizeof(*w.states));
      w.static_at = job_nones(job, w.n);
      blocks->dynamic_at = job_nones(job, w.n);
      ok = ok && tally(&w);
      job_free(job, w.states, w.n * sizeof(*w.states));
      job_free(job, w.static_at, w.n * sizeof(*w.static_at));
      job_free(job, w.starts, w.n_starts * sizeof(*w.starts));
      array_free(job, &blocks->passages, sizeof(Passage));
      if (blocks->p == NULL)
         blocks->instrs = blocks->executed;
      blocks->finished = ok;
   }
   return stream_told(blocks, ok, err);
}

const DcfgBlockTable* dcfg_blocks_static(const DcfgBlocks* blocks)
{
   return blocks->finished ? &blocks->statics : NULL;
}

const DcfgBlockTable* dcfg_blocks_dynamic(const DcfgBlocks* blocks)
{
   return blocks->finished && blocks->has_dynamics ? &blocks->dynamics : NULL;
}

uint64_t dcfg_blocks_instrs(const DcfgBlocks* blocks)
{
   return blocks->instrs;
}

void dcfg_blocks_free(DcfgBlocks* blocks)
{
   static const size_t sizes[] = { sizeof(DcfgStreamBlock),
                                   sizeof(DcfgStreamEdge) };
   Job* job;

   if (blocks == NULL)
      return;
   job = &blocks->job;
   free_buckets(blocks, &blocks->passage_at);
   free_buckets(blocks, &blocks->instr_at);
   job_free(job, blocks->dynamic_at,
            blocks->units.n * sizeof(*blocks->dynamic_at));
   job_free(job, blocks->arcs, blocks->n_arcs * sizeof(*blocks->arcs));
   array_free(job, &blocks->waiting, sizeof(Standing));
   array_free(job, &blocks->passages, sizeof(Passage));
   array_free(job, &blocks->units, sizeof(Unit));
   for (size_t i = 0; i < 4; i++)
      array_free(job, &blocks->tables[i], sizes[i % 2]);
   free(blocks);
}
