/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks of two runs, divided. */

/* Owns: how blocks of one run are divided by those of another.  Handed: the
   blocks of an image in two runs, by merge_runs.c.

   A block was entered only at its first instruction and left only at its last
   one.  So the begin or end of a block in one run divides all blocks of other
   runs that have the same instructions there.  Where two blocks come from
   different instructions to the same one, a block begins at that one, too.

   Most blocks are the same in both runs.  The others are in clusters, which
   share no bytes with anything else.  Only the code tells for sure which
   instructions are the same.  Without the code, numbers of instructions mostly
   tell, by subtraction, provided that no jump leads into the middle of an
   instruction. */

#include "cmd/merge/merge_cluster.h"

#include <stdlib.h>

/* Blocks of a run overlap no more than instructions do.  No program has more
   blocks at one byte than this. */
#define MOST_COVER 8

static uint32_t number_of_piece(const Cluster* c, const Division* d,
                                uint64_t start)
{
   size_t low = 0;

   BISECT(low, c->n_pieces, middle, c->pieces[middle].offset < start);
   return d->n - (uint32_t)c->n_pieces + (uint32_t)low;
}

/* Note the pieces of member M in the list where it has NUMBER; UINT32_MAX: it
   is not in that list. */
static void note_pieces(const Cluster* c, const Division* d, const Member* m,
                        Pieces* p, uint32_t number)
{
   if (number == UINT32_MAX)
      return;
   for (size_t i = 0; i < m->n_starts; i++) {
      uint32_t piece = number_of_piece(c, d, c->starts[m->first_start + i]);
      if (i == 0) {
         p->first[number] = piece;
      } else {
         GROW(p->cuts, p->n_cuts, p->room);
         p->cuts[p->n_cuts++] = (Cut){ number, p->last[number], piece };
      }
      p->last[number] = piece;
   }
}

static void add_block(Division* d, MergedBlock block)
{
   GROW(d->blocks, d->n, d->room);
   d->blocks[d->n++] = block;
}

/* Take the members as they are, if one list has them all: then it divides the
   other. */
static bool take_whole(const Cluster* c, Division* d)
{
   size_t in_a = 0, in_b = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      in_a += c->members[i].in_a != UINT32_MAX;
      in_b += c->members[i].in_b != UINT32_MAX;
   }
   if (in_a < c->n_members && in_b < c->n_members)
      return false;
   for (size_t i = 0; i < c->n_members; i++) {
      const Member* m = &c->members[i];
      if (m->in_a != UINT32_MAX)
         d->a.first[m->in_a] = d->a.last[m->in_a] = d->n;
      if (m->in_b != UINT32_MAX)
         d->b.first[m->in_b] = d->b.last[m->in_b] = d->n;
      add_block(d, *m->block);
   }
   return true;
}

/* Return whether blocks of one list overlap, as they do only where instructions
   do. */
static bool is_overlapping(const Cluster* c)
{
   uint64_t end_a = 0, end_b = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      const Member* m = &c->members[i];
      if ((m->in_a != UINT32_MAX && m->block->offset < end_a)
          || (m->in_b != UINT32_MAX && m->block->offset < end_b))
         return true;
      if (m->in_a != UINT32_MAX)
         end_a = block_end(m->block);
      if (m->in_b != UINT32_MAX)
         end_b = block_end(m->block);
   }
   return false;
}

static DivideResult divide_cluster(Cluster* c, Division* d)
{
   uint64_t     from = c->members[0].block->offset, to = from, covered = 0;
   DivideResult result = DIVIDE_NEEDS_CODE;

   for (size_t i = 0; i < c->n_members; i++) {
      const MergedBlock* b = c->members[i].block;
      covered += b->size;
      if (block_end(b) > to)
         to = block_end(b);
   }
   c->where = from;
   c->n_pieces = c->n_starts = 0;
   if (covered > MOST_COVER * (to - from))
      return DIVIDE_CONTRADICTION;
   if (c->decode != NULL)
      result = divide_by_code(c);
   if (result == DIVIDE_NEEDS_CODE && !is_overlapping(c)) {
      result = divide_by_numbers(c);
      d->n_guessed++;
   }
   if (result != DIVIDED)
      return result;
   for (size_t i = 0; i < c->n_pieces; i++)
      add_block(d, c->pieces[i]);
   for (size_t i = 0; i < c->n_members; i++) {
      Member*  m = &c->members[i];
      uint32_t first = number_of_piece(c, d, m->block->offset);
      note_pieces(c, d, m, &d->a, m->in_a);
      note_pieces(c, d, m, &d->b, m->in_b);
      d->blocks[first].enters = d->blocks[first].enters || m->block->enters;
   }
   return DIVIDED;
}

/* Add a block to the cluster.  A block that both lists have is one member. */
static void add_member(Cluster* c, const MergedBlock* block, uint32_t in_a,
                       uint32_t in_b)
{
   GROW(c->members, c->n_members, c->members_room);
   c->members[c->n_members++] = (Member){ block, in_a, in_b, 0, 0 };
}

DivideResult divide_blocks(const MergedBlock* a, uint32_t n_a,
                           const MergedBlock* b, uint32_t n_b,
                           DecodeFn decode, void* arg, Division* d,
                           uint64_t* where)
{
   Cluster      c = { .decode = decode, .arg = arg };
   uint32_t     i = 0, j = 0;
   DivideResult result = DIVIDED;

   *d = (Division){ 0 };
   d->a.first = zalloc(n_a, sizeof(uint32_t));
   d->a.last = zalloc(n_a, sizeof(uint32_t));
   d->b.first = zalloc(n_b, sizeof(uint32_t));
   d->b.last = zalloc(n_b, sizeof(uint32_t));
   while (result == DIVIDED && (i < n_a || j < n_b)) {
      uint64_t end = 0;
      c.n_members = 0;
      while (i < n_a || j < n_b) {
         int                order = i == n_a ? 1 : j == n_b ? -1
                                    : by_offset(&a[i], &b[j]);
         const MergedBlock* next = order <= 0 ? &a[i] : &b[j];
         bool               both = order == 0 && same_block(&a[i], &b[j]);
         if (c.n_members > 0 && next->offset >= end)
            break;
         if (block_end(next) > end)
            end = block_end(next);
         add_member(&c, next, order <= 0 ? i : UINT32_MAX,
                    both ? j : order > 0 ? j : UINT32_MAX);
         if (both && b[j].enters && !a[i].enters)
            c.members[c.n_members - 1].block = &b[j];
         i += order <= 0;
         j += both || order > 0;
      }
      if (!take_whole(&c, d))
         result = divide_cluster(&c, d);
   }
   *where = c.where;
   free(c.members);
   free(c.pieces);
   free(c.starts);
   if (result != DIVIDED)
      division_free(d);
   return result;
}

static void pieces_free(Pieces* p)
{
   free(p->first);
   free(p->last);
   free(p->cuts);
}

void division_free(Division* d)
{
   free(d->blocks);
   pieces_free(&d->a);
   pieces_free(&d->b);
}
