/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images of a whole execution trace in their files. */

/* Owns: the offsets in files of executed code.  Handed: a whole execution
   trace, which has addresses and code, but not the begins of images.

   Mappings begin at pages.  So an address has the same distance from its page's
   begin in the file.  All such places in the file's executable segments are
   tried. */

#include "cmd/program/wet_place.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/same_build.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_SIZE 4096

/* Segment: an executable segment of a file. */
typedef
   struct {
      const uint8_t* bytes;     // the file's bytes
      uint64_t       offset, size;      // in the file
   }
   Segment;

uint32_t image_end(DcfgWet* w, uint32_t first)
{
   uint32_t n = dcfg_wet_instrs(w), image = dcfg_wet_instr(w, first)->image;

   while (first < n && dcfg_wet_instr(w, first)->image == image)
      first++;
   return first;
}

/* Return whether S has the code of the image's instructions from FIRST up to
   END, if FIRST is at OFFSET. */
static bool is_there(DcfgWet* w, uint32_t first, uint32_t end, const Segment* s,
                     uint64_t offset)
{
   uint64_t begin = dcfg_wet_instr(w, first)->addr;

   for (uint32_t i = first; i < end; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      uint64_t            at = offset + (in->addr - begin);
      if (at < s->offset || at > s->offset + s->size
          || in->size > s->offset + s->size - at
          || memcmp(s->bytes + at, in->code, in->size) != 0)
         return false;
   }
   return true;
}

static bool find_place(DcfgWet* w, uint32_t first, Elf* elf, uint64_t* offset)
{
   uint64_t   addr = dcfg_wet_instr(w, first)->addr;
   size_t     n, size;
   uint8_t*   bytes = (uint8_t*)elf_rawfile(elf, &size);
   uint32_t   found = 0, last = image_end(w, first);
   GElf_Ehdr  e;

   if (bytes == NULL || gelf_getehdr(elf, &e) == NULL
       || elf_getphdrnum(elf, &n) != 0)
      return false;
   for (size_t i = 0; i < n; i++) {
      GElf_Phdr h;
      if (gelf_getphdr(elf, (int)i, &h) == NULL || h.p_type != PT_LOAD
          || !(h.p_flags & PF_X) || h.p_offset > size
          || h.p_filesz > size - h.p_offset)
         continue;
      Segment  s = { bytes, h.p_offset, h.p_filesz };
      uint64_t at = h.p_offset + (addr - h.p_vaddr) % PAGE_SIZE;
      uint64_t end = h.p_offset + h.p_filesz;
      if (e.e_type == ET_EXEC) {
         at = h.p_offset + (addr - h.p_vaddr);
         end = at + 1;
      }
      for (; at < end; at += PAGE_SIZE)
         if (is_there(w, first, last, &s, at)) {
            *offset = at;
            found++;
         }
   }
   return found == 1;
}

const char* image_path_below(const char* root, const char* image)
{
   const char* path = root == NULL ? image : text_format("%s/%s", root, image);

   return access(path, R_OK) == 0 ? path : image;
}

/* Open the image's file.  Return NULL if it cannot be read, or is another
   build. The caller closes *FD. */
static Elf* open_image(DcfgWet* w, uint32_t first, const char* root, int* fd,
                       const char** how)
{
   const char* image = dcfg_wet_instr(w, first)->image_name;
   const char* path = image == NULL ? NULL : image_path_below(root, image);
   Elf*        elf;

   *how = NULL;
   *fd = path == NULL ? -1 : open_regular(path);
   if (*fd < 0)
      return NULL;
   elf_version(EV_CURRENT);
   elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
   if (elf != NULL && elf_kind(elf) == ELF_K_ELF) {
      *how = build_difference(elf, dcfg_wet_instr(w, first)->image_build_id,
                              NULL);
      if (*how == NULL)
         return elf;
   }
   elf_end(elf);
   close(*fd);
   return NULL;
}

/* Return why the image has no place; HOW its file is another build, or NULL. */
static const char* no_place(DcfgWet* w, uint32_t first, const char* root,
                            const char* how)
{
   const char* image = dcfg_wet_instr(w, first)->image_name;
   const char* path = image == NULL ? "" : image_path_below(root, image);

   if (path[0] != '/' || access(path, R_OK) != 0)
      return text_format("%s is not there", image == NULL ? "a file"
                         : text_clean(image));
   return not_executed(path, how != NULL ? how
                       : "the code that ran is not in it, or in several "
                         "places");
}

const char* image_place(DcfgWet* w, uint32_t first, const char* root,
                        uint64_t* offset)
{
   const char* how;
   int         fd;
   Elf*        elf = open_image(w, first, root, &fd, &how);
   bool        found = elf != NULL && find_place(w, first, elf, offset);

   if (elf != NULL) {
      elf_end(elf);
      close(fd);
   }
   return found ? NULL : no_place(w, first, root, how);
}

const char* image_is_there(DcfgWet* w, uint32_t instr, const char* root)
{
   uint32_t first = 0;
   uint64_t offset;

   while (image_end(w, first) <= instr)
      first = image_end(w, first);
   return image_place(w, first, root, &offset);
}

typedef
   struct {
      DcfgSliceRange* ranges;
      size_t          n, room;
   }
   Ranges;

static void add_range(Ranges* r, uint64_t low, uint64_t high, bool tables)
{
   if (low >= high)
      return;
   GROW(r->ranges, r->n, r->room);
   r->ranges[r->n++] = (DcfgSliceRange){ low, high, tables };
}

bool elf_address(Elf* elf, uint64_t offset, uint64_t* addr)
{
   size_t n;

   if (elf_getphdrnum(elf, &n) != 0)
      return false;
   for (size_t i = 0; i < n; i++) {
      GElf_Phdr h;
      if (gelf_getphdr(elf, (int)i, &h) != NULL && h.p_type == PT_LOAD
          && offset >= h.p_offset && offset - h.p_offset < h.p_filesz) {
         *addr = h.p_vaddr + (offset - h.p_offset);
         return true;
      }
   }
   return false;
}

/* Return the difference between memory and ELF's own addresses, if the code at
   OFFSET of the file was at ADDR. */
static uint64_t moved_by(Elf* elf, uint64_t offset, uint64_t addr)
{
   uint64_t linked;

   return elf_address(elf, offset, &linked) ? addr - linked : 0;
}

bool image_elf(DcfgWet* w, uint32_t first, const char* root, ImageElf* to)
{
   const char* how;

   to->moved = to->offset = 0;
   to->elf   = open_image(w, first, root, &to->fd, &how);
   if (to->elf == NULL)
      return false;
   if (find_place(w, first, to->elf, &to->offset)) {
      to->moved = moved_by(to->elf, to->offset,
                           dcfg_wet_instr(w, first)->addr);
      return true;
   }
   image_elf_close(to);
   return false;
}

void image_elf_close(ImageElf* e)
{
   elf_end(e->elf);
   close(e->fd);
}

/* Add ELF's constant segments, and with TABLES the others, too.  The code at
   OFFSET of the file was at ADDR. */
static void add_constants(Ranges* r, Elf* elf, uint64_t offset, uint64_t addr,
                          bool tables)
{
   size_t   n;
   uint64_t moved = moved_by(elf, offset, addr), relocated = 0;

   if (elf_getphdrnum(elf, &n) != 0)
      return;
   for (int pass = 0; pass < 2; pass++)
      for (size_t i = 0; i < n; i++) {
         GElf_Phdr h;
         if (gelf_getphdr(elf, (int)i, &h) == NULL)
            continue;
         if (pass == 0) {
            if (h.p_type == PT_GNU_RELRO)
               relocated = h.p_vaddr + h.p_memsz;
            continue;
         }
         uint64_t low = h.p_vaddr + moved, high = low + h.p_memsz;
         if ((h.p_type == PT_LOAD && !(h.p_flags & PF_W))
             || h.p_type == PT_GNU_RELRO)
            add_range(r, low, high, false);
         else if (h.p_type == PT_LOAD && tables)
            add_range(r, relocated > h.p_vaddr ? relocated + moved : low, high,
                      true);
      }
}

COMPARE(by_low, DcfgSliceRange, UP(low))

/* Say WHY the constants of a file are not known; nothing for a [vdso]. */
static void say_not_there(const char* image, const char* why)
{
   if (image != NULL && image[0] == '/')
      complain("addresses of constant tables are not followed: %s", why);
}

static bool is_foreign(DcfgWet* w, const bool* foreign, uint32_t first)
{
   uint32_t end = image_end(w, first);

   while (first < end && foreign[first])
      first++;
   return first == end;
}

DcfgSliceRange* image_constants(DcfgWet* w, const bool* foreign,
                                const char* root, uint32_t* n)
{
   uint32_t n_instrs = dcfg_wet_instrs(w);
   Ranges   r = { .n = 0 };

   for (uint32_t first = 0; first < n_instrs; first = image_end(w, first)) {
      uint64_t offset;
      const char* how;
      int      fd;
      Elf*     elf = open_image(w, first, root, &fd, &how);
      if (elf != NULL && find_place(w, first, elf, &offset))
         add_constants(&r, elf, offset, dcfg_wet_instr(w, first)->addr,
                       is_foreign(w, foreign, first));
      else
         say_not_there(dcfg_wet_instr(w, first)->image_name,
                       no_place(w, first, root, how));
      if (elf == NULL)
         continue;
      elf_end(elf);
      close(fd);
   }
   if (r.n > 0)
      qsort(r.ranges, r.n, sizeof(*r.ranges), by_low);
   /* Images may have had the same addresses, one after the other. */
   for (size_t i = 1; i < r.n; i++) {
      uint64_t end = r.ranges[i - 1].high;
      r.ranges[i].low  = r.ranges[i].low < end ? end : r.ranges[i].low;
      r.ranges[i].high = r.ranges[i].high < end ? end : r.ranges[i].high;
   }
   *n = (uint32_t)r.n;
   return r.ranges;
}
