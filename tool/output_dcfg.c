/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the options of the DCFG, the order of images and files in it, its rows
   of source lines, and the steps from the run to its file.  Handed: blocks and
   edges by tool/run/gather.c, images by tool/run/image.c, their lines by
   tool/run/image.c. */

#include "dcfg_json.h"
#include "format/dcfg_tables.h"
#include "format/order.h"
#include "tool/base/core.h"
#include "tool/calls/follow.h"
#include "tool/calls/function.h"
#include "tool/calls/stack.h"
#include "tool/calls/totals.h"
#include "tool/dcfg_output.h"
#include "tool/files/file.h"
#include "tool/graph/routine.h"
#include "tool/output_dcfg.h"
#include "tool/run/gather.h"
#include "tool/run/image.h"
#include "tool/run/this_run.h"

/*--- Images and source lines                              ---*/

static Int cmp_names(const void* a, const void* b)
{
   return VG_(strcmp)(*(const HChar* const*)a, *(const HChar* const*)b);
}

/* Return the FILE_NAME_ID of NAME, which is in the sorted FILES[FIRST ..]. */
static UInt file_id(XArray* files, Word first, const HChar* name)
{
   Word lo = first;

   BISECT(lo, VG_(sizeXA)(files) - 1, mid,
          VG_(strcmp)(*(const HChar**)VG_(indexXA)(files, mid), name) < 0);
   return lo + 1;
}

/* List files: images first, in their order, then source files in alphabetical
   order, if rows of SOURCE_DATA use them. */
static XArray* list_files(JsonImage* images, UInt n_images,
                          const Bool* is_used, UInt* source_ids)
{
   XArray* files = DCFG_NEW_ARRAY("dcfg.sources.files", const HChar*);
   XArray* sources = DCFG_NEW_ARRAY("dcfg.sources.sources", const HChar*);

   for (UInt i = 0; i < n_images; i++) {
      UInt same = 0;
      while (same < i
             && !VG_STREQ(images[same].info.name, images[i].info.name))
         same++;
      if (same < i) {
         images[i].file = images[same].file;
         continue;
      }
      VG_(addToXA)(files, &images[i].info.name);
      images[i].file = VG_(sizeXA)(files);
   }
   Word first = VG_(sizeXA)(files);
   for (UInt f = 0; f < DCFG_(n_source_files)(); f++)
      if (is_used[f]) {
         const HChar* name = DCFG_(source_file_name)(f);
         VG_(addToXA)(sources, &name);
      }
   VG_(setCmpFnXA)(sources, cmp_names);
   VG_(sortXA)(sources);
   for (Word i = 0; i < VG_(sizeXA)(sources); i++)
      VG_(addToXA)(files, VG_(indexXA)(sources, i));
   VG_(deleteXA)(sources);
   for (UInt f = 0; f < DCFG_(n_source_files)(); f++)
      if (is_used[f])
         source_ids[f] = file_id(files, first, DCFG_(source_file_name)(f));
   return files;
}

/* Make SOURCE_DATA of the image with index PLACE: a row for each sequence of
   adjacent executed instructions of one line.  .file is the number of a source
   file.  *NEXT is the first instruction to look at. */
static void find_source(const Gathered* gathered, UInt place, JsonImage* im,
                        UInt* next, Bool* is_used)
{
   XArray* rows = DCFG_NEW_ARRAY("dcfg.sources.rows", SourceRow);
   UInt    l    = 0;

   for (; *next < gathered->n_instrs && gathered->instrs[*next].image == place;
        ++*next) {
      const Instr* in   = &gathered->instrs[*next];
      SourceRow*   last = VG_(sizeXA)(rows) == 0 ? NULL
                          : VG_(indexXA)(rows, VG_(sizeXA)(rows) - 1);
      /* Instructions and lines come in the order of addresses. */
      while (l < im->info.n_lines && im->info.lines[l].addr < in->addr)
         l++;
      const ImageLine* line = l < im->info.n_lines ? &im->info.lines[l] : NULL;
      if (line == NULL || line->addr != in->addr)
         continue;
      if (last != NULL && last->file == line->file
          && last->line == line->line
          && last->addr + last->size == in->addr) {
         last->size += in->len;
         last->n_instrs++;
      } else {
         SourceRow row = { line->file, line->line, in->addr, in->len, 1 };
         VG_(addToXA)(rows, &row);
         is_used[line->file] = True;
      }
   }
   im->n_source = VG_(sizeXA)(rows);
   if (im->n_source > 0) {
      SizeT n    = im->n_source * sizeof(SourceRow);
      im->source = VG_(malloc)("dcfg.sources.rows", n);
      VG_(memcpy)(im->source, VG_(indexXA)(rows, 0), n);
   }
   VG_(deleteXA)(rows);
}

/* Fill IMAGES for GATHERED, and return the names of all files, const HChar*.
   The caller deletes the list, and each image's .source. */
static XArray* find_sources(const Gathered* gathered, JsonImage* images,
                             Bool with_source)
{
   UInt i, next = 0;

   for (i = 0; i < gathered->n_images; i++)
      DCFG_(image_info)(gathered->images[i], with_source, &images[i].info);

   UInt  n_sources = DCFG_(n_source_files)();
   Bool* is_used   = VG_(calloc)("dcfg.sources.used", n_sources + 1,
                                 sizeof(Bool));
   UInt* ids       = VG_(calloc)("dcfg.sources.ids", n_sources + 1,
                                 sizeof(UInt));
   if (with_source)
      for (i = 0; i < gathered->n_images; i++)
         find_source(gathered, i, &images[i], &next, is_used);
   XArray* files = list_files(images, gathered->n_images, is_used, ids);
   for (i = 0; i < gathered->n_images; i++)
      for (UInt k = 0; k < images[i].n_source; k++) {
         SourceRow* row = &images[i].source[k];
         row->file = ids[row->file];
      }
   DCFG_FREE_ALL(is_used, ids);
   return files;
}

/*--- Calls                                                ---*/

/* FunctionPlace: where a function is, as CALLS tells it. */
typedef
   struct {
      UInt  image;        // IMAGE_ID, or 0
      ULong offset;
      UInt  number;       // the function's
   }
   FunctionPlace;

COMPARE(cmp_function_places, FunctionPlace,
        UP(image) ?: UP(offset) ?: UP(number))

/* Return whether IM has an object of this NAME at A.  Some sections of an
   object, and code without a file, have no name for the core. */
static Bool has_function(const ImageInfo* im, Addr a, const HChar* name)
{
   return a >= im->load && a - im->load < im->size
          && (im->name[0] != '/' || VG_STREQ(name, "???")
              || VG_STREQ(im->name, name));
}

/* Return the place of function number F.  If nothing of its image ran, as of a
   caller that was active all the time, it is no place of the file. */
static FunctionPlace place_of_function(const Gathered* g,
                                       const JsonImage* images, UInt f)
{
   const Function* fn = DCFG_(function)(f);

   for (UInt i = 0; i < g->n_images; i++) {
      const ImageInfo* im = &images[i].info;
      if (has_function(im, fn->at, fn->object))
         return (FunctionPlace){ i + 1, fn->at - im->load, f };
   }
   return (FunctionPlace){ 0, 0, f };
}

/* CallTable: the contents of CALLS while they are made. */
typedef
   struct {
      UInt          n_threads;
      CallTotals**  totals;       // for each thread
      UInt*         ids;          // for each function: FUNCTION_ID, or 0
      JsonFunction* functions;
      JsonCall*     calls;
      UInt          n_functions, n_calls;
      ULong*        numbers;      // all lists of functions and calls
   }
   CallTable;

static Bool is_function_used(const CallTable* ct, UInt f)
{
   for (UInt t = 0; t < ct->n_threads; t++)
      if (f < ct->totals[t]->n_functions
          && ct->totals[t]->functions[f] != NULL
          && (ct->totals[t]->functions[f]->self > 0
              || ct->totals[t]->functions[f]->total.all > 0))
         return True;
   return False;
}

/* Give ids to functions that cost or call something, by place. */
static void number_functions(CallTable* ct, const Gathered* g,
                             const JsonImage* images)
{
   UInt    n      = DCFG_(n_functions)();
   XArray* places = DCFG_NEW_ARRAY("dcfg.output.places", FunctionPlace);
   Bool*   used   = VG_(calloc)("dcfg.output.used", n + 1, sizeof(Bool));

   for (UInt t = 0; t < ct->n_threads; t++) {
      const PairTotal* c;
      VG_(HT_ResetIter)(ct->totals[t]->calls);
      while ((c = VG_(HT_Next)(ct->totals[t]->calls)) != NULL)
         if (c->total.all > 0)
            used[c->caller] = used[c->callee] = True;
   }
   for (UInt f = 1; f <= n; f++)
      if (used[f] || is_function_used(ct, f)) {
         FunctionPlace at = place_of_function(g, images, f);
         VG_(addToXA)(places, &at);
      }
   VG_(setCmpFnXA)(places, cmp_function_places);
   VG_(sortXA)(places);
   ct->ids       = VG_(calloc)("dcfg.output.ids", n + 1, sizeof(UInt));
   ct->functions = VG_(calloc)("dcfg.output.functions",
                               VG_(sizeXA)(places) + 1, sizeof(JsonFunction));
   for (Word i = 0; i < VG_(sizeXA)(places); i++) {
      const FunctionPlace* p    = VG_(indexXA)(places, i);
      const JsonFunction*  last = ct->functions + ct->n_functions - 1;
      if (i == 0 || last->image != p->image || last->offset != p->offset)
         ct->functions[ct->n_functions++] = (JsonFunction){ p->image,
                                                            p->offset };
      ct->ids[p->number] = ct->n_functions;
   }
   VG_(deleteXA)(places);
   VG_(free)(used);
}

COMPARE(cmp_json_calls, JsonCall, UP(caller) ?: UP(callee))

/* List the calls of all threads, each pair of ids once. */
static XArray* list_calls(const CallTable* ct)
{
   XArray* calls = DCFG_NEW_ARRAY("dcfg.output.calls", JsonCall);
   Word    n     = 0;

   for (UInt t = 0; t < ct->n_threads; t++) {
      const PairTotal* c;
      VG_(HT_ResetIter)(ct->totals[t]->calls);
      while ((c = VG_(HT_Next)(ct->totals[t]->calls)) != NULL) {
         JsonCall j = { ct->ids[c->caller], ct->ids[c->callee] };
         if (c->total.all > 0)
            VG_(addToXA)(calls, &j);
      }
   }
   VG_(setCmpFnXA)(calls, cmp_json_calls);
   VG_(sortXA)(calls);
   for (Word i = 0; i < VG_(sizeXA)(calls); i++) {
      const JsonCall* next = VG_(indexXA)(calls, i);
      if (n == 0 || cmp_json_calls(VG_(indexXA)(calls, n - 1), next) != 0)
         *(JsonCall*)VG_(indexXA)(calls, n++) = *next;
   }
   VG_(dropTailXA)(calls, VG_(sizeXA)(calls) - n);
   return calls;
}

/* Add the sums of thread T. */
static void add_totals(CallTable* ct, XArray* calls, UInt t)
{
   const CallTotals* totals = ct->totals[t];
   const PairTotal*  c;
   UInt              n = totals->n_functions;

   if (n > DCFG_(n_functions)() + 1)
      n = DCFG_(n_functions)() + 1;
   for (UInt f = 1; f < n; f++) {
      const FunctionTotal* ft = totals->functions[f];
      if (ft == NULL || ct->ids[f] == 0)
         continue;
      const JsonFunction* j = &ct->functions[ct->ids[f] - 1];
      j->self[t] += ft->self;
      j->all[t]  += ft->total.all;
   }
   VG_(HT_ResetIter)(totals->calls);
   while ((c = VG_(HT_Next)(totals->calls)) != NULL) {
      JsonCall j = { ct->ids[c->caller], ct->ids[c->callee] };
      Word     at;
      if (c->total.all == 0
          || !VG_(lookupXA)(calls, &j, &at, NULL))
         continue;
      const JsonCall* found = VG_(indexXA)(calls, at);
      found->counts[t] += c->count;
      found->costs[t]  += c->total.all;
   }
}

/* Make CALLS of the run G.  The caller frees it. */
static CallTable make_calls(const Gathered* g, const JsonImage* images,
                            XArray** calls)
{
   CallTable ct = { .n_threads = g->graph->n_threads };
   ULong*    next;

   DCFG_(account_for_calls)();
   ct.totals = VG_(calloc)("dcfg.output.totals", ct.n_threads + 1,
                           sizeof(CallTotals*));
   for (UInt t = 0; t < ct.n_threads; t++)
      ct.totals[t] = DCFG_(totals_of_thread)(t);
   DCFG_(take_account_back)();
   number_functions(&ct, g, images);
   *calls     = list_calls(&ct);
   ct.n_calls = VG_(sizeXA)(*calls);
   ct.calls   = ct.n_calls == 0 ? NULL : VG_(indexXA)(*calls, 0);
   next = ct.numbers
      = VG_(calloc)("dcfg.output.numbers",
                    2 * ((SizeT)ct.n_functions + ct.n_calls)
                    * ct.n_threads + 1, sizeof(ULong));
   for (UInt i = 0; i < ct.n_functions; i++, next += 2 * ct.n_threads) {
      ct.functions[i].self = next;
      ct.functions[i].all  = next + ct.n_threads;
   }
   for (UInt i = 0; i < ct.n_calls; i++, next += 2 * ct.n_threads) {
      ct.calls[i].counts = next;
      ct.calls[i].costs  = next + ct.n_threads;
   }
   for (UInt t = 0; t < ct.n_threads; t++)
      add_totals(&ct, *calls, t);
   return ct;
}

static void delete_calls(CallTable* ct, XArray* calls)
{
   for (UInt t = 0; t < ct->n_threads; t++)
      DCFG_(delete_call_totals)(ct->totals[t]);
   DCFG_FREE_ALL(ct->totals, ct->ids, ct->functions, ct->numbers);
   VG_(deleteXA)(calls);
}

/*--- Options                                              ---*/

#define OUT_FILE "dcfg.out.%p.json"

static struct {
   const HChar* out_file;
   Bool         symbols, source, analysis, cfg, instr_sizes, calls;
} opts = {
   .out_file = OUT_FILE,
   .symbols  = True,
   .source   = True,
   .analysis = True,
   .cfg      = True
};

static const Option options[] = {
   OPTION_TEXT("--dcfg-out-file", opts.out_file, "<file>",
               "write the graph to <file> (through a compressor if it ends in "
               ".gz, .bz2, .xz or .zst)"),
   OPTION_BOOL("--symbols", opts.symbols, "include the images' symbols"),
   OPTION_BOOL("--source", opts.source, "include source lines"),
   OPTION_BOOL("--analysis", opts.analysis,
               "include routines, dominators, loops"),
   OPTION_BOOL("--cfg", opts.cfg, "include basic blocks and edges"),
   OPTION_BOOL("--instr-sizes", opts.instr_sizes,
               "include the sizes of instructions, for merging without the "
               "images' files"),
   OPTION_BOOL("--calls", opts.calls,
               "include who called whom, how often, and at what cost")
};

static Bool start(void)
{
   DCFG_(claim_out_file)("--dcfg-out-file", opts.out_file);
   /* Runs are added up when they end, and then no image need be there. */
   opts.instr_sizes = opts.instr_sizes || DCFG_(merges_runs)(opts.out_file);
   if (opts.calls)
      DCFG_(sum_up_calls)();
   return True;
}

Bool DCFG_(writes_edges)(void)
{
   return opts.cfg;
}

/*--- The DCFG                                             ---*/

static BlockSymbol* find_block_symbols(const Graph* g,
                                       const JsonImage* images)
{
   BlockSymbol* bs = VG_(calloc)("dcfg.output.symbols", g->n_blocks + 1,
                                 sizeof(BlockSymbol));
   UInt before = 0;    // number of symbols in earlier images

   for (UInt b = 0; b < g->n_blocks; b++) {
      const Block*     bb = &g->blocks[b];
      const ImageInfo* im = &images[bb->image].info;
      if (b > 0 && bb->image != g->blocks[b - 1].image)
         before += images[g->blocks[b - 1].image].info.n_symbols;
      UInt s = DCFG_(symbol_around)(im, bb->addr);
      if (s < im->n_symbols) {
         bs[b].function = before + s + 1;
         bs[b].starts   = im->symbols[s].addr == bb->addr;
      }
   }
   return bs;
}

/* Return the sizes of the instructions of all blocks.  A block whose
   instructions are not one behind the other has zeros.  The caller frees
   them. */
static HChar* find_instr_sizes(const Gathered* gathered)
{
   const Graph* g = gathered->graph;
   HChar*       sizes;
   HChar**      next = VG_(malloc)("dcfg.output.sizes",
                                   (g->n_blocks + 1) * sizeof(HChar*));

   sizes = VG_(malloc)("dcfg.output.sizes", gathered->n_instrs + 1);
   next[0] = sizes;
   for (UInt b = 0; b < g->n_blocks; b++)
      next[b + 1] = next[b] + g->blocks[b].n_instrs;
   for (UInt i = 0; i < gathered->n_instrs; i++) {
      UChar len = gathered->instrs[i].len;
      *next[g->node_of[i] - NodeFirstBlock]++
         = len < sizeof(INSTR_SIZE_DIGITS) - 1 ? INSTR_SIZE_DIGITS[len] : '0';
   }
   for (UInt b = 0; b < g->n_blocks; b++) {
      const Block* at   = &g->blocks[b];
      HChar*       from = next[b] - at->n_instrs;
      if (!fits_instr_sizes(from, at->n_instrs, at->size, at->last_offset))
         VG_(memset)(from, '0', at->n_instrs);
   }
   VG_(free)(next);
   return sizes;
}

static ULong all_instrs(const Graph* g)
{
   ULong n = 0;

   for (UInt t = 0; t < g->n_threads; t++)
      n += g->thread_instrs[t];
   return n;
}

/* Return G's part.  The caller frees .bypasses. */
static JsonPart part_of(const Gathered* g)
{
   JsonBypass* bypasses = VG_(calloc)("dcfg.output.bypasses",
                                      g->n_bypasses + 1, sizeof(JsonBypass));

   for (UInt i = 0; i < g->n_bypasses; i++) {
      ImageInfo from;
      DCFG_(image_info)(g->bypasses[i].image, False, &from);
      bypasses[i] = (JsonBypass){ g->bypasses[i].image,
                                  g->bypasses[i].addr - from.load,
                                  g->bypasses[i].target };
   }
   return (JsonPart){ g->part, g->first_part, g->preceding, g->images,
                      g->ways_in, g->mark, g->n_bypasses, bypasses };
}

static void write_file(const HChar* file, const JsonDcfg* dcfg)
{
   OutFile* f = DCFG_(open_out_file)("--dcfg-out-file", file, NULL,
                                     False);

   DCFG_(set_reader)(f, "dcfg report", OUT_FILE);
   DCFG_(write_json)(DCFG_(text_of_file)(f), dcfg);
   DCFG_(close_out_file)(f, "%'u blocks, %'u edges, %'u routines, "
                         "%'u loops, %'llu instructions",
                         dcfg->with_cfg ? dcfg->graph->n_blocks : 0,
                         dcfg->with_cfg ? dcfg->graph->n_edges : 0,
                         dcfg->routines ? dcfg->routines->n_routines : 0,
                         dcfg->loops ? dcfg->loops->n_loops : 0,
                         all_instrs(dcfg->graph));
}

void DCFG_(write_dcfg)(const Gathered* g, const HChar* file)
{
   JsonImage* images   = VG_(calloc)("dcfg.output.images", g->n_images + 1,
                                     sizeof(JsonImage));
   XArray*    files    = find_sources(g, images, opts.source);
   Routines*  routines = NULL;
   Loops*     loops    = NULL;
   HChar*     sizes    = opts.cfg && opts.instr_sizes ? find_instr_sizes(g)
                                                      : NULL;
   JsonDcfg   d;

   if (opts.cfg && opts.analysis) {
      BlockSymbol* symbols = find_block_symbols(g->graph, images);
      routines = DCFG_(find_routines)(g->graph, symbols);
      loops    = DCFG_(find_loops)(g->graph, routines);
      VG_(free)(symbols);
   }
   JsonPart   part = part_of(g);
   JsonRun    run  = DCFG_(this_run)();
   VG_(memset)(&d, 0, sizeof(d));
   d.pid          = DCFG_(this_pid)();
   d.runs         = &run;
   d.n_recorded   = d.n_runs = 1;
   d.n_files      = VG_(sizeXA)(files);
   d.files        = d.n_files ? VG_(indexXA)(files, 0) : NULL;
   d.n_images     = g->n_images;
   d.images       = images;
   d.graph        = g->graph;
   d.routines     = routines;
   d.loops        = loops;
   d.with_cfg     = opts.cfg;
   d.with_symbols = opts.symbols;
   d.instr_sizes  = sizes;
   d.part         = g->first_part != 0 && opts.cfg ? &part : NULL;
   CallTable table = { 0 };
   XArray*   calls = NULL;
   JsonCalls json;
   if (opts.calls) {
      table   = make_calls(g, images, &calls);
      json    = (JsonCalls){ table.n_functions, table.functions,
                             table.n_calls, table.calls };
      d.calls = &json;
   }
   write_file(file, &d);
   if (opts.calls)
      delete_calls(&table, calls);

   if (routines != NULL) {
      DCFG_(delete_routines)(routines);
      DCFG_(delete_loops)(loops);
   }
   for (UInt i = 0; i < g->n_images; i++)
      VG_(free)(images[i].source);
   DCFG_FREE_ALL(part.bypasses, sizes, images);
   VG_(deleteXA)(files);
}

static void write(const Gathered* g, const HChar* reason)
{
   HChar* name = DCFG_(name_of_part)("--dcfg-out-file", opts.out_file, "");

   DCFG_(write_dcfg)(g, name);
   VG_(free)(name);
}

const Output DCFG_(dcfg_output) = {
   .name    = "DCFG",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write
};
