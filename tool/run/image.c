/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the list of images, with their symbols and source lines, build ids and
   hashes of code; the names of objects, source files and functions; sets of
   places of code.  Handed: addresses of code by tool/run/instrument.c,
   superblocks by dcfg_bb.c, unmappings and debug information by the core.

   Code that the program has generated has no object.  Its names are asked for
   when it is translated: see tool/jit/generated.c.

   An image is the mapping that a superblock was first translated from, as the
   address space manager knows it.  The core drops its debug information when
   the mapping goes, so that is copied then, or at the end.  Names are interned:
   equal names are one string, which outlives the debug information.  If the
   same object is mapped in the same place again, and all its executed code is
   unchanged, it is the same image: see tool/run/bytes.c.

   If other code runs at addresses of the same mapping, the mapping gets a new
   image, a generation: see tool/run/generation.c.

   Build ids and hashes are read from memory.  The program may have forged the
   object.  So headers and notes are copied before they are checked, and only
   mapped memory is read.  Pages behind the end of a file are mapped but cannot
   be read: a fault ends the search.

   In a set of places, a page with any member has a bit for each of its bytes.
   Large programs have millions of members, on some thousands of pages. */

#include "pub_tool_poolalloc.h"
#include "dcfg_bb.h"
#include "format/dcfg_tables.h"
#include "format/order.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/dcfg_output.h"
#include "tool/jit/generated.h"
#include "tool/run/image.h"
#include <elf.h>

/*--- Names                                                ---*/

/* Name: a name that somebody has asked for. */
typedef
   struct _Name {
      struct _Name* hash_next;   // VgHashNode
      UWord         hash_key;
      const HChar*  text;
   }
   Name;

static VgHashTable* names;       // Name

static Word cmp_names(const void* va, const void* vb)
{
   return VG_(strcmp)(((const Name*)va)->text, ((const Name*)vb)->text);
}

const HChar* DCFG_(name)(const HChar* name)
{
   static const HChar* last;     // often asked for again: an object's name
   Name                key = { NULL, 0, name };
   Name*               known;

   if (last != NULL && VG_STREQ(last, name))
      return last;
   if (names == NULL)
      names = VG_(HT_construct)("dcfg.intern");
   for (const HChar* c = name; *c != 0; c++)
      key.hash_key = key.hash_key * 31 + (UChar)*c;
   known = VG_(HT_gen_lookup)(names, &key, cmp_names);
   if (known == NULL) {
      known       = VG_(malloc)("dcfg.intern", sizeof(Name));
      *known      = key;
      known->text = VG_(strdup)("dcfg.intern", name);
      VG_(HT_add_node)(names, known);
   }
   last = known->text;
   return last;
}

const HChar* DCFG_(source_path)(const HChar* dir, const HChar* file)
{
   SizeT dir_len = file[0] == '/' ? 0 : VG_(strlen)(dir);
   HChar path[dir_len + VG_(strlen)(file) + 2];

   path[0] = 0;
   if (dir_len > 0) {
      VG_(strcpy)(path, dir);
      if (dir[dir_len - 1] != '/')
         VG_(strcat)(path, "/");
   }
   VG_(strcat)(path, file);
   return DCFG_(name)(path);
}

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

/* Prepare the list of source files. */
static void init_lines(void)
{
   files  = DCFG_NEW_ARRAY("dcfg.lines.files", const HChar*);
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

/* Return a new list for add_lines().  The caller frees it. */
static XArray* new_lines(void)
{
   XArray* lines = DCFG_NEW_ARRAY("dcfg.lines", ImageLine);

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

/* Set the source line of A, in one of R's functions.  Return whether it is
   known. */
static Bool generated_line(const Ranges* r, Addr a, const HChar** file,
                           const HChar** dir, UInt* line)
{
   const Generated* g = DCFG_(range_at)(r, a);

   *dir  = "";
   *file = g == NULL ? NULL : DCFG_(line_of_generated)(g, a, line);
   return *file != NULL;
}

/* Add to LINES, ImageLines in the order of addresses, those of the instructions
   of image NO that were translated since the last call.  GENERATED has the functions
   of generated code; NULL: the debug information of the image must be present.  *LAST
   is for the next call, 0 for the first one. */
static void add_lines(XArray* lines, UInt no, UInt* last,
                      const Ranges* generated)
{
   const Bool none  = VG_(sizeXA)(lines) == 0;
   DiEpoch    ep    = VG_(current_DiEpoch)();
   CodeSet*   seen  = DCFG_(new_code_set)();
   NamedFile  named = { NULL, NULL, 0 };
   XArray*    new   = none ? lines
                      : DCFG_NEW_ARRAY("dcfg.lines.new", ImageLine);

   for (UInt id; (id = DCFG_(next_of_image)(no, *last)) != 0; *last = id) {
      const Superblock* sb = DCFG_(superblock)(id);
      Addr              a  = sb->addr;
      for (UInt k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
         const HChar *file, *dir;
         ImageLine    l;
         if (!DCFG_(add_place)(seen, no, a) || (!none && has_line(lines, a))
             || (generated != NULL
                 ? !generated_line(generated, a, &file, &dir, &l.line)
                 : !VG_(get_filename_linenum)(ep, a, &file, &dir, &l.line)))
            continue;
         l.addr = a;
         l.file = source_file(dir, file, &named);
         VG_(addToXA)(new, &l);
      }
   }
   for (Word i = 0; !none && i < VG_(sizeXA)(new); i++)
      VG_(addToXA)(lines, VG_(indexXA)(new, i));
   VG_(sortXA)(lines);
   if (!none)
      VG_(deleteXA)(new);
   DCFG_(delete_code_set)(seen);
}

/*--- Builds                                               ---*/

#if VG_WORDSIZE == 8
#define OBJECT_CLASS ELFCLASS64
typedef Elf64_Ehdr Ehdr;
typedef Elf64_Phdr Phdr;
typedef Elf64_Dyn  Dyn;
#else
#define OBJECT_CLASS ELFCLASS32
typedef Elf32_Ehdr Ehdr;
typedef Elf32_Phdr Phdr;
typedef Elf32_Dyn  Dyn;
#endif

/* Sizes that no build id, and no linker's program headers and notes, exceed. */
#define MAX_ID       64
#define MAX_HEADERS  256
#define MAX_NOTES    65536
#define MAX_DYNAMICS 1024

typedef
   struct {
      Addr  load;
      Addr  bias;               // difference from the object's own addresses
      Ehdr  head;
      UInt  n_id;               // in bytes; 0: no build id
      UChar id[MAX_ID];
      Bool  hashed;
      ULong hash;
   }
   Object;

static Bool is_mapped(Addr a, SizeT n)
{
   if (a + n < a)
      return False;
   while (n > 0) {
      const NSegment* seg = VG_(am_find_nsegment)(a);
      if (seg == NULL || seg->kind == SkFree || seg->kind == SkResvn
          || !(seg->hasR || seg->hasX))
         return False;
      if (seg->end - a >= n - 1)
         return True;
      n -= seg->end - a + 1;
      a  = seg->end + 1;
   }
   return True;
}

static Bool copy(void* to, Addr from, SizeT n)
{
   if (!is_mapped(from, n))
      return False;
   VG_(memcpy)(to, (const void*)from, n);
   return True;
}

static Bool get_header(const Object* o, UInt i, Phdr* h)
{
   return copy(h, o->load + o->head.e_phoff + i * sizeof(*h), sizeof(*h));
}

/*--- Build ids                                            ---*/

/* Look for the build id in the notes of segment H. */
static void search_notes(Object* o, const Phdr* h)
{
   Addr  notes = o->bias + h->p_vaddr;
   ULong align = h->p_align == 8 ? 8 : 4;
   ULong end   = h->p_filesz < MAX_NOTES ? h->p_filesz : MAX_NOTES;
   ULong at    = 0;

   while (o->n_id == 0 && at + sizeof(Elf32_Nhdr) + 4 <= end) {
      struct { Elf32_Nhdr note; HChar name[4]; } n;
      ULong desc;
      if (!copy(&n, notes + at, sizeof(n)) || n.note.n_namesz > end
          || n.note.n_descsz > end)
         return;
      desc = VG_ROUNDUP(at + sizeof(Elf32_Nhdr) + n.note.n_namesz, align);
      at   = VG_ROUNDUP(desc + n.note.n_descsz, align);
      if (desc + n.note.n_descsz > end)
         return;
      if (n.note.n_type == NT_GNU_BUILD_ID && n.note.n_namesz == 4
          && VG_(memcmp)(n.name, "GNU", 4) == 0) {
         UInt size = n.note.n_descsz < MAX_ID ? n.note.n_descsz : MAX_ID;
         if (copy(o->id, notes + desc, size))
            o->n_id = size;
      }
   }
}

/*--- Hashes                                               ---*/

/* Return whether the dynamic linker writes to the code. */
static Bool is_relocated(const Object* o, const Phdr* h)
{
   for (UInt i = 0; i < MAX_DYNAMICS; i++) {
      Dyn d;
      if (!copy(&d, o->bias + h->p_vaddr + i * sizeof(d), sizeof(d)))
         return True;
      if (d.d_tag == DT_NULL)
         return False;
      if (d.d_tag == DT_TEXTREL
          || (d.d_tag == DT_FLAGS && (d.d_un.d_val & DF_TEXTREL) != 0))
         return True;
   }
   return True;
}

/* Add the file's bytes in segment H to the hash, without the headers at the
   begin: other programs change headers without changing code. */
static Bool hash_segment(Object* o, const Phdr* h)
{
   ULong        skip = o->head.e_phoff + o->head.e_phnum * sizeof(Phdr);
   const UChar* code;

   skip = skip <= h->p_offset ? 0 : skip - h->p_offset;
   if (skip >= h->p_filesz)
      return True;
   code = (const UChar*)(o->bias + h->p_vaddr);
   if (!is_mapped((Addr)code, h->p_filesz))
      return False;
   for (ULong i = skip; i < h->p_filesz; i++)
      o->hash = add_to_code_hash(o->hash, code[i]);
   o->hashed = True;
   return True;
}

static Bool hash_code(Object* o)
{
   o->hash = CODE_HASH_BEGIN;
   for (UInt i = 0; i < o->head.e_phnum; i++) {
      Phdr h;
      if (!get_header(o, i, &h)
          || (h.p_type == PT_DYNAMIC && is_relocated(o, &h)))
         return False;
      if (h.p_type != PT_LOAD || !(h.p_flags & PF_X))
         continue;
      if ((h.p_flags & PF_W) || !hash_segment(o, &h))
         return False;
   }
   return o->hashed;
}

/*--- Identifying a build                                  ---*/

static Bool read_build_id(void* arg)
{
   Object* o = arg;
   Bool    loaded = False;
   Phdr    h;

   if (!copy(&o->head, o->load, sizeof(o->head))
       || VG_(memcmp)(o->head.e_ident, ELFMAG, SELFMAG) != 0
       || o->head.e_ident[EI_CLASS] != OBJECT_CLASS
       || o->head.e_phentsize != sizeof(Phdr)
       || o->head.e_phnum > MAX_HEADERS)
      return False;
   for (UInt i = 0; i < o->head.e_phnum && !loaded; i++) {
      if (!get_header(o, i, &h))
         return False;
      loaded  = h.p_type == PT_LOAD;
      o->bias = o->load - (h.p_vaddr - h.p_offset);
   }
   for (UInt i = 0; i < o->head.e_phnum && loaded && o->n_id == 0; i++)
      if (get_header(o, i, &h) && h.p_type == PT_NOTE)
         search_notes(o, &h);
   return loaded;
}

static Bool read_object(void* arg)
{
   Object* o = arg;
   return read_build_id(o) && (o->n_id > 0 || hash_code(o));
}

/* Return O's build id in hexadecimal, for the caller to free. */
static HChar* text_of_id(const Object* o)
{
   HChar* text = VG_(malloc)("dcfg.image.build-id", 2 * o->n_id + 1);

   for (UInt i = 0; i < o->n_id; i++)
      VG_(sprintf)(text + 2 * i, "%02x", (UInt)o->id[i]);
   return text;
}

HChar* DCFG_(build_id_at)(Addr load)
{
   Object o = { .load = load };

   if (!DCFG_(try_to_read)(read_build_id, &o) || o.n_id == 0)
      return NULL;
   return text_of_id(&o);
}

/* Identify the build of the object at LOAD from memory, because its file may be
   gone or changed.  *BUILD_ID becomes the build id in hexadecimal, which the
   caller frees, or NULL if it has none.  Then *CODE_HASH becomes a hash of its
   code, as docs/reference.md defines it, or 0 if the code cannot be compared
   with a file. */
static void identify_build(Addr load, HChar** build_id, ULong* code_hash)
{
   Object o = { .load = load };

   *build_id  = NULL;
   *code_hash = 0;
   if (!DCFG_(try_to_read)(read_object, &o))
      return;
   if (o.n_id == 0) {
      *code_hash = o.hash;
      return;
   }
   *build_id = text_of_id(&o);
}

typedef
   struct {
      UInt    no;
      const HChar* name;     // an interned name
      Addr    load, end;     // .end is exclusive
      Bool    gone;          // unmapped, or replaced by a generation
      Bool    discarded;     // all its translations are gone
      Bool    generated;     // its code is of no object
      UInt    generation;
      HChar*  build_id;      // NULL: none, or a later generation
      ULong   code_hash;     // 0: none
      Code*   code;          // NULL: never translated from again
      XArray* symbols;       // ImageSymbol; NULL: not copied yet
      XArray* lines;         // ImageLine; NULL: none
      UInt    last_in_lines; // last superblock whose lines were copied
      UInt    last_question; // about its code, of tool/jit/generated.h; or 0
   }
   Image;

static PoolAlloc* image_pool;
static XArray* images;          // Image*, by .no
static XArray* live;            // Image*: images that are not gone
static XArray* away;            // Image*: unmapped images that may return
static Image*  last_image;      // the last result of image_at()
static void  (*mapping_goes)(Addr a, SizeT len, Bool is_over);   // or NULL
static XArray* no_symbols;      // for all images without symbols

/*--- Mappings                                             ---*/

/* Return the starts of all segments of the address space, ascending. */
static Addr* segment_starts(Int* n)
{
   UInt  kinds  = SkAnonC | SkAnonV | SkFileC | SkFileV | SkShmC;
   Int   room   = 256;
   Addr* starts = NULL;
   do {
      starts = VG_(realloc)("dcfg.image.segs", starts,
                            room * sizeof(Addr));
      *n = VG_(am_get_segment_starts)(kinds, starts, room);
      room = -*n;
   } while (*n < 0);
   return starts;
}

static Bool same_file(const NSegment* a, const NSegment* b)
{
   return (a->kind == SkFileC || a->kind == SkFileV) && a->kind == b->kind
          && a->dev == b->dev && a->ino == b->ino;
}

/* Set IM's extent and name to those of the mapping around A. */
static void find_extent(Image* im, Addr a)
{
   const NSegment* seg = VG_(am_find_nsegment)(a);
   const HChar*    name;
   Int             n, i, at = -1;
   Addr*           starts;

   if (seg == NULL) {
      im->load = VG_PGROUNDDN(a);
      im->end  = im->load + VKI_PAGE_SIZE;
      im->name = DCFG_(name)("[unknown]");
      return;
   }
   name     = DCFG_(file_of)(seg);
   im->name = DCFG_(name)(name ? name : "[anon]");
   im->load = seg->start;
   im->end  = seg->end + 1;
   if (seg->kind != SkFileC && seg->kind != SkFileV)
      return;

   /* An object is mapped in several pieces.  It begins with the piece that has
      the file's first byte, and ends with its last code. */
   starts = segment_starts(&n);
   for (i = 0; i < n; i++)
      if (starts[i] == seg->start)
         at = i;
   for (i = at; i >= 0 && im->load == seg->start; i--) {
      const NSegment* s = VG_(am_find_nsegment)(starts[i]);
      if (same_file(s, seg) && s->offset == 0)
         im->load = s->start;
   }
   for (i = at + 1; i < n && at >= 0; i++) {
      const NSegment* s = VG_(am_find_nsegment)(starts[i]);
      if (!same_file(s, seg) || s->offset == 0)
         break;
      if (s->hasX)
         im->end = s->end + 1;
   }
   VG_(free)(starts);
}

Addr DCFG_(load_address)(Addr a)
{
   Image im;

   find_extent(&im, a);
   return im.load;
}

/*--- The program                                          ---*/

Addr DCFG_(program_entry)(void)
{
   const UWord at_null = 0, at_entry = 9;

   for (const UWord* a = VG_(client_auxv); a != NULL && a[0] != at_null;
        a += 2)
      if (a[0] == at_entry)
         return a[1];
   return 0;
}

/* Digits of a build id that tell builds of one program apart. */
#define FEW_DIGITS 12
#define MOST_NAME  100

HChar* DCFG_(program_and_build)(void)
{
   Addr            entry = DCFG_(program_entry)();
   const NSegment* seg   = VG_(am_find_nsegment)(entry);
   const HChar*    path  = seg == NULL ? NULL : DCFG_(file_of)(seg);
   const HChar*    slash = path == NULL ? NULL : VG_(strrchr)(path, '/');
   HChar*          text  = VG_(malloc)("dcfg.image.program",
                                       MOST_NAME + FEW_DIGITS + 20);
   HChar*          build;
   ULong           hash;

   identify_build(DCFG_(load_address)(entry), &build, &hash);
   VG_(snprintf)(text, MOST_NAME, "%s", slash == NULL ? "program" : slash + 1);
   if (build != NULL)
      VG_(snprintf)(text + VG_(strlen)(text), FEW_DIGITS + 2, "-%s", build);
   else
      VG_(sprintf)(text + VG_(strlen)(text), "-%016llx", hash);
   VG_(free)(build);
   return text;
}

static Image* image_in(const XArray* list, Word i)
{
   return *(Image**)VG_(indexXA)(list, i);
}

/*--- Copies of symbols and source lines                   ---*/

COMPARE(cmp_symbols, ImageSymbol, UP(addr) ?: VG_(strcmp)(x->name, y->name))

/* The program has ended: the core keeps its debug information from now on, so names
   need no copies. */
static Bool has_ended;

void DCFG_(keep_debug_info)(void)
{
   has_ended = True;
}

static XArray* new_symbols(void)
{
   return DCFG_NEW_ARRAY("dcfg.image.symbols", ImageSymbol);
}

static void add_symbol(void* arg, Addr addr, UInt size, const HChar* name)
{
   Image*      im = arg;
   ImageSymbol s  = { addr, size, NULL };

   if (addr < im->load || addr >= im->end)
      return;
   s.name = has_ended ? name : VG_(strdup)("dcfg.image.symbol", name);
   VG_(addToXA)(im->symbols, &s);
}

/* Sort SYMBOLS.  They come in the order of their addresses, but for the names of one
   address, so each moves by few places; unless very many have one address. */
static void sort_symbols(XArray* symbols)
{
   const Word   n    = VG_(sizeXA)(symbols);
   ImageSymbol* all  = n > 0 ? VG_(indexXA)(symbols, 0) : NULL;
   Word         left = 16 * n;               // places that they may move by

   for (Word i = 1; i < n && left > 0; i++) {
      const ImageSymbol s = all[i];
      Word              k = i;
      for (; k > 0 && cmp_symbols(&all[k - 1], &s) > 0; k--, left--)
         all[k] = all[k - 1];
      all[k] = s;
   }
   if (left > 0)
      return;
   VG_(setCmpFnXA)(symbols, (XACmpFn_t)cmp_symbols);
   VG_(sortXA)(symbols);
}

/* Return the debug information of IM's object.  The core may already have
   another object's there. */
static const DebugInfo* debug_info(const Image* im)
{
   const DebugInfo* di = NULL;

   while ((di = VG_(next_DebugInfo)(di)) != NULL)
      if (VG_(DebugInfo_get_text_avma)(di) >= im->load
          && VG_(DebugInfo_get_text_avma)(di) < im->end
          && VG_(strcmp)(VG_(DebugInfo_get_filename)(di), im->name) == 0)
         break;
   return di;
}

static void add_generated(void* arg, Addr from, Addr last, const HChar* name)
{
   Image*      im = arg;
   ImageSymbol s;

   if (last < im->load || from >= im->end)
      return;
   s.addr = from < im->load ? im->load : from;
   s.size = (last < im->end ? last + 1 : im->end) - s.addr;
   s.name = name;
   VG_(addToXA)(im->symbols, &s);
}

/* Let the symbols of IM be the functions of R. */
static void take_generated(Image* im, Ranges* r)
{
   if (im->symbols == NULL || im->symbols == no_symbols)
      im->symbols = new_symbols();
   VG_(dropTailXA)(im->symbols, VG_(sizeXA)(im->symbols));
   DCFG_(each_range)(r, add_generated, im);
}

/* Let the lines of IM be those of the functions of R. */
static void take_generated_lines(Image* im, const Ranges* r)
{
   if (!DCFG_(knows_generated_lines)())
      return;
   if (im->lines != NULL)
      VG_(deleteXA)(im->lines);
   im->lines = new_lines();
   im->last_in_lines = 0;
   add_lines(im->lines, im->no, &im->last_in_lines, r);
}

void DCFG_(name_generated_code)(void)
{
   Word     n = VG_(sizeXA)(images);
   Ranges** all;

   DCFG_(read_generated)();
   if (!DCFG_(knows_generated)())
      return;
   all = VG_(calloc)("dcfg.image.generated", n + 1, sizeof(Ranges*));
   for (Word i = 0; i < n; i++)
      if (image_in(images, i)->generated)
         all[i] = DCFG_(new_ranges)();
   /* The answers, which come last, replace the last names of addresses. */
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      const Generated*  g  = sb->image == DCFG_NO_IMAGE || all[sb->image] == NULL
                             ? NULL : DCFG_(last_generated)(sb->addr);
      if (g != NULL)
         DCFG_(add_range)(all[sb->image], g);
   }
   for (Word i = 0; i < n; i++) {
      if (all[i] == NULL)
         continue;
      DCFG_(add_answers)(all[i], image_in(images, i)->last_question);
      take_generated(image_in(images, i), all[i]);
      take_generated_lines(image_in(images, i), all[i]);
      DCFG_(delete_ranges)(all[i]);
   }
   VG_(free)(all);
}

void DCFG_(note_translation)(UInt no, Addr a)
{
   Image* im = *(Image**)VG_(indexXA)(images, no);

   UInt q = im->generated
            ? DCFG_(ask_generated)(a, im->last_question, True) : 0;
   if (q != 0)
      im->last_question = q;
}

static void copy_symbols(Image* im)
{
   const DebugInfo* di;

   if (im->symbols != NULL)
      return;
   di = debug_info(im);
   if (di == NULL) {
      im->symbols = no_symbols;
      return;
   }
   im->symbols = new_symbols();
   DCFG_(read_debug_info)(di);
   VG_(hintSizeXA)(im->symbols, VG_(DebugInfo_syms_howmany)(di));
   DCFG_(each_symbol)(di, add_symbol, im);
   sort_symbols(im->symbols);
}

/* Copy the lines of all instructions that were translated from IM since the
   last copy. */
static void copy_lines(Image* im)
{
   if (im->gone || DCFG_(next_of_image)(im->no, im->last_in_lines) == 0
       || debug_info(im) == NULL)
      return;
   if (im->lines == NULL)
      im->lines = new_lines();
   add_lines(im->lines, im->no, &im->last_in_lines, NULL);
}

/*--- Generations                                          ---*/

/* The number of generations after which old translations stay.  A JIT compiler
   that patches its code all the time must not have all code translated again
   each time. */
#define MAX_RETRANSLATED 256

static Image* new_image(void)
{
   Image* im = VG_(allocEltPA)(image_pool);

   VG_(memset)(im, 0, sizeof(Image));
   return im;
}

/* Add IM, of the mapping at A.  CODE is that of the generation before, or
   NULL. */
static Image* add_image(Image* im, Addr a, Code* code)
{
   im->code = code != NULL ? code
              : DCFG_(new_code)(im->load, VG_(am_find_nsegment)(a));
   im->no   = VG_(sizeXA)(images);
   im->generated = debug_info(im) == NULL;
   VG_(addToXA)(images, &im);
   VG_(addToXA)(live, &im);
   return im;
}

/* If the mapping IM is an existing image that has grown, return that image,
   else NULL. */
static Image* grown_image(const Image* im)
{
   for (Word i = 0; i < VG_(sizeXA)(live); i++) {
      Image* old = image_in(live, i);
      if (im->load >= old->end || old->load >= im->end)
         continue;
      if (im->load < old->load)
         old->load = im->load;
      if (im->end > old->end)
         old->end = im->end;
      return old;
   }
   return NULL;
}

/* If the mapping IM has the code of an image that was unmapped, revive that
   image and return it; else NULL. */
static Image* returned_image(const Image* im)
{
   for (Word i = VG_(sizeXA)(away); i-- > 0; ) {
      Image* old = image_in(away, i);
      if (old->load != im->load || old->end != im->end
          || old->name != im->name
          || !DCFG_(has_returned)(old->code))
         continue;
      VG_(removeIndexXA)(away, i);
      VG_(addToXA)(live, &old);
      old->gone      = False;
      old->discarded = False;
      DCFG_(lead_again)(old->no);
      return old;
   }
   return NULL;
}

/* Return the image of the mapping around A, which is in no live image. */
static Image* map_image(Addr a)
{
   Image* im = new_image();

   find_extent(im, a);
   Image* old = grown_image(im);
   if (old == NULL)
      old = returned_image(im);
   if (old == NULL) {
      identify_build(im->load, &im->build_id, &im->code_hash);
      return add_image(im, a, NULL);
   }
   VG_(freeEltPA)(image_pool, im);
   return old;
}

/* Close IM: no more code is translated from it, unless it MAY_RETURN. */
static void let_go(Image* im, Bool may_return)
{
   if (!im->generated)
      copy_symbols(im);
   copy_lines(im);
   im->gone = True;
   for (Word i = 0; i < VG_(sizeXA)(live); i++)
      if (image_in(live, i) == im) {
         VG_(removeIndexXA)(live, i);
         break;
      }
   if (may_return) {
      VG_(addToXA)(away, &im);
   } else if (im->code != NULL) {
      DCFG_(delete_code)(im->code);
      im->code = NULL;
   }
}

Bool DCFG_(may_mix)(UInt no)
{
   return image_in(images, no)->generation > MAX_RETRANSLATED;
}

Bool DCFG_(can_wait)(UInt no)
{
   UInt next = image_in(images, no)->generation + 1;

   return next > MAX_RETRANSLATED && next <= 2 * MAX_RETRANSLATED;
}

UInt DCFG_(next_generation)(UInt no, Addr a, Bool keep)
{
   Image* old = image_in(images, no);
   Image* im  = new_image();
   Code*  code = NULL;

   im->name       = old->name;
   im->load       = old->load;
   im->end        = old->end;
   im->generation = old->generation + 1;
   old->discarded = im->generation <= MAX_RETRANSLATED;
   if (old->discarded && !keep)
      VG_(discard_translations)(old->load, old->end - old->load,
                                "dcfg: a new generation");
   if (keep || (DCFG_(has_kept_code)(old->code) && DCFG_(can_wait)(no))) {
      code      = old->code;
      old->code = NULL;
      DCFG_(keep_code)(code);
   }
   let_go(old, False);
   return add_image(im, a, code)->no;
}

Bool DCFG_(can_keep)(UInt no)
{
   const Image* im = image_in(images, no);

   return im->generation + 1 <= MAX_RETRANSLATED
          && DCFG_(can_keep_code)(im->code);
}

UInt DCFG_(image_at)(Addr a)
{
   Image* im = NULL;

   if (last_image != NULL && !last_image->gone && a >= last_image->load
       && a < last_image->end)
      im = last_image;
   for (Word i = 0; im == NULL && i < VG_(sizeXA)(live); i++)
      if (a >= image_in(live, i)->load && a < image_in(live, i)->end)
         im = image_in(live, i);
   if (im == NULL)
      im = map_image(a);
   last_image = im;
   return im->no;
}

Code* DCFG_(code_of_image)(UInt no)
{
   return image_in(images, no)->code;
}

void DCFG_(extent_of_image)(UInt no, Addr* load, Addr* end)
{
   *load = image_in(images, no)->load;
   *end  = image_in(images, no)->end;
}

Bool DCFG_(image_can_run)(UInt no)
{
   return !(*(Image**)VG_(indexXA)(images, no))->discarded;
}

Bool DCFG_(image_is_over)(UInt no)
{
   return (*(Image**)VG_(indexXA)(images, no))->code == NULL;
}

/*--- Life                                                 ---*/

/* The mapping at A is about to go, or will be replaced. */
static void lose_mapping(Addr a, SizeT len)
{
   DCFG_EACH_WATCHER(w, unmapped)
      DCFG_(watchers)[w]->unmapped(a, len);
   if (mapping_goes != NULL)
      mapping_goes(a, len, False);
   for (Word i = VG_(sizeXA)(live); i-- > 0; ) {
      Image* im = image_in(live, i);
      if (im->load >= a + len || a >= im->end
          || !DCFG_(has_code)(im->code, a, len))
         continue;
      if (mapping_goes != NULL)
         mapping_goes(im->load, im->end - im->load, True);
      let_go(im, DCFG_(may_return)(im->code));
      /* The core discards translations of the LEN bytes only. */
      VG_(discard_translations)(im->load, im->end - im->load,
                                "dcfg: a mapping goes");
      im->discarded = True;
   }
}

void DCFG_(when_mapping_goes)(void (*do_it)(Addr a, SizeT len, Bool is_over))
{
   mapping_goes = do_it;
}

static void tell_mapped(Addr a, SizeT len, MappingChange change)
{
   DCFG_EACH_WATCHER(w, mapped)
      DCFG_(watchers)[w]->mapped(a, len, change);
}

/* Called before the core drops the mapping's debug information. */
static void on_munmap(Addr a, SizeT len)
{
   lose_mapping(a, len);
   tell_mapped(a, len, MappingGone);
}

/* A mapping may replace another one without an unmapping. */
static void on_mmap(Addr a, SizeT len, Bool rr, Bool ww, Bool xx,
                    ULong di_handle)
{
   lose_mapping(a, len);
   if (xx)
      DCFG_(note_executable_file)(a);
   tell_mapped(a, len, MappingNew);
}

static void on_remap(Addr from, Addr to, SizeT len)
{
   DCFG_EACH_WATCHER(w, moved)
      DCFG_(watchers)[w]->moved(from, to, len);
   tell_mapped(to, len, MappingChanged);
}

static void on_brk(Addr a, SizeT len, ThreadId tid)
{
   tell_mapped(a, len, MappingNew);
}

static void on_mprotect(Addr a, SizeT len, Bool rr, Bool ww, Bool xx)
{
   tell_mapped(a, len, MappingChanged);
}

void DCFG_(tell_renamed)(Addr a, SizeT len)
{
   DCFG_EACH_WATCHER(w, renamed)
      DCFG_(watchers)[w]->renamed(a, len);
}

void DCFG_(track_images)(void)
{
   live   = DCFG_NEW_ARRAY("dcfg.images.live", Image*);
   away   = DCFG_NEW_ARRAY("dcfg.images.away", Image*);
   image_pool = VG_(newPA)(sizeof(Image), 100, VG_(malloc), "dcfg.image",
                           VG_(free));
   images = DCFG_NEW_ARRAY("dcfg.images", Image*);
   no_symbols = new_symbols();
   DCFG_(start_generated)(DCFG_(tell_renamed));
   init_lines();
   VG_(track_die_mem_munmap)(on_munmap);
   VG_(track_die_mem_brk)(on_munmap);
   VG_(track_new_mem_mmap)(on_mmap);
   VG_(track_copy_mem_remap)(on_remap);
   VG_(track_new_mem_brk)(on_brk);
   VG_(track_change_mem_mprotect)(on_mprotect);
}

void DCFG_(share_symbols)(void)
{
   for (Word i = 0; i < VG_(sizeXA)(live); i++) {
      Image* im = image_in(live, i);
      if (im->symbols == NULL && debug_info(im) != NULL)
         copy_symbols(im);
   }
}

UInt DCFG_(n_images)(void)
{
   return VG_(sizeXA)(images);
}

void DCFG_(image_info)(UInt no, Bool with_lines, ImageInfo* info)
{
   Image* im = *(Image**)VG_(indexXA)(images, no);

   copy_symbols(im);
   if (with_lines)
      copy_lines(im);
   info->name      = im->name;
   info->load      = im->load;
   info->size      = im->end - im->load;
   info->build_id  = im->build_id;
   info->code_hash = im->code_hash;
   info->n_symbols = VG_(sizeXA)(im->symbols);
   info->symbols   = info->n_symbols ? VG_(indexXA)(im->symbols, 0) : NULL;
   info->n_lines   = im->lines ? VG_(sizeXA)(im->lines) : 0;
   info->lines     = info->n_lines ? VG_(indexXA)(im->lines, 0) : NULL;
}
