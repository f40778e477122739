/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs, added to a sum. */

/* Owns: what of a run is the same as in the runs before it.  Handed: runs by
   cmd_merge.c.  Taken by: cmd_merge.c.

   Images are the same if they have one name; of several with one name in a
   run, which are generations of a mapping, the first is the same as the first,
   and so on.  Code without a file, as compilers at run time make it, is another
   program's in another run: where it is not the same, it becomes an image of
   its own. */

#include "cmd/merge/merge_runs.h"

#include "cmd/machine/code.h"
#include "cmd/merge/merge_images.h"
#include "cmd/merge/merge_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A run while it is added. */
typedef
   struct {
      Merged*            m;
      const Program*     g;
      const DcfgProcess* p;
      const char*        path;
      AddHow             how;
      uint32_t           first_thread;
      MergedImage*       images;        // the run's
      uint32_t*          place;         // by image: its index in M
      uint32_t*          number;        // by block: its number in the image;
                                        // UINT32_MAX: never executed
      Code*              code;
      MergedStep*        steps;         // the run's, by new node ids
      size_t             n_steps, room;
      uint64_t           idle;          // edges and blocks left out
   }
   Adding;

/*--- The steps of a run                                   ---*/

static void add_step(Adding* a, MergedStep step)
{
   GROW(a->steps, a->n_steps, a->room);
   a->steps[a->n_steps++] = step;
}

/*--- Images                                               ---*/

/* In place of an offset. */
#define NOWHERE UINT64_MAX

static _Noreturn void die_other(const Adding* a, const MergedImage* im,
                                const char* what, uint64_t offset)
{
   die("%s: %s is not the one of the other runs: %s%s; other builds cannot be "
       "merged", a->path, text_clean(im->name), what,
       offset == NOWHERE ? ""
       : text_format(", at 0x%" PRIx64 " from where it is loaded", offset));
}

static bool has_file(const MergedImage* im)
{
   return im->name[0] == '/';
}

/* For divide_blocks(): the code of an image. */
typedef
   struct {
      const Adding* a;
      uint32_t      image;      // the run's
   }
   Decoding;

static bool decode(void* arg, uint64_t offset, uint32_t size, uint32_t n,
                   uint32_t* starts)
{
   const Decoding*  d = arg;
   const DcfgImage* im = &d->a->p->images[d->image];

   return code_starts(d->a->code, d->image, im->load_addr + offset, size, n,
                      starts);
}

/* Put the run's image I into the image TO of M.  If it is not the same and
   MAY_DIFFER, false. */
static bool put_into(Adding* a, uint32_t i, MergedImage* to, bool may_differ,
                     Division* d)
{
   MergedImage* from = &a->images[i];
   Decoding     decoding = { a, i };
   uint64_t     where = NOWHERE;
   const char*  other = NULL;
   MergedRow*   rows = NULL;
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
                             from->n_blocks, has_file(to) ? decode : NULL,
                             &decoding, d, &where);
      if (result == DIVIDE_NEEDS_CODE && !may_differ)
         die("%s: %s: what divides the block at 0x%" PRIx64 " from where it is "
             "loaded only its code tells, and that is not there; --root=DIR "
             "says where to look for it", a->path, text_clean(to->name),
             where);
      if (result != DIVIDED)
         other = "its instructions differ";
      else if (!merge_rows(to->rows, to->n_rows, from->rows, from->n_rows,
                           d->blocks, d->n, &rows, &n_rows, &where))
         other = "its source lines differ";
   }
   if (other != NULL && may_differ)
      return false;
   if (other != NULL)
      die_other(a, to, other, where);
   if (d->n_guessed > 0)
      complain("%s: %s: its code is not there; %s times numbers of "
               "instructions say how runs divide it, as if none overlapped "
               "(--root=DIR says where to look)", a->path,
               text_clean(to->name), text_count(d->n_guessed));
   take_image(to, from, d, rows, n_rows);
   return true;
}

/* Renumber: the new ids of the nodes of M, or of the run. */
typedef
   struct {
      const Division* divisions;        // by image of M
      const uint32_t* first;            // its first block's id, by image of M
      bool            second;           // take .b of a division
   }
   Renumber;

static const Pieces* pieces_of(const Renumber* r, uint32_t image)
{
   return r->second ? &r->divisions[image].b : &r->divisions[image].a;
}

/* The cuts of a block; how many goes to *N.  NULL if there are none. */
static const Cut* cuts_of(const Pieces* p, uint32_t block, uint32_t* n)
{
   uint32_t low = 0;

   BISECT(low, p->n_cuts, middle, p->cuts[middle].block < block);
   for (*n = 0; low + *n < p->n_cuts && p->cuts[low + *n].block == block; )
      ++*n;
   return *n == 0 ? NULL : p->cuts + low;
}

/* Ends: the ends of a step.  An end is a special node's id, in no image, or a
   block's number in an image of M. */
typedef
   struct {
      uint32_t source_image, source, target_image, target;
   }
   Ends;

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

/* Add steps between the pieces of a divided block: control that came to the
   block goes through all of them. */
static void put_cuts(Adding* a, const Renumber* r, Ends e, MergedStep step)
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

static void put_step(Adding* a, const Renumber* r, Ends e, MergedStep step)
{
   place_ends(r, e, &step.source, &step.target);
   add_step(a, step);
   put_cuts(a, r, e, step);
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

/* M's edges get new ids where they are; the run's steps, what divides
   blocks. */
static void move_edges(Adding* a, const Renumber* r, const uint32_t* image_of,
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

/* A node of the run; false: a block that is left out. */
static bool place_of_node(const Adding* a, uint32_t node, uint32_t* image,
                          uint32_t* number)
{
   const DcfgNode* n = &a->p->nodes[node];

   *image = UINT32_MAX;
   switch (n->kind) {
      case DCFG_NODE_START:   *number = MERGED_START;   return true;
      case DCFG_NODE_END:     *number = MERGED_END;     return true;
      case DCFG_NODE_UNKNOWN: *number = MERGED_UNKNOWN; return true;
      case DCFG_NODE_BLOCK:
         *image = a->place[n->image];
         *number = a->number[node];
         return *number != UINT32_MAX;
      default:
         die("%s: node %" PRIu32 " is of no kind that format 1.00 has",
             a->path, n->id);
   }
}

static MergedStep step_of(uint32_t thread, uint32_t type, uint64_t count)
{
   return (MergedStep){ .thread = thread, .type = (uint16_t)type,
                        .passing = passing_of(type), .count = count };
}

/* Bypasses from blocks that an earlier part has. */
static void put_bypasses(Adding* a, const Renumber* r)
{
   const DcfgPart* part = a->p->part;

   for (uint32_t i = 0; i < part->n_bypasses; i++) {
      const DcfgLateBypass* b = &part->bypasses[i];
      uint32_t              place, block;
      Ends                  ends;
      MergedStep            step = step_of(0, DCFG_EDGE_CONTEXT_CHANGE_BYPASS,
                                           0);
      if (!find_end(a->m, b->image_number, b->offset, &place, &block)
          || b->target == DCFG_NONE
          || !place_of_node(a, b->target, &ends.target_image, &ends.target)) {
         complain("%s: a bypass from 0x%" PRIx64 " in image %" PRIu32
                  ", where no part has a block", a->path, b->offset,
                  b->image_number);
         continue;
      }
      step.source = r->first[place] + block;
      step.target = r->first[ends.target_image]
                    + pieces_of(r, ends.target_image)->first[ends.target];
      add_step(a, step);
   }
}

static void put_edges(Adding* a, const Renumber* r)
{
   const DcfgProcess* p = a->p;

   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      Ends            ends;
      if (e->type == DCFG_EDGE_OTHER)
         die("%s: edge %" PRIu32 " is of no type that format 1.00 has",
             a->path, e->id);
      if (e->source >= p->n_nodes || e->target >= p->n_nodes)
         die("%s: edge %" PRIu32 " has no source or no target", a->path,
             e->id);
      if ((e->count == 0 && !dcfg_is_bypass(e->type))
          || !place_of_node(a, e->source, &ends.source_image, &ends.source)
          || !place_of_node(a, e->target, &ends.target_image, &ends.target)) {
         a->idle++;
         continue;
      }
      if (e->count == 0)
         put_step(a, r, ends, step_of(0, e->type, 0));
      for (uint32_t t = 0; t < e->n_counts && e->count > 0; t++) {
         uint64_t n = dcfg_edge_count(p, i, t);
         if (n > 0)
            put_step(a, r, ends, step_of(a->first_thread + t, e->type, n));
      }
   }
}

/* The images of M, each with the run's if there is one, are divided; steps are
   renumbered and united. */
static void unite(Adding* a, const uint32_t* old_first,
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
   put_edges(a, &r);
   if (a->how == NEXT_PART) {
      join_threads(a->m, a->p->part, a->steps, a->n_steps, a->path);
      put_bypasses(a, &r);
   }
   add_steps(&a->m->edges, a->steps, a->n_steps);
   free(a->steps);
   free(first);
}

/*--- A run                                                ---*/

static void add_threads(Adding* a)
{
   Merged*            m = a->m;
   const DcfgProcess* p = a->p;
   bool               keep = a->how == KEEP_THREADS;
   uint64_t           n = keep ? (uint64_t)m->n_threads + p->n_threads
                          : p->n_threads;

   if (n >= UINT32_MAX)
      die("%s: there would be too many threads", a->path);
   a->first_thread = keep ? m->n_threads : 0;
   if (n > m->n_threads) {
      m->thread_instrs = need(realloc(m->thread_instrs,
                                      n * sizeof(*m->thread_instrs)));
      memset(m->thread_instrs + m->n_threads, 0,
             (n - m->n_threads) * sizeof(*m->thread_instrs));
      m->n_threads = (uint32_t)n;
   }
   for (uint32_t t = 0; t < p->n_threads; t++) {
      uint64_t* sum = &m->thread_instrs[a->first_thread + t];
      uint64_t  instrs = dcfg_process_instrs(p, t);
      *sum = instrs > UINT64_MAX - *sum ? UINT64_MAX : *sum + instrs;
   }
}

/* An image that no run had before: the run has divided it. */
static void put_new(Adding* a, uint32_t i, uint32_t place, Division* d)
{
   MergedImage*       to = &a->m->images[place];
   const MergedImage* from = &a->images[i];

   whole_division(d, from->blocks, from->n_blocks);
   to->home = a->how == NEXT_PART ? 0 : a->m->n_runs;
   if (a->how == NEXT_PART)
      to->number = a->p->part->image_numbers[i];
   take_image(to, from, d, copy_rows(from), from->n_rows);
}

static void put_image(Adding* a, uint32_t i, Division* divisions,
                      bool* is_taken)
{
   uint32_t place = a->place[i];

   if (place != UINT32_MAX && !is_taken[place]) {
      MergedImage* to = &a->m->images[place];
      if (put_into(a, i, to, a->how != NEXT_PART && !has_file(to),
                   &divisions[place])) {
         is_taken[place] = true;
         return;
      }
   }
   place = a->place[i] = image_add(a->m, &a->images[i]);
   is_taken[place] = true;
   put_new(a, i, place, &divisions[place]);
}

static void put_images(Adding* a)
{
   Merged*   m = a->m;
   uint32_t  n_old = m->n_images;
   size_t    most = (size_t)n_old + a->p->n_images;
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
   for (uint32_t i = 0; i < a->p->n_images; i++)
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

void merged_add(Merged* m, Interned* names, const Program* g,
                const char* path, AddHow how, const char* root)
{
   Adding a = { .m = m, .g = g, .p = g->p, .path = path, .how = how };

   if (g->p->id > UINT32_MAX)
      die("%s: PROCESS_ID %" PRIu64 " does not fit", path, g->p->id);
   /* Nothing may have run between two cuts. */
   if (m->n_runs > 0 && m->with_blocks != (g->p->n_blocks > 0)
       && how != NEXT_PART)
      die("%s: %s", path, m->with_blocks
          ? "it has no blocks, other runs do" : "it has blocks, other runs "
          "have none");
   m->with_blocks = m->with_blocks || g->p->n_blocks > 0;
   m->with_routines = m->with_routines || g->p->n_routines > 0;
   if (m->n_runs == 0)
      m->process_id = g->p->id;
   a.code = code_quiet(g, root);
   a.number = zalloc(g->p->n_blocks, sizeof(*a.number));
   a.images = read_images(g, names, path, a.number, &a.idle);
   if (how == NEXT_PART)
      part_images(g->p, a.images, path);
   a.place = how == NEXT_PART
             ? find_numbers(m, g->p->part->image_numbers, g->p->n_images)
             : find_images(m, a.images, g->p->n_images);
   add_threads(&a);
   put_images(&a);
   if (a.idle > 0)
      complain("%s: %s edges and blocks that were never executed are left "
               "out", path, text_count(a.idle));
   if (how != NEXT_PART || m->n_runs == 0)
      m->n_runs++;
   code_free(a.code);
   free_images(a.images, g->p->n_images);
   free(a.place);
   free(a.number);
}

/*--- The order of runs ---*/

static uint64_t mix(uint64_t h, uint64_t n)
{
   h = (h ^ n) * 0x9e3779b97f4a7c15u;
   return h ^ (h >> 29);
}

static uint64_t mix_text(uint64_t h, const char* s)
{
   for (; *s != 0; s++)
      h = mix(h, (unsigned char)*s);
   return mix(h, 256);
}

uint64_t run_hash(const Program* g)
{
   const DcfgProcess* p = g->p;
   uint64_t           h = mix(0, p->n_threads);

   if (p->part != NULL)
      h = mix(mix(h, p->part->number), p->part->first);
   for (uint32_t i = 0; i < p->n_images; i++) {
      h = mix_text(h, image_file(g, i));
      h = mix(mix(h, p->images[i].load_addr), p->images[i].n_nodes);
      h = mix(mix(h, p->images[i].n_symbols), p->images[i].n_sources);
   }
   for (uint32_t i = 0; i < p->n_symbols; i++)
      h = mix(mix_text(h, p->symbols[i].name), p->symbols[i].addr);
   for (uint32_t i = 0; i < p->n_sources; i++)
      h = mix(mix(mix(h, p->sources[i].addr), p->sources[i].line),
              p->sources[i].size);
   for (uint32_t i = 0; i < p->n_blocks; i++)
      h = mix(mix(h, p->nodes[i].addr), p->nodes[i].n_instrs);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      h = mix(mix(mix(h, p->edges[i].source), p->edges[i].target),
              p->edges[i].type);
      for (uint32_t t = 0; t < p->n_threads; t++)
         h = mix(h, dcfg_edge_count(p, i, t));
   }
   return h;
}
