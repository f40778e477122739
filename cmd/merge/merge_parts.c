/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of one run. */

/* Owns: joining parts to a run, as far as it is not the same as adding runs.
   Handed: parts, in order, by merge_unite.c and cmd_merge.c.

   Where a run was cut, each thread has an EXIT edge in one part and an ENTRY
   edge in the next part in which it runs.  That part says which edge these
   stand for, or that the thread was in the middle of a block.  The pieces of
   such blocks are joined in the end. */

#include "cmd/merge/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- Threads                                              ---*/

/* Return a thread's EXIT in the sum, and the index of its count in *K; NULL if
   there is none. */
static const MergedEdge* exit_of(const MergedEdges* edges, uint32_t thread,
                                 size_t* k)
{
   *k = 0;
   for (size_t i = 0; i < edges->n; i++)
      for (size_t end = *k + edges->all[i].n_counts; *k < end; ++*k)
         if (edges->all[i].target == MERGED_END
             && edges->counts[*k].thread == thread
             && count_of(edges->counts[*k]) > 0)
            return &edges->all[i];
   return NULL;
}

/* Make of E, an ENTRY of a thread that goes on as C tells, the edge from its EXIT
   in the sum.  The part with that may be missing. */
static void continue_thread(Addition* a, const DcfgContinued* c, MergedEdge* e)
{
   bool              inside = c->type == DCFG_NONE;
   uint32_t          type = inside ? DCFG_EDGE_FALL_THROUGH : c->type;
   size_t            k;
   const MergedEdge* exit = exit_of(&a->m->edges, c->thread, &k);

   a->n_continued++;
   if (exit == NULL || type == DCFG_EDGE_OTHER)
      return;
   e->source = exit->source;
   e->type = (uint16_t)type;
   e->passing = inside ? PASSES_ONWARD : passing_of(type);
   a->m->edges.counts[k] = merged_count(c->thread, 0);
}

void put_entry_edges(Addition* a, MergedEdge e)
{
   const DcfgPart* part = a->part;

   for (uint32_t i = 0; i < e.n_counts; i++) {
      MergedEdge to = e;
      to.first += i;
      to.n_counts = 1;
      for (uint32_t k = 0; k < part->n_continued; k++)
         if (part->continued[k].thread == a->edges.counts[to.first].thread)
            continue_thread(a, &part->continued[k], &to);
      put_edge(&a->edges, to);
   }
}

/*--- Late bypasses                                        ---*/

/* Return the block that ends with the instruction at OFFSET, in the image with
   NUMBER; NO_ID if there is none. */
static uint32_t find_end(const Merged* m, uint32_t number, uint64_t offset)
{
   uint32_t           place = keymap_find(m->places, number);
   const MergedImage* im = place < m->n_images ? &m->images[place] : NULL;

   for (uint32_t i = 0; im != NULL && i < im->n_blocks; i++)
      if (im->blocks[i].offset + im->blocks[i].last_offset == offset)
         return im->blocks[i].id;
   return NO_ID;
}

void join_threads(Addition* a)
{
   const DcfgPart* part = a->part;

   if (a->n_continued != part->n_continued)
      die_part(a);
   drop_empty(&a->m->edges);
   for (uint32_t i = 0; i < part->n_bypasses; i++) {
      const DcfgLateBypass* late = &part->bypasses[i];
      MergedEdge            e = { find_end(a->m, late->image_number,
                                           late->offset),
                                  late->target == DCFG_NONE ? NO_ID
                                  : a->ids[late->target],
                                  DCFG_EDGE_CONTEXT_CHANGE_BYPASS, PASSES, 0,
                                  0 };
      if (e.source == NO_ID || e.target == NO_ID)
         complain("%s: a bypass leaves 0x%" PRIx64 " of image %" PRIu32 ", "
                  "where no part has a block: it is left out", a->path,
                  late->offset, late->image_number);
      else
         put_edge(&a->edges, e);
   }
}

/*--- Blocks                                               ---*/

#define SEVERAL (NO_ID - 1)

/* Joining: by id of a node. */
typedef
   struct {
      uint32_t* from;           // its only predecessor, NO_ID or SEVERAL
      uint32_t* to;             // its only successor, likewise
      bool*     onward;         // does control only fall through to it?
      uint32_t* root;           // the block that it becomes part of
   }
   Joining;

static void note_end(uint32_t* ends, uint32_t node, uint32_t other)
{
   ends[node] = ends[node] == NO_ID || ends[node] == other ? other : SEVERAL;
}

static void read_ends(Joining* j, const Merged* m)
{
   for (uint32_t i = 0; i < m->n_ids; i++) {
      j->from[i] = j->to[i] = NO_ID;
      j->root[i] = i;
   }
   for (size_t i = 0; i < m->edges.n; i++) {
      const MergedEdge* e = &m->edges.all[i];
      if (e->n_counts == 0)
         continue;
      note_end(j->to, e->source, e->target);
      note_end(j->from, e->target, e->source);
      if (e->passing == PASSES_ONWARD)
         j->onward[e->source] = true;
   }
}

/* Append B to the block TO, which ends where B begins.  A block with a piece of
   unknown sizes has unknown sizes. */
static void append(Merged* m, MergedBlock* to, const MergedBlock* b)
{
   to->last_offset = to->size + b->last_offset;
   to->size += b->size;
   to->n_instrs += b->n_instrs;
   to->sizes = to->sizes == NULL || b->sizes == NULL ? NULL
               : intern(m->names, text_format("%s%s", to->sizes, b->sizes));
}

/* Join the blocks of an image.  BY_ID has room for an index for each node. */
static void join_blocks(Merged* m, MergedImage* im, Joining* j,
                        uint32_t* by_id)
{
   uint32_t n = 0;

   for (uint32_t k = 0; k < im->n_blocks; k++) {
      const MergedBlock* b = &im->blocks[k];
      uint32_t           from = j->from[b->id];
      uint32_t           root = from < m->n_ids ? j->root[from] : NO_ID;
      if (root != NO_ID && by_id[root] < n && j->onward[from]
          && j->to[from] == b->id && im->blocks[by_id[root]].id == root
          && block_end(&im->blocks[by_id[root]]) == b->offset) {
         j->root[b->id] = root;
         append(m, &im->blocks[by_id[root]], b);
         continue;
      }
      by_id[b->id] = n;
      im->blocks[n++] = *b;
   }
   im->n_blocks = n;
}

/* Remove edges from a piece to the next piece of the same block; others leave
   the block. */
static void rename_edges(Merged* m, const uint32_t* root)
{
   MergedEdges moved = { 0 };
   size_t      next = 0;

   for (size_t i = 0; i < m->edges.n; i++) {
      MergedEdge* e = &m->edges.all[i];
      MergedEdge  to = *e;
      to.source = root[e->source];
      to.target = root[e->target];
      if ((to.target == e->target && to.source != e->source)
          || (to.target != e->target && e->n_counts == 0))
         put_edge_with(&moved, to, m->edges.counts + next, to.n_counts);
      next += e->n_counts;
      if (to.source != e->source || to.target != e->target)
         e->source = NO_ID;
   }
   drop_empty(&m->edges);
   add_edges(m, &moved);
}

void join_parts(Merged* m)
{
   Joining   j = { zalloc(m->n_ids, sizeof(*j.from)),
                   zalloc(m->n_ids, sizeof(*j.to)),
                   zalloc(m->n_ids, sizeof(*j.onward)),
                   zalloc(m->n_ids, sizeof(*j.root)) };
   uint32_t* by_id = zalloc(m->n_ids, sizeof(*by_id));

   read_ends(&j, m);
   for (uint32_t i = 0; i < m->n_images; i++) {
      MergedImage* im = &m->images[i];
      /* Before blocks: their ends at cuts tell how far rows overlap. */
      join_rows(im);
      free(im->rows);
      im->rows = im->joined;
      im->n_rows = im->n_joined;
      im->joined = NULL;
      join_blocks(m, im, &j, by_id);
   }
   rename_edges(m, j.root);
   FREE_ALL(j.from, j.to, j.onward, j.root, by_id);
}
