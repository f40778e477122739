/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory that is wanted. */

#ifndef DCFG_LIB_SLICE_MEMORY_H
#define DCFG_LIB_SLICE_MEMORY_H

#include "lib/base/number_map.h"
#include "lib/slice/slice_nearest.h"

/* WantedPage: 64 granules of 8 bytes that follow one another, as programs use
   memory that is near. */
typedef
   struct {
      uint64_t wanted;          // a bit for each granule that is
      uint32_t lists[64];       // Want, and 1
      uint32_t nearest[4];      // in .nearest, and 1; 0: none of 16 granules
   }
   WantedPage;

typedef
   struct {
      Nearest of[16];
   }
   NearestBlock;

/* SeenPage: what page .number - 1 was when it was looked up last. */
typedef
   struct {
      uint64_t number;
      uint32_t page;            // in .all, and 1; 0: nothing of it is wanted
   }
   SeenPage;

#define N_SEEN 4096

/* WantedMemory: written by slice_memory.c alone. */
typedef
   struct {
      Job*      job;
      size_t    n;              // granules that are wanted
      NumberMap pages;          // by number and 1: in .all, and 1
      Array     all;            // WantedPage
      uint32_t  free_page;      // in .all, and 1; its first list is the next one
      Array     nearest;        // NearestBlock
      uint32_t  free_block;     // in .nearest, and 1; .of[0] of its first granule
                                // is the next one
      SeenPage  seen[N_SEEN];   // by the lowest bits of the number
   }
   WantedMemory;

/* Look up page NUMBER, and note it as seen. */
uint32_t memory_look_up(WantedMemory* m, uint64_t number);

/* Page NUMBER; NULL if nothing of it is wanted. */
static inline WantedPage* memory_page(WantedMemory* m, uint64_t number)
{
   const SeenPage* seen = &m->seen[number % N_SEEN];
   uint32_t        id = seen->number == number + 1
                        ? seen->page : memory_look_up(m, number);

   return id == 0 ? NULL : &ELEM(m->all, WantedPage, id - 1);
}

/* Is any granule of the SIZE bytes at ADDR wanted? */
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

/* The nearest who want granule K of P; NULL: there are only lists. */
static inline Nearest* memory_nearest(const WantedMemory* m,
                                      const WantedPage* p, unsigned k)
{
   uint32_t id = p->nearest[k / 16];

   return id == 0 ? NULL : &ELEM(m->nearest, NearestBlock, id - 1).of[k % 16];
}

/* Make room for the nearest who want granule K of P, which has none. */
Nearest* memory_make_nearest(WantedMemory* m, WantedPage* p, unsigned k);

/* The page of GRANULE, which counts as wanted from now on; NULL without
   memory. */
WantedPage* memory_add_granule(WantedMemory* m, uint64_t granule);

/* GRANULE, whose list and nearest were taken, is not wanted any more. */
void memory_remove(WantedMemory* m, uint64_t granule);

/* The numbers of all pages from FIRST to LAST, in their order, to NUMBERS, of
   uint64_t. */
bool memory_pages(const WantedMemory* m, uint64_t first, uint64_t last,
                  Array* numbers);

/* The numbers of all granules that are wanted, in no order, to NUMBERS, of
   uint64_t.  False without memory. */
bool memory_granules(const WantedMemory* m, Array* numbers);

void memory_free(WantedMemory* m);

#endif /* DCFG_LIB_SLICE_MEMORY_H */
