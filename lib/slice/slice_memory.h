/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory that is wanted. */

#ifndef DCFG_LIB_SLICE_MEMORY_H
#define DCFG_LIB_SLICE_MEMORY_H

#include "lib/base/number_map.h"
#include "lib/slice/slice_nearest.h"

/* WantedPage: 64 consecutive granules of 8 bytes. */
typedef
   struct {
      uint64_t wanted;          // a bit for each granule that is wanted
      uint32_t lists[64];       // id of the first Want, + 1
      uint32_t nearest[4];      // index in .nearest, + 1; 0: none for 16
                                // granules
   }
   WantedPage;

typedef
   struct {
      Nearest of[16];
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
      uint32_t  free_page;      // index in .all, + 1; .lists[0] has the next
                                // one
      Array     nearest;        // NearestBlock
      uint32_t  free_block;     // index in .nearest, + 1; .of[0] of its first
                                // granule has the next one
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

/* Return whether any of the SIZE bytes at ADDR may be wanted: its granule
   is. */
static inline bool memory_is_wanted(WantedMemory* m, uint64_t addr,
                                    uint64_t size)
{
   uint64_t last = (addr + size - 1) / 8;

   if (m->n == 0 || size == 0)
      return false;
   for (uint64_t g = addr / 8; g <= last; g = (g / 64 + 1) * 64) {
      const WantedPage* p = memory_page(m, g / 64);
      uint64_t          bits = ~UINT64_C(0) << g % 64;
      if (g / 64 == last / 64)
         bits &= ~UINT64_C(0) >> (63 - last % 64);
      if (p != NULL && (p->wanted & bits) != 0)
         return true;
   }
   return false;
}

/* Return the nearest wants of granule K of P; NULL if there are only lists. */
static inline Nearest* memory_nearest(const WantedMemory* m,
                                      const WantedPage* p, unsigned k)
{
   uint32_t id = p->nearest[k / 16];

   return id == 0 ? NULL : &ELEM(m->nearest, NearestBlock, id - 1).of[k % 16];
}

/* Make room for the nearest wants of granule K of P, which has none. */
Nearest* memory_make_nearest(WantedMemory* m, WantedPage* p, unsigned k);

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
