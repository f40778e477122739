/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Build ids and hashes of mapped objects. */

/* Owns: reading build ids, and hashing code, of mapped objects.  Handed: the
   address of an object.  Taken by: tool/run/image.c.

   The program may have forged the object.  So headers and notes are copied
   before they are checked, and only mapped memory is read.  Pages behind the
   end of a file are mapped but cannot be read: a fault ends the search. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "tool/base/core.h"
#include "format/code_hash.h"
#include "tool/run/build_id.h"
#include "tool/run/bytes.h"

#include <elf.h>

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

/*--- The whole                                            ---*/

static Bool read_object(void* arg)
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
   return loaded && (o->n_id > 0 || hash_code(o));
}

void DCFG_(identify_build)(Addr load, HChar** build_id, ULong* code_hash)
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
   *build_id = VG_(malloc)("dcfg.image.build-id", 2 * o.n_id + 1);
   for (UInt i = 0; i < o.n_id; i++)
      VG_(sprintf)(*build_id + 2 * i, "%02x", (UInt)o.id[i]);
}
