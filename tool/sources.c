/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images and source lines of a DCFG. */

/* Owns: the order of images and files in a DCFG, and its rows of source lines.
   Handed: the run by tool/run/gather.c, images by tool/run/image.c.  Taken by:
   tool/output_dcfg.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "format/order.h"
#include "tool/sources.h"
#include "tool/run/image.h"
#include "tool/run/lines.h"
#include "tool/run/symbols.h"

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
static void find_source(const Gathered* p, UInt place, JsonImage* im,
                        UInt* next, Bool* is_used)
{
   XArray* rows = VG_(newXA)(VG_(malloc), "dcfg.sources.rows", VG_(free),
                             sizeof(SourceRow));

   for (; *next < p->n_instrs && p->instrs[*next].image == place; ++*next) {
      const Instr* in   = &p->instrs[*next];
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

XArray* DCFG_(find_sources)(const Gathered* p, JsonImage* images,
                             Bool with_source)
{
   UInt i, next = 0;

   for (i = 0; i < p->n_images; i++)
      DCFG_(image_info)(p->images[i], with_source, &images[i].info);

   UInt  n_sources = DCFG_(n_source_files)();
   Bool* is_used   = VG_(calloc)("dcfg.sources.used", n_sources + 1,
                                 sizeof(Bool));
   UInt* ids       = VG_(calloc)("dcfg.sources.ids", n_sources + 1,
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
