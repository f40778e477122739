/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the DCFG. */

/* Owns: the options of the DCFG, the order of images and files in it, its rows
   of source lines, and the steps from the run to its file.  Handed: blocks and
   edges by tool/run/gather.c, images by tool/run/image.c, their lines by
   tool/run/image.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"
#include "dcfg_json.h"
#include "format/dcfg_tables.h"
#include "format/order.h"
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
   XArray* files = VG_(newXA)(VG_(malloc), "dcfg.sources.files", VG_(free),
                              sizeof(const HChar*));
   XArray* sources = VG_(newXA)(VG_(malloc), "dcfg.sources.sources",
                                VG_(free), sizeof(const HChar*));

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
   XArray* rows = VG_(newXA)(VG_(malloc), "dcfg.sources.rows", VG_(free),
                             sizeof(SourceRow));

   for (; *next < gathered->n_instrs && gathered->instrs[*next].image == place;
        ++*next) {
      const Instr* in   = &gathered->instrs[*next];
      SourceRow*   last = VG_(sizeXA)(rows) == 0 ? NULL
                          : VG_(indexXA)(rows, VG_(sizeXA)(rows) - 1);
      const ImageLine* line = DCFG_(line_at)(&im->info, in->addr);
      if (line == NULL)
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
   VG_(free)(is_used);
   VG_(free)(ids);
   return files;
}

/*--- Options                                              ---*/

#define OUT_FILE "dcfg.out.%p.json"

static struct {
   const HChar* out_file;
   Bool         symbols, source, analysis, cfg, instr_sizes;
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
               "images' files")
};

static Bool start(void)
{
   DCFG_(claim_out_file)("--dcfg-out-file", opts.out_file);
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
                      g->ways_in, g->n_bypasses, bypasses };
}

static void write_file(const HChar* file, const JsonDcfg* dcfg)
{
   OutFile* f = DCFG_(open_out_file)("--dcfg-out-file", file, NULL);

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
   d.pid          = VG_(getpid)();
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
   write_file(file, &d);

   if (routines != NULL) {
      DCFG_(delete_routines)(routines);
      DCFG_(delete_loops)(loops);
   }
   for (UInt i = 0; i < g->n_images; i++)
      VG_(free)(images[i].source);
   VG_(free)(part.bypasses);
   VG_(free)(sizes);
   VG_(free)(images);
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
