/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote each byte of memory last. */

/* Owns: the last writer of each byte of memory.  Handed: writes and moves,
   by wet_writers.c. */

#include "lib/wet/wet_shadow.h"

#include <stdlib.h>
#include <string.h>

/*--- Pages                                                ---*/

Page* shadow_look_up(Shadow* s, uint64_t number)
{
   size_t at;
   Page*  p;

   if (s->places.n == 0)
      return NULL;
   at = map_find(&s->places, number + 1);
   if (s->places.keys[at] == 0)
      return NULL;
   p = ELEM(s->pages, Page*, s->places.values[at] - 1);
   s->recent[number % N_RECENT] = (Recent){ number + 1, p };
   return p;
}

/* Return page NUMBER, made if necessary; NULL if memory is exhausted. */
static Page* make_page(Shadow* s, uint64_t number)
{
   Page*     p = shadow_find(s, number);
   Page**    added;
   uint32_t* place;

   if (p != NULL)
      return p;
   p     = job_calloc(s->job, 1, sizeof(*p));
   added = p == NULL ? NULL : array_add(s->job, &s->pages, sizeof(*added));
   if (added == NULL) {
      job_free(s->job, p, sizeof(*p));
      return NULL;
   }
   p->number = number;
   *added    = p;
   place     = map_add(s->job, &s->places, number + 1);
   if (place == NULL)
      return NULL;
   *place = (uint32_t)s->pages.n;
   return p;
}

void shadow_free(Shadow* s)
{
   for (size_t i = 0; i < s->pages.n; i++)
      free(ELEM(s->pages, Page*, i));
   array_free(s->job, &s->pages, sizeof(Page*));
   map_free(s->job, &s->places);
   array_free(s->job, &s->cells, sizeof(Cell));
}

/*--- Granules                                             ---*/

/* Return the cell of GRANULE; if it has none, a new one with the granule's
   writer for each byte. */
static Cell* need_cell(Shadow* s, Writer* granule)
{
   uint32_t id = s->free_cell;
   Cell*    c;

   if (*granule & MIXED)
      return &ELEM(s->cells, Cell, *granule & ~MIXED);
   if (id != 0) {
      c = &ELEM(s->cells, Cell, id - 1);
      s->free_cell = (uint32_t)c->bytes[0];
   } else {
      c = array_add(s->job, &s->cells, sizeof(*c));
      if (c == NULL)
         return NULL;
      id = (uint32_t)s->cells.n;
   }
   for (unsigned i = 0; i < GRANULE; i++)
      c->bytes[i] = *granule;
   *granule = MIXED | (id - 1);
   return c;
}

static void free_cell(Shadow* s, Writer granule)
{
   ELEM(s->cells, Cell, granule & ~MIXED).bytes[0] = s->free_cell;
   s->free_cell = (uint32_t)(granule & ~MIXED) + 1;
}

/* Make WRITER the writer of N bytes of a granule, from its byte FIRST on. */
static inline bool write_granule(Shadow* s, Writer* granule, unsigned first,
                                 unsigned n, Writer writer)
{
   if (n == GRANULE) {
      if (*granule & MIXED)
         free_cell(s, *granule);
      *granule = writer;
      return true;
   }
   if (*granule == writer)
      return true;
   Cell* c = need_cell(s, granule);
   for (unsigned i = first; c != NULL && i < first + n; i++)
      c->bytes[i] = writer;
   return c != NULL;
}

static bool write_page(Shadow* s, Page* page, uint64_t at, uint64_t n,
                       Writer writer)
{
   while (n > 0) {
      unsigned first = at % GRANULE;
      unsigned here  = GRANULE - first < n ? GRANULE - first : (unsigned)n;
      if (!write_granule(s, &page->granules[at / GRANULE], first, here,
                         writer))
         return false;
      at += here;
      n  -= here;
   }
   return true;
}

bool shadow_write_bytes(Shadow* s, uint64_t a, uint64_t n, Writer writer)
{
   while (n > 0) {
      uint64_t here = in_page(a, n);
      Page*    page = make_page(s, a / PAGE);
      if (page == NULL || !write_page(s, page, a % PAGE, here, writer))
         return false;
      a += here;
      n -= here;
   }
   return true;
}

/*--- Large pieces                                         ---*/

/* The range may be larger than all pages together: then go over the pages. */
bool shadow_forget(Shadow* s, uint64_t a, uint64_t n)
{
   if (n > UINT64_MAX - a)
      n = UINT64_MAX - a;
   if (n / PAGE > s->pages.n + 1) {
      uint64_t head = in_page(a, n), tail = (a + n) % PAGE;
      for (size_t i = 0; i < s->pages.n; i++) {
         Page* p = ELEM(s->pages, Page*, i);
         if (p->number > a / PAGE && p->number < (a + n) / PAGE
             && !write_page(s, p, 0, PAGE, 0))
            return false;
      }
      return shadow_forget(s, a, head)
             && shadow_forget(s, a + n - tail, tail);
   }
   while (n > 0) {
      uint64_t here = in_page(a, n);
      Page*    page = shadow_find(s, a / PAGE);
      if (page != NULL && !write_page(s, page, a % PAGE, here, 0))
         return false;
      a += here;
      n -= here;
   }
   return true;
}

bool shadow_has(Shadow* s, uint64_t a, uint64_t n)
{
   while (n > 0) {
      uint64_t    here = in_page(a, n);
      const Page* page = shadow_find(s, a / PAGE);
      for (uint64_t i = a % PAGE; page != NULL && i < a % PAGE + here; i++) {
         Writer g = page->granules[i / GRANULE];
         if (writer_in(s, g, i % GRANULE) != 0)
            return true;
         if (g == 0)
            i |= GRANULE - 1;
      }
      a += here;
      n -= here;
   }
   return false;
}

/* The kernel moves whole pages. */
bool shadow_move(Shadow* s, uint64_t to_addr, uint64_t from_addr, uint64_t n)
{
   if (to_addr % PAGE != 0 || from_addr % PAGE != 0
       || n > UINT64_C(1) << 40)
      return job_fail(s->job, DCFG_ERROR_FORMAT, "tape",
                      "memory is moved in a way that is not possible");
   for (uint64_t done = 0; done < n; done += PAGE) {
      Page* from = shadow_find(s, (from_addr + done) / PAGE);
      Page* to   = from == NULL ? shadow_find(s, (to_addr + done) / PAGE)
                                : make_page(s, (to_addr + done) / PAGE);
      if (from != NULL && to == NULL)
         return false;
      if (to == NULL || to == from)
         continue;
      if (!write_page(s, to, 0, PAGE, 0))
         return false;
      if (from == NULL)
         continue;
      memcpy(to->granules, from->granules, sizeof(to->granules));
      memset(from->granules, 0, sizeof(from->granules));
   }
   return true;
}
