/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writing merged runs. */

/* Owns: the way from a sum of runs to the tool's own graph, which finds
   routines and loops and writes the file.  Handed: sums by cmd_merge.c; load
   addresses by merge_places.c. */

#include "cmd/merge/merge.h"
#include "cmd/merge/merge_tables.h"

#include "dcfg_json.h"
#include "tool/graph/routine.h"

/* Writing: a process on its way into the file. */
typedef
   struct {
      Merged*       m;
      uint32_t*     order;      // images in the order of the file
      uint32_t*     new_id;     // by node
      Graph         graph;
      JsonImage*    images;
      MergedRow**   rows;       // by image of M, joined
      uint32_t*     n_rows;
      Edge*         added;      // call bypasses that no run has
      uint32_t      n_added;
      bool*         rows_differ;        // by image: .rows differ from M's own
      PartialTables partial;
      char*         sizes;      // instructions' sizes
      JsonDcfg      json;
   }
   Writing;

/*--- The order of images                                  ---*/

typedef
   struct {
      uint64_t load;
      uint32_t home, number, index;
   }
   Placed;

COMPARE(by_load, Placed, UP(load) ?: UP(home) ?: UP(number) ?: UP(index))

static void order_images(Writing* w)
{
   uint32_t  n = w->m->n_images;
   uint64_t* load = find_places(w->m);
   Placed*   placed = zalloc(n, sizeof(*placed));

   for (uint32_t i = 0; i < n; i++)
      placed[i] = (Placed){ load[i], w->m->images[i].home,
                            w->m->images[i].number, i };
   if (n > 0)
      qsort(placed, n, sizeof(*placed), by_load);
   w->order = zalloc(n, sizeof(*w->order));
   w->images = zalloc(n, sizeof(*w->images));
   for (uint32_t i = 0; i < n; i++) {
      w->order[i] = placed[i].index;
      w->images[i].info.load = placed[i].load;
   }
   free(placed);
   free(load);
}

/*--- Blocks and edges                                     ---*/

static void put_blocks(Writing* w)
{
   const Merged* m = w->m;
   uint32_t*     first = zalloc((size_t)m->n_images + 1, sizeof(*first));
   uint32_t      n = 0;

   for (uint32_t i = 0; i < m->n_images; i++) {
      first[i] = n;
      n += m->images[i].n_blocks;
   }
   w->new_id = zalloc((size_t)MERGED_BLOCK + n, sizeof(*w->new_id));
   w->graph.blocks = zalloc(n, sizeof(Block));
   for (uint32_t i = 0; i < MERGED_BLOCK; i++)
      w->new_id[i] = i;
   for (uint32_t i = 0; i < m->n_images; i++) {
      const MergedImage* im = &m->images[w->order[i]];
      for (uint32_t k = 0; k < im->n_blocks; k++) {
         const MergedBlock* b = &im->blocks[k];
         w->new_id[MERGED_BLOCK + first[w->order[i]] + k]
            = NodeFirstBlock + w->graph.n_blocks;
         w->graph.blocks[w->graph.n_blocks++] = (Block){
            w->images[i].info.load + b->offset, i, b->size, b->n_instrs,
            b->last_offset, 0 };
      }
   }
   free(first);
}

COMPARE(by_ends, Edge, UP(source) ?: UP(target))

static void sort_edges(Graph* g)
{
   if (g->n_edges > 0)
      qsort(g->edges, g->n_edges, sizeof(*g->edges), by_ends);
}

/* Return the block that begins where B ends, in the same image; or NULL. */
static const Block* block_behind(const Graph* g, const Block* b)
{
   for (const Block* to = b + 1; to < g->blocks + g->n_blocks
        && to->image == b->image && to->addr <= b->addr + b->size; to++)
      if (to->addr == b->addr + b->size)
         return to;
   return NULL;
}

/* Add the call bypasses that no run has: one run called, and another one saw
   the return.  Edges are in order; behind them is room for one edge a block. */
static void add_call_bypasses(Writing* w)
{
   Graph* g = &w->graph;
   bool* calls = zalloc((size_t)NodeFirstBlock + g->n_blocks, sizeof(bool));
   bool* returned = zalloc((size_t)NodeFirstBlock + g->n_blocks, sizeof(bool));
   UInt  n = g->n_edges;

   for (UInt i = 0; i < n; i++) {
      const Edge* e = &g->edges[i];
      if (e->n_counts == 0)
         continue;
      if (e->type == EdgeDirectCall || e->type == EdgeIndirectCall)
         calls[e->source] = true;
      if (e->type == EdgeReturn)
         returned[e->target] = true;
   }
   for (UInt b = 0; b < g->n_blocks; b++) {
      const Block* site = calls[NodeFirstBlock + b]
                          ? block_behind(g, &g->blocks[b]) : NULL;
      Edge         e = { NodeFirstBlock + b, 0, EdgeCallBypass, 0, 0 };
      if (site == NULL)
         continue;
      e.target = NodeFirstBlock + (UInt)(site - g->blocks);
      if (returned[e.target]
          && (n == 0 || bsearch(&e, g->edges, n, sizeof(e), by_ends) == NULL))
         g->edges[g->n_edges++] = e;
   }
   free(calls);
   free(returned);
   w->n_added = g->n_edges - n;
   w->added = zalloc(w->n_added, sizeof(*w->added));
   if (w->n_added > 0)
      memcpy(w->added, g->edges + n, w->n_added * sizeof(*w->added));
   sort_edges(g);
}

/* Take M's counts, in place, as the graph has them.  These are longer, so go
   from the end. */
static EdgeCount* take_counts(MergedEdges* m)
{
   EdgeCount*  to = need(realloc(m->counts, (m->n_counts + 1) * sizeof(*to)));
   const char* from = (const char*)to;

   _Static_assert(sizeof(MergedCount) <= sizeof(EdgeCount), "one place");
   for (size_t i = m->n_counts; i-- > 0; ) {
      MergedCount c;
      memcpy(&c, from + i * sizeof(c), sizeof(c));
      to[i] = (EdgeCount){ c.thread, count_of(c) };
   }
   m->counts = NULL;
   return to;
}

/* Put M's edges with new ids. */
static void put_edges(Writing* w)
{
   Graph*       g = &w->graph;
   MergedEdges* m = &w->m->edges;
   UInt         first = 0;

   if (m->n + g->n_blocks >= UINT32_MAX || m->n_counts >= UINT32_MAX)
      die("there would be too many edges");
   g->edges = zalloc(m->n + g->n_blocks, sizeof(*g->edges));
   g->counts = take_counts(m);
   for (size_t i = 0; i < m->n; i++) {
      const MergedEdge* e = &m->all[i];
      Edge*             to = &g->edges[g->n_edges++];
      /* DcfgEdgeType has the format's types in the same order, from EdgeEntry
         on. */
      *to = (Edge){ w->new_id[e->source], w->new_id[e->target],
                    (UChar)(EdgeEntry + e->type), first, e->n_counts };
      first += e->n_counts;
      for (UInt c = to->first_count; c < first
           && to->target >= NodeFirstBlock; c++) {
         uint64_t sum = g->blocks[to->target - NodeFirstBlock].count;
         add_exact(&sum, g->counts[c].count, "executions of a block");
         g->blocks[to->target - NodeFirstBlock].count = sum;
      }
   }
   free_edges(m);
   sort_edges(g);
   add_call_bypasses(w);
}

/*--- Symbols and files                                    ---*/

/* Return the first symbol at the address of the symbol that has OFFSET inside;
   N_SYMBOLS if none has. */
static uint32_t symbol_around(const MergedImage* im, uint64_t offset)
{
   uint32_t low = 0;

   BISECT(low, im->n_symbols, middle, im->symbols[middle].offset <= offset);
   if (low == 0
       || offset - im->symbols[low - 1].offset >= im->symbols[low - 1].size)
      return im->n_symbols;
   low--;
   while (low > 0
          && im->symbols[low - 1].offset == im->symbols[low].offset)
      low--;
   return low;
}

/* Return the symbols of blocks, which divide a program into routines as in the
   tool.  In an image without symbols, a jump leads to another function if its
   target was a routine's entry in some run. */
static BlockSymbol* find_symbols(const Writing* w)
{
   const Merged* m = w->m;
   BlockSymbol*  symbols = zalloc(w->graph.n_blocks, sizeof(*symbols));
   uint32_t      before = 0, b = 0;

   for (uint32_t i = 0; i < m->n_images; i++) {
      const MergedImage* im = &m->images[w->order[i]];
      for (uint32_t k = 0; k < im->n_blocks; k++, b++) {
         uint32_t s = symbol_around(im, im->blocks[k].offset);
         if (im->n_symbols == 0) {
            symbols[b].function = before + k + 1;
            symbols[b].starts = im->blocks[k].enters;
         } else if (s < im->n_symbols) {
            symbols[b].function = before + s + 1;
            symbols[b].starts = im->symbols[s].offset == im->blocks[k].offset;
         }
      }
      before += im->n_symbols == 0 ? im->n_blocks : im->n_symbols;
   }
   return symbols;
}

/* Files: the rows of FILE_NAMES: images in their order, then source files by
   name.  The first N_IMAGES are not sorted. */
typedef
   struct {
      const char** names;
      uint32_t     n_images, n;
      size_t       room;
   }
   Files;

COMPARE(by_address, char* const, ORDER((uintptr_t)*x, (uintptr_t)*y))

COMPARE(by_text, char* const, strcmp(*x, *y))

static void add_file(Files* f, const char* name)
{
   GROW(f->names, f->n, f->room);
   f->names[f->n++] = name;
}

/* Sort the names from FIRST on, and drop duplicates. */
static void unite_names(Files* f, uint32_t first)
{
   uint32_t n = first;

   if (f->n > first)
      qsort(f->names + first, f->n - first, sizeof(*f->names), by_address);
   for (uint32_t i = first; i < f->n; i++)
      if (n == first || f->names[n - 1] != f->names[i])
         f->names[n++] = f->names[i];
   f->n = n;
}

static uint32_t source_id(const void* files, const char* name)
{
   const Files* f = files;
   const char** found = bsearch(&name, f->names + f->n_images,
                                f->n - f->n_images, sizeof(*f->names),
                                by_text);

   return (uint32_t)(found - f->names) + 1;
}

/* ImageFile: the row of each image: by address of the name, the first that has
   it. */
typedef
   struct {
      const char* name;
      uint32_t    number;       // among all images of all processes
      uint32_t    file;
   }
   ImageFile;

COMPARE(by_name, ImageFile,
        ORDER((uintptr_t)x->name, (uintptr_t)y->name) ?: UP(number))

COMPARE(by_number, ImageFile, UP(number))

static void list_images(Files* f, Writing* w, uint32_t n)
{
   uint32_t   all = 0;
   ImageFile* images;

   for (uint32_t p = 0; p < n; p++)
      all += w[p].m->n_images;
   images = zalloc(all, sizeof(*images));
   all = 0;
   for (uint32_t p = 0; p < n; p++)
      for (uint32_t i = 0; i < w[p].m->n_images; i++, all++)
         images[all] = (ImageFile){ w[p].m->images[w[p].order[i]].name, all,
                                    0 };
   if (all > 0)
      qsort(images, all, sizeof(*images), by_name);
   for (uint32_t i = 0; i < all; i++)           // .file: the first one's number
      images[i].file = i > 0 && images[i].name == images[i - 1].name
                       ? images[i - 1].file : images[i].number;
   if (all > 0)
      qsort(images, all, sizeof(*images), by_number);
   for (uint32_t i = 0; i < all; i++)
      if (images[i].file == i) {
         add_file(f, images[i].name);
         images[i].file = f->n;
      } else {
         images[i].file = images[images[i].file].file;
      }
   f->n_images = f->n;
   all = 0;
   for (uint32_t p = 0; p < n; p++)
      for (uint32_t i = 0; i < w[p].m->n_images; i++)
         w[p].images[i].file = images[all++].file;
   free(images);
}

static void list_sources(Files* f, const Writing* w, uint32_t n)
{
   for (uint32_t p = 0; p < n; p++)
      for (uint32_t i = 0; i < w[p].m->n_images; i++) {
         const MergedImage* im = &w[p].m->images[i];
         for (uint32_t k = 0; k < im->n_rows; k++)
            if (f->n == f->n_images
                || f->names[f->n - 1] != im->rows[k].file)
               add_file(f, im->rows[k].file);
         unite_names(f, f->n_images);
      }
   if (f->n > f->n_images)
      qsort(f->names + f->n_images, f->n - f->n_images, sizeof(*f->names),
            by_text);
}

/*--- The whole                                            ---*/

static void put_image(const Writing* w, uint32_t image, const Files* f,
                      JsonImage* to)
{
   const MergedImage* im = &w->m->images[image];
   const MergedRow* rows = w->rows[image];
   ImageSymbol* symbols = zalloc(im->n_symbols, sizeof(*symbols));

   for (uint32_t i = 0; i < im->n_symbols; i++)
      symbols[i] = (ImageSymbol){ to->info.load + im->symbols[i].offset,
                                  im->symbols[i].size, im->symbols[i].name };
   to->n_source = w->n_rows[image];
   to->source = zalloc(to->n_source, sizeof(*to->source));
   for (uint32_t i = 0; i < to->n_source; i++)
      to->source[i] = (SourceRow){ source_id(f, rows[i].file), rows[i].line,
                                   to->info.load + rows[i].offset,
                                   (UInt)rows[i].size, rows[i].n_instrs };
   to->info.name = im->name;
   to->info.size = im->size;
   to->info.build_id = im->build_id;
   to->info.code_hash = im->code_hash == NULL ? 0
                        : strtoull(im->code_hash, NULL, 16);
   to->info.symbols = symbols;
   to->info.n_symbols = im->n_symbols;
}

static bool same_rows(const MergedRow* a, uint32_t n_a, const MergedRow* b,
                      uint32_t n_b)
{
   for (uint32_t i = 0; n_a == n_b && i < n_a; i++)
      if (a[i].offset != b[i].offset || a[i].size != b[i].size
          || a[i].line != b[i].line || a[i].file != b[i].file
          || a[i].n_instrs != b[i].n_instrs)
         return false;
   return n_a == n_b;
}

static void join_all_rows(Writing* w)
{
   uint32_t n = w->m->n_images;

   w->rows = zalloc(n, sizeof(*w->rows));
   w->n_rows = zalloc(n, sizeof(*w->n_rows));
   w->rows_differ = zalloc(n, sizeof(*w->rows_differ));
   for (uint32_t k = 0; k < n; k++) {
      uint32_t           i = w->order[k];
      const MergedImage* im = &w->m->images[i];
      join_rows(im, &w->rows[i], &w->n_rows[i]);
      w->rows_differ[k] = !same_rows(im->rows, im->n_rows, w->rows[i],
                                     w->n_rows[i]);
   }
}

/* Die if the instructions do not fit INSTR_COUNT, those of the threads or those
   of the blocks. */
static void check_instrs(const Graph* g)
{
   uint64_t sum = 0, instrs;

   for (UInt t = 0; t < g->n_threads; t++)
      add_exact(&sum, g->thread_instrs[t], "instructions");
   sum = 0;
   for (UInt i = 0; i < g->n_blocks; i++) {
      if (__builtin_mul_overflow(g->blocks[i].count, g->blocks[i].n_instrs,
                                 &instrs)) {
         sum = 1;
         instrs = UINT64_MAX;
      }
      add_exact(&sum, instrs, "instructions");
   }
}

static void put_process(Writing* w, const Files* f)
{
   Graph*    g = &w->graph;
   Routines* routines = NULL;

   g->n_threads = w->m->n_threads;
   g->thread_instrs = (ULong*)w->m->thread_instrs;
   put_blocks(w);
   put_edges(w);
   check_instrs(g);
   for (uint32_t i = 0; i < w->m->n_images; i++)
      put_image(w, w->order[i], f, &w->images[i]);
   if (w->m->with_routines) {
      BlockSymbol* symbols = find_symbols(w);
      routines = DCFG_(find_routines)(g, symbols);
      free(symbols);
   }
   w->sizes = list_sizes(w->m, w->order);
   w->json = (JsonDcfg){
      .pid = (UInt)w->m->process_id, .n_files = f->n, .files = f->names,
      .n_images = w->m->n_images, .images = w->images, .graph = g,
      .routines = routines,
      .loops = routines == NULL ? NULL : DCFG_(find_loops)(g, routines),
      .with_cfg = w->m->with_blocks, .with_symbols = True,
      .instr_sizes = w->sizes
   };
}

static void writing_free(Writing* w)
{
   if (w->json.routines != NULL) {
      DCFG_(delete_loops)((Loops*)w->json.loops);
      DCFG_(delete_routines)((Routines*)w->json.routines);
   }
   for (uint32_t i = 0; i < w->m->n_images; i++) {
      free((ImageSymbol*)w->images[i].info.symbols);
      free(w->images[i].source);
      free(w->rows[i]);
   }
   free(w->rows);
   free(w->n_rows);
   free(w->rows_differ);
   free(w->added);
   free(w->sizes);
   free(w->images);
   free(w->order);
   free(w->new_id);
   free(w->graph.blocks);
   free(w->graph.edges);
   free(w->graph.counts);
}

static void pass_on(void* file, const HChar* text, UInt n)
{
   fwrite(text, 1, n, file);
}

void merged_write(Merged* processes, uint32_t n, const LeftOut* left_out,
                  FILE* out)
{
   Writing*  w = zalloc(n, sizeof(*w));
   JsonDcfg* json = zalloc(n, sizeof(*json));
   Files     f = { 0 };
   Put*      put = zalloc(1, sizeof(*put));

   for (uint32_t i = 0; i < n; i++) {
      w[i].m = &processes[i];
      order_images(&w[i]);
      join_all_rows(&w[i]);
   }
   list_images(&f, w, n);
   list_sources(&f, w, n);
   for (uint32_t i = 0; i < n; i++) {
      put_process(&w[i], &f);
      json[i] = w[i].json;
      if (left_out == NULL)
         continue;
      w[i].partial = (PartialTables){ w[i].m, left_out, w[i].order,
                                      &w[i].graph, w[i].added, w[i].n_added,
                                      w[i].rows_differ, source_id, &f };
      json[i].more = put_merged;
      json[i].more_arg = &w[i].partial;
   }
   DCFG_(start_put)(put, pass_on, out);
   DCFG_(write_processes)(put, json, n);
   for (uint32_t i = 0; i < n; i++)
      writing_free(&w[i]);
   free(put);
   free(json);
   free(w);
   free(f.names);
}
