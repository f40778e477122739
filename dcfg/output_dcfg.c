
/*--------------------------------------------------------------------*/
/*--- Putting the DCFG together.                dcfg/output_dcfg.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the steps from counters to file, and what has to be looked up in
   debug information between them.  Handed: the user's wishes by
   dcfg_main.c.  Taken by: the user. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#include "run/image.h"
#include "dcfg_json.h"
#include "base/file.h"
#include "run/gather.h"
#include "dcfg/output_dcfg.h"

/*------------------------------------------------------------*/
/*--- Symbols                                              ---*/
/*------------------------------------------------------------*/

/* The first symbol of IM with the same address as the one around A, or
   its number of symbols. */
static UInt symbol_around(const ImageInfo* im, Addr a)
{
   UInt lo = 0, hi = im->n_symbols;

   while (lo < hi) {
      UInt mid = lo + (hi - lo) / 2;
      if (im->symbols[mid].addr <= a)
         lo = mid + 1;
      else
         hi = mid;
   }
   if (lo == 0 || a - im->symbols[lo - 1].addr >= im->symbols[lo - 1].size)
      return im->n_symbols;
   lo--;
   while (lo > 0 && im->symbols[lo - 1].addr == im->symbols[lo].addr)
      lo--;
   return lo;
}

static BlockSymbol* find_block_symbols(const Graph* g,
                                       const JsonImage* images)
{
   BlockSymbol* bs = VG_(calloc)("dcfg.report.symbols", g->n_blocks + 1,
                                 sizeof(BlockSymbol));
   UInt before = 0;    // symbols of the images before this one's

   for (UInt b = 0; b < g->n_blocks; b++) {
      const Block*     bb = &g->blocks[b];
      const ImageInfo* im = &images[bb->image].info;
      if (b > 0 && bb->image != g->blocks[b - 1].image)
         before += images[g->blocks[b - 1].image].info.n_symbols;
      UInt s = symbol_around(im, bb->addr);
      if (s < im->n_symbols) {
         bs[b].function = before + s + 1;
         bs[b].starts   = im->symbols[s].addr == bb->addr;
      }
   }
   return bs;
}

/*------------------------------------------------------------*/
/*--- File names and source lines                          ---*/
/*------------------------------------------------------------*/

static Int cmp_names(const void* a, const void* b)
{
   return VG_(strcmp)(*(const HChar* const*)a, *(const HChar* const*)b);
}

/* FILE_NAME_ID of NAME, which is in FILES[FIRST ..] in order. */
static UInt file_id(XArray* files, Word first, const HChar* name)
{
   Word lo = first, hi = VG_(sizeXA)(files) - 1;

   while (lo < hi) {
      Word mid = lo + (hi - lo) / 2;
      if (VG_(strcmp)(*(const HChar**)VG_(indexXA)(files, mid), name) < 0)
         lo = mid + 1;
      else
         hi = mid;
   }
   return lo + 1;
}

/* Images first, in their order, then source files in alphabetical order:
   those that instructions of SOURCE rows are from. */
static XArray* list_files(JsonImage* images, UInt n_images,
                          const Bool* is_used, UInt* source_ids)
{
   XArray* files = VG_(newXA)(VG_(malloc), "dcfg.report.files", VG_(free),
                              sizeof(const HChar*));
   XArray* sources = VG_(newXA)(VG_(malloc), "dcfg.report.sources",
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

/* SOURCE_DATA of the image at PLACE: a row for each run of executed
   instructions, one behind the other, that are from one line.  .file is a
   source file's number.  *NEXT is the first instruction not looked at. */
static void find_source(const Gathered* p, UInt place, JsonImage* im,
                        UInt* next, Bool* is_used)
{
   const ImageInfo* info = &im->info;
   XArray* rows = VG_(newXA)(VG_(malloc), "dcfg.report.rows", VG_(free),
                             sizeof(SourceRow));
   UInt    l    = 0;

   for (; *next < p->n_instrs && p->instrs[*next].image == place; ++*next) {
      const Instr* in   = &p->instrs[*next];
      SourceRow*   last = VG_(sizeXA)(rows) == 0 ? NULL
                          : VG_(indexXA)(rows, VG_(sizeXA)(rows) - 1);
      while (l < info->n_lines && info->lines[l].addr < in->addr)
         l++;
      if (l == info->n_lines || info->lines[l].addr != in->addr)
         continue;
      const ImageLine* line = &info->lines[l];
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
      im->source = VG_(malloc)("dcfg.report.rows", n);
      VG_(memcpy)(im->source, VG_(indexXA)(rows, 0), n);
   }
   VG_(deleteXA)(rows);
}

/*------------------------------------------------------------*/
/*--- The report                                           ---*/
/*------------------------------------------------------------*/

/* Fill in IMAGES and return the names of all files. */
static XArray* find_images(const Gathered* p, JsonImage* images,
                           Bool with_source)
{
   UInt i, next = 0;

   for (i = 0; i < p->n_images; i++)
      DCFG_(image_info)(p->images[i], with_source, &images[i].info);

   UInt  n_sources = DCFG_(n_source_files)();
   Bool* is_used   = VG_(calloc)("dcfg.report.used", n_sources + 1,
                                 sizeof(Bool));
   UInt* ids       = VG_(calloc)("dcfg.report.ids", n_sources + 1,
                                 sizeof(UInt));
   if (with_source)
      for (i = 0; i < p->n_images; i++)
         find_source(p, i, &images[i], &next, is_used);
   XArray* files = list_files(images, p->n_images, is_used, ids);
   for (i = 0; i < p->n_images; i++)
      for (UInt k = 0; k < images[i].n_source; k++) {
         SourceRow* row = &images[i].source[k];
         row->file = ids[row->file];
      }
   VG_(free)(is_used);
   VG_(free)(ids);
   return files;
}

static ULong all_instrs(const Graph* g)
{
   ULong n = 0;

   for (UInt t = 0; t < g->n_threads; t++)
      n += g->thread_instrs[t];
   return n;
}

void DCFG_(progress)(Progress* pr)
{
   Gathered* p = DCFG_(gather)();

   pr->blocks = p->graph->n_blocks;
   pr->edges  = p->graph->n_edges;
   pr->instrs = all_instrs(p->graph);
   DCFG_(delete_gathered)(p);
}

static void write_dcfg(const HChar* file, const JsonDcfg* d)
{
   OutFile* f = DCFG_(open_out_file)("--dcfg-out-file", file);

   DCFG_(write_json)(DCFG_(text_of_file)(f), d);
   DCFG_(close_out_file)(f, "%'u blocks, %'u edges, %'u routines, "
                         "%'u loops, %'llu instructions",
                         d->with_cfg ? d->graph->n_blocks : 0,
                         d->with_cfg ? d->graph->n_edges : 0,
                         d->routines ? d->routines->n_routines : 0,
                         d->loops ? d->loops->n_loops : 0,
                         all_instrs(d->graph));
}

void DCFG_(report)(const ReportOptions* opts, const HChar* file,
                   const HChar* reason)
{
   UInt       start  = VG_(read_millisecond_timer)();
   Gathered*   p      = DCFG_(gather)();
   JsonImage* images = VG_(calloc)("dcfg.report.images", p->n_images + 1,
                                   sizeof(JsonImage));
   XArray*    files  = find_images(p, images, opts->source);
   JsonDcfg   d;

   VG_(memset)(&d, 0, sizeof(d));
   d.pid          = VG_(getpid)();
   d.n_files      = VG_(sizeXA)(files);
   d.files        = d.n_files ? VG_(indexXA)(files, 0) : NULL;
   d.n_images     = p->n_images;
   d.images       = images;
   d.graph        = p->graph;
   d.with_cfg     = opts->cfg;
   d.with_symbols = opts->symbols;
   Routines* routines = NULL;
   Loops*    loops    = NULL;
   if (opts->cfg && opts->analysis) {
      BlockSymbol* symbols = find_block_symbols(p->graph, images);
      routines = DCFG_(find_routines)(p->graph, symbols);
      loops    = DCFG_(find_loops)(p->graph, routines);
      VG_(free)(symbols);
   }
   d.routines = routines;
   d.loops    = loops;
   write_dcfg(file != NULL ? file : opts->out_file, &d);

   if (routines != NULL) {
      DCFG_(delete_routines)(routines);
      DCFG_(delete_loops)(loops);
   }
   for (UInt i = 0; i < p->n_images; i++)
      VG_(free)(images[i].source);
   VG_(free)(images);
   VG_(deleteXA)(files);
   if (VG_(clo_stats))
      VG_(message)(Vg_DebugMsg, "dcfg: %u ms to write the DCFG\n",
                   VG_(read_millisecond_timer)() - start);
   if (opts->trace.on && file == NULL)
      DCFG_(report_trace)(&opts->trace, p);
   if (opts->callgrind.on && file == NULL)
      DCFG_(report_callgrind)(&opts->callgrind, p, reason);
   DCFG_(delete_gathered)(p);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
