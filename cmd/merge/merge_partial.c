/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Partial sums, read. */

/* Owns: reading MERGED of a partial sum.  Handed: loaded processes by
   merge_runs.c. */

#include "cmd/merge/merge_partial.h"

#include <stdlib.h>
#include <string.h>

/*--- Faults                                               ---*/

static bool fits_threads(const DcfgProcess* p)
{
   const DcfgMerged* s = p->merged;
   bool              keep = strcmp(s->threads, "keep") == 0;
   uint64_t          sum = 0, most = 0;

   if (!keep && strcmp(s->threads, "add") != 0)
      return false;
   for (uint32_t i = 0; i < s->n_runs; i++) {
      sum += s->runs[i].n_threads;
      if (s->runs[i].n_threads > most)
         most = s->runs[i].n_threads;
   }
   return (keep ? sum : most) == p->n_threads;
}

static bool fits_homes(const DcfgProcess* p)
{
   const DcfgMerged* s = p->merged;

   if (s->n_homes != p->n_images)
      return false;
   for (uint32_t i = 0; i < s->n_homes; i++)
      if (s->homes[i].image != i || s->homes[i].run >= s->n_runs)
         return false;
   return true;
}

/* Return whether each image of code without a file is in one group, and no
   other image is in any. */
static bool fits_groups(const Program* g)
{
   const DcfgMerged* s = g->p->merged;
   uint32_t*         n = zalloc(g->p->n_images, sizeof(*n));
   bool              fits = true;

   for (uint32_t i = 0; fits && i < s->n_groups; i++) {
      const DcfgMergedGroup* group = &s->groups[i];
      fits = group->n_runs > 0 && group->n_images > 0;
      for (uint32_t k = 0; k < group->n_runs; k++)
         fits = fits && group->runs[k] < s->n_runs;
      for (uint32_t k = 0; fits && k < group->n_images; k++) {
         fits = group->images[k] < g->p->n_images;
         n[fits ? group->images[k] : 0] += fits;
      }
   }
   for (uint32_t i = 0; fits && i < g->p->n_images; i++)
      fits = n[i] == (image_file(g, i)[0] != '/');
   free(n);
   return fits;
}

static bool fits_tables(const Program* g)
{
   const DcfgMerged* s = g->p->merged;

   for (uint32_t i = 0; i < s->n_rows; i++)
      if (s->rows[i].image >= g->p->n_images
          || s->rows[i].file >= g->d->n_files)
         return false;
   for (uint32_t i = 0; i < s->n_entries; i++)
      if (s->entries[i] >= g->p->n_blocks)
         return false;
   for (uint32_t i = 0; i < s->n_added; i++)
      if (s->added[i] >= g->p->n_edges)
         return false;
   for (uint32_t i = 0; i < s->n_overlapping; i++)
      if (s->overlapping[i] >= g->p->n_images)
         return false;
   return true;
}

const char* partial_fault(const Program* g)
{
   const DcfgMerged* s = g->p->merged;

   if (!fits_threads(g->p) || !fits_homes(g->p) || !fits_groups(g)
       || !fits_tables(g)
       || (strcmp(s->builds, "one") != 0 && strcmp(s->builds, "apart") != 0))
      return "what it says of itself as a partial sum does not fit";
   return NULL;
}

/*--- Runs and images                                      ---*/

MergedRun* partial_runs(const DcfgMerged* p)
{
   MergedRun* runs = zalloc(p->n_runs, sizeof(*runs));

   for (uint32_t i = 0; i < p->n_runs; i++) {
      const DcfgMergedRun* r = &p->runs[i];
      runs[i] = (MergedRun){ .id = r->id, .instrs = r->instr_count,
                             .hash = r->hash, .n_threads = r->n_threads,
                             .first_part = r->first_part, .part = r->part,
                             .last_part = r->last_part,
                             .n_before = r->n_preceding,
                             .n_after = r->n_following,
                             .before = (uint64_t*)r->preceding,
                             .after = (uint64_t*)r->following };
   }
   return runs;
}

/* Replace the rows of images for which MERGED has rows. */
static void take_rows(const Program* g, Interned* names, MergedImage* images)
{
   const DcfgMerged* s = g->p->merged;
   const char**      files = zalloc(g->d->n_files, sizeof(*files));
   size_t*           room = zalloc(g->p->n_images, sizeof(*room));

   for (uint32_t i = 0; i < s->n_rows; i++) {
      const DcfgMergedRow* r = &s->rows[i];
      MergedImage*         im = &images[r->image];
      if (room[r->image] == 0) {
         free(im->rows);
         im->rows = NULL;
         im->n_rows = 0;
      }
      if (files[r->file] == NULL)
         files[r->file] = intern(names, g->d->files[r->file].name);
      GROW(im->rows, im->n_rows, room[r->image]);
      im->rows[im->n_rows++] = (MergedRow){ files[r->file], r->offset, r->size,
                                            r->line, r->n_instrs };
   }
   for (uint32_t i = 0; i < g->p->n_images; i++)
      sort_rows(images[i].rows, images[i].n_rows);
   free(room);
   free(files);
}

bool* partial_images(const Program* g, Interned* names, MergedImage* images,
                     const uint32_t* number)
{
   const DcfgMerged* s = g->p->merged;
   bool*             added = zalloc(g->p->n_edges, sizeof(*added));

   for (uint32_t i = 0; i < s->n_homes; i++) {
      const DcfgMergedHome* home = &s->homes[i];
      MergedImage*          im = &images[i];
      im->home = home->run;
      im->number = home->number;
      im->turn = home->turn;
      im->load = home->load_addr;
      im->overlapping = false;
      for (uint32_t k = 0; k < im->n_blocks; k++)
         im->blocks[k].enters = false;
   }
   for (uint32_t i = 0; i < s->n_entries; i++) {
      uint32_t node = s->entries[i];
      if (number[node] != UINT32_MAX)
         images[g->p->nodes[node].image].blocks[number[node]].enters = true;
   }
   for (uint32_t i = 0; i < s->n_overlapping; i++)
      images[s->overlapping[i]].overlapping = true;
   for (uint32_t i = 0; i < s->n_added; i++)
      added[s->added[i]] = true;
   take_rows(g, names, images);
   return added;
}
