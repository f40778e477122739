/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines of executed instructions. */

/* Owns: the numbers of source files, and the search for the lines of an image's
   instructions.  Handed: superblocks by dcfg_bb.c, debug information by the
   core.  Taken by: tool/run/image.c, which keeps the lines; all who name source
   files. */

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"

#include "tool/base/intern.h"
#include "format/order.h"
#include "dcfg_bb.h"
#include "tool/graph/graph.h"
#include "tool/run/code_set.h"
#include "tool/run/lines.h"

typedef
   struct {
      const HChar* name;
      UInt         no;
   }
   SourceFile;

static OSet*   files_by_name;   // SourceFile
static XArray* files;           // const HChar*

void DCFG_(init_lines)(void)
{
   files  = VG_(newXA)(VG_(malloc), "dcfg.lines.files", VG_(free),
                       sizeof(const HChar*));
   files_by_name = VG_(OSetGen_Create)(offsetof(SourceFile, name), NULL,
                                       VG_(malloc), "dcfg.lines.files",
                                       VG_(free));
}

UInt DCFG_(n_source_files)(void)
{
   return VG_(sizeXA)(files);
}

const HChar* DCFG_(source_file_name)(UInt no)
{
   return *(const HChar**)VG_(indexXA)(files, no);
}

/* NamedFile: a source file as the core names it.  Its texts stay while the
   debug information does. */
typedef
   struct {
      const HChar *dir, *file;
      UInt         no;
   }
   NamedFile;

/* Return the number of a source file.  LAST is the last one asked about. */
static UInt source_file(const HChar* dir, const HChar* file, NamedFile* last)
{
   if (dir == last->dir && file == last->file)
      return last->no;

   const HChar* name = DCFG_(source_path)(dir, file);
   SourceFile*  f    = VG_(OSetGen_Lookup)(files_by_name, &name);

   if (f == NULL) {
      f = VG_(OSetGen_AllocNode)(files_by_name, sizeof(SourceFile));
      f->name = name;
      f->no   = VG_(sizeXA)(files);
      VG_(OSetGen_Insert)(files_by_name, f);
      VG_(addToXA)(files, &f->name);
   }
   *last = (NamedFile){ dir, file, f->no };
   return f->no;
}

COMPARE(cmp_lines, ImageLine, UP(addr))

XArray* DCFG_(new_lines)(void)
{
   XArray* lines = VG_(newXA)(VG_(malloc), "dcfg.lines", VG_(free),
                              sizeof(ImageLine));

   VG_(setCmpFnXA)(lines, (XACmpFn_t)cmp_lines);
   VG_(sortXA)(lines);
   return lines;
}

static Bool has_line(const XArray* lines, Addr a)
{
   ImageLine key = { a, 0, 0 };
   Word      first, last;

   return VG_(lookupXA)(lines, &key, &first, &last);
}

void DCFG_(add_lines)(XArray* lines, UInt no, UInt* last)
{
   DiEpoch   ep    = VG_(current_DiEpoch)();
   CodeSet*  seen  = DCFG_(new_code_set)();
   NamedFile named = { NULL, NULL, 0 };
   XArray*   new   = VG_(newXA)(VG_(malloc), "dcfg.lines.new", VG_(free),
                                sizeof(ImageLine));

   for (UInt id; (id = DCFG_(next_of_image)(no, *last)) != 0; *last = id) {
      const Superblock* sb = DCFG_(superblock)(id);
      Addr              a  = sb->addr;
      for (UInt k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
         const HChar *file, *dir;
         ImageLine    l;
         if (!DCFG_(add_place)(seen, no, a) || has_line(lines, a)
             || !VG_(get_filename_linenum)(ep, a, &file, &dir, &l.line))
            continue;
         l.addr = a;
         l.file = source_file(dir, file, &named);
         VG_(addToXA)(new, &l);
      }
   }
   for (Word i = 0; i < VG_(sizeXA)(new); i++)
      VG_(addToXA)(lines, VG_(indexXA)(new, i));
   VG_(sortXA)(lines);
   VG_(deleteXA)(new);
   DCFG_(delete_code_set)(seen);
}
