/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sums, put in order and written. */

/* Owns: the order of runs, threads, images and nodes in a file, and the way
   from a sum to the tool's own graph, which finds routines and loops and writes
   the file.  Handed: sums by cmd_merge.c.

   Runs come in any order and in any partial sums, and the result must not
   depend on that.  So the order depends only on the contents of runs. */

#include "cmd/merge/merge.h"

#include "dcfg_json.h"
#include "tool/graph/loop.h"
#include "tool/graph/routine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- The order of runs                                    ---*/

COMPARE(by_contents, MergedRun, UP(id) ?: UP(instrs) ?: UP(hash))

int run_order(const MergedRun* a, const MergedRun* b)
{
   return by_contents(a, b);
}

COMPARE(by_thread, MergedCount, UP(thread))

/* Give threads of runs that stand side by side the numbers in the order of
   runs. */
static void order_threads(Merged* m)
{
   uint32_t* new = zalloc(m->n_threads, sizeof(*new));
   uint64_t* instrs = zalloc(m->n_threads, sizeof(*instrs));
   uint32_t  next = 0;
   size_t    first = 0;

   for (uint32_t i = 0; i < m->n_runs; i++) {
      MergedRun* r = &m->runs[i];
      for (uint32_t t = 0; t < r->n_threads; t++, next++) {
         new[r->first_thread + t] = next;
         instrs[next] = m->thread_instrs[r->first_thread + t];
      }
      r->first_thread = next - r->n_threads;
   }
   free(m->thread_instrs);
   m->thread_instrs = instrs;
   for (size_t i = 0; i < m->edges.n; i++) {
      uint32_t     n = m->edges.all[i].n_counts;
      MergedCount* c = m->edges.counts + first;
      bool         sorted = true;
      for (uint32_t k = 0; k < n; k++) {
         c[k].thread = new[c[k].thread];
         sorted = sorted && (k == 0 || c[k - 1].thread < c[k].thread);
      }
      if (!sorted)
         qsort(c, n, sizeof(*c), by_thread);
      first += n;
   }
   free(new);
}

/* Ranked: a run, and its number in the order in which runs came. */
typedef
   struct {
      MergedRun run;
      uint32_t  number;
   }
   Ranked;

COMPARE(by_rank, Ranked, by_contents(&x->run, &y->run) ?: UP(number))

void order_runs(Merged* m)
{
   Ranked*   order = zalloc(m->n_runs, sizeof(*order));
   uint32_t* rank = zalloc(m->n_runs, sizeof(*rank));

   for (uint32_t i = 0; i < m->n_runs; i++)
      order[i] = (Ranked){ m->runs[i], i };
   if (m->n_runs > 0)
      qsort(order, m->n_runs, sizeof(*order), by_rank);
   for (uint32_t i = 0; i < m->n_runs; i++) {
      m->runs[i] = order[i].run;
      rank[order[i].number] = i;
   }
   for (uint32_t i = 0; i < m->n_images; i++)
      m->images[i].home = rank[m->images[i].home];
   if (m->n_runs > 0)
      m->process_id = m->runs[0].id;
   if (m->keep && m->n_runs > 0)
      order_threads(m);
   free(order);
   free(rank);
}

/* Compare sums of one run each. */
COMPARE(by_first_run, Merged, by_contents(&x->runs[0], &y->runs[0]))

/* The ids tell processes of one file apart, so they must differ. */
void order_processes(Merged* all, uint32_t n)
{
   uint64_t next;

   qsort(all, n, sizeof(*all), by_first_run);
   next = all[n - 1].process_id + 1;
   for (uint32_t i = 1; i < n; i++) {
      const MergedRun* r = &all[i].runs[0];
      if (r->id != all[i - 1].runs[0].id)
         continue;
      if (next > UINT32_MAX)
         die("there is no number left for a second process %" PRIu64, r->id);
      complain("%s: another file has process %" PRIu64 ", too: this one gets "
               "the number %" PRIu64, r->path, r->id, next);
      all[i].process_id = next++;
   }
}

/*--- The order of images                                  ---*/

/* Writing: a process on its way into the file. */
typedef
   struct {
      Merged*       m;
      uint32_t*     order;      // images in the order of the file
      uint32_t*     new_id;     // by id
      Graph         graph;
      JsonImage*    images;     // by place in .order, as all that follows
      MergedRow**   rows;       // joined
      uint32_t*     n_rows;
      bool*         rows_differ;        // .rows differ from M's own
      char*         sizes;      // instructions' sizes
      uint32_t*     added;      // EDGE_IDs of call bypasses that no run has
      uint32_t      n_added;
      PartialTables partial;
      JsonDcfg      json;
   }
   Writing;

/* Placed: an image, and its load address in the file. */
typedef
   struct {
      uint64_t load, size;
      uint32_t home, number, index;
   }
   Placed;

COMPARE(by_home, Placed, UP(home) ?: UP(number) ?: UP(index))

COMPARE(by_load, Placed, UP(load) ?: UP(home) ?: UP(number) ?: UP(index))

static uint64_t placed_end(const Placed* p)
{
   return p->size > UINT64_MAX - p->load ? UINT64_MAX : p->load + p->size;
}

/* Return whether A and B share addresses.  Images of one run may: one took the
   place of the other. */
static bool collides(const Placed* a, const Placed* b)
{
   return a->home != b->home && placed_end(b) > a->load
          && (b->load < a->load || b->load - a->load < a->size);
}

#define PAGE 4096

/* Place N images, by home.  Each gets its address in the first run that has it.
   If another run's image is there, it goes behind all others. */
static void place_images(const Merged* m, Placed* all, uint32_t n)
{
   uint64_t top = 0;

   for (uint32_t i = 0; i < n; i++) {
      Placed* p = &all[i];
      bool    is_free = true;
      for (uint32_t k = 0; is_free && k < i; k++)
         is_free = !collides(p, &all[k]);
      if (!is_free) {
         if (top > UINT64_MAX - PAGE || p->size > UINT64_MAX - top - PAGE)
            die("there is no room for %s beside the other images",
                m->images[p->index].name);
         p->load = (top + PAGE - 1) / PAGE * PAGE + p->load % PAGE;
      }
      if (placed_end(p) > top)
         top = placed_end(p);
   }
}

static void order_images(Writing* w)
{
   uint32_t n = w->m->n_images;
   Placed*  placed = zalloc(n, sizeof(*placed));

   for (uint32_t i = 0; i < n; i++) {
      const MergedImage* im = &w->m->images[i];
      placed[i] = (Placed){ im->load, im->size, im->home, im->number, i };
   }
   if (n > 0)
      qsort(placed, n, sizeof(*placed), by_home);
   place_images(w->m, placed, n);
   if (n > 0)
      qsort(placed, n, sizeof(*placed), by_load);
   w->order = zalloc(n, sizeof(*w->order));
   w->images = zalloc(n, sizeof(*w->images));
   for (uint32_t i = 0; i < n; i++) {
      w->order[i] = placed[i].index;
      w->images[i].info.load = placed[i].load;
   }
   free(placed);
}

/* Return image I in the order of the file. */
static const MergedImage* image_at(const Writing* w, uint32_t i)
{
   return &w->m->images[w->order[i]];
}

/*--- Blocks and edges                                     ---*/

static void put_blocks(Writing* w)
{
   uint32_t n = 0;

   for (uint32_t i = 0; i < w->m->n_images; i++)
      n += w->m->images[i].n_blocks;
   w->new_id = zalloc(w->m->n_ids, sizeof(*w->new_id));
   w->graph.blocks = zalloc(n, sizeof(Block));
   for (uint32_t i = 0; i < MERGED_BLOCK; i++)
      w->new_id[i] = i;
   for (uint32_t i = 0; i < w->m->n_images; i++) {
      const MergedImage* im = image_at(w, i);
      for (uint32_t k = 0; k < im->n_blocks; k++) {
         const MergedBlock* b = &im->blocks[k];
         w->new_id[b->id] = NodeFirstBlock + w->graph.n_blocks;
         w->graph.blocks[w->graph.n_blocks++] = (Block){
            w->images[i].info.load + b->offset, i, b->size, b->n_instrs,
            b->last_offset, 0 };
      }
   }
}

COMPARE(by_ends, Edge, UP(source) ?: UP(target))

/* Return the block that begins where B ends, in the same image; or NULL. */
static const Block* block_behind(const Graph* g, const Block* b)
{
   for (const Block* to = b + 1; to < g->blocks + g->n_blocks
        && to->image == b->image && to->addr <= b->addr + b->size; to++)
      if (to->addr == b->addr + b->size)
         return to;
   return NULL;
}

/* Return the node behind each block with a call, if a call returned there in
   some run; else 0.  To be freed. */
static UInt* find_returns(const Graph* g)
{
   UInt* behind = zalloc((size_t)NodeFirstBlock + g->n_blocks, sizeof(UInt));
   bool* returned = zalloc((size_t)NodeFirstBlock + g->n_blocks, sizeof(bool));

   for (UInt i = 0; i < g->n_edges; i++)
      if (g->edges[i].n_counts > 0 && g->edges[i].type == EdgeReturn)
         returned[g->edges[i].target] = true;
   for (UInt i = 0; i < g->n_edges; i++) {
      const Edge*  e = &g->edges[i];
      const Block* site;
      if (e->n_counts == 0 || e->source < NodeFirstBlock
          || (e->type != EdgeDirectCall && e->type != EdgeIndirectCall))
         continue;
      site = block_behind(g, &g->blocks[e->source - NodeFirstBlock]);
      if (site != NULL
          && returned[NodeFirstBlock + (UInt)(site - g->blocks)])
         behind[e->source] = NodeFirstBlock + (UInt)(site - g->blocks);
   }
   free(returned);
   return behind;
}

/* Add the call bypasses that no run has: one run called, and another one saw
   the return.  Edges are in order; behind them is room for one edge a block. */
static void add_call_bypasses(Writing* w)
{
   Graph* g = &w->graph;
   UInt*  behind = find_returns(g);
   UInt   n = g->n_edges, k = 0;
   Edge*  added;

   for (UInt b = NodeFirstBlock; b < NodeFirstBlock + g->n_blocks; b++) {
      Edge e = { b, behind[b], EdgeCallBypass, 0, 0 };
      if (behind[b] != 0
          && (n == 0 || bsearch(&e, g->edges, n, sizeof(e), by_ends) == NULL))
         g->edges[g->n_edges++] = e;
   }
   free(behind);
   w->n_added = g->n_edges - n;
   added = zalloc(w->n_added, sizeof(*added));
   w->added = zalloc(w->n_added, sizeof(*w->added));
   memcpy(added, g->edges + n, w->n_added * sizeof(*added));
   if (w->n_added > 0)
      qsort(g->edges, g->n_edges, sizeof(*g->edges), by_ends);
   for (UInt i = 0; i < g->n_edges && k < w->n_added; i++)
      if (by_ends(&g->edges[i], &added[k]) == 0)
         w->added[k++] = i + 1;
   free(added);
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
   free(m->all);
   *m = (MergedEdges){ 0 };
   if (g->n_edges > 0)
      qsort(g->edges, g->n_edges, sizeof(*g->edges), by_ends);
   add_call_bypasses(w);
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

/*--- Symbols and sizes                                    ---*/

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
   BlockSymbol* symbols = zalloc(w->graph.n_blocks, sizeof(*symbols));
   uint32_t     before = 0, b = 0;

   for (uint32_t i = 0; i < w->m->n_images; i++) {
      const MergedImage* im = image_at(w, i);
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

/* Return the sizes of all blocks' instructions, to be freed; NULL if none are
   known. */
static char* list_sizes(const Writing* w)
{
   bool   known = false;
   size_t n = 0;
   char*  sizes;

   for (UInt i = 0; i < w->graph.n_blocks; i++)
      n += w->graph.blocks[i].n_instrs;
   sizes = zalloc(n + 1, 1);
   memset(sizes, '0', n);
   n = 0;
   for (uint32_t i = 0; i < w->m->n_images; i++) {
      const MergedImage* im = image_at(w, i);
      for (uint32_t k = 0; k < im->n_blocks; k++) {
         const MergedBlock* b = &im->blocks[k];
         known = known || b->sizes != NULL;
         if (b->sizes != NULL)
            memcpy(sizes + n, b->sizes, b->n_instrs);
         n += b->n_instrs;
      }
   }
   if (known)
      return sizes;
   free(sizes);
   return NULL;
}

/*--- Source rows                                          ---*/

/* Return the number of instructions from FROM to TO; 0 if blocks do not begin
   and end there. */
static uint64_t count_instrs(const MergedImage* im, uint64_t from, uint64_t to)
{
   uint32_t low = 0;
   uint64_t n = 0;

   BISECT(low, im->n_blocks, middle, im->blocks[middle].offset < from);
   for (; from < to; from += im->blocks[low++].size) {
      if (low == im->n_blocks || im->blocks[low].offset != from)
         return 0;
      n += im->blocks[low].n_instrs;
   }
   return from == to ? n : 0;
}

/* Join R to LAST, if it begins within LAST or just behind it. */
static bool join_row(const MergedImage* im, MergedRow* last,
                     const MergedRow* r)
{
   uint64_t end = row_end(last), shared = 0;

   if (row_end(r) <= end)
      return true;
   if (r->offset < end) {
      shared = count_instrs(im, r->offset, end);
      if (shared == 0 || shared > r->n_instrs)
         return false;
   }
   last->size = row_end(r) - last->offset;
   last->n_instrs += r->n_instrs - (uint32_t)shared;
   return true;
}

/* A row is executed code of one line, without a gap.  So rows of one line that
   touch or overlap become one.  After joining, the rows are lost, and only
   blocks tell how far two rows overlap.  So a sum keeps the rows of its runs,
   and joins them when it is written. */
void join_rows(const MergedImage* im, MergedRow** rows, uint32_t* n)
{
   *rows = zalloc(im->n_rows, sizeof(**rows));
   *n = 0;
   for (uint32_t i = 0; i < im->n_rows; i++) {
      const MergedRow* r = &im->rows[i];
      MergedRow*       last = *n > 0 ? &(*rows)[*n - 1] : NULL;
      bool             fits = true;
      if (last == NULL || im->overlapping || r->offset > row_end(last)
          || r->file != last->file || r->line != last->line) {
         fits = last == NULL || im->overlapping || r->offset >= row_end(last);
         (*rows)[(*n)++] = *r;
      } else {
         fits = join_row(im, last, r);
      }
      if (!fits)
         die("%s is not the same build in all runs: its source lines differ, "
             "at 0x%" PRIx64 " from where it is loaded; merge each build by "
             "itself, or use --builds=apart", text_clean(im->name), r->offset);
   }
}

static bool same_rows(const MergedImage* im, const MergedRow* rows, uint32_t n)
{
   for (uint32_t i = 0; n == im->n_rows && i < n; i++)
      if (row_order(&im->rows[i], &rows[i]) != 0
          || im->rows[i].n_instrs != rows[i].n_instrs)
         return false;
   return n == im->n_rows;
}

static void join_all_rows(Writing* w)
{
   uint32_t n = w->m->n_images;

   w->rows = zalloc(n, sizeof(*w->rows));
   w->n_rows = zalloc(n, sizeof(*w->n_rows));
   w->rows_differ = zalloc(n, sizeof(*w->rows_differ));
   for (uint32_t i = 0; i < n; i++) {
      join_rows(image_at(w, i), &w->rows[i], &w->n_rows[i]);
      w->rows_differ[i] = !same_rows(image_at(w, i), w->rows[i],
                                     w->n_rows[i]);
   }
}

/*--- Names of files                                       ---*/

/* Files: the rows of FILE_NAMES: images in their order, then source files by
   name. */
typedef
   struct {
      KeyMap*      images;      // from a name to its row
      KeyMap*      sources;     // from a name to its index in .ranks
      uint32_t*    ranks;       // rows behind those of the images
      uint32_t     n;
      const char** names;
   }
   Files;

static uint32_t source_id(const void* files, const char* name)
{
   const Files* f = files;

   return keymap_size(f->images)
          + f->ranks[keymap_find(f->sources, (uintptr_t)name)] + 1;
}

COMPARE(by_text, char* const, strcmp(*x, *y))

static const char* name_at(const KeyMap* m, uint32_t i)
{
   return (const char*)(uintptr_t)keymap_key(m, i);
}

static Files list_files(Writing* w, uint32_t n)
{
   Files        f = { .images = keymap_new(), .sources = keymap_new() };
   const char** sources;

   for (uint32_t p = 0; p < n; p++)
      for (uint32_t i = 0; i < w[p].m->n_images; i++) {
         const MergedImage* im = image_at(&w[p], i);
         w[p].images[i].file = keymap_number(f.images, (uintptr_t)im->name)
                               + 1;
         for (uint32_t k = 0; k < im->n_rows; k++)
            keymap_number(f.sources, (uintptr_t)im->rows[k].file);
      }
   f.n = keymap_size(f.images) + keymap_size(f.sources);
   f.names = zalloc(f.n, sizeof(*f.names));
   f.ranks = zalloc(keymap_size(f.sources), sizeof(*f.ranks));
   for (uint32_t i = 0; i < keymap_size(f.images); i++)
      f.names[i] = name_at(f.images, i);
   sources = f.names + keymap_size(f.images);
   for (uint32_t i = 0; i < keymap_size(f.sources); i++)
      sources[i] = name_at(f.sources, i);
   if (keymap_size(f.sources) > 0)
      qsort(sources, keymap_size(f.sources), sizeof(*sources), by_text);
   for (uint32_t i = 0; i < keymap_size(f.sources); i++)
      f.ranks[keymap_find(f.sources, (uintptr_t)sources[i])] = i;
   return f;
}

static void free_files(Files* f)
{
   keymap_free(f->images);
   keymap_free(f->sources);
   free(f->ranks);
   free(f->names);
}

/*--- The whole                                            ---*/

static void put_image(const Writing* w, uint32_t i, const Files* f)
{
   const MergedImage* im = image_at(w, i);
   JsonImage*         to = &w->images[i];
   ImageSymbol*       symbols = zalloc(im->n_symbols, sizeof(*symbols));

   for (uint32_t k = 0; k < im->n_symbols; k++)
      symbols[k] = (ImageSymbol){ to->info.load + im->symbols[k].offset,
                                  im->symbols[k].size, im->symbols[k].name };
   to->n_source = w->n_rows[i];
   to->source = zalloc(to->n_source, sizeof(*to->source));
   for (uint32_t k = 0; k < to->n_source; k++) {
      const MergedRow* r = &w->rows[i][k];
      to->source[k] = (SourceRow){ source_id(f, r->file), r->line,
                                   to->info.load + r->offset, (UInt)r->size,
                                   r->n_instrs };
   }
   to->info.name = im->name;
   to->info.size = im->size;
   to->info.build_id = im->build_id;
   to->info.code_hash = im->code_hash == NULL ? 0
                        : strtoull(im->code_hash, NULL, 16);
   to->info.symbols = symbols;
   to->info.n_symbols = im->n_symbols;
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
      put_image(w, i, f);
   if (w->m->with_routines) {
      BlockSymbol* symbols = find_symbols(w);
      routines = DCFG_(find_routines)(g, symbols);
      free(symbols);
   }
   w->sizes = list_sizes(w);
   w->json = (JsonDcfg){
      .pid = (UInt)w->m->process_id, .n_files = f->n, .files = f->names,
      .n_images = w->m->n_images, .images = w->images, .graph = g,
      .routines = routines,
      .loops = routines == NULL ? NULL : DCFG_(find_loops)(g, routines),
      .with_cfg = w->m->with_blocks, .with_symbols = True,
      .instr_sizes = w->sizes
   };
}

static void free_writing(Writing* w)
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
   Put*      put = zalloc(1, sizeof(*put));
   Files     f;

   for (uint32_t i = 0; i < n; i++) {
      w[i].m = &processes[i];
      order_images(&w[i]);
      join_all_rows(&w[i]);
   }
   f = list_files(w, n);
   for (uint32_t i = 0; i < n; i++) {
      put_process(&w[i], &f);
      json[i] = w[i].json;
      if (left_out == NULL)
         continue;
      w[i].partial = (PartialTables){ w[i].m, left_out, w[i].order, w[i].added,
                                      w[i].n_added, w[i].rows_differ,
                                      source_id, &f };
      json[i].more = put_merged;
      json[i].more_arg = &w[i].partial;
   }
   DCFG_(start_put)(put, pass_on, out);
   DCFG_(write_processes)(put, json, n);
   for (uint32_t i = 0; i < n; i++)
      free_writing(&w[i]);
   free_files(&f);
   free(put);
   free(json);
   free(w);
}
