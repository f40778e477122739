/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks that share bytes, divided. */

/* Owns: how blocks that share bytes are divided: by their code, or by
   numbers of instructions.  Handed: clusters of blocks by merge_blocks.c. */

#include "cmd/merge/merge_cluster.h"

#include <stdlib.h>

#define NOTHING UINT64_MAX

uint64_t block_end(const MergedBlock* b)
{
   return b->offset + b->size;
}

bool same_block(const MergedBlock* a, const MergedBlock* b)
{
   return a->offset == b->offset && a->size == b->size
          && a->n_instrs == b->n_instrs && a->last_offset == b->last_offset;
}

int by_offset(const void* a, const void* b)
{
   const MergedBlock* x = a;
   const MergedBlock* y = b;

   return x->offset < y->offset ? -1 : x->offset > y->offset ? 1
          : x->size < y->size ? -1 : x->size > y->size;
}

static void add_start(Cluster* c, Member* m, uint64_t start)
{
   GROW(c->starts, c->n_starts, c->starts_room);
   c->starts[c->n_starts++] = start;
   m->n_starts++;
}

static void add_piece(Cluster* c, MergedBlock piece)
{
   GROW(c->pieces, c->n_pieces, c->pieces_room);
   c->pieces[c->n_pieces++] = piece;
}

static bool good_shape(const MergedBlock* b)
{
   return b->n_instrs > 0 && b->n_instrs <= b->size && b->last_offset < b->size
          && (b->n_instrs == 1) == (b->last_offset == 0);
}

/* Keep each piece once.  Return false if two different ones begin at one
   offset. */
static bool unite_pieces(Cluster* c)
{
   size_t n = 0;

   qsort(c->pieces, c->n_pieces, sizeof(*c->pieces), by_offset);
   for (size_t i = 0; i < c->n_pieces; i++) {
      if (n > 0 && c->pieces[n - 1].offset == c->pieces[i].offset) {
         if (!same_block(&c->pieces[n - 1], &c->pieces[i])) {
            c->where = c->pieces[i].offset;
            return false;
         }
         continue;
      }
      c->pieces[n++] = c->pieces[i];
   }
   c->n_pieces = n;
   return true;
}

/*--- With the code                                        ---*/

/* Passage: two instructions of a member that follow each other.  NOTHING in
   place of one: the member begins or ends there. */
typedef
   struct {
      uint64_t to, from;
      bool     ends;            // the member ends before .to
   }
   Passage;

typedef
   struct {
      Passage* all;
      size_t   n, room;
   }
   Passages;

COMPARE(by_to, Passage, UP(to) ?: UP(from))

static void add_passage(Passages* p, uint64_t from, uint64_t to, bool ends)
{
   GROW(p->all, p->n, p->room);
   p->all[p->n++] = (Passage){ to, from, ends };
}

/* Keep the passages that divide blocks.  All passages to an instruction divide
   if it is a leader: a block begins there, or several instructions lead to it.
   Others divide if a block ends there. */
static void keep_dividing(Passages* p)
{
   size_t kept = 0;

   for (size_t i = 0, end; i < p->n; i = end) {
      bool     leader = false;
      uint64_t from = NOTHING;
      for (end = i; end < p->n && p->all[end].to == p->all[i].to; end++) {
         const Passage* q = &p->all[end];
         if (q->from == NOTHING || (!q->ends && from != NOTHING
                                    && from != q->from))
            leader = true;
         if (!q->ends)
            from = q->from;
      }
      for (size_t k = i; k < end; k++) {
         bool divides = leader;
         for (size_t j = i; !divides && j < end; j++)
            divides = p->all[j].ends && p->all[j].from == p->all[k].from;
         if (divides)
            p->all[kept++] = p->all[k];
      }
   }
   p->n = kept;
}

static bool is_dividing(const Passages* p, uint64_t from, uint64_t to)
{
   Passage key = { to, from, false };

   return p->n > 0
          && bsearch(&key, p->all, p->n, sizeof(*p->all), by_to) != NULL;
}

/* Cut a member into pieces.  AT: where its instructions begin. */
static void cut_member(Cluster* c, Member* m, const Passages* p,
                       const uint32_t* at)
{
   const MergedBlock* b = m->block;
   uint32_t           begin = 0;

   m->first_start = c->n_starts;
   m->n_starts = 0;
   for (uint32_t i = 1; i <= b->n_instrs; i++) {
      uint32_t end = i == b->n_instrs ? b->size : at[i];
      if (i < b->n_instrs
          && !is_dividing(p, b->offset + at[i - 1], b->offset + at[i]))
         continue;
      add_start(c, m, b->offset + at[begin]);
      add_piece(c, (MergedBlock){ b->offset + at[begin], end - at[begin],
                                  i - begin, at[i - 1] - at[begin], false });
      begin = i;
   }
}

/* Return where the instructions of all members begin, member by member; NULL if
   the code is not known. */
static uint32_t* decode_members(const Cluster* c)
{
   size_t    n = 0;
   uint32_t* at;

   for (size_t i = 0; i < c->n_members; i++)
      n += c->members[i].block->n_instrs;
   at = need(malloc((n + 1) * sizeof(*at)));
   n = 0;
   for (size_t i = 0; i < c->n_members; i++) {
      const MergedBlock* b = c->members[i].block;
      if (!c->decode(c->arg, b->offset, b->size, b->n_instrs, at + n)
          || at[n] != 0 || at[n + b->n_instrs - 1] != b->last_offset) {
         free(at);
         return NULL;
      }
      n += b->n_instrs;
   }
   return at;
}

DivideResult divide_by_code(Cluster* c)
{
   uint32_t* at = decode_members(c);
   uint32_t* next = at;
   Passages  p = { 0 };
   bool      good;

   if (at == NULL)
      return DIVIDE_NEEDS_CODE;
   for (size_t i = 0; i < c->n_members; i++) {
      const MergedBlock* b = c->members[i].block;
      add_passage(&p, NOTHING, b->offset, false);
      for (uint32_t k = 1; k < b->n_instrs; k++)
         add_passage(&p, b->offset + next[k - 1], b->offset + next[k], false);
      add_passage(&p, b->offset + b->last_offset, block_end(b), true);
      next += b->n_instrs;
   }
   qsort(p.all, p.n, sizeof(*p.all), by_to);
   keep_dividing(&p);
   next = at;
   for (size_t i = 0; i < c->n_members; i++) {
      cut_member(c, &c->members[i], &p, next);
      next += c->members[i].block->n_instrs;
   }
   free(p.all);
   free(at);
   good = unite_pieces(c);
   return good ? DIVIDED : DIVIDE_CONTRADICTION;
}

/*--- With numbers alone                                   ---*/

/* Grid: the offsets at which blocks begin or end, in order, each with the piece
   behind it.  A number of instructions that is not known yet is 0. */
typedef
   struct {
      uint64_t*    places;
      MergedBlock* pieces;
      size_t       n;
      bool*        has_last;
   }
   Grid;

COMPARE(by_value, uint64_t, ORDER(*x, *y))

static size_t place_of(const Grid* g, uint64_t offset)
{
   const uint64_t* found = bsearch(&offset, g->places, g->n,
                                   sizeof(*g->places), by_value);

   return (size_t)(found - g->places);
}

static Grid make_grid(const Cluster* c)
{
   Grid   g = { 0 };
   size_t n = 0;

   g.places = zalloc(2 * c->n_members, sizeof(*g.places));
   for (size_t i = 0; i < c->n_members; i++) {
      g.places[n++] = c->members[i].block->offset;
      g.places[n++] = block_end(c->members[i].block);
   }
   qsort(g.places, n, sizeof(*g.places), by_value);
   for (size_t i = 0; i < n; i++)
      if (g.n == 0 || g.places[g.n - 1] != g.places[i])
         g.places[g.n++] = g.places[i];
   g.pieces = zalloc(g.n, sizeof(*g.pieces));
   g.has_last = zalloc(g.n, sizeof(*g.has_last));
   for (size_t i = 0; i + 1 < g.n; i++) {
      g.pieces[i].offset = g.places[i];
      g.pieces[i].size = (uint32_t)(g.places[i + 1] - g.places[i]);
   }
   return g;
}

/* Find numbers of instructions from member B: if only one of its pieces has
   none yet, that piece gets the rest.  Return false if B's numbers
   contradict. */
static bool use_member(Grid* g, const MergedBlock* b, bool* news)
{
   size_t   first = place_of(g, b->offset), end = place_of(g, block_end(b));
   size_t   unknown = end, n_unknown = 0;
   uint64_t sum = 0, last = b->offset + b->last_offset;

   for (size_t i = first; i < end; i++) {
      sum += g->pieces[i].n_instrs;
      if (g->pieces[i].n_instrs == 0) {
         unknown = i;
         n_unknown++;
      }
   }
   if (sum > b->n_instrs || (n_unknown == 0 && sum < b->n_instrs)
       || b->n_instrs - sum < n_unknown || last < g->places[end - 1])
      return false;
   if (n_unknown == 1) {
      g->pieces[unknown].n_instrs = (uint32_t)(b->n_instrs - sum);
      *news = true;
   }
   last -= g->places[end - 1];
   if (g->has_last[end - 1] && g->pieces[end - 1].last_offset != last)
      return false;
   g->has_last[end - 1] = true;
   g->pieces[end - 1].last_offset = (uint32_t)last;
   return true;
}

/* Each round finds at least one number.  No program needs more rounds than
   these. */
#define MOST_ROUNDS 32

static DivideResult fill_grid(Cluster* c, Grid* g)
{
   bool news = true;

   for (int round = 0; news && round < MOST_ROUNDS; round++) {
      news = false;
      for (size_t i = 0; i < c->n_members; i++)
         if (!use_member(g, c->members[i].block, &news)) {
            c->where = c->members[i].block->offset;
            return DIVIDE_CONTRADICTION;
         }
   }
   return DIVIDED;
}

static DivideResult take_grid(Cluster* c, const Grid* g)
{
   for (size_t i = 0; i < c->n_members; i++) {
      Member* m = &c->members[i];
      size_t  k = place_of(g, m->block->offset);
      m->first_start = c->n_starts;
      m->n_starts = 0;
      for (; g->places[k] < block_end(m->block); k++) {
         MergedBlock piece = g->pieces[k];
         c->where = piece.offset;
         if (piece.n_instrs == 0 || (!g->has_last[k] && piece.n_instrs > 1))
            return DIVIDE_NEEDS_CODE;
         if (!good_shape(&piece))
            return DIVIDE_CONTRADICTION;
         add_start(c, m, piece.offset);
         add_piece(c, piece);
      }
   }
   unite_pieces(c);
   return DIVIDED;
}

DivideResult divide_by_numbers(Cluster* c)
{
   Grid         g = make_grid(c);
   DivideResult result = fill_grid(c, &g);

   if (result == DIVIDED)
      result = take_grid(c, &g);
   free(g.places);
   free(g.pieces);
   free(g.has_last);
   return result;
}
