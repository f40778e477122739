/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks of two runs, divided. */

/* Owns: how the blocks of one run are divided by those of another.  Handed: an
   image in a sum and in a process by merge_sum.c.

   A block was entered only at its first instruction and left only at its last
   one.  So the begin or end of a block in one run divides all blocks of other
   runs that have the same instructions there.  Where two blocks come from
   different instructions to the same one, a block begins at that one, too.

   Most blocks are the same in both runs.  The others are in clusters, which
   share no bytes with anything else.  Only the code tells for sure which
   instructions are the same: sizes of instructions in a recording, or the
   image's file.  Without the code, numbers of instructions mostly tell, by
   subtraction, provided that no jump leads into the middle of an
   instruction. */

#include "cmd/merge/merge.h"

#include "cmd/program/code.h"

#include "format/dcfg_tables.h"

/* Member: a block of the sum, of the process, or of both. */
typedef
   struct {
      const MergedBlock* old;
      const MergedBlock* new;
      const MergedBlock* shape; // one of them, with sizes if one has these
   }
   Member;

/* Cluster: blocks that share bytes, directly or through others, and the pieces
   that they are divided into. */
typedef
   struct {
      Addition*      a;
      Member*      members;     // by offset, then by size
      size_t       n_members, members_room;
      uint64_t     from, to;
      MergedBlock* blocks;      // the image's, done; then pieces, by offset
      uint32_t     n_done, n, room;
   }
   Cluster;

void die_other(const Addition* a, const char* what, uint64_t offset)
{
   die("%s: %s is not the build of the other runs: %s%s; merge each build by "
       "itself, or use --builds=apart", a->path,
       text_clean(a->images[a->image].name), what, offset == NOWHERE ? ""
       : text_format(", at 0x%" PRIx64 " from where it is loaded", offset));
}

uint32_t new_id(Addition* a)
{
   if (a->m->n_ids >= INT32_MAX)
      die("%s: there would be too many blocks", a->path);
   return a->m->n_ids++;
}

static const char OTHER[] = "its instructions differ";

static bool same_shape(const MergedBlock* a, const MergedBlock* b)
{
   return a->offset == b->offset && a->size == b->size
          && a->n_instrs == b->n_instrs && a->last_offset == b->last_offset;
}

COMPARE(by_offset, MergedBlock, UP(offset) ?: UP(size))

static void add_piece(Cluster* c, MergedBlock piece)
{
   piece.begin = piece.end = 0;
   piece.enters = false;
   piece.sizes = NULL;
   GROW(c->blocks, c->n, c->room);
   c->blocks[c->n++] = piece;
}

static MergedBlock* piece_at(const Cluster* c, uint64_t offset)
{
   uint32_t low = c->n_done;

   BISECT(low, c->n, middle, c->blocks[middle].offset < offset);
   return &c->blocks[low];
}

void close_code(Addition* a)
{
   if (a->code != NULL)
      code_free(a->code);
}

/*--- By the code                                          ---*/

/* Place: an instruction of the cluster's code. */
typedef
   struct {
      uint64_t at, end;         // .end: NOWHERE if members differ
      uint64_t before;          // the only instruction that leads here; NOWHERE:
                                // there are several, or a block begins here
      bool     ends;            // a block ends here
      uint32_t piece;           // index in .blocks
   }
   Place;

COMPARE(by_at, Place, UP(at))

/* Find where the N instructions of block B begin, relative to it.  Return false
   if the code is not known, or is other code. */
static bool find_starts(Addition* a, const MergedBlock* b, uint32_t* starts)
{
   uint32_t         n = b->n_instrs, at = 0;
   const DcfgImage* im = &a->g->p->images[a->image];

   if (b->sizes != NULL) {
      for (uint32_t i = 0; i < n; i++) {
         starts[i] = at;
         at += instr_size(b->sizes[i]);
      }
   } else {
      if (!has_file(&a->images[a->image]))
         return false;
      if (a->code == NULL)
         a->code = code_quiet(a->g, a->root);
      if (!code_starts(a->code, a->image, im->load_addr + b->offset, b->size,
                       n, starts))
         return false;
   }
   return starts[0] == 0 && starts[n - 1] == b->last_offset;
}

/* List the instructions of all members, each once, *N of them.  Return NULL if
   the code is not known. */
static Place* list_places(const Cluster* c, size_t* n)
{
   size_t    k = 0;
   uint32_t* starts;
   Place*    all;

   for (size_t i = 0; i < c->n_members; i++)
      k += c->members[i].shape->n_instrs;
   starts = zalloc(k, sizeof(*starts));
   all = zalloc(k, sizeof(*all));
   k = 0;
   for (size_t i = 0; i < c->n_members; i++) {
      const MergedBlock* b = c->members[i].shape;
      if (!find_starts(c->a, b, starts)) {
         FREE_ALL(starts, all);
         return NULL;
      }
      for (uint32_t j = 0, last = b->n_instrs - 1; j <= last; j++)
         all[k++] = (Place){ b->offset + starts[j],
                             b->offset + (j == last ? b->size : starts[j + 1]),
                             j == 0 ? NOWHERE : b->offset + starts[j - 1],
                             j == last, 0 };
   }
   free(starts);
   qsort(all, k, sizeof(*all), by_at);
   *n = 0;
   for (size_t i = 0; i < k; i++) {
      Place* last = &all[*n - (*n > 0)];
      if (*n == 0 || last->at != all[i].at) {
         all[(*n)++] = all[i];
         continue;
      }
      if (last->before != all[i].before)
         last->before = NOWHERE;
      if (last->end != all[i].end)
         last->end = NOWHERE;
      last->ends = last->ends || all[i].ends;
   }
   return all;
}

/* Make the pieces: an instruction belongs to the piece of the only one before
   it, unless a block ends there.  Return false if the code is not known. */
static bool divide_by_code(Cluster* c)
{
   size_t n = 0;
   Place* all = list_places(c, &n);

   for (size_t i = 0; i < n; i++) {
      Place*       p = &all[i];
      size_t       before = 0;
      MergedBlock* b;
      BISECT(before, i, middle, all[middle].at < p->before);
      p->piece = before == i || all[before].ends ? c->n : all[before].piece;
      if (p->piece == c->n)
         add_piece(c, (MergedBlock){ .offset = p->at });
      b = &c->blocks[p->piece];
      if (p->end == NOWHERE)
         die_other(c->a, OTHER, b->offset);
      b->n_instrs++;
      b->last_offset = (uint32_t)(p->at - b->offset);
      b->size = (uint32_t)(p->end - b->offset);
   }
   free(all);
   return n > 0;
}

/*--- By numbers alone                                     ---*/

/* A piece's number that is not known yet. */
#define UNKNOWN UINT32_MAX

COMPARE(by_value, uint64_t, ORDER(*x, *y))

/* Make a piece between any two neighbours among the begins and ends of
   members. */
static void make_grid(Cluster* c)
{
   uint64_t* at = zalloc(2 * c->n_members, sizeof(*at));
   size_t    n = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      at[n++] = c->members[i].shape->offset;
      at[n++] = block_end(c->members[i].shape);
   }
   qsort(at, n, sizeof(*at), by_value);
   for (size_t i = 1; i < n; i++)
      if (at[i] != at[i - 1])
         add_piece(c, (MergedBlock){ .offset = at[i - 1], .n_instrs = UNKNOWN,
                                     .size = (uint32_t)(at[i] - at[i - 1]),
                                     .last_offset = UNKNOWN });
   free(at);
}

/* Find numbers of instructions from member B: if only one of its pieces has
   none yet, that piece gets the rest.  Return whether it did. */
static bool use_member(Cluster* c, const MergedBlock* b)
{
   MergedBlock* unknown = NULL;
   MergedBlock* p;
   uint64_t     sum = 0, n_unknown = 0, last;

   for (p = piece_at(c, b->offset); true; p++) {
      if (p->n_instrs == UNKNOWN) {
         unknown = p;
         n_unknown++;
      } else {
         sum += p->n_instrs;
      }
      if (block_end(p) == block_end(b))
         break;
   }
   last = b->offset + b->last_offset - p->offset;
   if (sum > b->n_instrs || (n_unknown == 0 && sum < b->n_instrs)
       || b->n_instrs - sum < n_unknown
       || b->offset + b->last_offset < p->offset
       || (p->last_offset != UNKNOWN && p->last_offset != last))
      die_other(c->a, OTHER, b->offset);
   p->last_offset = (uint32_t)last;
   if (n_unknown == 1)
      unknown->n_instrs = (uint32_t)(b->n_instrs - sum);
   return n_unknown == 1;
}

static _Noreturn void die_without_code(const Cluster* c, uint64_t offset)
{
   die("%s: the runs divide the block at 0x%" PRIx64 " of %s in different "
       "ways, and its file is not there to tell how: --root=DIR names a "
       "directory to look below", c->a->path, offset,
       text_clean(c->a->images[c->a->image].name));
}

/* Each round finds at least one number.  No program needs more rounds than
   these. */
#define MOST_ROUNDS 32

static void divide_by_numbers(Cluster* c)
{
   bool news = true;

   make_grid(c);
   for (int round = 0; news && round < MOST_ROUNDS; round++) {
      news = false;
      for (size_t i = 0; i < c->n_members; i++)
         news = use_member(c, c->members[i].shape) || news;
   }
   for (uint32_t i = c->n_done; i < c->n; i++) {
      MergedBlock* p = &c->blocks[i];
      if (p->n_instrs == UNKNOWN
          || (p->last_offset == UNKNOWN && p->n_instrs > 1))
         die_without_code(c, p->offset);
      if (p->last_offset == UNKNOWN)
         p->last_offset = 0;
      if (p->n_instrs == 0 || p->n_instrs > p->size
          || p->last_offset >= p->size
          || (p->n_instrs == 1) != (p->last_offset == 0))
         die_other(c->a, OTHER, p->offset);
   }
   c->a->n_guessed++;
}

/*--- Pieces of blocks                                     ---*/

static void add_cut(Cuts* cuts, uint32_t block, const MergedBlock* from,
                    const MergedBlock* to)
{
   GROW(cuts->all, cuts->n, cuts->room);
   cuts->all[cuts->n++] = (Cut){ block, from->end, to->begin };
}

/* Give PIECE its sizes, which are those of block B behind the first N. */
static void put_sizes(const Cluster* c, MergedBlock* piece,
                      const MergedBlock* b, uint32_t n)
{
   const char* sizes = b->sizes;

   if (piece->n_instrs > b->n_instrs - n
       || !fits_instr_sizes(b->sizes + n, piece->n_instrs, piece->size,
                            piece->last_offset))
      die_other(c->a, OTHER, piece->offset);
   if (piece->n_instrs < b->n_instrs)
      sizes = intern_part(c->a->m->names, b->sizes + n, piece->n_instrs);
   if (piece->sizes != NULL && piece->sizes != sizes)
      die_other(c->a, OTHER, piece->offset);
   piece->sizes = sizes;
}

/* Put M's sizes into its pieces, and note where it is cut. */
static void put_member(Cluster* c, const Member* m)
{
   Addition*    a = c->a;
   MergedBlock* p = piece_at(c, m->shape->offset);
   uint32_t     n = 0;

   p->enters = p->enters || (m->old != NULL && m->old->enters)
               || (m->new != NULL && m->new->enters);
   if (m->new != NULL)
      a->begins[m->new->begin] = p->begin;
   while (true) {
      const MergedBlock* before = p;
      if (m->shape->sizes != NULL)
         put_sizes(c, p, m->shape, n);
      n += p->n_instrs;
      if (block_end(p) >= block_end(m->shape))
         break;
      p = piece_at(c, block_end(p));
      if (m->old != NULL)
         add_cut(&a->old, m->old->begin, before, p);
      if (m->new != NULL)
         add_cut(&a->new, m->new->begin, before, p);
   }
   if (m->new != NULL)
      a->ends[m->new->begin] = p->end;
}

/*--- Clusters                                             ---*/

/* Blocks of a run overlap no more than instructions do.  No program has more
   blocks at one byte than this. */
#define MOST_COVER 8

/* Return whether blocks of the sum overlap, or those of the process, as they do
   only where instructions do. */
static bool is_overlapping(const Cluster* c)
{
   uint64_t old_end = 0, new_end = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      const Member* m = &c->members[i];
      if ((m->old != NULL && m->old->offset < old_end)
          || (m->new != NULL && m->new->offset < new_end))
         return true;
      if (m->old != NULL)
         old_end = block_end(m->old);
      if (m->new != NULL)
         new_end = block_end(m->new);
   }
   return false;
}

/* Make the cluster's pieces.  If the sum or the process has all members, they
   are the pieces. */
static void make_pieces(Cluster* c)
{
   size_t   n_old = 0, n_new = 0;
   uint64_t covered = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      n_old += c->members[i].old != NULL;
      n_new += c->members[i].new != NULL;
      covered += c->members[i].shape->size;
   }
   if (n_old == c->n_members || n_new == c->n_members) {
      for (size_t i = 0; i < c->n_members; i++)
         add_piece(c, *c->members[i].shape);
      return;
   }
   if (covered > MOST_COVER * (c->to - c->from))
      die_other(c->a, OTHER, c->from);
   if (divide_by_code(c))
      return;
   if (is_overlapping(c))
      die_without_code(c, c->from);
   divide_by_numbers(c);
}

/* Give the first piece of a block of the sum its begin, and the last one its
   end. */
static void keep_ends(Cluster* c, const MergedBlock* old)
{
   MergedBlock* p = piece_at(c, old->offset);

   p->begin = old->begin;
   while (block_end(p) < block_end(old))
      p = piece_at(c, block_end(p));
   if (p->end != 0)
      die_other(c->a, OTHER, p->offset);
   p->end = old->end;
}

static void divide_cluster(Cluster* c)
{
   c->n_done = c->n;
   make_pieces(c);
   for (size_t i = 0; i < c->n_members; i++)
      if (c->members[i].old != NULL)
         keep_ends(c, c->members[i].old);
   for (uint32_t i = c->n_done; i < c->n; i++) {
      MergedBlock* b = &c->blocks[i];
      b->end = b->end != 0 ? b->end : new_id(c->a);
      b->begin = (b->begin != 0 ? b->begin : new_id(c->a)) & INT32_MAX;
   }
   for (size_t i = 0; i < c->n_members; i++)
      put_member(c, &c->members[i]);
   c->n_members = 0;
}

/* Add a block to the cluster.  A block that both have is one member. */
static void add_member(Cluster* c, const MergedBlock* old,
                       const MergedBlock* new)
{
   Member m = { old, new, old != NULL ? old : new };

   if (old != NULL && new != NULL && new->sizes != NULL) {
      if (old->sizes != NULL && old->sizes != new->sizes)
         die_other(c->a, OTHER, old->offset);
      m.shape = new;
   }
   if (c->n_members == 0)
      c->from = c->to = m.shape->offset;
   if (block_end(m.shape) > c->to)
      c->to = block_end(m.shape);
   GROW(c->members, c->n_members, c->members_room);
   c->members[c->n_members++] = m;
}

MergedBlock* divide_blocks(Addition* a, const MergedImage* x,
                           const MergedImage* y, uint32_t* n)
{
   Cluster            c = { .a = a };
   const MergedBlock* old = x->blocks;
   const MergedBlock* new = y->blocks;
   const MergedBlock* old_end = old + x->n_blocks;
   const MergedBlock* new_end = new + y->n_blocks;

   while (old < old_end || new < new_end) {
      int  order = old == old_end ? 1 : new == new_end ? -1
                   : by_offset(old, new);
      bool both = order == 0 && same_shape(old, new);
      if (c.n_members > 0 && (order <= 0 ? old : new)->offset >= c.to)
         divide_cluster(&c);
      add_member(&c, order <= 0 ? old : NULL, both || order > 0 ? new : NULL);
      old += order <= 0;
      new += both || order > 0;
   }
   if (c.n_members > 0)
      divide_cluster(&c);
   free(c.members);
   SHRINK(c.blocks, c.n, c.room);
   *n = c.n;
   return c.blocks;
}
