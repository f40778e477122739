/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A process of a file, read as a sum of its own. */

/* Owns: what tells an image from others in any run, and which faults a file
   must not have.  Handed: loaded files by cmd_merge.c.

   An image of a file is the same in two runs if its name is; with
   --builds=apart, if its build is, too.  Code without a file, such as a JIT
   compiler's, is the same if all of its symbols and blocks are.  A run may have
   several images that are the same, generations of a mapping: the first is that
   of the other run's first, and so on. */

#include "cmd/merge/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/*--- Runs                                                 ---*/

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

/* Return a hash of all contents of a run, for the order of runs. */
static uint64_t run_hash(const Program* g)
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
   for (uint32_t i = 0; i < p->n_images; i++)
      if (p->images[i].instr_sizes != NULL)
         h = mix_text(mix(h, i), p->images[i].instr_sizes);
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
   r.before = zalloc(p->n_threads, sizeof(*r.before));
   r.after = zalloc(p->n_threads, sizeof(*r.after));
   for (uint32_t t = 0; t < p->n_threads; t++) {
      r.before[t] = r.after[t] = p->part->preceding[t];
      add_exact(&r.after[t], dcfg_process_instrs(p, t),
                "instructions of a thread");
   }
   return r;
}

/*--- Images                                               ---*/

static bool is_idle(const DcfgProcess* p, uint32_t node)
{
   uint64_t count = p->nodes[node].count;

   return (count == 0 || count == DCFG_NO_COUNT)
          && dcfg_node_inflow(p, node, DCFG_ALL_THREADS) == 0;
}

static void read_blocks(Incoming* in, const DcfgImage* im, MergedImage* to)
{
   const DcfgProcess* p = in->g->p;
   const char*        sizes = im->instr_sizes;

   to->blocks = zalloc(im->n_nodes, sizeof(*to->blocks));
   for (uint32_t i = 0; i < im->n_nodes; i++) {
      uint32_t        node = im->first_node + i;
      const DcfgNode* n = &p->nodes[node];
      MergedBlock*    b = &to->blocks[to->n_blocks];
      if (is_idle(p, node)) {
         in->idle++;
      } else {
         in->ids[node] = in->sum.n_ids++;
         *b = (MergedBlock){ n->addr - im->load_addr, NULL, n->size,
                             n->n_instrs, n->last_offset,
                             in->ids[node] & INT32_MAX,
                             dcfg_routine_by_entry(p, node) != DCFG_NONE };
         if (sizes != NULL && sizes[0] != '0')
            b->sizes = intern_part(in->sum.names, sizes, n->n_instrs);
         to->n_blocks++;
      }
      sizes += sizes == NULL ? 0 : n->n_instrs;
   }
}

static void read_symbols(const Incoming* in, const DcfgImage* im,
                         MergedImage* to)
{
   to->n_symbols = im->n_symbols;
   to->symbols = zalloc(im->n_symbols, sizeof(*to->symbols));
   for (uint32_t i = 0; i < im->n_symbols; i++) {
      const DcfgSymbol* s = &in->g->p->symbols[im->first_symbol + i];
      to->symbols[i] = (MergedSymbol){ intern(in->sum.names, s->name),
                                       s->addr - im->load_addr, s->size };
   }
}

COMPARE(by_place, MergedRow,
        UP(offset) ?: DOWN(size) ?: UP(line) ?: strcmp(x->file, y->file))

int row_order(const void* a, const void* b)
{
   return by_place(a, b);
}

void sort_rows(MergedRow* rows, uint32_t n)
{
   for (uint32_t i = 1; i < n; i++)
      if (by_place(&rows[i - 1], &rows[i]) > 0) {
         qsort(rows, n, sizeof(*rows), by_place);
         return;
      }
}

/* Read the rows of SOURCE_DATA.  FILES: by file, its interned name, or NULL so
   far. */
static void read_rows(const Incoming* in, const DcfgImage* im,
                      const char** files, MergedImage* to)
{
   const Dcfg* d = in->g->d;

   to->rows = zalloc(im->n_sources, sizeof(*to->rows));
   for (uint32_t i = 0; i < im->n_sources; i++) {
      const DcfgSource* s = &in->g->p->sources[im->first_source + i];
      if (s->file >= d->n_files || s->size > UINT32_MAX)
         continue;
      if (files[s->file] == NULL)
         files[s->file] = intern(in->sum.names, d->files[s->file].name);
      to->rows[to->n_rows++] = (MergedRow){
         files[s->file], s->addr - im->load_addr, s->size, s->line,
         s->n_instrs };
   }
   sort_rows(to->rows, to->n_rows);
   for (uint32_t i = 1; i < to->n_rows; i++)
      if (to->rows[i].offset < row_end(&to->rows[i - 1]))
         to->overlapping = true;
}

static void read_images(Incoming* in)
{
   const Dcfg*        d = in->g->d;
   const DcfgProcess* p = in->g->p;
   Interned*          names = in->sum.names;
   const char**       files = zalloc(d->n_files, sizeof(*files));

   in->sum.n_images = p->n_images;
   in->sum.images = zalloc(p->n_images, sizeof(*in->sum.images));
   for (uint32_t i = 0; i < p->n_images; i++) {
      const DcfgImage* im = &p->images[i];
      MergedImage*     to = &in->sum.images[i];
      to->name = intern(names, d->files[im->file].name);
      to->number = i;
      to->load = im->load_addr;
      to->size = im->size;
      if (im->build_id != NULL)
         to->build_id = intern(names, im->build_id);
      if (im->code_hash != NULL)
         to->code_hash = intern(names, im->code_hash);
      read_blocks(in, im, to);
      read_symbols(in, im, to);
      read_rows(in, im, files, to);
   }
   free(files);
}

/*--- Which image is the same                              ---*/

/* Return a hash of code without a file. */
static uint64_t code_hash(const MergedImage* im)
{
   uint64_t h = mix(mix(1, im->n_blocks), im->n_symbols);

   for (uint32_t i = 0; i < im->n_symbols; i++)
      h = mix(mix(mix_text(h, im->symbols[i].name), im->symbols[i].offset),
              im->symbols[i].size);
   for (uint32_t i = 0; i < im->n_blocks; i++) {
      const MergedBlock* b = &im->blocks[i];
      h = mix(mix(mix(mix(h, b->offset), b->size), b->n_instrs),
              b->last_offset);
      h = mix_text(h, b->sizes == NULL ? "" : b->sizes);
   }
   return h;
}

/* Return what is the same for images that only their turns can tell from each
   other. */
static const char* identity(const Merged* m, const MergedImage* im)
{
   const char* build = im->build_id != NULL ? im->build_id : im->code_hash;

   if (!has_file(im))
      build = text_format("%" PRIx64, code_hash(im));
   else if (!m->apart || build == NULL)
      build = "";
   return intern(m->names, text_format("%s\n%s", im->name, build));
}

/* Give images their turns, unless a partial sum has told them, and their
   keys. */
static void find_keys(Merged* m, bool has_turns)
{
   KeyMap*   kinds = keymap_new();
   uint32_t* n = zalloc(m->n_images, sizeof(*n));

   for (uint32_t i = 0; i < m->n_images; i++) {
      MergedImage* im = &m->images[i];
      const char*  same = identity(m, im);
      if (!has_turns)
         im->turn = n[keymap_number(kinds, (uintptr_t)same)]++;
      im->key = (uintptr_t)(im->turn == 0 ? same
                            : intern(m->names, text_format("%s\n%" PRIu32,
                                                           same, im->turn)));
   }
   free(n);
   keymap_free(kinds);
}

/*--- Edges                                                ---*/

static void add_count(Incoming* in, MergedEdge* e, uint32_t thread,
                      uint64_t count)
{
   MergedEdges* edges = &in->sum.edges;

   GROW(edges->counts, edges->n_counts, edges->counts_room);
   edges->counts[edges->n_counts++] = merged_count(thread, count);
   e->n_counts++;
   e->passing = passing_of(e->type);
}

/* Read the edges, but for those that no run has, if ADDED tells these. */
static void read_edges(Incoming* in, const bool* added)
{
   const DcfgProcess* p = in->g->p;
   MergedEdges*       edges = &in->sum.edges;

   edges->all = zalloc(p->n_edges, sizeof(*edges->all));
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      MergedEdge      to = { in->ids[e->source], in->ids[e->target],
                             (uint16_t)e->type, PASSES, 0,
                             (uint32_t)edges->n_counts };
      if (added != NULL && added[i])
         continue;
      if ((e->count == 0 && !dcfg_is_bypass(e->type)) || to.source == NO_ID
          || to.target == NO_ID) {
         in->idle++;
         continue;
      }
      for (uint32_t t = 0; t < e->n_counts && e->count > 0; t++) {
         uint64_t n = dcfg_edge_count(p, i, t);
         if (n > 0)
            add_count(in, &to, t, n);
      }
      if (e->count == 0 || to.n_counts > 0)
         edges->all[edges->n++] = to;
      if (edges->n_counts >= UINT32_MAX)
         die("%s: there are too many counts in it", in->path);
   }
}

/*--- The whole                                            ---*/

Merged merged_new(Interned* names, bool keep, bool apart)
{
   return (Merged){ .names = names, .keep = keep, .apart = apart,
                    .places = keymap_new(), .n_ids = MERGED_BLOCK };
}

void merged_free(Merged* m)
{
   for (uint32_t i = 0; i < m->n_images; i++) {
      free(m->images[i].blocks);
      free(m->images[i].symbols);
      free(m->images[i].rows);
   }
   for (uint32_t i = 0; i < m->n_runs; i++) {
      free(m->runs[i].before);
      free(m->runs[i].after);
   }
   free(m->images);
   free(m->runs);
   free(m->edges.all);
   free(m->edges.counts);
   free(m->thread_instrs);
   keymap_free(m->places);
}

static void find_special_nodes(Incoming* in)
{
   const DcfgProcess* p = in->g->p;

   for (uint32_t i = 0; i < p->n_nodes; i++)
      switch (p->nodes[i].kind) {
         case DCFG_NODE_START:   in->ids[i] = MERGED_START; break;
         case DCFG_NODE_END:     in->ids[i] = MERGED_END; break;
         case DCFG_NODE_UNKNOWN: in->ids[i] = MERGED_UNKNOWN; break;
         default:                in->ids[i] = NO_ID;
      }
}

Incoming read_process(const Merged* m, const Program* g, MergedRun* run,
                      bool next_part, const char* path, const char* root)
{
   const DcfgProcess* p = g->p;
   Incoming           in = { merged_new(m->names, m->keep, m->apart), g, path,
                             root, zalloc(p->n_nodes, sizeof(*in.ids)), NULL,
                             0 };
   Merged*            sum = &in.sum;
   bool*              added = NULL;

   find_special_nodes(&in);
   read_images(&in);
   if (p->merged != NULL) {
      added = read_partial(&in);
   } else if (run != NULL) {
      GROW(sum->runs, sum->n_runs, sum->runs_room);
      sum->runs[sum->n_runs++] = *run;
   }
   if (next_part)
      number_parts(&in);
   else
      find_keys(sum, p->merged != NULL);
   for (uint32_t i = 0; i < sum->n_images; i++)
      if (keymap_number(sum->places, sum->images[i].key) != i)
         die("%s: what it says of its images contradicts itself", path);
   read_edges(&in, added);
   free(added);
   sum->with_blocks = p->n_blocks > 0;
   sum->with_routines = p->n_routines > 0;
   sum->n_threads = p->n_threads;
   sum->thread_instrs = zalloc(p->n_threads, sizeof(*sum->thread_instrs));
   for (uint32_t t = 0; t < p->n_threads; t++)
      sum->thread_instrs[t] = dcfg_process_instrs(p, t);
   return in;
}

void free_incoming(Incoming* in)
{
   if (in->idle > 0)
      complain("%s: %s edges and blocks that were never executed are left "
               "out", in->path, text_count(in->idle));
   merged_free(&in->sum);
   free(in->ids);
   free(in->first);
}
