/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs, added to a sum. */

/* Owns: adding a file to a sum: a run, a part of one, or a partial sum.
   Handed: processes by cmd_merge.c.

   Images of the same name are the same.  A run may have several, generations of
   a mapping: then the first is the same as the other run's first, and so on.
   Code without a file, such as a JIT compiler's, is different in each run: see
   merge_groups.c. */

#include "cmd/merge/merge_runs.h"

#include "cmd/merge/merge_groups.h"
#include "cmd/merge/merge_hash.h"
#include "cmd/merge/merge_images.h"
#include "cmd/merge/merge_partial.h"
#include "cmd/merge/merge_parts.h"
#include "cmd/merge/merge_unite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bringing: a process that is being added. */
typedef
   struct {
      Addition             adding;
      const DcfgProcess* p;
      uint32_t           first_thread;
      uint32_t*          number;        // by node: number in its image;
                                        // UINT32_MAX: never executed
      bool*              added;         // by edge of a partial sum: no run has
                                        // it; or NULL
      uint64_t           idle;          // edges and blocks left out
   }
   Bringing;

/*--- Faults                                               ---*/

static const char* image_fault(const Program* g, uint32_t image)
{
   const DcfgImage* im = &g->p->images[image];

   if (im->file >= g->d->n_files)
      return text_format("image %" PRIu32 " has no FILE_NAME_ID", im->id);
   for (uint32_t i = 0; i < im->n_nodes; i++) {
      const DcfgNode* n = &g->p->nodes[im->first_node + i];
      if (n->addr < im->load_addr || n->size == 0 || n->n_instrs == 0
          || n->n_instrs > n->size || n->last_offset >= n->size
          || n->addr > UINT64_MAX - n->size
          || (i > 0 && n[-1].addr >= n->addr))
         return text_format("block %" PRIu32 " is no block of image %" PRIu32
                            "; dcfg check tells more", n->id, im->id);
   }
   return NULL;
}

static const char* edge_fault(const DcfgProcess* p, const DcfgEdge* e)
{
   if (e->type == DCFG_EDGE_OTHER)
      return text_format("edge %" PRIu32 " is of no type that format 1.00 has",
                         e->id);
   if (e->source >= p->n_nodes || e->target >= p->n_nodes)
      return text_format("edge %" PRIu32 " has no source or no target",
                         e->id);
   if (e->n_counts > p->n_threads)
      return text_format("edge %" PRIu32 " has counts of more threads than "
                         "there are", e->id);
   return NULL;
}

const char* run_fault(const Program* g)
{
   const DcfgProcess* p = g->p;
   const char*        fault = NULL;

   if (p->id > UINT32_MAX)
      return text_format("PROCESS_ID %" PRIu64 " does not fit", p->id);
   for (uint32_t i = p->n_blocks; i < p->n_nodes; i++)
      if (p->nodes[i].kind == DCFG_NODE_OTHER)
         return text_format("node %" PRIu32 " is of no kind that format 1.00 "
                            "has", p->nodes[i].id);
   for (uint32_t i = 0; fault == NULL && i < p->n_images; i++)
      fault = image_fault(g, i);
   for (uint32_t i = 0; fault == NULL && i < p->n_edges; i++)
      fault = edge_fault(p, &p->edges[i]);
   if (fault == NULL && p->merged != NULL)
      fault = partial_fault(g);
   return fault;
}

/*--- Edges                                                ---*/

/* Find the image and number of a node.  Return false for a block that is left
   out. */
static bool place_of_node(const Bringing* b, uint32_t node, uint32_t* image,
                          uint32_t* number)
{
   const DcfgNode* n = &b->p->nodes[node];

   *image = UINT32_MAX;
   switch (n->kind) {
      case DCFG_NODE_START:   *number = MERGED_START;   return true;
      case DCFG_NODE_END:     *number = MERGED_END;     return true;
      case DCFG_NODE_UNKNOWN: *number = MERGED_UNKNOWN; return true;
      default:
         *image = b->adding.place[n->image];
         *number = b->number[node];
         return *number != UINT32_MAX;
   }
}

static MergedStep step_of(uint32_t thread, uint32_t type, uint64_t count)
{
   return (MergedStep){ .thread = thread, .type = (uint16_t)type,
                        .passing = passing_of(type), .count = count };
}

static void put_edge(Bringing* b, const Renumber* r, uint32_t i)
{
   const DcfgProcess* p = b->p;
   const DcfgEdge*    e = &p->edges[i];
   Ends               ends;

   if ((e->count == 0 && !dcfg_is_bypass(e->type))
       || !place_of_node(b, e->source, &ends.source_image, &ends.source)
       || !place_of_node(b, e->target, &ends.target_image, &ends.target)) {
      b->idle++;
      return;
   }
   if (e->count == 0)
      put_step(&b->adding, r, ends, step_of(0, e->type, 0));
   for (uint32_t t = 0; t < e->n_counts && t < p->n_threads && e->count > 0;
        t++) {
      uint64_t n = dcfg_edge_count(p, i, t);
      if (n > 0)
         put_step(&b->adding, r, ends, step_of(b->first_thread + t, e->type,
                                               n));
   }
}

static void put_edges(Addition* a, const Renumber* r)
{
   Bringing* b = (Bringing*)a;

   for (uint32_t i = 0; i < b->p->n_edges; i++)
      if (b->added == NULL || !b->added[i])
         put_edge(b, r, i);
}

/* Put bypasses whose source blocks are in an earlier part. */
static void put_bypasses(Bringing* b, const Renumber* r)
{
   const DcfgPart* part = b->p->part;

   for (uint32_t i = 0; i < part->n_bypasses; i++) {
      const DcfgLateBypass* late = &part->bypasses[i];
      uint32_t              place, block;
      Ends                  ends;
      MergedStep            step = step_of(0, DCFG_EDGE_CONTEXT_CHANGE_BYPASS,
                                           0);
      if (!find_end(b->adding.m, late->image_number, late->offset, &place,
                    &block)
          || late->target == DCFG_NONE
          || !place_of_node(b, late->target, &ends.target_image,
                            &ends.target)) {
         complain("%s: a bypass leaves 0x%" PRIx64 " of image %" PRIu32 ", "
                  "where no part has a block: it is left out",
                  b->adding.path, late->offset,
                  late->image_number);
         continue;
      }
      step.source = block_id(r, place, block);
      step.target = ends.target_image == UINT32_MAX ? ends.target
                    : piece_id(r, ends.target_image, ends.target);
      add_step(&b->adding, step);
   }
}

static void put_part(Addition* a, const Renumber* r)
{
   Bringing* b = (Bringing*)a;

   put_edges(a, r);
   join_threads(a->m, b->p->part, a->steps, a->n_steps, a->path);
   put_bypasses(b, r);
}

/*--- Threads and runs                                     ---*/

static void add_threads(Bringing* b, bool keep)
{
   Merged*            m = b->adding.m;
   const DcfgProcess* p = b->p;
   uint64_t           n = keep ? (uint64_t)m->n_threads + p->n_threads
                          : p->n_threads;

   if (n >= UINT32_MAX)
      die("%s: there would be too many threads", b->adding.path);
   b->first_thread = keep ? m->n_threads : 0;
   if (n > m->n_threads) {
      m->thread_instrs = need(realloc(m->thread_instrs,
                                      n * sizeof(*m->thread_instrs)));
      memset(m->thread_instrs + m->n_threads, 0,
             (n - m->n_threads) * sizeof(*m->thread_instrs));
      m->n_threads = (uint32_t)n;
   }
   for (uint32_t t = 0; t < p->n_threads; t++) {
      add_exact(&m->thread_instrs[b->first_thread + t],
                dcfg_process_instrs(p, t), "instructions of a thread");
   }
}

static uint64_t* copy_counts(const uint64_t* from, uint32_t n)
{
   uint64_t* to = zalloc(n, sizeof(*to));

   if (n > 0)
      memcpy(to, from, n * sizeof(*to));
   return to;
}

/* Add N RUNS to M, with threads from FIRST_THREAD on. */
static void add_runs(Merged* m, const MergedRun* runs, uint32_t n,
                     uint32_t first_thread, const char* path)
{
   for (uint32_t i = 0; i < n; i++) {
      MergedRun* r;
      GROW(m->runs, m->n_runs, m->runs_room);
      r = &m->runs[m->n_runs++];
      *r = runs[i];
      r->path = path;
      r->first_thread = first_thread;
      first_thread += r->n_threads;
      r->before = copy_counts(r->before, r->n_before);
      r->after = copy_counts(r->after, r->n_after);
   }
}

MergedRun describe_run(const Program* g, const char* path)
{
   const DcfgProcess* p = g->p;
   MergedRun          r = { .path = path, .id = p->id,
                            .instrs = p->instr_count, .hash = run_hash(g),
                            .n_threads = p->n_threads };

   if (p->part == NULL || p->part->n_preceding != p->n_threads)
      return r;
   r.part = r.last_part = p->part->number;
   r.first_part = p->part->first;
   r.n_before = r.n_after = p->n_threads;
   r.before = copy_counts(p->part->preceding, p->n_threads);
   r.after = copy_counts(p->part->preceding, p->n_threads);
   for (uint32_t t = 0; t < p->n_threads; t++)
      add_exact(&r.after[t], dcfg_process_instrs(p, t),
                "instructions of a thread");
   return r;
}

/*--- The whole                                            ---*/

static Bringing bring(Merged* m, Interned* names, const Program* g,
                      const char* path, const char* root)
{
   Bringing b = { .adding = { .m = m, .path = path }, .p = g->p };
   Addition*  a = &b.adding;

   /* A part may have no blocks: nothing ran between two cuts. */
   m->with_blocks = m->with_blocks || g->p->n_blocks > 0;
   m->with_routines = m->with_routines || g->p->n_routines > 0;
   a->code = code_quiet(g, root);
   a->loaded = g->p->images;
   a->n_images = g->p->n_images;
   b.number = zalloc(g->p->n_blocks, sizeof(*b.number));
   a->images = read_images(g, names, b.number, &b.idle);
   return b;
}

static void end_bringing(Bringing* b)
{
   if (b->idle > 0)
      complain("%s: %s edges and blocks that were never executed are left "
               "out", b->adding.path, text_count(b->idle));
   code_free(b->adding.code);
   free_images(b->adding.images, b->adding.n_images);
   free(b->adding.place);
   free(b->number);
   free(b->added);
}

void merged_add(Merged* m, Interned* names, const Program* g,
                const MergedRun* run, const char* path, const char* root)
{
   const DcfgMerged* partial = g->p->merged;
   MergedRun*        runs = partial == NULL ? NULL : partial_runs(partial);
   uint32_t          first_run = m->n_runs;
   NewGroups*        groups;
   Bringing          b;

   if (partial != NULL && partial->n_runs == 0) {
      free(runs);
      return;
   }
   if (m->n_runs > 0 && m->with_blocks != (g->p->n_blocks > 0))
      die("%s: %s", path, m->with_blocks
          ? "it has no blocks, but other runs have" : "it has blocks, but "
                                                      "other runs have none");
   b = bring(m, names, g, path, root);
   add_threads(&b, m->keep);
   if (partial == NULL) {
      add_runs(m, run, 1, b.first_thread, path);
      number_turns(b.adding.images, b.adding.n_images, m->apart);
   } else {
      add_runs(m, runs, partial->n_runs, b.first_thread, path);
      b.added = partial_images(g, names, b.adding.images, b.number);
   }
   for (uint32_t i = 0; i < b.adding.n_images; i++)
      b.adding.images[i].home += first_run;
   b.adding.place = find_images(m, b.adding.images, b.adding.n_images);
   groups = find_groups(m, g, b.adding.images, b.number, first_run,
                        b.adding.place);
   b.adding.put = put_edges;
   unite_images(&b.adding);
   take_groups(m, groups, b.adding.place);
   end_bringing(&b);
   free(runs);
}

void merged_add_part(Merged* m, Interned* names, const Program* g,
                     const char* path, const char* root)
{
   Bringing b = bring(m, names, g, path, root);
   Addition*  a = &b.adding;

   m->process_id = g->p->id;
   part_images(g->p, a->images, path);
   a->place = find_numbers(m, g->p->part->image_numbers, a->n_images);
   a->next_part = true;
   add_threads(&b, false);
   a->put = put_part;
   unite_images(a);
   end_bringing(&b);
}
