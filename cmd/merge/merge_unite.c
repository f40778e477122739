/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images with their edges, added to a sum. */

/* Owns: uniting images with those of a sum, and new ends for edges when
   blocks are divided.  Handed: images and edges by merge_runs.c and
   merge_groups.c. */

#include "cmd/merge/merge_unite.h"

#include "cmd/base/format.h"
#include "cmd/merge/merge_images.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void add_step(Addition* a, MergedStep step)
{
   GROW(a->steps, a->n_steps, a->room);
   a->steps[a->n_steps++] = step;
}

/*--- Images                                               ---*/

/* NOWHERE: in place of an offset. */
#define NOWHERE UINT64_MAX

static _Noreturn void die_other(const Addition* a, const MergedImage* im,
                                const char* what, uint64_t offset)
{
   die("%s: %s is not the build of the other runs: %s%s; merge each build by "
       "itself, or use --builds=apart", a->path, text_clean(im->name), what,
       offset == NOWHERE ? ""
       : text_format(", at 0x%" PRIx64 " from where it is loaded", offset));
}

/* Decoding: the code of an image, for divide_blocks(). */
typedef
   struct {
      const Addition* a;
      uint32_t      image;      // index in the run
      KnownSizes    sum, run;   // sizes that files of runs have
   }
   Decoding;

static bool decode(void* arg, uint64_t offset, uint32_t size, uint32_t n,
                   uint32_t* starts)
{
   const Decoding*  d = arg;
   uint64_t        load;

   if (known_starts(&d->sum, offset, size, n, starts)
       || known_starts(&d->run, offset, size, n, starts))
      return true;
   if (!has_file(d->sum.im))
      return false;
   load = d->a->loaded[d->image].load_addr;
   return code_starts(d->a->code, d->image, load + offset, size, n, starts);
}

/* Unite image I with the image TO of M.  Return false if it has other code and
   .may_differ. */
static bool put_into(Addition* a, uint32_t i, MergedImage* to, Division* d)
{
   MergedImage* from = &a->images[i];
   Decoding     decoding = { a, i, known_sizes(to), known_sizes(from) };
   uint64_t     where = NOWHERE;
   const char*  other = NULL;
   MergedRow*   rows = NULL;
   char*        sizes = NULL;
   uint32_t     n_rows = 0;
   DivideResult result;

   *d = (Division){ 0 };
   if (other_build(to, from)) {
      other = from->build_id != NULL ? "its build id differs"
              : "its code differs";
   } else if (!same_symbols(to, from, &where)) {
      other = "its symbols differ";
   } else {
      result = divide_blocks(to->blocks, to->n_blocks, from->blocks,
                             from->n_blocks, has_file(to) || to->sizes != NULL
                             || from->sizes != NULL ? decode : NULL,
                             &decoding, d, &where);
      if (result == DIVIDE_NEEDS_CODE && !a->may_differ)
         die("%s: the runs divide the block at 0x%" PRIx64 " of %s in "
             "different ways, and its file is not there to tell how: "
             "--root=DIR names a directory to look below", a->path,
             where, text_clean(to->name));
      if (result != DIVIDED || !divide_sizes(to, from, d, &sizes, &where))
         other = "its instructions differ";
      else if (!unite_rows(to->rows, to->n_rows, from->rows, from->n_rows,
                           &rows, &n_rows, &where))
         other = "its source lines differ";
   }
   free(decoding.sum.first);
   free(decoding.run.first);
   if (other != NULL && a->may_differ) {
      free(sizes);
      return false;
   }
   if (other != NULL)
      die_other(a, to, other, where);
   if (d->n_guessed > 0)
      complain("%s: there is no file %s: %s block%s divided by numbers of "
               "instructions alone; --root=DIR names a directory with the file",
               a->path, text_clean(to->name), text_count(d->n_guessed),
               d->n_guessed == 1 ? " is" : "s are");
   take_image(to, from, d, rows, n_rows, sizes);
   if (!a->next_part && run_order(&a->m->runs[from->home],
                                  &a->m->runs[to->home]) < 0)
      take_home(to, from);
   return true;
}

/* Renumber: new ids for the nodes of M's images, or of added ones. */
struct Renumber {
   const Division* divisions;           // by image of M
   const uint32_t* first;               // by image of M: its first block's id
   bool            second;              // for added images
};

static const Pieces* pieces_of(const Renumber* r, uint32_t image)
{
   return r->second ? &r->divisions[image].b : &r->divisions[image].a;
}

/* Return the cuts of a block, and their number in *N; NULL if there are
   none. */
static const Cut* cuts_of(const Pieces* p, uint32_t block, uint32_t* n)
{
   uint32_t low = 0;

   BISECT(low, p->n_cuts, middle, p->cuts[middle].block < block);
   for (*n = 0; low + *n < p->n_cuts && p->cuts[low + *n].block == block; )
      ++*n;
   return *n == 0 ? NULL : p->cuts + low;
}

static void place_ends(const Renumber* r, Ends e, uint32_t* source,
                       uint32_t* target)
{
   *source = e.source;
   if (e.source_image != UINT32_MAX)
      *source = r->first[e.source_image]
                + pieces_of(r, e.source_image)->last[e.source];
   *target = e.target;
   if (e.target_image != UINT32_MAX)
      *target = r->first[e.target_image]
                + pieces_of(r, e.target_image)->first[e.target];
}

/* Send the flow of STEP, from a block that is divided, through all pieces
   behind it. */
static void put_cuts(Addition* a, const Renumber* r, Ends e, MergedStep step)
{
   const Cut* cuts;
   uint32_t   n;

   if (e.target_image == UINT32_MAX || step.count == 0)
      return;
   step.type = DCFG_EDGE_FALL_THROUGH;
   step.passing = PASSES_ONWARD;
   cuts = cuts_of(pieces_of(r, e.target_image), e.target, &n);
   for (uint32_t i = 0; i < n; i++) {
      step.source = r->first[e.target_image] + cuts[i].from;
      step.target = r->first[e.target_image] + cuts[i].to;
      add_step(a, step);
   }
}

void put_step(Addition* a, const Renumber* r, Ends e, MergedStep step)
{
   place_ends(r, e, &step.source, &step.target);
   add_step(a, step);
   put_cuts(a, r, e, step);
}

uint32_t block_id(const Renumber* r, uint32_t place, uint32_t block)
{
   return r->first[place] + block;
}

uint32_t piece_id(const Renumber* r, uint32_t place, uint32_t block)
{
   return r->first[place] + pieces_of(r, place)->first[block];
}

/*--- Edges                                                ---*/

static void place_of_id(const uint32_t* image_of, const uint32_t* first,
                        uint32_t id, uint32_t* image, uint32_t* number)
{
   *image = UINT32_MAX;
   *number = id;
   if (id < MERGED_BLOCK)
      return;
   *image = image_of[id - MERGED_BLOCK];
   *number = id - first[*image];
}

/* Give M's edges their new ids, in place.  Edges at cuts are new steps. */
static void move_edges(Addition* a, const Renumber* r, const uint32_t* image_of,
                       const uint32_t* old_first)
{
   MergedEdges* edges = &a->m->edges;
   size_t       next = 0;

   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge* e = &edges->all[i];
      size_t      end = next + e->n_counts;
      Ends        ends;
      place_of_id(image_of, old_first, e->source, &ends.source_image,
                  &ends.source);
      place_of_id(image_of, old_first, e->target, &ends.target_image,
                  &ends.target);
      place_ends(r, ends, &e->source, &e->target);
      for (; next < end; next++) {
         MergedCount c = edges->counts[next];
         put_cuts(a, r, ends, (MergedStep){ .thread = c.thread,
                                            .count = count_of(c) });
      }
   }
   order_edges(edges);
}

/* Divide the images of M, each with the added one if there is one; renumber
   steps, and add them. */
static void unite(Addition* a, const uint32_t* old_first,
                  const uint32_t* image_of, const Division* divisions)
{
   uint32_t* first = zalloc((size_t)a->m->n_images + 1, sizeof(*first));
   Renumber  r = { divisions, first, false };
   uint64_t  n = MERGED_BLOCK;

   for (uint32_t i = 0; i < a->m->n_images; i++) {
      first[i] = (uint32_t)n;
      n += a->m->images[i].n_blocks;
   }
   if (n >= UINT32_MAX)
      die("%s: there would be too many blocks", a->path);
   move_edges(a, &r, image_of, old_first);
   r.second = true;
   a->put(a, &r);
   add_steps(&a->m->edges, a->steps, a->n_steps);
   free(a->steps);
   free(first);
}

/* Put an image that M does not have. */
static void put_new(Addition* a, uint32_t i, uint32_t place, Division* d)
{
   MergedImage*       to = &a->m->images[place];
   const MergedImage* from = &a->images[i];
   char*              sizes;
   uint64_t           where;

   whole_division(d, from->blocks, from->n_blocks);
   divide_sizes(to, from, d, &sizes, &where);
   take_image(to, from, d, copy_rows(from), from->n_rows, sizes);
}

static void put_image(Addition* a, uint32_t i, Division* divisions,
                      bool* is_taken)
{
   uint32_t place = a->place[i];

   if (place != UINT32_MAX && !is_taken[place]
       && put_into(a, i, &a->m->images[place], &divisions[place])) {
      is_taken[place] = true;
      return;
   }
   place = a->place[i] = image_add(a->m, &a->images[i]);
   is_taken[place] = true;
   put_new(a, i, place, &divisions[place]);
}

void unite_images(Addition* a)
{
   Merged*   m = a->m;
   uint32_t  n_old = m->n_images;
   size_t    most = (size_t)n_old + a->n_images;
   Division* divisions = zalloc(most, sizeof(*divisions));
   bool*     is_taken = zalloc(most, sizeof(*is_taken));
   uint32_t* old_first = zalloc((size_t)n_old + 1, sizeof(*old_first));
   uint32_t  n_blocks = 0;
   uint32_t* image_of;

   for (uint32_t i = 0; i < n_old; i++) {
      old_first[i] = MERGED_BLOCK + n_blocks;
      n_blocks += m->images[i].n_blocks;
   }
   image_of = zalloc(n_blocks, sizeof(*image_of));
   for (uint32_t i = 0, k = 0; i < n_old; i++)
      for (uint32_t b = 0; b < m->images[i].n_blocks; b++)
         image_of[k++] = i;
   for (uint32_t i = 0; i < a->n_images; i++)
      put_image(a, i, divisions, is_taken);
   for (uint32_t i = 0; i < n_old; i++)
      if (!is_taken[i])
         keep_division(&divisions[i], m->images[i].n_blocks);
   unite(a, old_first, image_of, divisions);
   for (uint32_t i = 0; i < m->n_images; i++)
      division_free(&divisions[i]);
   free(divisions);
   free(is_taken);
   free(old_first);
   free(image_of);
}
