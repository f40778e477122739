/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Static and dynamic blocks of a stream. */

/* Owns: the table of passages with their counts, and making the two tables of
   blocks from pieces of code and passages between them.  Handed: passages one
   at a time, and then all pieces, by address_stream.c and edge_stream.c.

   A passage is what happened between two jumps: control came to a leader, ran
   straight on to the end of some code, and went on elsewhere.  Passages are in
   a hash table, each with its count.

   While the stream was read, not all instructions that jump were known, so a
   passage may run through some of them.  From a piece there is only one way
   straight on.  So a passage that began at a leader and ran through a jump was
   in fact first the leader's block, left by falling through, and then the block
   behind.  It is divided.  Its count is exact, because everything that is
   counted for the whole happened to each part.  A passage has no more parts
   than instructions.

   A dynamic block goes from a leader straight on to the first jump.  A
   static block ends also where another one begins, so each piece is in one
   static block alone. */

#include "lib/blocks/streams.h"

#include "format/order.h"

#include <stdlib.h>
#include <string.h>

/*--- Passages                                             ---*/

static inline uint32_t first_bucket(const Passages* passages, uint32_t from,
                                    uint32_t at, uint32_t to)
{
   uint64_t h = hash_word(&passages->hash, (uint64_t)from << 32 | at);

   return (uint32_t)hash_word(&passages->hash,
                              h ^ to) & (passages->n_buckets - 1);
}

/* Return the bucket where a passage is, or would be. */
static inline uint32_t* bucket_of(Passages* passages, uint32_t from,
                                  uint32_t at, uint32_t to)
{
   uint32_t i = first_bucket(passages, from, at, to);

   for (; passages->buckets[i] != 0; i = (i + 1) & (passages->n_buckets - 1)) {
      const Passage* x = passage(passages, passages->buckets[i] - 1);
      if (x->from == from && x->at == at && x->to == to)
         break;
   }
   return &passages->buckets[i];
}

/* Enlarge the hash table, of which at most three quarters are used. */
static bool make_room(Job* job, Passages* passages)
{
   uint32_t n = passages->n_buckets == 0 ? 1024 : 2 * passages->n_buckets;

   if (n == 0)
      return job_fail(job, DCFG_ERROR_LIMIT, NULL, "too many edges");
   passages_seal(job, passages);
   passages->buckets = job_calloc(job, n, sizeof(*passages->buckets));
   if (passages->buckets == NULL)
      return false;
   passages->n_buckets = n;
   passages->hash      = hash_key();
   for (uint32_t i = 0; i < passages->all.n; i++) {
      const Passage* x = passage(passages, i);
      *bucket_of(passages, x->from, x->at, x->to) = i + 1;
   }
   return true;
}

uint32_t passage_index(Job* job, Passages* passages, uint32_t from, uint32_t at,
                       uint32_t to)
{
   uint32_t* bucket;
   Passage*  new;

   if (passages->all.n >= passages->n_buckets / 4 * 3
       && !make_room(job, passages))
      return DCFG_NONE;
   bucket = bucket_of(passages, from, at, to);
   if (*bucket != 0)
      return *bucket - 1;
   new = array_add(job, &passages->all, sizeof(*new));
   if (new == NULL)
      return DCFG_NONE;
   *new = (Passage){ from, at, to, 0 };
   *bucket = (uint32_t)passages->all.n;
   return *bucket - 1;
}

void passages_seal(Job* job, Passages* passages)
{
   job_free(job, passages->buckets,
            passages->n_buckets * sizeof(*passages->buckets));
   passages->buckets = NULL;
   passages->n_buckets = 0;
}

void passages_free(Job* job, Passages* passages)
{
   passages_seal(job, passages);
   array_free(job, &passages->all, sizeof(Passage));
}

/*--- Pieces in their order                                ---*/

/* PieceState: facts about a piece. */
typedef
   struct {
      uint64_t arrivals;        // by a jump, or the begin of a sequence
      uint64_t ended;           // sequences that ended in it
      uint64_t count;           // executions
      uint32_t straight_end;    // the piece where straight code from here jumps
                                // or ends
      uint32_t straight_instrs; // instructions up to there
      uint32_t preds;           // number of pieces that fall into this one
      bool     leader;
   }
   PieceState;

typedef
   struct {
      Job*         job;
      const Piece* pieces;
      uint32_t     n;
      PieceState*  states;
      uint32_t*    sorted;      // pieces by address
      Array*       passages;
   }
   Work;

typedef
   struct {
      uint64_t addr;
      uint32_t order;
      uint32_t piece;
   }
   PieceStart;

COMPARE(by_place, PieceStart, UP(addr) ?: UP(order) ?: UP(piece))

static bool sort_pieces(Work* w)
{
   PieceStart* places = job_calloc(w->job, w->n, sizeof(*places));

   if (places == NULL)
      return false;
   for (uint32_t i = 0; i < w->n; i++)
      places[i] = (PieceStart){ w->pieces[i].addr, w->pieces[i].order, i };
   if (w->n > 0)
      qsort(places, w->n, sizeof(*places), by_place);
   for (uint32_t i = 0; i < w->n; i++)
      w->sorted[i] = places[i].piece;
   job_free(w->job, places, w->n * sizeof(*places));
   return true;
}

/* Return the piece that follows straight on, or DCFG_NONE. */
static inline uint32_t straight_next(const Work* w, uint32_t piece)
{
   return w->pieces[piece].jumps ? DCFG_NONE : w->pieces[piece].next;
}

/* Go backwards, so that following pieces are known. */
static void find_ends(Work* w)
{
   for (uint32_t i = w->n; i-- > 0; ) {
      uint32_t piece = w->sorted[i], next = straight_next(w, piece);
      PieceState* s = &w->states[piece];
      s->straight_end = piece;
      s->straight_instrs = w->pieces[piece].n_instrs;
      if (next == DCFG_NONE)
         continue;
      s->straight_end = w->states[next].straight_end;
      s->straight_instrs += w->states[next].straight_instrs;
      w->states[next].preds++;
   }
}

/*--- Counts                                               ---*/

/* Divide passages, so that each one is one dynamic block: from its leader to
   the first jump. */
static bool divide(Work* w)
{
   for (size_t i = 0; i < w->passages->n; i++) {
      Passage  p = ELEM(*w->passages, Passage, i);
      while (p.from != DCFG_NONE) {
         uint32_t end = w->states[p.from].straight_end;
         Passage* more;
         if (end == p.at || w->pieces[end].addr >= w->pieces[p.at].addr)
            break;
         more = array_add(w->job, w->passages, sizeof(*more));
         if (more == NULL)
            return false;
         *more = (Passage){ p.from, end, w->pieces[end].next, p.count };
         p.from = more->to;
      }
      ELEM(*w->passages, Passage, i) = p;
   }
   return true;
}

static void count_pieces(Work* w)
{
   for (size_t i = 0; i < w->passages->n; i++) {
      const Passage* p = &ELEM(*w->passages, Passage, i);
      if (p->to == DCFG_NONE) {
         PieceState* s = &w->states[p->at];
         s->ended = add_capped(s->ended, p->count);
      } else {
         PieceState* s = &w->states[p->to];
         s->arrivals = add_capped(s->arrivals, p->count);
         s->leader = true;
      }
   }
   /* A following piece has a higher address, so this order works. */
   for (uint32_t i = 0; i < w->n; i++) {
      uint32_t piece = w->sorted[i], next = straight_next(w, piece);
      PieceState* s = &w->states[piece];
      s->count = add_capped(s->count, s->arrivals);
      if (next != DCFG_NONE)
         w->states[next].count = add_capped(w->states[next].count,
                                            s->count - s->ended);
   }
}

/*--- Edges                                                ---*/

COMPARE(by_target, DcfgStreamEdge, UP(target))

COMPARE(by_count, DcfgStreamEdge, DOWN(count) ?: by_target(x, y))

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

/* Count an edge of block B; if PLACED, also store it. */
static void take_edge(Tally* tally, bool placed, uint32_t b, uint32_t target,
                      uint64_t count, bool falls)
{
   DcfgStreamBlock* block = &ELEM(tally->blocks, DcfgStreamBlock, b);

   if (placed)
      ELEM(tally->edges, DcfgStreamEdge, block->first_edge + block->n_edges)
         = (DcfgStreamEdge){ count, target, falls };
   block->n_edges++;
}

/* Merge equal edges of each block, sort them, and close gaps. */
static void finish_edges(Job* job, Tally* tally)
{
   uint32_t n = 0;

   for (uint32_t b = 0; b < tally->blocks.n; b++) {
      DcfgStreamBlock* block = &ELEM(tally->blocks, DcfgStreamBlock, b);
      DcfgStreamEdge*  edges = &ELEM(tally->edges, DcfgStreamEdge,
                                     block->first_edge);
      DcfgStreamEdge*  to = &ELEM(tally->edges, DcfgStreamEdge, n);
      uint32_t         used = 0;
      if (block->n_edges > 1)
         qsort(edges, block->n_edges, sizeof(*edges), by_target);
      for (uint32_t i = 0; i < block->n_edges; i++) {
         block->departures = add_capped(block->departures, edges[i].count);
         if (used > 0 && to[used - 1].target == edges[i].target)
            to[used - 1].count = add_capped(to[used - 1].count,
                                            edges[i].count);
         else
            to[used++] = edges[i];
      }
      block->first_edge = n;
      block->n_edges = used;
      block->kind = kind_of(to, used);
      if (used > 1)
         qsort(to, used, sizeof(*to), by_count);
      n += used;
   }
   array_cut(&tally->edges, n);
   array_trim(job, &tally->edges, sizeof(DcfgStreamEdge));
   tally->shown = (DcfgBlockTable){ (uint32_t)tally->blocks.n, n,
                                   tally->blocks.data,
                                    tally->edges.data };
}

/* Reserve room for each block's edges, at least one element. */
static bool place_edges(Job* job, Tally* tally)
{
   uint64_t n = 0;

   for (uint32_t b = 0; b < tally->blocks.n; b++) {
      DcfgStreamBlock* block = &ELEM(tally->blocks, DcfgStreamBlock, b);
      block->first_edge = (uint32_t)n;
      n += block->n_edges;
      block->n_edges = 0;
   }
   return array_add_n(job, &tally->edges, sizeof(DcfgStreamEdge), n + 1)
          != NULL;
}

static DcfgStreamBlock* add_block(Job* job, Tally* tally, const Piece* p,
                                  uint32_t piece)
{
   DcfgStreamBlock* b = array_add(job, &tally->blocks, sizeof(*b));

   if (b == NULL)
      return NULL;
   b->first = p->addr;
   tally->of_piece[piece] = (uint32_t)tally->blocks.n - 1;
   return b;
}

/*--- Dynamic blocks                                       ---*/

static bool falls_to(const Work* w, uint32_t at, uint32_t to)
{
   return w->pieces[at].end == w->pieces[to].addr && w->pieces[at].end != 0;
}

static bool make_dynamics(Work* w, Tally* tally)
{
   for (uint32_t i = 0; i < w->n; i++) {
      uint32_t         piece = w->sorted[i];
      const PieceState* s = &w->states[piece];
      DcfgStreamBlock* b;
      if (!s->leader)
         continue;
      b = add_block(w->job, tally, &w->pieces[piece], piece);
      if (b == NULL)
         return false;
      b->last = w->pieces[s->straight_end].last;
      b->n_instrs = s->straight_instrs;
      b->count = s->arrivals;
   }
   for (int placed = 0; placed < 2; placed++) {
      for (size_t i = 0; i < w->passages->n; i++) {
         const Passage* p = &ELEM(*w->passages, Passage, i);
         if (p->from != DCFG_NONE && p->to != DCFG_NONE)
            take_edge(tally, placed, tally->of_piece[p->from],
                      tally->of_piece[p->to],
                      p->count, falls_to(w, p->at, p->to));
      }
      if (!placed && !place_edges(w->job, tally))
         return false;
   }
   finish_edges(w->job, tally);
   return true;
}

/*--- Static blocks                                        ---*/

/* Return whether PIECE begins a static block: it is a leader, or is reached
   straight on from two pieces. */
static inline bool begins_static(const Work* w, uint32_t piece)
{
   return w->states[piece].leader || w->states[piece].preds != 1;
}

/* Make static blocks.  OF becomes the block of each piece. */
static bool make_static_blocks(Work* w, Tally* tally, uint32_t* of)
{
   for (uint32_t i = 0; i < w->n; i++) {
      uint32_t         piece = w->sorted[i], next = straight_next(w, piece);
      const Piece*     p = &w->pieces[piece];
      DcfgStreamBlock* b;
      if (begins_static(w, piece)) {
         b = add_block(w->job, tally, p, piece);
         if (b == NULL)
            return false;
         of[piece] = (uint32_t)tally->blocks.n - 1;
         b->count = w->states[piece].count;
      }
      tally->instrs = add_capped(tally->instrs,
                                 mul_capped(w->states[piece].count,
                                            p->n_instrs));
      b = &ELEM(tally->blocks, DcfgStreamBlock, of[piece]);
      b->last = p->last;
      b->n_instrs += p->n_instrs;
      if (next != DCFG_NONE && !begins_static(w, next))
         of[next] = of[piece];
   }
   return true;
}

static bool make_statics(Work* w, Tally* tally)
{
   uint32_t* of = job_nones(w->job, w->n);
   bool      ok = of != NULL && make_static_blocks(w, tally, of);

   for (int placed = 0; ok && placed < 2; placed++) {
      for (size_t i = 0; i < w->passages->n; i++) {
         const Passage* p = &ELEM(*w->passages, Passage, i);
         if (p->from != DCFG_NONE && p->to != DCFG_NONE)
            take_edge(tally, placed, of[p->at], of[p->to], p->count,
                      falls_to(w, p->at, p->to));
      }
      for (uint32_t i = 0; i < w->n; i++) {
         uint32_t     next = straight_next(w, i);
         const PieceState* s = &w->states[i];
         if (next != DCFG_NONE && begins_static(w, next)
             && s->count != s->ended)
            take_edge(tally, placed, of[i], of[next], s->count - s->ended,
                      true);
      }
      ok = placed || place_edges(w->job, tally);
   }
   job_free(w->job, of, w->n * sizeof(*of));
   if (ok)
      finish_edges(w->job, tally);
   return ok;
}

/* --- Both tables                                          --- */

static bool start_tally(Job* job, Tally* tally, uint32_t n)
{
   memset(tally, 0, sizeof(*tally));
   tally->of_piece = job_nones(job, n);
   tally->n_pieces = n;
   return tally->of_piece != NULL;
}

bool tally(Job* job, const Piece* pieces, uint32_t n, Array* passages,
           Tally* statics, Tally* dynamics)
{
   Work w = { job, pieces, n, job_calloc(job, n, sizeof(*w.states)),
              job_nones(job, n), passages };
   bool ok = w.states != NULL && w.sorted != NULL
             && start_tally(job, statics, n)
             && (dynamics == NULL || start_tally(job, dynamics, n))
             && sort_pieces(&w);

   if (ok) {
      find_ends(&w);
      ok = divide(&w);
   }
   if (ok) {
      count_pieces(&w);
      ok = make_statics(&w, statics)
           && (dynamics == NULL || make_dynamics(&w, dynamics));
   }
   job_free(job, w.states, n * sizeof(*w.states));
   job_free(job, w.sorted, n * sizeof(*w.sorted));
   return ok;
}

void tally_free(Job* job, Tally* tally)
{
   array_free(job, &tally->blocks, sizeof(DcfgStreamBlock));
   array_free(job, &tally->edges, sizeof(DcfgStreamEdge));
   job_free(job, tally->of_piece, tally->n_pieces * sizeof(*tally->of_piece));
   tally->of_piece = NULL;
}
