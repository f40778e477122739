/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of one run. */

/* Owns: joining parts to a run, as far as it is not the same as adding runs.
   Handed: parts, in order, by merge_runs.c and cmd_merge.c.

   Where a run was cut, each thread has an EXIT edge in one part and an ENTRY
   edge in the next part in which it runs.  That part says which edge these
   stand for, or that the thread was in the middle of a block.  The pieces of
   such blocks are joined in the end. */

#include "cmd/merge/merge_parts.h"

#include <inttypes.h>
#include <stdlib.h>

/*--- Images                                               ---*/

void part_images(const DcfgProcess* p, MergedImage* images, const char* path)
{
   if (p->part->n_image_numbers != p->n_images
       || p->part->n_preceding != p->n_threads)
      die("%s: its key PART contradicts itself", path);
   for (uint32_t i = 0; i < p->n_images; i++) {
      images[i].number = p->part->image_numbers[i];
      /* A routine may begin where the run was cut. */
      for (uint32_t k = 0; k < images[i].n_blocks; k++)
         images[i].blocks[k].enters = false;
   }
}

static uint32_t find_number(const Merged* m, uint32_t number)
{
   for (uint32_t i = 0; i < m->n_images; i++)
      if (m->images[i].number == number)
         return i;
   return UINT32_MAX;
}

typedef
   struct {
      uint32_t number, place;
   }
   Numbered;

COMPARE(by_number, Numbered, UP(number))

uint32_t* find_numbers(const Merged* m, const uint32_t* numbers, uint32_t n)
{
   Numbered* all = zalloc(m->n_images, sizeof(*all));
   uint32_t* places = zalloc(n, sizeof(*places));

   for (uint32_t i = 0; i < m->n_images; i++)
      all[i] = (Numbered){ m->images[i].number, i };
   if (m->n_images > 0)
      qsort(all, m->n_images, sizeof(*all), by_number);
   for (uint32_t i = 0; i < n; i++) {
      const Numbered  key = { numbers[i], 0 };
      const Numbered* found = m->n_images == 0 ? NULL
                              : bsearch(&key, all, m->n_images, sizeof(*all),
                                        by_number);
      places[i] = found == NULL ? UINT32_MAX : found->place;
   }
   free(all);
   return places;
}

bool find_end(const Merged* m, uint32_t number, uint64_t offset,
              uint32_t* place, uint32_t* block)
{
   const MergedImage* im;

   *place = find_number(m, number);
   if (*place == UINT32_MAX)
      return false;
   im = &m->images[*place];
   for (*block = 0; *block < im->n_blocks; ++*block)
      if (im->blocks[*block].offset + im->blocks[*block].last_offset == offset)
         return true;
   return false;
}

/*--- Threads                                              ---*/

/* Exit: a thread's EXIT: the index of its count, or SIZE_MAX, and its
   source. */
typedef
   struct {
      size_t   count;
      uint32_t source;
   }
   Exit;

static Exit* list_exits(const Merged* m)
{
   Exit*  exits = zalloc(m->n_threads, sizeof(*exits));
   size_t next = 0;

   for (uint32_t t = 0; t < m->n_threads; t++)
      exits[t].count = SIZE_MAX;
   for (size_t i = 0; i < m->edges.n; i++) {
      const MergedEdge* e = &m->edges.all[i];
      size_t            end = next + e->n_counts;
      for (; next < end; next++)
         if (e->target == MERGED_END)
            exits[m->edges.counts[next].thread] = (Exit){ next, e->source };
   }
   return exits;
}

/* Return, by thread, the index of its ENTRY in STEPS, or SIZE_MAX. */
static size_t* list_entries(const MergedStep* steps, size_t n,
                            uint32_t n_threads)
{
   size_t* entries = zalloc(n_threads, sizeof(*entries));

   for (uint32_t t = 0; t < n_threads; t++)
      entries[t] = SIZE_MAX;
   for (size_t i = 0; i < n; i++)
      if (steps[i].count > 0 && steps[i].thread < n_threads
          && steps[i].source == MERGED_START)
         entries[steps[i].thread] = i;
   return entries;
}

void join_threads(Merged* m, const DcfgPart* part, MergedStep* steps,
                  size_t n_steps, const char* path)
{
   size_t* entries = list_entries(steps, n_steps, m->n_threads);
   Exit*   exits = list_exits(m);

   for (uint32_t i = 0; i < part->n_continued; i++) {
      const DcfgContinued* c = &part->continued[i];
      uint32_t             type = c->type == DCFG_NONE
                                  ? DCFG_EDGE_FALL_THROUGH : c->type;
      MergedStep*          over;
      MergedCount*          gone;
      if (c->thread >= m->n_threads || entries[c->thread] == SIZE_MAX
          || type == DCFG_EDGE_OTHER)
         die("%s: thread %" PRIu32 " is said to go on, and does nothing", path,
             c->thread);
      /* The part with the thread's EXIT is missing. */
      if (exits[c->thread].count == SIZE_MAX)
         continue;
      over = &steps[entries[c->thread]];
      gone = &m->edges.counts[exits[c->thread].count];
      over->source = exits[c->thread].source;
      over->type = (uint16_t)type;
      over->passing = c->type == DCFG_NONE ? PASSES_ONWARD : passing_of(type);
      over->count = count_of(*gone);
      *gone = merged_count(c->thread, 0);
      entries[c->thread] = SIZE_MAX;
      exits[c->thread].count = SIZE_MAX;
   }
   order_edges(&m->edges);
   free(entries);
   free(exits);
}

/*--- Blocks                                               ---*/

#define NOBODY  UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

typedef
   struct {
      Merged*   m;
      uint32_t  n;              // nodes
      uint32_t* from;           // by node: its only predecessor, NOBODY or
                                // SEVERAL
      uint32_t* to;             // by node: its only successor, likewise
      bool*     onward;         // by source
      uint32_t* root;           // by node: the block that it becomes part of
      uint32_t* id;             // by node: its new id
   }
   Joining;

static void note_end(uint32_t* ends, uint32_t node, uint32_t other)
{
   ends[node] = ends[node] == NOBODY || ends[node] == other ? other : SEVERAL;
}

static void read_edges(Joining* j)
{
   for (uint32_t i = 0; i < j->n; i++) {
      j->from[i] = j->to[i] = NOBODY;
      j->root[i] = i;
   }
   for (size_t i = 0; i < j->m->edges.n; i++) {
      const MergedEdge* e = &j->m->edges.all[i];
      if (e->n_counts == 0)
         continue;
      note_end(j->to, e->source, e->target);
      note_end(j->from, e->target, e->source);
      if (e->passing == PASSES_ONWARD)
         j->onward[e->source] = true;
   }
}

/* Find the roots of an image's blocks; the first one's id is FIRST.  A piece
   stands behind the one before it, so that one's root is known. */
static void find_roots(Joining* j, MergedImage* im, uint32_t first)
{
   char* sizes;

   for (uint32_t k = 0; k < im->n_blocks; k++) {
      const MergedBlock* b = &im->blocks[k];
      uint32_t           node = first + k, from = j->from[node];
      if (from < first || from >= node || !j->onward[from]
          || j->to[from] != node || im->blocks[from - first].offset
             + im->blocks[from - first].size != b->offset)
         continue;
      j->root[node] = j->root[from];
   }
   sizes = join_sizes(im, j->root + first, first);
   free(im->sizes);
   im->sizes = sizes;
   for (uint32_t k = 0; k < im->n_blocks; k++) {
      const MergedBlock* b = &im->blocks[k];
      MergedBlock*       root = &im->blocks[j->root[first + k] - first];
      if (root == b)
         continue;
      root->last_offset = (uint32_t)(b->offset - root->offset)
                          + b->last_offset;
      root->size += b->size;
      root->n_instrs += b->n_instrs;
   }
}

/* Give blocks new ids.  A block that became part of another one gets that one's
   id.  *NEXT: the next free id. */
static void renumber(Joining* j, MergedImage* im, uint32_t first,
                     uint32_t* next)
{
   uint32_t n = 0;

   for (uint32_t k = 0; k < im->n_blocks; k++) {
      uint32_t node = first + k;
      if (j->root[node] != node) {
         j->id[node] = j->id[j->root[node]];
         continue;
      }
      j->id[node] = (*next)++;
      im->blocks[n++] = im->blocks[k];
   }
   im->n_blocks = n;
}

/* Remove edges from a piece to the next piece of the same block. */
static void rename_edges(Joining* j)
{
   MergedEdges* edges = &j->m->edges;
   size_t       next = 0;

   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge* e = &edges->all[i];
      size_t      end = next + e->n_counts;
      bool        within = e->target >= MERGED_BLOCK
                           && j->root[e->target] != e->target;
      for (; next < end; next++)
         if (within)
            edges->counts[next] = merged_count(0, 0);
      e->source = j->id[e->source];
      e->target = j->id[e->target];
   }
   order_edges(edges);
}

/* Join rows, before blocks: the blocks' ends at cuts tell how far rows
   overlap. */
static void join_all_rows(Merged* m)
{
   for (uint32_t i = 0; i < m->n_images; i++) {
      MergedImage* im = &m->images[i];
      MergedRow*   rows;
      uint32_t     n;
      join_rows(im, &rows, &n);
      free(im->rows);
      im->rows = rows;
      im->n_rows = n;
   }
}

void join_blocks(Merged* m)
{
   Joining  j = { .m = m, .n = MERGED_BLOCK };
   uint32_t first = MERGED_BLOCK, next = MERGED_BLOCK;

   for (uint32_t i = 0; i < m->n_images; i++)
      j.n += m->images[i].n_blocks;
   join_all_rows(m);
   j.from = zalloc(j.n, sizeof(*j.from));
   j.to = zalloc(j.n, sizeof(*j.to));
   j.onward = zalloc(j.n, sizeof(*j.onward));
   j.root = zalloc(j.n, sizeof(*j.root));
   j.id = zalloc(j.n, sizeof(*j.id));
   read_edges(&j);
   for (uint32_t i = 0; i < MERGED_BLOCK; i++)
      j.id[i] = i;
   for (uint32_t i = 0; i < m->n_images; i++) {
      uint32_t n = m->images[i].n_blocks;
      find_roots(&j, &m->images[i], first);
      renumber(&j, &m->images[i], first, &next);
      first += n;
   }
   rename_edges(&j);
   free(j.from);
   free(j.to);
   free(j.onward);
   free(j.root);
   free(j.id);
}
