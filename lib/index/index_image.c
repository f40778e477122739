/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's memory while an index is made. */

/* Owns: bytes that the trace has told so far, and the loads that contradict
   them.  Handed: stores and loads by index_ways.c, marks by index_make.c and
   index_unseen.c.

   A byte stays BYTE_KNOWN behind its chunk, so that a word of which a chunk
   wrote a part is told as a whole there.  If there are too many pages, all are
   dropped: a reader then looks into earlier chunks. */

#include "lib/index/index_image.h"

#include <string.h>

/* The most pages of the image, about 16 KB each. */
#define MOST_PAGES 16384u

/* The most ranges.  If there are more, each new page may be changed. */
#define MOST_RANGES 4096u

static void drop(MemoryImage* m)
{
   for (size_t i = 0; i < m->pages.n; i++)
      job_free(m->job, ELEM(m->pages, ImagePage*, i), sizeof(ImagePage));
   map_free(m->job, &m->places);
   m->places  = (NumberMap){ 0 };
   m->dropped = true;
   array_cut(&m->pages, 0);
   array_cut(&m->touched, 0);
   memset(m->recent, 0, sizeof(m->recent));
}

void image_free(MemoryImage* m)
{
   if (m->job == NULL)
      return;
   drop(m);
   array_free(m->job, &m->pages, sizeof(ImagePage*));
   array_free(m->job, &m->touched, sizeof(ImagePage*));
   array_free(m->job, &m->ranges, sizeof(ImageRange));
   array_free(m->job, &m->unseen, sizeof(UnseenWrite));
}

/*--- Pages                                                ---*/

/* Return how much is known of the bytes of a new page. */
static ByteIs begin_of(const MemoryImage* m, uint64_t number)
{
   ByteIs is = m->dropped ? BYTE_LOOK : BYTE_NEVER;

   if (m->ranges.n == MOST_RANGES)
      return BYTE_ASK;
   for (size_t i = 0; i < m->ranges.n; i++) {
      const ImageRange* r = &ELEM(m->ranges, ImageRange, i);
      if (number < r->first || number > r->last)
         continue;
      if (r->chunk == m->chunk)
         return BYTE_ASK;
      is = BYTE_LOOK;
   }
   return is;
}

static ImagePage* make_page(MemoryImage* m, uint64_t number, uint32_t* place)
{
   ImagePage*  p = job_calloc(m->job, 1, sizeof(*p));
   ImagePage** to = p == NULL ? NULL : array_add(m->job, &m->pages,
                                                 sizeof(*to));

   if (to == NULL) {
      job_free(m->job, p, sizeof(*p));
      return NULL;
   }
   *to       = p;
   *place    = (uint32_t)m->pages.n;
   p->number = number;
   memset(p->is, begin_of(m, number), sizeof(p->is));
   p->asks   = p->is[0] == BYTE_ASK;
   return p;
}

static bool touch(MemoryImage* m, ImagePage* p)
{
   ImagePage** to;

   if (p->touched)
      return true;
   to = array_add(m->job, &m->touched, sizeof(*to));
   if (to != NULL)
      *to = p;
   p->touched = to != NULL;
   return p->touched;
}

/* Set *TO to page NUMBER; NULL if there is no room.  Return false if memory is
   exhausted. */
static bool page_of(MemoryImage* m, uint64_t number, ImagePage** to)
{
   ImagePage** recent = &m->recent[number % N_RECENT_IMAGES];
   uint32_t*   place;

   *to = NULL;
   if (m->full)
      return true;
   if (*recent == NULL || (*recent)->number != number) {
      place = map_add(m->job, &m->places, number + 1);
      if (place == NULL)
         return false;
      if (*place == 0 && m->pages.n == MOST_PAGES) {
         drop(m);
         m->full = true;
         return true;
      }
      *recent = *place != 0 ? ELEM(m->pages, ImagePage*, *place - 1)
                : make_page(m, number, place);
      if (*recent == NULL) {
         *place = 0;
         return false;
      }
   }
   *to = *recent;
   return true;
}

/*--- Writes                                               ---*/

/* Note that the trace told the N bytes of P from byte AT on for TIME. */
static void add_facts(ImagePage* p, uint32_t at, uint64_t n, uint64_t time)
{
   while (n > 0) {
      uint32_t k = 8 - at % 8 < n ? 8 - at % 8 : (uint32_t)n;
      facts_add(&p->facts[at / 8], (uint8_t)(((1u << k) - 1) << at % 8), time);
      at += k;
      n  -= k;
   }
}

bool image_write_any(MemoryImage* m, uint64_t addr, uint64_t size, ByteIs is,
                     const uint8_t* bytes, uint64_t time)
{
   if (size > UINT64_MAX - addr)
      size = UINT64_MAX - addr;
   while (size > 0) {
      uint32_t   at = (uint32_t)(addr % IMAGE_PAGE);
      uint64_t   n = IMAGE_PAGE - at < size ? IMAGE_PAGE - at : size;
      ImagePage* p;
      if (!page_of(m, addr / IMAGE_PAGE, &p))
         return false;
      if (p == NULL)
         return true;
      if (!touch(m, p))
         return false;
      memset(p->is + at, is, n);
      if (is == BYTE_KNOWN) {
         memcpy(p->bytes + at, bytes, n);
         bytes += n;
         add_facts(p, at, n, time);
      }
      p->asks |= is == BYTE_ASK;
      for (uint32_t i = at / 8; i <= (at + n - 1) / 8; i++)
         p->masks[i / 8] |= (uint8_t)(1u << i % 8);
      addr += n;
      size -= n;
   }
   return true;
}

/*--- Loads                                                ---*/

/* Add the unseen write of bytes MASK of word K of P, which a load before TIME
   found changed: one for each time since when they may be. */
static bool add_unseen(MemoryImage* m, const ImagePage* p, uint32_t k,
                       uint8_t mask, uint64_t time)
{
   const uint64_t* of = p->facts[k].of;
   uint64_t        since[3] = { of[0] >> 8, of[1] >> 8, 0 };
   uint8_t         parts[3] = { (uint8_t)of[0] & mask, (uint8_t)of[1] & mask,
                                mask & (uint8_t)~(of[0] | of[1]) };

   for (unsigned i = 0; i < 3; i++) {
      UnseenWrite* u = parts[i] == 0 ? NULL
                       : array_add(m->job, &m->unseen, sizeof(*u));
      if (parts[i] != 0 && u == NULL)
         return false;
      if (u != NULL)
         *u = (UnseenWrite){ .word = p->number * IMAGE_WORDS + k,
                             .since = since[i], .time = time - 1,
                             .mask = parts[i] };
   }
   return true;
}

/* Note that N BYTES of word K of P, from its byte AT on, were loaded. */
static bool load_word(MemoryImage* m, ImagePage* p, uint32_t k, uint32_t at,
                      uint32_t n, const uint8_t* bytes, uint64_t time,
                      bool* news)
{
   uint8_t* is = p->is + 8 * k + at;
   uint8_t* has = p->bytes + 8 * k + at;
   uint8_t  new = 0, unseen = 0;

   for (uint32_t i = 0; i < n; i++)
      if (is[i] != BYTE_KNOWN || has[i] != bytes[i]) {
         new    |= (uint8_t)(1u << (at + i));
         unseen |= (uint8_t)((is[i] == BYTE_KNOWN) << (at + i));
      }
   if (unseen != 0 && !add_unseen(m, p, k, unseen, time))
      return false;
   facts_add(&p->facts[k], (uint8_t)(((1u << n) - 1) << at), time);
   if (new == 0)
      return true;
   *news = true;
   memset(is, BYTE_KNOWN, n);
   memcpy(has, bytes, n);
   p->masks[k / 8] |= (uint8_t)(1u << k % 8);
   return touch(m, p);
}

bool image_load_any(MemoryImage* m, uint64_t addr, uint64_t size,
                    const uint8_t* bytes, uint64_t time, bool* news)
{
   if (size > UINT64_MAX - addr)
      size = UINT64_MAX - addr;
   while (size > 0) {
      uint32_t   at = (uint32_t)(addr % IMAGE_PAGE);
      uint32_t   n = 8 - at % 8 < size ? 8 - at % 8 : (uint32_t)size;
      ImagePage* p;
      if (!page_of(m, addr / IMAGE_PAGE, &p))
         return false;
      /* Without room, each load may be news. */
      *news |= p == NULL;
      if (p == NULL)
         return true;
      if (!load_word(m, p, at / 8, at % 8, n, bytes, time, news))
         return false;
      addr  += n;
      bytes += n;
      size  -= n;
   }
   return true;
}

/*--- Chunks                                               ---*/

/* Note that only the chunk itself tells of the bytes of P from address FIRST to
   LAST. */
static bool change_page(MemoryImage* m, ImagePage* p, uint64_t first,
                        uint64_t last)
{
   uint64_t begin = p->number * IMAGE_PAGE;
   uint64_t from = first > begin ? first - begin : 0;
   uint64_t to = last - begin < IMAGE_PAGE ? last - begin + 1 : IMAGE_PAGE;

   memset(p->is + from, BYTE_ASK, to - from);
   p->asks = true;
   return touch(m, p);
}

bool image_change(MemoryImage* m, uint64_t addr, uint64_t size)
{
   uint64_t    last, first_page = addr / IMAGE_PAGE, last_page;
   ImageRange* r;

   if (size == 0)
      return true;
   last      = size - 1 > UINT64_MAX - addr ? UINT64_MAX : addr + (size - 1);
   last_page = last / IMAGE_PAGE;
   if (last_page - first_page < m->pages.n) {
      for (uint64_t n = first_page; n <= last_page; n++) {
         size_t at = map_find(&m->places, n + 1);
         if (m->places.keys[at] != 0
             && !change_page(m, ELEM(m->pages, ImagePage*,
                                     m->places.values[at] - 1), addr, last))
            return false;
      }
   } else {
      for (size_t i = 0; i < m->pages.n; i++) {
         ImagePage* p = ELEM(m->pages, ImagePage*, i);
         if (p->number >= first_page && p->number <= last_page
             && !change_page(m, p, addr, last))
            return false;
      }
   }
   if (m->ranges.n == MOST_RANGES)
      return true;
   r = array_add(m->job, &m->ranges, sizeof(*r));
   if (r != NULL)
      *r = (ImageRange){ first_page, last_page, m->chunk };
   return r != NULL;
}

void image_end_chunk(MemoryImage* m)
{
   for (size_t i = 0; i < m->touched.n; i++) {
      ImagePage* p = ELEM(m->touched, ImagePage*, i);
      for (uint32_t k = 0; p->asks && k < IMAGE_PAGE; k++)
         p->is[k] = p->is[k] == BYTE_ASK ? BYTE_LOOK : p->is[k];
      memset(p->masks, 0, sizeof(p->masks));
      p->asks    = false;
      p->touched = false;
   }
   array_cut(&m->touched, 0);
   array_cut(&m->unseen, 0);
   m->full = false;
   m->chunk++;
}
