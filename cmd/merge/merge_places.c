/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Load addresses of images of several runs. */

/* Owns: load addresses for images of several runs.  Handed: a sum by
   merge_write.c. */

#include "cmd/merge/merge.h"

#include <stdlib.h>

/* Spans: addresses that are in use.  They may overlap. */
typedef
   struct {
      uint64_t from, to;
   }
   Span;

typedef
   struct {
      Span*    all;
      size_t   n, n_new, room;  // .n in order, then .n_new not yet merged
      uint64_t top;
   }
   Spans;

COMPARE(by_from, Span, UP(from) ?: UP(to))

static void add_span(Spans* s, uint64_t from, uint64_t size)
{
   uint64_t to = size > UINT64_MAX - from ? UINT64_MAX : from + size;

   GROW(s->all, s->n_new, s->room);
   s->all[s->n_new++] = (Span){ from, to };
   if (to > s->top)
      s->top = to;
}

/* Merge the new spans of a run, so that no two overlap. */
static void settle(Spans* s)
{
   size_t n = 0;

   if (s->n_new > 0)
      qsort(s->all, s->n_new, sizeof(*s->all), by_from);
   for (size_t i = 0; i < s->n_new; i++)
      if (n > 0 && s->all[i].from <= s->all[n - 1].to) {
         if (s->all[i].to > s->all[n - 1].to)
            s->all[n - 1].to = s->all[i].to;
      } else {
         s->all[n++] = s->all[i];
      }
   s->n = s->n_new = n;
}

static bool is_free(const Spans* s, uint64_t from, uint64_t size)
{
   size_t low = 0;

   /* LOW: the first span that ends behind FROM. */
   BISECT(low, s->n, middle, s->all[middle].to <= from);
   return low == s->n || (s->all[low].from >= from
                          && s->all[low].from - from >= size);
}

#define PAGE 4096

/* An image gets its address in the first run that has it.  If another run's
   image is there, it goes behind all others.  Images of one run may overlap:
   one took the place of another. */
uint64_t* find_places(const Merged* m)
{
   uint64_t* load = zalloc(m->n_images, sizeof(*load));
   uint32_t* order = order_homes(m);
   Spans     s = { 0 };
   uint32_t  home = 0;

   for (uint32_t k = 0; k < m->n_images; k++) {
      uint32_t           i = order[k];
      const MergedImage* im = &m->images[i];
      if (im->home != home)
         settle(&s);
      home = im->home;
      load[i] = im->load;
      if (!is_free(&s, im->load, im->size)) {
         if (s.top > UINT64_MAX - PAGE
             || im->size > UINT64_MAX - s.top - PAGE)
            die("there is no room for %s beside the other images", im->name);
         load[i] = (s.top + PAGE - 1) / PAGE * PAGE + im->load % PAGE;
      }
      add_span(&s, load[i], im->size);
   }
   free(s.all);
   free(order);
   return load;
}
