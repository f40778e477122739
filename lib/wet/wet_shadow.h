/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote each byte of memory last. */

#ifndef DCFG_LIB_WET_SHADOW_H
#define DCFG_LIB_WET_SHADOW_H

#include "lib/base/hash.h"
#include "lib/wet/wet.h"

/* A granule, 4 bytes, has one writer until some of its bytes are written
   alone: most data is read in the size in which it was written.  Then it has
   a cell, with a writer for each byte.  Granules are in pages, made at the
   first write. */

/* MIXED: set in a granule's word if the rest is the number of its cell.
   Registers have granules too, with cells of their own. */
#define MIXED (UINT64_C(1) << 63)

#define GRANULE 4u
typedef
   struct {
      Writer bytes[GRANULE];    // in a free cell: number of the next free one,
                                // + 1
   }
   Cell;

#define PAGE       4096u
#define N_PER_PAGE (PAGE / GRANULE)
typedef
   struct {
      uint64_t number;          // address / PAGE
      Writer   granules[N_PER_PAGE];
   }
   Page;

/* Recent: a page that was used lately, in a cache by number. */
typedef
   struct {
      uint64_t number;          // + 1; 0: none
      Page*    page;
   }
   Recent;

#define N_RECENT 1024u
typedef
   struct {
      Job*      job;
      Recent    recent[N_RECENT];
      Array     pages;          // Page*
      NumberMap places;         // keys: number + 1; values: index in .pages, +
                                // 1
      Array     cells;          // Cell
      uint32_t  free_cell;      // + 1; 0: none
   }
   Shadow;

void shadow_free(Shadow* s);

/* Slow paths of the inline functions below: return page NUMBER, or NULL; make
   WRITER the writer of N bytes at A. */
Page* shadow_look_up(Shadow* s, uint64_t number);
bool  shadow_write_bytes(Shadow* s, uint64_t a, uint64_t n, Writer writer);

/* Give the N bytes at A no writer. */
bool  shadow_forget(Shadow* s, uint64_t a, uint64_t n);

/* Move the writers of the N bytes at FROM to TO. */
bool  shadow_move(Shadow* s, uint64_t to, uint64_t from, uint64_t n);

static inline Page* shadow_find(Shadow* s, uint64_t number)
{
   const Recent* r = &s->recent[number % N_RECENT];

   return r->number == number + 1 ? r->page : shadow_look_up(s, number);
}

/* Return how many of the N bytes at A are in A's page. */
static inline uint64_t in_page(uint64_t a, uint64_t n)
{
   return PAGE - a % PAGE < n ? PAGE - a % PAGE : n;
}

/* Return whether one of the N bytes at A has a writer. */
bool shadow_has(Shadow* s, uint64_t a, uint64_t n);

/* Return the writer of byte I of GRANULE. */
static inline Writer writer_in(const Shadow* s, Writer granule, unsigned i)
{
   return granule & MIXED ? ELEM(s->cells, Cell, granule & ~MIXED).bytes[i]
                          : granule;
}

/* Make WRITER the writer of the N bytes at A.  The fast path is one or two
   whole granules of a known page, without cells. */
static inline bool shadow_write(Shadow* s, uint64_t a, uint64_t n,
                                Writer writer)
{
   const Recent* r = &s->recent[a / PAGE % N_RECENT];
   Writer*       g;

   if (r->number == a / PAGE + 1 && a % GRANULE == 0) {
      g = &r->page->granules[a % PAGE / GRANULE];
      if (n == 8 && a % 8 == 0 && !((g[0] | g[1]) & MIXED)) {
         g[0] = g[1] = writer;
         return true;
      }
      if (n == 4 && !(*g & MIXED)) {
         *g = writer;
         return true;
      }
   }
   return shadow_write_bytes(s, a, n, writer);
}

#endif /* DCFG_LIB_WET_SHADOW_H */
