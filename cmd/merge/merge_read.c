/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A process of a file, read. */

/* Owns: which faults a file must not have, what tells an image from others in
   any run, and what a partial sum says of its runs.  Handed: loaded files by
   cmd_merge.c and merge_sum.c.

   An image of a file is the same in two runs if its name is; with
   --builds=apart, if its build is, too.  Code without a file, such as a JIT
   compiler's, is the same if all of its symbols and blocks are.  A run may have
   several images that are the same, generations of a mapping: the first is that
   of the other run's first, and so on.

   A partial sum has MERGED, which merge_write.c writes: the keys of the runs'
   order, and each image's first run.  Where the sum joined source rows, MERGED
   has the rows as the runs have them.  In images without symbols, it has the
   entries of the runs' routines. */

#include "cmd/merge/merge.h"

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

static const char* calls_fault(const DcfgProcess* p)
{
   for (uint32_t i = 0; i < p->calls->n_functions; i++) {
      const DcfgFunction* f = &p->calls->functions[i];
      if (f->n_self > p->n_threads || f->n_inclusive > p->n_threads)
         return text_format("function %" PRIu32 " of CALLS has costs of more "
                            "threads than there are", f->id);
   }
   for (uint32_t i = 0; i < p->calls->n_pairs; i++)
      if (p->calls->pairs[i].n_calls > p->n_threads
          || p->calls->pairs[i].n_inclusive > p->n_threads)
         return text_format("row %" PRIu32 " of PAIRS has counts of more "
                            "threads than there are", i + 1);
   return NULL;
}

/* Return whether N indices are all less than END. */
static bool fits_all(const uint32_t* indices, uint32_t n, uint32_t end)
{
   for (uint32_t i = 0; i < n; i++)
      if (indices[i] >= end)
         return false;
   return true;
}

/* Return whether a partial sum's MERGED fits it. */
static bool fits_sum(const Program* g)
{
   const DcfgProcess* p = g->p;
   const DcfgMerged*  s = p->merged;
   bool               keep = strcmp(s->threads, "keep") == 0;
   bool               apart = strcmp(s->builds, "apart") == 0;
   bool               fits = true;
   uint64_t           sum = 0, most = 0;

   for (uint32_t i = 0; i < s->n_runs; i++) {
      sum += s->runs[i].n_threads;
      if (s->runs[i].n_threads > most)
         most = s->runs[i].n_threads;
   }
   for (uint32_t i = 0; fits && i < s->n_homes; i++)
      fits = s->homes[i].image == i && s->homes[i].run < s->n_runs;
   for (uint32_t i = 0; fits && i < s->n_rows; i++)
      fits = s->rows[i].image < p->n_images && s->rows[i].file < g->d->n_files;
   return fits && (keep || strcmp(s->threads, "add") == 0)
          && (apart || strcmp(s->builds, "one") == 0)
          && (keep ? sum : most) == p->n_threads && s->n_homes == p->n_images
          && fits_all(s->entries, s->n_entries, p->n_blocks)
          && fits_all(s->overlapping, s->n_overlapping, p->n_images);
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
   if (fault == NULL && p->calls != NULL)
      fault = calls_fault(p);
   if (fault == NULL && p->merged != NULL && !fits_sum(g))
      fault = "what it says of itself as a partial sum does not fit";
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

/* Return a hash of each thread's instructions before a part, or behind it. */
static uint64_t position_hash(const DcfgProcess* p, bool behind)
{
   uint64_t h = 0;

   for (uint32_t t = 0; t < p->n_threads; t++) {
      uint64_t n = p->part->preceding[t];
      if (behind)
         add_exact(&n, dcfg_process_instrs(p, t), "instructions of a thread");
      if (n > 0)
         h = mix(mix(h, t), n);
   }
   return h;
}

MergedRun describe_run(const Program* g, const char* path)
{
   const DcfgProcess* p = g->p;
   DcfgMergedRun      key = { .id = p->id, .instr_count = p->instr_count,
                              .hash = run_hash(g), .n_threads = p->n_threads };

   if (p->part != NULL && p->part->n_preceding == p->n_threads) {
      key.part = key.last_part = p->part->number;
      key.first_part = p->part->first;
      key.begin = position_hash(p, false);
      key.end = position_hash(p, true);
   }
   return (MergedRun){ .path = path, .key = key, .next = NO_ID };
}

COMPARE(by_contents, MergedRun,
        UP(key.id) ?: UP(key.instr_count) ?: UP(key.hash))

int run_order(const void* a, const void* b)
{
   return by_contents(a, b);
}

/*--- Images                                               ---*/

static bool is_idle(const DcfgProcess* p, uint32_t node)
{
   uint64_t count = p->nodes[node].count;

   return (count == 0 || count == DCFG_NO_COUNT)
          && dcfg_node_inflow(p, node, DCFG_ALL_THREADS) == 0;
}

static void read_blocks(Addition* a, const DcfgImage* im, MergedImage* to)
{
   const DcfgProcess* p = a->g->p;
   const char*        sizes = im->instr_sizes;

   to->blocks = zalloc(im->n_nodes, sizeof(*to->blocks));
   for (uint32_t node = im->first_node; node < im->first_node + im->n_nodes;
        node++) {
      const DcfgNode* n = &p->nodes[node];
      const char*     digits = sizes;
      sizes += sizes == NULL ? 0 : n->n_instrs;
      if (is_idle(p, node)) {
         a->idle++;
         continue;
      }
      if (digits != NULL)
         digits = digits[0] == '0' ? NULL
                  : intern_part(a->m->names, digits, n->n_instrs);
      to->blocks[to->n_blocks++] = (MergedBlock){
         n->addr - im->load_addr, digits, n->size, n->n_instrs,
         n->last_offset, node & INT32_MAX,
         dcfg_routine_by_entry(p, node) != DCFG_NONE, 0 };
   }
}

static void read_symbols(const Addition* a, const DcfgImage* im, MergedImage* to)
{
   to->n_symbols = im->n_symbols;
   to->symbols = zalloc(im->n_symbols, sizeof(*to->symbols));
   for (uint32_t i = 0; i < im->n_symbols; i++) {
      const DcfgSymbol* s = &a->g->p->symbols[im->first_symbol + i];
      to->symbols[i] = (DcfgSymbol){ intern(a->m->names, s->name),
                                     s->addr - im->load_addr, s->size };
   }
}

COMPARE(by_place, MergedRow,
        UP(offset) ?: DOWN(size) ?: UP(line) ?: strcmp(x->file, y->file))

int row_order(const void* a, const void* b)
{
   return by_place(a, b);
}

static void sort_rows(MergedRow* rows, uint32_t n)
{
   for (uint32_t i = 1; i < n; i++)
      if (by_place(&rows[i - 1], &rows[i]) > 0) {
         qsort(rows, n, sizeof(*rows), by_place);
         return;
      }
}

/* Read the rows of SOURCE_DATA.  FILES: by file, its interned name, or NULL so
   far. */
static void read_rows(const Addition* a, const DcfgImage* im,
                      const char** files, MergedImage* to)
{
   const Dcfg* d = a->g->d;

   to->rows = zalloc(im->n_sources, sizeof(*to->rows));
   for (uint32_t i = 0; i < im->n_sources; i++) {
      const DcfgSource* s = &a->g->p->sources[im->first_source + i];
      if (s->file >= d->n_files || s->size > UINT32_MAX)
         continue;
      if (files[s->file] == NULL)
         files[s->file] = intern(a->m->names, d->files[s->file].name);
      to->rows[to->n_rows++] = (MergedRow){
         files[s->file], s->addr - im->load_addr, s->size, s->line,
         s->n_instrs };
   }
   sort_rows(to->rows, to->n_rows);
   for (uint32_t i = 1; i < to->n_rows; i++)
      if (to->rows[i].offset < row_end(&to->rows[i - 1]))
         to->overlapping = true;
}

static void read_images(Addition* a)
{
   const Dcfg*        d = a->g->d;
   const DcfgProcess* p = a->g->p;
   Interned*          names = a->m->names;
   const char**       files = zalloc(d->n_files, sizeof(*files));

   a->images = zalloc(p->n_images, sizeof(*a->images));
   for (uint32_t i = 0; i < p->n_images; i++) {
      const DcfgImage* im = &p->images[i];
      MergedImage*     to = &a->images[i];
      to->name = intern(names, d->files[im->file].name);
      to->home = (DcfgMergedHome){ .number = i, .load_addr = im->load_addr };
      to->size = im->size;
      if (im->build_id != NULL)
         to->build_id = intern(names, im->build_id);
      if (im->code_hash != NULL)
         to->code_hash = intern(names, im->code_hash);
      read_blocks(a, im, to);
      read_symbols(a, im, to);
      read_rows(a, im, files, to);
   }
   free(files);
}

/*--- Partial sums                                         ---*/

static void read_runs(Addition* a)
{
   const DcfgMerged* s = a->g->p->merged;
   uint32_t          thread = 0;

   a->n_runs = s->n_runs;
   a->runs = zalloc(s->n_runs, sizeof(*a->runs));
   for (uint32_t i = 0; i < s->n_runs; i++) {
      a->runs[i] = (MergedRun){ .path = a->path, .key = s->runs[i],
                                .first_thread = thread, .next = NO_ID };
      thread += s->runs[i].n_threads;
   }
}

/* Replace the rows of images for which MERGED has rows. */
static void replace_rows(Addition* a)
{
   const DcfgMerged* s = a->g->p->merged;
   size_t*           room = zalloc(a->g->p->n_images, sizeof(*room));

   for (uint32_t i = 0; i < s->n_rows; i++) {
      const DcfgMergedRow* r = &s->rows[i];
      MergedImage*         im = &a->images[r->image];
      if (room[r->image] == 0) {
         free(im->rows);
         im->rows = NULL;
         im->n_rows = 0;
      }
      GROW(im->rows, im->n_rows, room[r->image]);
      im->rows[im->n_rows++] = (MergedRow){
         intern(a->m->names, a->g->d->files[r->file].name), r->offset, r->size,
         r->line, r->n_instrs };
   }
   for (uint32_t i = 0; i < a->g->p->n_images; i++)
      sort_rows(a->images[i].rows, a->images[i].n_rows);
   free(room);
}

/* Turn what was read from a partial sum into what its runs had. */
static void read_partial(Addition* a)
{
   const DcfgMerged* s = a->g->p->merged;
   bool*             enters = zalloc(a->g->p->n_blocks, sizeof(*enters));

   read_runs(a);
   for (uint32_t i = 0; i < s->n_entries; i++)
      enters[s->entries[i]] = true;
   for (uint32_t i = 0; i < s->n_homes; i++) {
      MergedImage* im = &a->images[i];
      im->home = s->homes[i];
      im->overlapping = false;
      for (uint32_t k = 0; k < im->n_blocks; k++)
         im->blocks[k].enters = enters[im->blocks[k].begin];
   }
   for (uint32_t i = 0; i < s->n_overlapping; i++)
      a->images[s->overlapping[i]].overlapping = true;
   replace_rows(a);
   free(enters);
}

/*--- Which image is the same                              ---*/

/* Return a hash of code without a file. */
static uint64_t code_hash(const MergedImage* im)
{
   uint64_t h = mix(mix(1, im->n_blocks), im->n_symbols);

   for (uint32_t i = 0; i < im->n_symbols; i++)
      h = mix(mix(mix_text(h, im->symbols[i].name), im->symbols[i].addr),
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
static void find_keys(Addition* a)
{
   uint32_t  n = a->g->p->n_images;
   KeyMap*   kinds = keymap_new();
   uint32_t* turns = zalloc(n, sizeof(*turns));

   for (uint32_t i = 0; i < n; i++) {
      MergedImage* im = &a->images[i];
      const char*  same = identity(a->m, im);
      if (a->g->p->merged == NULL)
         im->home.turn = turns[keymap_number(kinds, (uintptr_t)same)]++;
      if (im->home.turn > 0)
         same = intern(a->m->names, text_format("%s\n%" PRIu32, same,
                                                im->home.turn));
      im->key = (uintptr_t)same;
   }
   free(turns);
   keymap_free(kinds);
}

void die_part(const Addition* a)
{
   die("%s: its key PART contradicts itself", a->path);
}

/* Give the images of a part their numbers in the run, which are their keys. */
static void number_images(Addition* a)
{
   const DcfgProcess* p = a->g->p;
   const DcfgPart*    part = a->part;

   if (part->n_image_numbers != p->n_images || part->n_preceding != p->n_threads)
      die_part(a);
   for (uint32_t i = 0; i < p->n_images; i++) {
      MergedImage* im = &a->images[i];
      im->key = im->home.number = part->image_numbers[i];
      /* A routine may begin where the run was cut. */
      for (uint32_t k = 0; k < im->n_blocks; k++)
         im->blocks[k].enters = false;
   }
}

void read_process(Addition* a, const MergedRun* run)
{
   const DcfgProcess* p = a->g->p;
   KeyMap*            keys = keymap_new();

   read_images(a);
   if (p->merged != NULL) {
      read_partial(a);
   } else if (run != NULL) {
      a->n_runs = 1;
      a->runs = zalloc(1, sizeof(*a->runs));
      *a->runs = *run;
   }
   if (a->part != NULL)
      number_images(a);
   else
      find_keys(a);
   for (uint32_t i = 0; i < p->n_images; i++)
      if (keymap_number(keys, a->images[i].key) != i)
         die("%s: what it says of its images contradicts itself", a->path);
   keymap_free(keys);
}
