/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote each byte of memory last. */

#ifndef DCFG_LIB_WET_SHADOW_H
#define DCFG_LIB_WET_SHADOW_H

#include "lib/base/number_map.h"
#include "lib/wet/wet.h"

/* Bytes that are written together are mostly read together.  So a granule, 4
   bytes, has one writer, until some of its bytes are written alone.  Then it
   has a cell, with a writer for each byte.  Granules are in pages.  A page is
   made when something is first written there. */

/* A granule's writer, or, with this, which cell it has.  Registers have
   granules too, and cells of their own. */
#define MIXED (UINT64_C(1) << 63)

#define GRANULE 4u
typedef
   struct {
      Writer bytes[GRANULE];    // in a free cell: the next free one, and 1
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

/* A page that was used a short time ago. */
typedef
   struct {
      uint64_t number;          // and 1; 0: none
      Page*    page;
   }
   Recent;

#define N_RECENT 1024u
typedef
   struct {
      Job*      job;
      Recent    recent[N_RECENT];
      Array     pages;          // Page*
      NumberMap places;         // by number and 1: the place in it and 1
      Array     cells;          // Cell
      uint32_t  free_cell;      // and 1; 0: none
   }
   Shadow;

void shadow_free(Shadow* s);

/* For what is inline here: the page with that number, or NULL; the N bytes at A are WRITER's. */
Page* shadow_look_up(Shadow* s, uint64_t number);
bool  shadow_write_bytes(Shadow* s, uint64_t a, uint64_t n, Writer writer);

/* Nobody has written the N bytes at A. */
bool  shadow_forget(Shadow* s, uint64_t a, uint64_t n);

/* The N bytes at FROM stand at TO now. */
bool  shadow_move(Shadow* s, uint64_t to, uint64_t from, uint64_t n);

static inline Page* shadow_find(Shadow* s, uint64_t number)
{
   const Recent* r = &s->recent[number % N_RECENT];

   return r->number == number + 1 ? r->page : shadow_look_up(s, number);
}

/* How many of the N bytes at A are in A's page. */
static inline uint64_t in_page(uint64_t a, uint64_t n)
{
   return PAGE - a % PAGE < n ? PAGE - a % PAGE : n;
}

/* Did anybody write one of the N bytes at A? */
bool shadow_has(Shadow* s, uint64_t a, uint64_t n);

/* Who wrote byte I of GRANULE. */
static inline Writer writer_in(const Shadow* s, Writer granule, unsigned i)
{
   return granule & MIXED ? ELEM(s->cells, Cell, granule & ~MIXED).bytes[i]
                          : granule;
}

/* The N bytes at A are WRITER's.  Most are one or two whole granules of a page
   that is there, without cells. */
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
