/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory that is wanted. */

#ifndef DCFG_LIB_SLICE_MEMORY_H
#define DCFG_LIB_SLICE_MEMORY_H

#include "lib/base/hash.h"
#include "lib/slice/slice_nearest.h"

#define WANTED_PAGE    4096u    // bytes of a page
#define PAGE_GRANULES  (WANTED_PAGE / 8)
#define BLOCK_GRANULES 16
#define PAGE_BLOCKS    (PAGE_GRANULES / BLOCK_GRANULES)

/* WantedPage: the granules of a page.  Those of a block have their wants
   together; a block without wants has none of the tables. */
typedef
   struct {
      uint64_t wanted[PAGE_GRANULES / 64];      // a bit for each granule
      uint32_t lists[PAGE_BLOCKS];      // index in .lists, + 1; or 0
      uint32_t nearest[PAGE_BLOCKS];    // index in .nearest, + 1; or 0
   }
   WantedPage;

typedef
   struct {
      uint32_t of[BLOCK_GRANULES];      // id of the first Want, + 1
   }
   ListBlock;

typedef
   struct {
      Nearest of[BLOCK_GRANULES];
   }
   NearestBlock;

/* SeenPage: page number .number - 1, as it was looked up last. */
typedef
   struct {
      uint64_t number;
      uint32_t page;            // index in .all, + 1; 0: not wanted
   }
   SeenPage;

#define N_SEEN 4096

/* WantedMemory: written by slice_memory.c alone. */
typedef
   struct {
      Job*      job;
      size_t    n;              // granules that are wanted
      NumberMap pages;          // keys: number + 1; values: index in .all, + 1
      Array     all;            // WantedPage
      Array     lists;          // ListBlock
      Array     nearest;        // NearestBlock

      /* The first free one of each, an index + 1.  Its first index has the
         next one. */
      uint32_t  free_page, free_list, free_nearest;
      SeenPage  seen[N_SEEN];   // by the lowest bits of the number
   }
   WantedMemory;

/* Look up page NUMBER, and note it in .seen. */
uint32_t memory_look_up(WantedMemory* m, uint64_t number);

/* Return page NUMBER; NULL if nothing of it is wanted. */
static inline WantedPage* memory_page(WantedMemory* m, uint64_t number)
{
   const SeenPage* seen = &m->seen[number % N_SEEN];
   uint32_t        id = seen->number == number + 1
                        ? seen->page : memory_look_up(m, number);

   return id == 0 ? NULL : &ELEM(m->all, WantedPage, id - 1);
}

/* Return which granules from FIRST to LAST, which have the same number / 64,
   are wanted: a bit for each, by the number % 64. */
static inline uint64_t memory_wanted(WantedMemory* m, uint64_t first,
                                     uint64_t last)
{
   const WantedPage* p = memory_page(m, first / PAGE_GRANULES);

   return p == NULL ? 0
          : p->wanted[first / 64 % (PAGE_GRANULES / 64)]
            & ~UINT64_C(0) << first % 64 & ~UINT64_C(0) >> (63 - last % 64);
}

/* Return whether any of the SIZE bytes at ADDR may be wanted: its granule
   is. */
static inline bool memory_is_wanted(WantedMemory* m, uint64_t addr,
                                    uint64_t size)
{
   uint64_t last = (addr + size - 1) / 8;

   if (m->n == 0 || size == 0)
      return false;
   for (uint64_t g = addr / 8; g <= last; g = (g / 64 + 1) * 64)
      if (memory_wanted(m, g, last / 64 == g / 64 ? last : g | 63) != 0)
         return true;
   return false;
}

/* Return the list of granule K of P; NULL if it has none. */
static inline uint32_t* memory_list(const WantedMemory* m, const WantedPage* p,
                                    unsigned k)
{
   uint32_t id = p->lists[k / BLOCK_GRANULES];

   return id == 0 ? NULL
          : &ELEM(m->lists, ListBlock, id - 1).of[k % BLOCK_GRANULES];
}

/* Return the nearest wants of granule K of P; NULL if it has none. */
static inline Nearest* memory_nearest(const WantedMemory* m,
                                      const WantedPage* p, unsigned k)
{
   uint32_t id = p->nearest[k / BLOCK_GRANULES];

   return id == 0 ? NULL
          : &ELEM(m->nearest, NearestBlock, id - 1).of[k % BLOCK_GRANULES];
}

/* Make room for the list, or the nearest wants, of granule K of P, which has
   none. */
uint32_t* memory_make_list(WantedMemory* m, WantedPage* p, unsigned k);
Nearest*  memory_make_nearest(WantedMemory* m, WantedPage* p, unsigned k);

/* Return the list, or the nearest wants, of granule K of P, made if there is
   none; NULL if memory is exhausted. */
static inline uint32_t* memory_add_list(WantedMemory* m, WantedPage* p,
                                        unsigned k)
{
   uint32_t* list = memory_list(m, p, k);

   return list != NULL ? list : memory_make_list(m, p, k);
}

static inline Nearest* memory_add_nearest(WantedMemory* m, WantedPage* p,
                                          unsigned k)
{
   Nearest* n = memory_nearest(m, p, k);

   return n != NULL ? n : memory_make_nearest(m, p, k);
}

/* Mark GRANULE as wanted, and return its page; NULL if memory is exhausted. */
WantedPage* memory_add_granule(WantedMemory* m, uint64_t granule);

/* Mark GRANULE, whose wants were taken, as not wanted. */
void memory_remove(WantedMemory* m, uint64_t granule);

/* Store the numbers of all pages from FIRST to LAST, in order, in NUMBERS, of
   uint64_t. */
bool memory_pages(const WantedMemory* m, uint64_t first, uint64_t last,
                  Array* numbers);

/* Store the numbers of all wanted granules, in no order, in NUMBERS, of
   uint64_t.  Return false if memory is exhausted. */
bool memory_granules(const WantedMemory* m, Array* numbers);

void memory_free(WantedMemory* m);

#endif /* DCFG_LIB_SLICE_MEMORY_H */
