/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Symbols and source lines of images, and sets of places of code. */

/* Owns: walks over an object's symbols; looking up symbols and source lines;
   the numbers of source files, and the search for the lines of an image's
   instructions; sets of addresses of images.  Handed: the core's debug
   information, and tool/run/image.c's copies of it; superblocks by dcfg_bb.c.

   In a set of places, a page with any member has a bit for each of its bytes.
   Large programs have millions of members, on some thousands of pages. */

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "dcfg_bb.h"
#include "format/order.h"
#include "tool/base/core.h"
#include "tool/base/intern.h"
#include "tool/graph/graph.h"
#include "tool/run/symbols.h"

/*--- Sets of places                                       ---*/

/* CodePage: the members on a page. */
#define CODE_PAGE 4096u
typedef
   struct _CodePage {
      struct _CodePage* hash_next;
      UWord hash_key;
      UWord number;             // address / CODE_PAGE
      UInt  image;
      ULong bits[CODE_PAGE / 64];
   }
   CodePage;

struct _CodeSet {
   VgHashTable* pages;          // CodePage
   CodePage*    last;           // the page of the last question, or NULL
};

CodeSet* DCFG_(new_code_set)(void)
{
   CodeSet* s = VG_(malloc)("dcfg.code.set", sizeof(CodeSet));

   s->pages = VG_(HT_construct)("dcfg.code.set.pages");
   s->last  = NULL;
   return s;
}

void DCFG_(delete_code_set)(CodeSet* s)
{
   VG_(HT_destruct)(s->pages, VG_(free));
   VG_(free)(s);
}

static Word differs(const void* va, const void* vb)
{
   const CodePage* a = va;
   const CodePage* b = vb;

   return a->number != b->number || a->image != b->image;
}

/* Say that P is the page of address A of IMAGE.  Thousands of images, one after
   the other, may have code on one page. */
static void name_page(CodePage* p, UInt image, Addr a)
{
   p->number   = a / CODE_PAGE;
   p->image    = image;
   p->hash_key = p->number + (UWord)image * 0x9E3779B1u;
}

/* Return the page of address A of IMAGE, or NULL. */
static CodePage* find_page(CodeSet* s, UInt image, Addr a)
{
   CodePage key;

   name_page(&key, image, a);
   if (s->last == NULL || differs(s->last, &key))
      s->last = VG_(HT_gen_lookup)(s->pages, &key, differs);
   return s->last;
}

static UInt word_of(Addr a)
{
   return a % CODE_PAGE / 64;
}

static ULong bit_of(Addr a)
{
   return 1ULL << a % 64;
}

Bool DCFG_(has_place)(CodeSet* s, UInt image, Addr a)
{
   const CodePage* p = find_page(s, image, a);

   return p != NULL && (p->bits[word_of(a)] & bit_of(a)) != 0;
}

Bool DCFG_(add_place)(CodeSet* s, UInt image, Addr a)
{
   CodePage* p = find_page(s, image, a);

   if (p == NULL) {
      p = VG_(calloc)("dcfg.code.set.page", 1, sizeof(CodePage));
      name_page(p, image, a);
      VG_(HT_add_node)(s->pages, p);
      s->last = p;
   }
   if (p->bits[word_of(a)] & bit_of(a))
      return False;
   p->bits[word_of(a)] |= bit_of(a);
   return True;
}

/*--- Symbols                                              ---*/

void DCFG_(each_symbol)(const DebugInfo* di,
                        void (*do_it)(void* arg, Addr addr, UInt size,
                                      const HChar* name), void* arg)
{
   DCFG_(read_debug_info)(di);
   for (Int i = 0; i < VG_(DebugInfo_syms_howmany)(di); i++) {
      SymAVMAs      avmas;
      UInt          size;
      const HChar*  name;
      const HChar** others;
      Bool          is_text;
      VG_(DebugInfo_syms_getidx)(di, i, &avmas, &size, &name, &others,
                                 &is_text, NULL, NULL);
      if (!is_text)
         continue;
      do_it(arg, avmas.main, size, name);
      for (; others != NULL && *others != NULL; others++)
         do_it(arg, avmas.main, size, *others);
   }
}

UInt DCFG_(symbol_around)(const ImageInfo* im, Addr a)
{
   UInt lo = 0;

   BISECT(lo, im->n_symbols, mid, im->symbols[mid].addr <= a);
   if (lo == 0 || a - im->symbols[lo - 1].addr >= im->symbols[lo - 1].size)
      return im->n_symbols;
   lo--;
   while (lo > 0 && im->symbols[lo - 1].addr == im->symbols[lo].addr)
      lo--;
   return lo;
}

const ImageLine* DCFG_(line_at)(const ImageInfo* im, Addr a)
{
   UInt lo = 0;

   BISECT(lo, im->n_lines, mid, im->lines[mid].addr < a);
   return lo < im->n_lines && im->lines[lo].addr == a ? &im->lines[lo]
                                                      : NULL;
}

/*--- Source lines                                         ---*/

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
