/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory that is wanted. */

/* Owns: which granules of memory have lists of wants, and where these lists
   are.  Handed: addresses.  Taken by: slice_live.c, which owns the lists'
   contents.

   Each store of the trace asks whether its bytes are wanted.  So neighbouring
   granules stand together, a bit says whether a list is empty, and a cache
   finds the pages asked for last without the map. */

#include "lib/slice/slice_memory.h"
#include "lib/base/sort.h"

#include <stdlib.h>

uint32_t memory_look_up(WantedMemory* m, uint64_t number)
{
   SeenPage* seen = &m->seen[number % N_SEEN];
   size_t    at = m->pages.n == 0 ? 0 : map_find(&m->pages, number + 1);

   seen->number = number + 1;
   seen->page   = m->pages.n == 0 || m->pages.keys[at] == 0
                  ? 0 : m->pages.values[at];
   return seen->page;
}

/* Make page NUMBER, which is not there. */
static WantedPage* make_page(WantedMemory* m, uint64_t number)
{
   uint32_t* id = map_add(m->job, &m->pages, number + 1);

   if (id == NULL)
      return NULL;
   *id = m->free_page;
   if (*id != 0) {
      m->free_page = ELEM(m->all, WantedPage, *id - 1).lists[0];
   } else {
      if (array_add(m->job, &m->all, sizeof(WantedPage)) == NULL)
         return NULL;
      *id = (uint32_t)m->all.n;
   }
   ELEM(m->all, WantedPage, *id - 1) = (WantedPage){ 0 };
   m->seen[number % N_SEEN] = (SeenPage){ number + 1, *id };
   return &ELEM(m->all, WantedPage, *id - 1);
}

Nearest* memory_make_nearest(WantedMemory* m, WantedPage* p, unsigned k)
{
   uint32_t* id = &p->nearest[k / 16];

   *id = m->free_block;
   if (*id != 0) {
      m->free_block = ELEM(m->nearest, NearestBlock, *id - 1).of[0].of[0];
   } else {
      if (array_add(m->job, &m->nearest, sizeof(NearestBlock)) == NULL)
         return NULL;
      *id = (uint32_t)m->nearest.n;
   }
   for (unsigned i = 0; i < 16; i++) {
      ELEM(m->nearest, NearestBlock, *id - 1).of[i].mask  = 0;
      ELEM(m->nearest, NearestBlock, *id - 1).of[i].split = false;
   }
   return memory_nearest(m, p, k);
}

WantedPage* memory_add_granule(WantedMemory* m, uint64_t granule)
{
   WantedPage* p = memory_page(m, granule / 64);
   uint64_t    bit = UINT64_C(1) << granule % 64;

   if (p == NULL)
      p = make_page(m, granule / 64);
   if (p == NULL)
      return NULL;
   m->n      += (p->wanted & bit) == 0;
   p->wanted |= bit;
   return p;
}

/* Free block I of P: nothing of it is wanted. */
static void free_block(WantedMemory* m, WantedPage* p, unsigned i)
{
   uint32_t id = p->nearest[i];

   if (id == 0)
      return;
   ELEM(m->nearest, NearestBlock, id - 1).of[0].of[0] = m->free_block;
   m->free_block = id;
   p->nearest[i] = 0;
}

void memory_remove(WantedMemory* m, uint64_t granule)
{
   uint64_t    number = granule / 64;
   WantedPage* p = memory_page(m, number);

   p->lists[granule % 64] = 0;
   p->wanted &= ~(UINT64_C(1) << granule % 64);
   m->n--;
   if ((p->wanted >> granule % 64 / 16 * 16 & 0xFFFF) == 0)
      free_block(m, p, granule % 64 / 16);
   if (p->wanted != 0)
      return;
   p->lists[0]  = m->free_page;
   m->free_page = m->seen[number % N_SEEN].page;
   m->seen[number % N_SEEN].page = 0;
   map_remove(&m->pages, map_find(&m->pages, number + 1));
}

COMPARE(compare_numbers, uint64_t, ORDER(*x, *y))

bool memory_pages(const WantedMemory* m, uint64_t first, uint64_t last,
                  Array* numbers)
{
   for (size_t i = 0; i < m->pages.room; i++) {
      uint64_t  number = m->pages.keys[i] - 1;
      uint64_t* to;
      if (m->pages.keys[i] == 0 || number < first || number > last)
         continue;
      to = array_add(m->job, numbers, sizeof(*to));
      if (to == NULL)
         return false;
      *to = number;
   }
   if (numbers->n > 1)
      qsort(numbers->data, numbers->n, sizeof(uint64_t), compare_numbers);
   return true;
}

bool memory_granules(const WantedMemory* m, Array* numbers)
{
   for (size_t i = 0; i < m->pages.room; i++) {
      uint64_t bits;
      if (m->pages.keys[i] == 0)
         continue;
      bits = ELEM(m->all, WantedPage, m->pages.values[i] - 1).wanted;
      for (; bits != 0; bits &= bits - 1) {
         uint64_t* to = array_add(m->job, numbers, sizeof(*to));
         if (to == NULL)
            return false;
         *to = (m->pages.keys[i] - 1) * 64
               + (uint64_t)__builtin_ctzll(bits);
      }
   }
   return true;
}

void memory_free(WantedMemory* m)
{
   map_free(m->job, &m->pages);
   array_free(m->job, &m->all, sizeof(WantedPage));
   array_free(m->job, &m->nearest, sizeof(NearestBlock));
}
