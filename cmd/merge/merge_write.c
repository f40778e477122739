/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sums, put in order and written. */

/* Owns: the order of runs, threads, images and nodes in a file; and MERGED,
   which merge_read.c reads.  Handed: sums by cmd_merge.c.

   A sum becomes a graph of the tool, whose own code finds routines and loops
   and writes the file.

   Runs come in any order and in any partial sums, and the result must not
   depend on that.  So the order depends only on the contents of runs. */

#include "cmd/merge/merge.h"

#include "cmd/base/table.h"
#include "dcfg_json.h"
#include "tool/graph/routine.h"

#include <stdarg.h>

/*--- The order of runs                                    ---*/

COMPARE(by_rank, MergedRun, run_order(x, y) ?: UP(number))

/* Give threads of runs that stand side by side the numbers in the order of
   runs. */
static void order_threads(Merged* m)
{
   uint32_t* new = zalloc(m->n_threads, sizeof(*new));
   uint64_t* instrs = zalloc(m->n_threads, sizeof(*instrs));
   uint32_t  next = 0;

   for (uint32_t i = 0; i < m->n_runs; i++) {
      MergedRun* r = &m->runs[i];
      for (uint32_t t = 0; t < r->key.n_threads; t++, next++) {
         new[r->first_thread + t] = next;
         instrs[next] = m->thread_instrs[r->first_thread + t];
      }
      r->first_thread = next - r->key.n_threads;
   }
   free(m->thread_instrs);
   m->thread_instrs = instrs;
   for (size_t i = 1; i < m->edges.counts.n; i++)
      m->edges.counts.all[i].thread = new[m->edges.counts.all[i].thread];
   for (size_t i = 1; i < m->calls.counts.n; i++)
      m->calls.counts.all[i].thread = new[m->calls.counts.all[i].thread];
   free(new);
}

void order_runs(Merged* m)
{
   uint32_t* rank = zalloc(m->n_runs, sizeof(*rank));

   if (m->n_runs > 0) {
      qsort(m->runs, m->n_runs, sizeof(*m->runs), by_rank);
      m->process_id = m->runs[0].key.id;
   }
   for (uint32_t i = 0; i < m->n_runs; i++)
      rank[m->runs[i].number] = i;
   for (uint32_t i = 0; i < m->n_images; i++)
      m->images[i].home.run = rank[m->images[i].home.run];
   if (m->keep)
      order_threads(m);
   free(rank);
}

/* Compare sums of one run each. */
COMPARE(by_first_run, Merged, run_order(&x->runs[0], &y->runs[0]))

/* The ids tell processes of one file apart, so they must differ. */
void order_processes(Merged* all, uint32_t n)
{
   uint64_t next;

   qsort(all, n, sizeof(*all), by_first_run);
   next = all[n - 1].process_id + 1;
   for (uint32_t i = 1; i < n; i++) {
      const MergedRun* r = &all[i].runs[0];
      if (r->key.id != all[i - 1].runs[0].key.id)
         continue;
      if (next > UINT32_MAX)
         die("there is no number left for a second process %" PRIu64,
             r->key.id);
      complain("%s: another file has process %" PRIu64 ", too: this one gets "
               "the number %" PRIu64, r->path, r->key.id, next);
      all[i].process_id = next++;
   }
}

/*--- The order of images                                  ---*/

COMPARE(by_home, MergedImage, UP(home.run) ?: UP(home.number))

COMPARE(by_place, MergedImage, UP(place) ?: by_home(x, y))

static uint64_t image_end(const MergedImage* im)
{
   return im->size > UINT64_MAX - im->place ? UINT64_MAX : im->place + im->size;
}

/* Return whether A and B share addresses.  Images of one run may: one took the
   place of the other. */
static bool collides(const MergedImage* a, const MergedImage* b)
{
   return a->home.run != b->home.run && image_end(b) > a->place
          && (b->place < a->place || b->place - a->place < a->size);
}

#define PAGE 4096

/* Place M's images, and put them in the order of the file.  Each gets its
   address in the first run that has it.  If another run's image is there, it
   goes behind all others. */
static void order_images(Merged* m)
{
   uint64_t top = 0;

   SORT(m->images, m->n_images, by_home);
   for (uint32_t i = 0; i < m->n_images; i++) {
      MergedImage* im = &m->images[i];
      uint32_t     k = 0;
      im->place = im->home.load_addr;
      while (k < i && !collides(im, &m->images[k]))
         k++;
      if (k < i) {
         if (top > UINT64_MAX - PAGE || im->size > UINT64_MAX - top - PAGE)
            die("there is no room for %s beside the other images", im->name);
         im->place = (top + PAGE - 1) / PAGE * PAGE 
                     + im->home.load_addr % PAGE;
      }
      if (image_end(im) > top)
         top = image_end(im);
   }
   SORT(m->images, m->n_images, by_place);
}

/* Writing: a process on its way into the file. */
typedef
   struct Files Files;

typedef
   struct {
      Merged*        m;
      uint32_t*      begins;    // nodes, by the ids of their begins
      uint32_t*      ends;      // and of their ends
      Graph          graph;
      JsonImage*     images;
      JsonRun*       runs;
      BlockSymbol*   symbols;   // by block
      char*          sizes;     // instructions' sizes
      bool           has_sizes; // some are known
      const LeftOut* left_out;
      const Files*   files;
   }
   Writing;

/*--- Blocks and edges                                     ---*/

/* Return the first symbol at the address of the symbol that has OFFSET inside;
   N_SYMBOLS if none has. */
static uint32_t symbol_around(const MergedImage* im, uint64_t offset)
{
   uint32_t low = 0;

   BISECT(low, im->n_symbols, middle, im->symbols[middle].addr <= offset);
   if (low == 0
       || offset - im->symbols[low - 1].addr >= im->symbols[low - 1].size)
      return im->n_symbols;
   low--;
   while (low > 0
          && im->symbols[low - 1].addr == im->symbols[low].addr)
      low--;
   return low;
}

/* Return the symbol of IM's block K, numbered behind BEFORE others.  Symbols
   divide a program into routines as in the tool.  In an image without symbols, a
   jump leads to another function if its target was a routine's entry in some
   run. */
static BlockSymbol symbol_of(const MergedImage* im, uint32_t k, uint32_t before)
{
   const MergedBlock* b = &im->blocks[k];
   uint32_t           s = symbol_around(im, b->offset);

   if (im->n_symbols == 0)
      return (BlockSymbol){ before + k + 1, b->enters };
   if (s == im->n_symbols)
      return (BlockSymbol){ 0, False };
   return (BlockSymbol){ before + s + 1, im->symbols[s].addr == b->offset };
}

/* Put the blocks, their symbols, and the sizes of their instructions, if some
   are known. */
static void put_blocks(Writing* w)
{
   const Merged* m = w->m;
   Graph*        g = &w->graph;
   uint32_t      n = 0, before = 0;
   size_t        n_instrs = 0, at = 0;

   for (uint32_t i = 0; i < m->n_images; i++) {
      n += m->images[i].n_blocks;
      for (uint32_t k = 0; k < m->images[i].n_blocks; k++)
         n_instrs += m->images[i].blocks[k].n_instrs;
   }
   w->begins = zalloc(m->n_ids, sizeof(*w->begins));
   w->ends = zalloc(m->n_ids, sizeof(*w->ends));
   w->symbols = zalloc(n, sizeof(*w->symbols));
   w->sizes = memset(zalloc(n_instrs + 1, 1), '0', n_instrs);
   g->blocks = zalloc(n, sizeof(Block));
   for (uint32_t i = 0; i < MERGED_BLOCK; i++)
      w->begins[i] = w->ends[i] = i;
   for (uint32_t i = 0; i < m->n_images; i++) {
      const MergedImage* im = &m->images[i];
      for (uint32_t k = 0; k < im->n_blocks; k++) {
         const MergedBlock* b = &im->blocks[k];
         if (b->sizes != NULL) {
            memcpy(w->sizes + at, b->sizes, b->n_instrs);
            w->has_sizes = true;
         }
         at += b->n_instrs;
         w->begins[b->begin] = w->ends[b->end] = NodeFirstBlock + g->n_blocks;
         w->symbols[g->n_blocks] = symbol_of(im, k, before);
         g->blocks[g->n_blocks++] = (Block){ im->place + b->offset, i, b->size,
                                             b->n_instrs, b->last_offset, 0 };
      }
      before += im->n_symbols == 0 ? im->n_blocks : im->n_symbols;
   }
}

COMPARE(by_ends, Edge, UP(source) ?: UP(target))

COMPARE(by_thread, EdgeCount, UP(thread))

/* Return M's counts as the graph has them, in place: edge by edge, then by
   thread.  The edges are in order, and their .first_count is that of a row; drop
   those whose counts are all 0. */
static EdgeCount* take_counts(Graph* g, ThreadCounts* m)
{
   Count*     all = m->all;
   EdgeCount* counts = (EdgeCount*)all;
   UInt       n = 0, next = 1, behind = (UInt)m->n;

   _Static_assert(sizeof(Count) == sizeof(EdgeCount), "one place");
   /* .next becomes the place, which counts of 0 have behind all others. */
   for (UInt i = 0; i < g->n_edges; i++) {
      Edge e = g->edges[i];
      bool bypass = e.first_count == 0;
      UInt first = next;
      for (UInt k = e.first_count, on; k != 0; k = on) {
         on = all[k].next;
         all[k].next = all[k].n > 0 ? next++ : --behind;
      }
      e.first_count = first;
      e.n_counts = next - first;
      if (bypass || e.n_counts > 0)
         g->edges[n++] = e;
   }
   g->n_edges = n;
   for (UInt i = 1; i < m->n; i++)
      while (all[i].next != i) {
         Count c = all[all[i].next];
         all[all[i].next] = all[i];
         all[i] = c;
      }
   for (size_t i = 1; i < m->n; i++) {
      EdgeCount c = { all[i].thread, all[i].n };
      memcpy(&counts[i], &c, sizeof(c));
   }
   for (UInt i = 0; i < n; i++)
      SORT(counts + g->edges[i].first_count, g->edges[i].n_counts, by_thread);
   m->all = NULL;
   return counts;
}

/* Put M's edges with the numbers of their nodes. */
static void put_edges(Writing* w)
{
   Graph*       g = &w->graph;
   MergedEdges* m = &w->m->edges;

   g->edges = zalloc(m->n, sizeof(*g->edges));
   for (uint32_t i = 0; i < m->n; i++) {
      uint64_t key = keymap_key(m->keys, i);
      /* DcfgEdgeType has the format's types in the same order, from EdgeEntry
         on. */
      if (m->all[i].type != DCFG_EDGE_OTHER)
         g->edges[g->n_edges++] = (Edge){ w->ends[key >> 32],
                                          w->begins[(uint32_t)key],
                                          (UChar)(EdgeEntry + m->all[i].type),
                                          m->all[i].row.first, 0 };
   }
   SORT(g->edges, g->n_edges, by_ends);
   g->counts = take_counts(g, &m->counts);
   for (UInt i = 0; i < g->n_edges; i++) {
      const Edge* e = &g->edges[i];
      for (UInt c = 0; c < e->n_counts && e->target >= NodeFirstBlock; c++) {
         uint64_t sum = g->blocks[e->target - NodeFirstBlock].count;
         add_exact(&sum, g->counts[e->first_count + c].count,
                   "executions of a block");
         g->blocks[e->target - NodeFirstBlock].count = sum;
      }
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

/*--- Calls                                                ---*/

COMPARE(by_function, MergedFunction, UP(image) ?: UP(offset))
COMPARE(by_call, JsonCall, UP(caller) ?: UP(callee))

/* Set the places of functions in the file, and sort them.  Return, by number,
   their ids in the file. */
static uint32_t* place_functions(const Merged* m)
{
   MergedFunction* all = m->calls.all;
   uint32_t        n = m->calls.n_functions;
   uint32_t*       ids = zalloc(n, sizeof(*ids));
   KeyMap*         keys = keymap_new();

   for (uint32_t i = 0; i < m->n_images; i++)
      keymap_number(keys, m->images[i].key);
   for (uint32_t i = 0; i < n; i++) {
      all[i].number = i;
      all[i].image = all[i].key == NO_IMAGE_KEY ? 0
                     : keymap_find(keys, all[i].key) + 1;
   }
   keymap_free(keys);
   SORT(all, n, by_function);
   for (uint32_t i = 0; i < n; i++)
      ids[all[i].number] = i + 1;
   return ids;
}

/* Write the counts of two rows to TO, which is all 0: one for each of N threads,
   row by row.  Return what is behind them. */
static ULong* put_rows_of(const ThreadCounts* c, CountRow first,
                          CountRow second, ULong* to, uint32_t n)
{
   for (uint32_t k = first.first; k != 0; k = c->all[k].next)
      to[c->all[k].thread] = c->all[k].n;
   for (uint32_t k = second.first; k != 0; k = c->all[k].next)
      to[n + c->all[k].thread] = c->all[k].n;
   return to + 2 * (size_t)n;
}

/* Return CALLS of M, whose images are in the order of the file; or NULL. */
static JsonCalls* put_calls(const Merged* m)
{
   const MergedCalls* c = &m->calls;
   uint32_t           n = m->n_threads;
   uint32_t*          ids;
   ULong*             to;
   JsonFunction*      functions;
   JsonCall*          calls;
   JsonCalls*         json;

   if (c->any && c->lost)
      complain("some of the runs have no calls, which --calls=yes records; so "
               "the sum has none");
   if (!c->any || c->lost)
      return NULL;
   ids = place_functions(m);
   json = zalloc(1, sizeof(*json));
   functions = zalloc(c->n_functions, sizeof(*functions));
   calls = zalloc(c->n_pairs, sizeof(*calls));
   /* Two lists for each function and pair. */
   to = c->n_functions == 0 ? NULL
        : zalloc(((size_t)c->n_functions + c->n_pairs) * 2 * n + 1,
                 sizeof(*to));
   for (uint32_t i = 0; i < c->n_functions; i++) {
      const MergedFunction* f = &c->all[i];
      functions[i] = (JsonFunction){ f->image, f->offset, to, to + n };
      to = put_rows_of(&c->counts, f->self, f->all, to, n);
   }
   for (uint32_t i = 0; i < c->n_pairs; i++) {
      uint64_t key = keymap_key(c->pairs, i);
      calls[i] = (JsonCall){ ids[key >> 32], ids[(uint32_t)key], to, to + n };
      to = put_rows_of(&c->counts, c->all_pairs[i].calls,
                       c->all_pairs[i].costs, to, n);
   }
   SORT(calls, c->n_pairs, by_call);
   free(ids);
   *json = (JsonCalls){ c->n_functions, functions, c->n_pairs, calls };
   return json;
}

static void free_json_calls(const JsonCalls* json)
{
   if (json == NULL)
      return;
   if (json->n_functions > 0)
      free(json->functions[0].self);
   FREE_ALL(json->functions, json->calls, json);
}

/*--- Source rows                                          ---*/

/* Return whether joining changed the rows. */
static bool rows_differ(const MergedImage* im)
{
   for (uint32_t i = 0; im->n_joined == im->n_rows && i < im->n_rows; i++)
      if (row_order(&im->rows[i], &im->joined[i]) != 0
          || im->rows[i].n_instrs != im->joined[i].n_instrs)
         return true;
   return im->n_joined != im->n_rows;
}

/*--- Names of files                                       ---*/

/* Files: the rows of FILE_NAMES: images in their order, then source files by
   name.  A key is the name's address, or for a source file the next one. */
struct Files {
   KeyMap*      rows;
   const char** names;
};

static uint32_t image_id(const Files* f, const char* name)
{
   return keymap_number(f->rows, (uintptr_t)name) + 1;
}

static uint32_t source_id(const Files* f, const char* name)
{
   return keymap_number(f->rows, (uintptr_t)name + 1) + 1;
}

COMPARE(by_text, char* const, strcmp(*x, *y))

static Files list_files(const Merged* processes, uint32_t n)
{
   Files    f = { .rows = keymap_new() };
   KeyMap*  sources = keymap_new();
   uint32_t n_images, n_sources;

   for (uint32_t p = 0; p < n; p++)
      for (uint32_t i = 0; i < processes[p].n_images; i++) {
         const MergedImage* im = &processes[p].images[i];
         image_id(&f, im->name);
         for (uint32_t k = 0; k < im->n_rows; k++)
            keymap_number(sources, (uintptr_t)im->rows[k].file);
      }
   n_images = keymap_size(f.rows);
   n_sources = keymap_size(sources);
   f.names = zalloc((size_t)n_images + n_sources, sizeof(*f.names));
   for (uint32_t i = 0; i < n_images; i++)
      f.names[i] = (const char*)(uintptr_t)keymap_key(f.rows, i);
   for (uint32_t i = 0; i < n_sources; i++)
      f.names[n_images + i] = (const char*)(uintptr_t)keymap_key(sources, i);
   SORT(f.names + n_images, n_sources, by_text);
   for (uint32_t i = 0; i < n_sources; i++)
      source_id(&f, f.names[n_images + i]);
   keymap_free(sources);
   return f;
}

/*--- Partial sums                                         ---*/

#define INDENT "          "
#define ROW    ",\n" INDENT "  [ "

static void put(Put* out, const char* format, ...)
            __attribute__((format(printf, 2, 3)));

/* Put a text of less than 256 characters. */
static void put(Put* out, const char* format, ...)
{
   char    text[256];
   va_list args;

   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   DCFG_(put_text)(out, text);
}

/* Put N behind *NEXT, which separates it from those before. */
static void put_next(Put* out, const char** next, uint32_t n)
{
   put(out, "%s%" PRIu32, *next, n);
   *next = ", ";
}

static void put_runs(Put* out, const Merged* m)
{
   put(out, INDENT "\"RUNS\" : [ [ \"PROCESS_ID\", \"INSTR_COUNT\", "
       "\"HASH\", \"NUM_THREADS\", \"FIRST_PART_NUM\", \"PART_NUM\", "
       "\"LAST_PART_NUM\", \"PRECEDING_HASH\", \"FOLLOWING_HASH\" ]");
   for (uint32_t i = 0; i < m->n_runs; i++) {
      const DcfgMergedRun* r = &m->runs[i].key;
      put(out, ROW "%" PRIu64 ", %" PRIu64 ", \"0x%" PRIx64 "\", %" PRIu32
          ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", \"0x%" PRIx64 "\", "
          "\"0x%" PRIx64 "\" ]", r->id, r->instr_count, r->hash, r->n_threads,
          r->first_part, r->part, r->last_part, r->begin, r->end);
   }
   put(out, " ],\n");
}

static void put_homes(Put* out, const Merged* m)
{
   put(out, INDENT "\"HOMES\" : [ [ \"IMAGE_ID\", \"RUN_NUM\", "
       "\"IMAGE_NUM\", \"LOAD_ADDR\", \"TURN\" ]");
   for (uint32_t i = 0; i < m->n_images; i++) {
      const MergedImage* im = &m->images[i];
      put(out, ROW "%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", \"0x%" PRIx64
          "\", %" PRIu32 " ]", i + 1, im->home.run, im->home.number,
          im->home.load_addr, im->home.turn);
   }
   DCFG_(put_text)(out, " ],\n");
}

/* Put the blocks where a routine of some run begins, in images without symbols;
   symbols say it in others. */
static void put_entries(Put* out, const Merged* m)
{
   const char* next = " ";
   uint32_t    node = NodeFirstBlock;

   put(out, INDENT "\"ENTRY_NODE_IDS\" : [");
   for (uint32_t i = 0; i < m->n_images; i++) {
      const MergedImage* im = &m->images[i];
      for (uint32_t k = 0; k < im->n_blocks; k++, node++)
         if (im->n_symbols == 0 && im->blocks[k].enters)
            put_next(out, &next, node);
   }
   put(out, " ],\n");
}

static void put_rows(Put* out, const Writing* w)
{
   const char* next = " ";

   put(out, INDENT "\"ROWS\" : [ [ \"IMAGE_ID\", \"FILE_NAME_ID\", "
       "\"LINE_NUM\", \"ADDR_OFFSET\", \"SIZE\", \"NUM_INSTRS\" ]");
   for (uint32_t i = 0; i < w->m->n_images; i++) {
      const MergedImage* im = &w->m->images[i];
      bool               differ = rows_differ(im);
      for (uint32_t k = 0; differ && k < im->n_rows; k++) {
         const MergedRow* r = &im->rows[k];
         put(out, ROW "%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", \"0x%" PRIx64
             "\", %" PRIu64 ", %" PRIu32 " ]", i + 1,
             source_id(w->files, r->file), r->line, r->offset, r->size,
             r->n_instrs);
      }
   }
   put(out, " ],\n" INDENT "\"OVERLAPPING_IMAGE_IDS\" : [");
   for (uint32_t i = 0; i < w->m->n_images; i++)
      if (w->m->images[i].overlapping)
         put_next(out, &next, i + 1);
   put(out, " ],\n");
}

/* Put the member MERGED, for JsonDcfg.more.  ARG is a Writing. */
static void put_merged(Put* out, const void* arg)
{
   const Writing* w = arg;
   const LeftOut* left = w->left_out;

   put(out, ",\n        \"MERGED\" : { \"THREADS\" : \"%s\", \"BUILDS\" : "
       "\"%s\", \"NUM_FILES\" : %" PRIu64 ",\n", w->m->keep ? "keep" : "add",
       w->m->apart ? "apart" : "one", left->n_files);
   put_runs(out, w->m);
   put_homes(out, w->m);
   put_entries(out, w->m);
   put_rows(out, w);
   put(out, INDENT "\"LEFT_OUT\" : [ [ \"FILE_NAME\", \"REASON\" ]");
   for (uint32_t i = 0; i < left->n; i++) {
      DCFG_(put_text)(out, ROW);
      DCFG_(put_string)(out, left->all[i].file);
      DCFG_(put_text)(out, ", ");
      DCFG_(put_string)(out, left->all[i].reason);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ] }");
}

/*--- The whole                                            ---*/

static void put_image(const Writing* w, uint32_t i)
{
   const MergedImage* im = &w->m->images[i];
   JsonImage*         to = &w->images[i];
   ImageSymbol*       symbols = zalloc(im->n_symbols, sizeof(*symbols));

   for (uint32_t k = 0; k < im->n_symbols; k++)
      symbols[k] = (ImageSymbol){ im->place + im->symbols[k].addr,
                                  im->symbols[k].size, im->symbols[k].name };
   to->info = (ImageInfo){ .name = im->name, .load = im->place,
                           .size = im->size, .build_id = im->build_id,
                           .code_hash = im->code_hash == NULL ? 0
                                        : strtoull(im->code_hash, NULL, 16),
                           .symbols = symbols, .n_symbols = im->n_symbols };
   to->file = image_id(w->files, im->name);
   to->n_source = im->n_joined;
   to->source = zalloc(to->n_source, sizeof(*to->source));
   for (uint32_t k = 0; k < to->n_source; k++) {
      const MergedRow* r = &im->joined[k];
      to->source[k] = (SourceRow){ source_id(w->files, r->file), r->line,
                                   im->place + r->offset, (UInt)r->size,
                                   r->n_instrs };
   }
}

static JsonRun* put_recorded(const Merged* m)
{
   JsonRun* runs = zalloc(m->n_recorded, sizeof(*runs));

   for (uint32_t i = 0; i < m->n_recorded; i++) {
      const DcfgRun* r = &m->recorded[i];
      runs[i] = (JsonRun){ r->process, r->parent, r->command_line,
                           r->working_dir, r->start, r->tool_version,
                           r->processor, r->deterministic, r->conditions };
   }
   return runs;
}

static JsonDcfg put_process(Writing* w)
{
   Graph*    g = &w->graph;
   Routines* routines = NULL;

   g->n_threads = w->m->n_threads;
   g->thread_instrs = (ULong*)w->m->thread_instrs;
   add_call_bypasses(w->m);
   put_blocks(w);
   put_edges(w);
   check_instrs(g);
   w->images = zalloc(w->m->n_images, sizeof(*w->images));
   for (uint32_t i = 0; i < w->m->n_images; i++)
      put_image(w, i);
   w->runs = put_recorded(w->m);
   if (w->m->with_routines)
      routines = DCFG_(find_routines)(g, w->symbols);
   return (JsonDcfg){
      .pid = (UInt)w->m->process_id, .runs = w->runs,
      .n_recorded = w->m->n_recorded, .n_runs = w->m->n_all,
      .n_files = keymap_size(w->files->rows),
      .files = w->files->names, .n_images = w->m->n_images,
      .images = w->images, .graph = g, .routines = routines,
      .loops = routines == NULL ? NULL : DCFG_(find_loops)(g, routines),
      .with_cfg = w->m->with_blocks, .with_symbols = True,
      .calls = put_calls(w->m),
      .instr_sizes = w->has_sizes ? w->sizes : NULL,
      .more = w->left_out == NULL ? NULL : put_merged, .more_arg = w
   };
}

static void free_writing(Writing* w, const JsonDcfg* json)
{
   free_json_calls(json->calls);
   if (json->routines != NULL) {
      DCFG_(delete_loops)((Loops*)json->loops);
      DCFG_(delete_routines)((Routines*)json->routines);
   }
   for (uint32_t i = 0; i < w->m->n_images; i++) {
      FREE_ALL(w->images[i].info.symbols, w->images[i].source);
   }
   FREE_ALL(w->symbols, w->sizes, w->images, w->runs, w->begins,
            w->ends,
            w->graph.blocks, w->graph.edges, w->graph.counts);
}

void merged_write(Merged* processes, uint32_t n, const LeftOut* left_out,
                  FILE* out)
{
   Writing*  w = zalloc(n, sizeof(*w));
   JsonDcfg* json = zalloc(n, sizeof(*json));
   Put*      put = zalloc(1, sizeof(*put));
   Files     f;

   for (uint32_t i = 0; i < n; i++) {
      order_images(&processes[i]);
      for (uint32_t k = 0; k < processes[i].n_images; k++)
         join_rows(&processes[i].images[k]);
   }
   f = list_files(processes, n);
   for (uint32_t i = 0; i < n; i++) {
      w[i] = (Writing){ .m = &processes[i], .left_out = left_out,
                        .files = &f };
      json[i] = put_process(&w[i]);
   }
   DCFG_(start_put)(put, put_to_file, out);
   DCFG_(write_processes)(put, json, n);
   for (uint32_t i = 0; i < n; i++)
      free_writing(&w[i], &json[i]);
   keymap_free(f.rows);
   FREE_ALL(f.names, put, json, w);
}
