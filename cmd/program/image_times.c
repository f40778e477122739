/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The image at an address, at a time. */

/* Owns: the answer to "what is mapped here, then?".  Handed: a whole
   execution trace with an index.

   Libraries may follow each other at one address, or something else may be mapped
   where a library was.  The trace tells which file is mapped where.  If builds of
   one file follow each other, the one that runs first in a mapping has that
   mapping. */

#include "cmd/program/image_times.h"

#include "cmd/base/cmd.h"
#include "cmd/program/wet_place.h"

#include "lib/dcfg_slice.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE 4096u

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
   ImageElf e;
   size_t   n;

   s->offset = IMAGE_ANYWHERE;
   if (!s->file || !image_elf(m->w, s->first, m->root, &e))
      return;
   s->offset = e.offset;
   if (elf_getphdrnum(e.elf, &n) != 0)
      n = 0;
   for (size_t i = 0; i < n; i++) {
      GElf_Phdr h;
      uint64_t  low, high;
      if (gelf_getphdr(e.elf, (int)i, &h) == NULL || h.p_type != PT_LOAD)
         continue;
      low  = (h.p_vaddr + e.moved) & -(uint64_t)PAGE_SIZE;
      high = h.p_vaddr + e.moved + h.p_memsz;
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
   uint32_t low = 0, high = m->n;

   while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (m->spans[middle].first <= image)
         low = middle;
      else
         high = middle;
   }
   return &m->spans[low];
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
