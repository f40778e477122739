/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images of a trace: the file at an address, at a time, and the place of code
   in it. */

/* Owns: the offsets in files of executed code, and the answer to "what is
   mapped here, then?".  Handed: a whole execution trace, which has addresses
   and code, but not the begins of images.

   Mappings begin at pages.  So an address has the same distance from its
   page's begin in the file.  All such places in the file's executable
   segments are tried.

   Libraries may follow each other at one address, or something else may be
   mapped where a library was.  The trace tells which file is mapped where.
   If builds of one file follow each other, the one that runs first in a
   mapping has that mapping. */

#include "cmd/program/mapping.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/elf_file.h"

#include <unistd.h>

#define PAGE_SIZE 4096u

/* Segment: an executable segment of a file. */
typedef
   struct {
      const uint8_t* bytes;     // the file's bytes
      uint64_t       offset, size;      // in the file
   }
   Segment;

uint32_t image_end(DcfgWet* w, uint32_t first)
{
   uint32_t image = dcfg_wet_instr(w, first)->image;

   BISECT(first, dcfg_wet_instrs(w), middle,
          dcfg_wet_instr(w, middle)->image == image);
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
   size_t     size;
   uint8_t*   bytes = (uint8_t*)elf_rawfile(elf, &size);
   uint32_t   found = 0, last = image_end(w, first);
   GElf_Ehdr  e;
   GElf_Phdr  h;

   if (bytes == NULL || gelf_getehdr(elf, &e) == NULL)
      return false;
   for (size_t i = 0; next_header(elf, PT_LOAD, &i, &h); ) {
      if (!(h.p_flags & PF_X) || h.p_offset > size
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
   GElf_Phdr h;

   for (size_t i = 0; next_header(elf, PT_LOAD, &i, &h); )
      if (offset >= h.p_offset && offset - h.p_offset < h.p_filesz) {
         *addr = h.p_vaddr + (offset - h.p_offset);
         return true;
      }
   return false;
}

void image_elf_close(ImageElf* e)
{
   elf_end(e->elf);
   close(e->fd);
}

/* Do what image_elf() does.  If it returns false, *HOW says how the file is another
   build, or is NULL. */
static bool open_placed(DcfgWet* w, uint32_t first, const char* root,
                        ImageElf* to, const char** how)
{
   uint64_t linked;

   *to     = (ImageElf){ .fd = -1 };
   to->elf = open_image(w, first, root, &to->fd, how);
   if (to->elf == NULL)
      return false;
   if (!find_place(w, first, to->elf, &to->offset)) {
      image_elf_close(to);
      return false;
   }
   if (elf_address(to->elf, to->offset, &linked))
      to->moved = dcfg_wet_instr(w, first)->addr - linked;
   return true;
}

bool image_elf(DcfgWet* w, uint32_t first, const char* root, ImageElf* to)
{
   const char* how;

   return open_placed(w, first, root, to, &how);
}

const char* image_place(DcfgWet* w, uint32_t first, const char* root,
                        uint64_t* offset)
{
   const char* how;
   ImageElf    e;

   if (!open_placed(w, first, root, &e, &how))
      return no_place(w, first, root, how);
   *offset = e.offset;
   image_elf_close(&e);
   return NULL;
}

/* Add the constant segments of E, and with TABLES the others, too. */
static void add_constants(Ranges* r, const ImageElf* e, bool tables)
{
   uint64_t  moved = e->moved, relocated = 0;
   GElf_Phdr h;

   for (size_t i = 0; next_header(e->elf, PT_GNU_RELRO, &i, &h); ) {
      relocated = h.p_vaddr + h.p_memsz;
      add_range(r, h.p_vaddr + moved, relocated + moved, false);
   }
   for (size_t i = 0; next_header(e->elf, PT_LOAD, &i, &h); ) {
      uint64_t low = h.p_vaddr + moved, high = low + h.p_memsz;
      if (!(h.p_flags & PF_W))
         add_range(r, low, high, false);
      else if (tables)
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
      const char* how;
      ImageElf    e;
      if (open_placed(w, first, root, &e, &how)) {
         add_constants(&r, &e, is_foreign(w, foreign, first));
         image_elf_close(&e);
      } else {
         say_not_there(dcfg_wet_instr(w, first)->image_name,
                       no_place(w, first, root, how));
      }
   }
   SORT(r.ranges, r.n, by_low);
   /* Images may have had the same addresses, one after the other. */
   for (size_t i = 1; i < r.n; i++) {
      uint64_t end = r.ranges[i - 1].high;
      r.ranges[i].low  = r.ranges[i].low < end ? end : r.ranges[i].low;
      r.ranges[i].high = r.ranges[i].high < end ? end : r.ranges[i].high;
   }
   *n = (uint32_t)r.n;
   return r.ranges;
}

/* Stay: an image is mapped from time .from to .to, exclusive. */
typedef
   struct {
      uint64_t from, to;
   }
   Stay;

/* Span: an image. */
typedef
   struct {
      uint32_t    first, end;   // its instructions
      const char* name;
      bool        file;         // .name is a path
      uint64_t    code;         // address of the first instruction, and its
      uint64_t    offset;       // offset in the file, or IMAGE_ANYWHERE
      uint64_t    low, high;    // addresses of all of it
      bool        open;         // the last stay has no end yet
      bool        shared;       // its addresses have something else at times
      Stay*       stays;
      size_t      n, room;
   }
   Span;

struct ImageTimes {
   DcfgWet*    w;
   DcfgCursor* r;
   const char* root;
   bool        looked;          // .spans is there
   bool        known;           // the trace tells the times
   Span*       spans;           // by .first
   uint32_t    n;
};

ImageTimes* image_times_new(DcfgWet* w, DcfgCursor* r, const char* root)
{
   ImageTimes* m = zalloc(1, sizeof(*m));

   m->w    = w;
   m->r    = r;
   m->root = root;
   return m;
}

void image_times_free(ImageTimes* m)
{
   for (uint32_t i = 0; m != NULL && i < m->n; i++)
      free(m->spans[i].stays);
   if (m != NULL)
      free(m->spans);
   free(m);
}

/*--- Images                                               ---*/

static bool overlap(const Span* s, uint64_t low, uint64_t high)
{
   return low < s->high && s->low < high;
}

/* Find the place of S in its file, and widen S to the file's segments. */
static void take_segments(const ImageTimes* m, Span* s)
{
   ImageElf  e;
   GElf_Phdr h;

   s->offset = IMAGE_ANYWHERE;
   if (!s->file || !image_elf(m->w, s->first, m->root, &e))
      return;
   s->offset = e.offset;
   for (size_t i = 0; next_header(e.elf, PT_LOAD, &i, &h); ) {
      uint64_t low  = (h.p_vaddr + e.moved) & -(uint64_t)PAGE_SIZE;
      uint64_t high = h.p_vaddr + e.moved + h.p_memsz;
      s->low  = low < s->low ? low : s->low;
      s->high = high > s->high ? high : s->high;
   }
   image_elf_close(&e);
}

static void find_spans(ImageTimes* m)
{
   uint32_t n = dcfg_wet_instrs(m->w);
   size_t   room = 0;

   for (uint32_t first = 0; first < n; first = image_end(m->w, first)) {
      DcfgWetInstr in = *dcfg_wet_instr(m->w, first), last;
      Span         s = { .first = first, .end = image_end(m->w, first),
                         .name = in.image_name, .code = in.addr };
      last   = *dcfg_wet_instr(m->w, s.end - 1);
      s.file = s.name != NULL && s.name[0] == '/';
      s.low  = s.file && in.image_load <= in.addr ? in.image_load : in.addr;
      s.high = last.addr + last.size;
      take_segments(m, &s);
      s.high = (s.high + PAGE_SIZE - 1) & -(uint64_t)PAGE_SIZE;
      GROW(m->spans, m->n, room);
      m->spans[m->n++] = s;
   }
}

static Span* span_of(const ImageTimes* m, uint32_t image)
{
   uint32_t i = 1;

   BISECT(i, m->n, middle, m->spans[middle].first <= image);
   return &m->spans[i - 1];
}

/*--- Mappings                                             ---*/

static bool is_of(const Span* s, const DcfgWetMapping* m)
{
   return m->there && m->from_file && m->file != NULL
          && strcmp(m->file, s->name) == 0;
}

/* Return whether M, of the file of S, maps the byte at OFFSET to ADDR. */
static bool is_at(const DcfgWetMapping* m, uint64_t addr, uint64_t offset)
{
   return offset == IMAGE_ANYWHERE || m->offset + (addr - m->addr) == offset;
}

/* Note that mapping MAP holds from time T on. */
static void take_mapping(const ImageTimes* m, uint64_t t,
                         const DcfgWetMapping* map)
{
   for (uint32_t i = 0; i < m->n; i++) {
      Span* s = &m->spans[i];
      bool  named = s->file && is_of(s, map);
      bool  is = named && is_at(map, s->code, s->offset);
      if (!s->file || !overlap(s, map->addr, map->addr + map->size))
         continue;
      if (s->code - map->addr < map->size && is != s->open) {
         if (is) {
            GROW(s->stays, s->n, s->room);
            s->stays[s->n++] = (Stay){ t, UINT64_MAX };
         } else {
            s->stays[s->n - 1].to = t;
         }
         s->open = is;
      }
      s->shared |= map->there && !named && !s->open;
   }
}

/* Return whether mappings of the file of S, at its addresses, may be of image R:
   of S itself, too. */
static bool is_rival(const Span* s, const Span* r)
{
   return r->file && strcmp(r->name, s->name) == 0
          && overlap(s, r->low, r->high);
}

/* Keep only those stays of S in which S runs before the other images that are
   named like it and have some of its addresses. */
static void choose_stays(ImageTimes* m, Span* s)
{
   uint32_t       n = 0;
   uint32_t*      instrs = NULL;
   size_t         kept = 0, room = 0;
   DcfgCursorSet* set;

   for (uint32_t i = 0; i < m->n; i++)
      if (is_rival(s, &m->spans[i]))
         for (uint32_t k = m->spans[i].first; k < m->spans[i].end; k++) {
            GROW(instrs, n, room);
            instrs[n++] = k;
         }
   if (n == s->end - s->first) {
      free(instrs);
      return;
   }
   set = dcfg_cursor_set_new(m->r, instrs, n);
   for (size_t i = 0; set != NULL && i < s->n; i++) {
      const DcfgCursorInstr* at = NULL;
      uint64_t               t;
      if (dcfg_cursor_find_instr(m->r, set, DCFG_NONE, s->stays[i].from,
                                 false, &t) == DCFG_CURSOR_FOUND
          && t < s->stays[i].to)
         at = dcfg_cursor_instr(m->r, t);
      if (at != NULL && at->instr >= s->first && at->instr < s->end)
         s->stays[kept++] = s->stays[i];
   }
   if (set != NULL)
      s->n = kept;
   s->shared = true;
   dcfg_cursor_set_free(m->r, set);
   free(instrs);
}

/* Find the stays of all images.  Return false if the trace does not tell
   them. */
static bool find_stays(ImageTimes* m)
{
   const DcfgWetState*      state = dcfg_wet_state(m->w);
   const DcfgCursorMapping* all;
   size_t                   n;

   if (!state->known)
      return false;
   all = dcfg_cursor_mappings(m->r, &n);
   for (size_t i = 0; i < n; i++)
      take_mapping(m, all[i].time, &all[i].mapping);
   for (uint32_t i = 0; i < m->n; i++)
      if (m->spans[i].file)
         choose_stays(m, &m->spans[i]);
   return true;
}

/* Return whether another image has addresses of S. */
static bool is_doubtful(const ImageTimes* m, const Span* s)
{
   for (uint32_t i = 0; i < m->n; i++)
      if (&m->spans[i] != s && overlap(s, m->spans[i].low, m->spans[i].high))
         return true;
   return false;
}

DcfgCursor* trace_cursor(DcfgWet* w, bool index)
{
   DcfgError   err;
   DcfgCursor* r = dcfg_cursor_new(w, &err);

   if (r != NULL || !index || !dcfg_slice_make_index(w, -1, NULL, &err))
      return r;
   return dcfg_cursor_new(w, &err);
}

static void look(ImageTimes* m)
{
   DcfgCursor* made = NULL;
   bool        doubts = false;

   if (m->looked)
      return;
   m->looked = true;
   find_spans(m);
   for (uint32_t i = 0; i < m->n && !doubts; i++)
      doubts = m->spans[i].file && is_doubtful(m, &m->spans[i]);
   if (m->r == NULL)
      m->r = made = trace_cursor(m->w, doubts);
   m->known = m->r != NULL && find_stays(m);
   if (made != NULL) {
      dcfg_cursor_free(made);
      m->r = NULL;
   }
}

/*--- Answers                                              ---*/

static bool is_mapped(const ImageTimes* m, const Span* s, uint64_t t)
{
   size_t i = 0;

   if (!m->known)
      return !is_doubtful(m, s);
   if (!s->shared)
      return true;
   while (i < s->n && t >= s->stays[i].to)
      i++;
   return i < s->n && t >= s->stays[i].from;
}

bool image_is_mapped(ImageTimes* m, uint32_t image, uint64_t t)
{
   look(m);
   return is_mapped(m, span_of(m, image), t);
}

uint32_t image_at(ImageTimes* m, uint64_t addr, uint64_t t)
{
   look(m);
   for (uint32_t i = 0; i < m->n; i++) {
      const Span* s = &m->spans[i];
      if (s->file && addr >= s->low && addr < s->high && is_mapped(m, s, t))
         return s->first;
   }
   return DCFG_NONE;
}

uint64_t image_times_change(ImageTimes* m, uint64_t t, bool back)
{
   uint64_t found = back ? 0 : UINT64_MAX;

   look(m);
   for (uint32_t i = 0; m->known && i < m->n; i++)
      for (size_t k = 0; m->spans[i].shared && k < 2 * m->spans[i].n; k++) {
         const Stay* s = &m->spans[i].stays[k / 2];
         uint64_t    at = k % 2 == 0 ? s->from : s->to;
         if (back ? at <= t && at > found : at > t && at < found)
            found = at;
      }
   return found;
}

void image_extent(ImageTimes* m, uint32_t image, uint64_t* low,
                  uint64_t* high)
{
   const Span* s;

   look(m);
   s     = span_of(m, image);
   *low  = s->low;
   *high = s->high;
}

bool image_was_mapped(ImageTimes* m, uint32_t image, uint64_t addr,
                      uint64_t offset, uint64_t since)
{
   const DcfgCursorMapping* x;
   const Span*              s;

   look(m);
   s = span_of(m, image);
   x = !m->known || m->r == NULL ? NULL
       : dcfg_cursor_mapped(m->r, addr, since, NULL);
   return since == 0 || x == NULL || x->time != since
          || (is_of(s, &x->mapping) && is_at(&x->mapping, addr, offset));
}
