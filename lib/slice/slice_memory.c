/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory that is wanted. */

/* Owns: which granules of memory have lists of wants, and where these lists
   are.  Handed: addresses.

   Each store of the trace asks whether its bytes are wanted.  So neighbouring
   granules stand together, a bit says whether one is wanted, and a cache
   finds the pages asked for last without the map.  Wants may lie all over a
   large table, in any order: pages and blocks are small, so that they stay in
   the processor's caches. */

#include "lib/slice/slice_memory.h"
#include "lib/base/sort.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

uint32_t memory_look_up(WantedMemory* m, uint64_t number)
{
   SeenPage* seen = &m->seen[number % N_SEEN];
   size_t    at = m->pages.n == 0 ? 0 : map_find(&m->pages, number + 1);

   seen->number = number + 1;
   seen->page   = m->pages.n == 0 || m->pages.keys[at] == 0
                  ? 0 : m->pages.values[at];
   return seen->page;
}

/* Return a new element of SIZE bytes of A: the first free one, or one more.
   Set *ID to its index + 1.  Return NULL if memory is exhausted. */
static void* take_element(WantedMemory* m, Array* a, size_t size,
                          uint32_t* free_id, size_t next_at, uint32_t* id)
{
   uint8_t* e;

   if (*free_id == 0) {
      e   = array_add(m->job, a, size);
      *id = (uint32_t)a->n;
      return e;
   }
   *id = *free_id;
   e   = (uint8_t*)a->data + (*id - 1) * size;
   memcpy(free_id, e + next_at, sizeof(*free_id));
   return memset(e, 0, size);
}

/* Make page NUMBER, which is not there. */
static WantedPage* make_page(WantedMemory* m, uint64_t number)
{
   uint32_t*   id = map_add(m->job, &m->pages, number + 1);
   WantedPage* p = id == NULL ? NULL
                   : take_element(m, &m->all, sizeof(WantedPage),
                                  &m->free_page, offsetof(WantedPage, lists),
                                  id);

   if (p != NULL)
      m->seen[number % N_SEEN] = (SeenPage){ number + 1, *id };
   return p;
}

uint32_t* memory_make_list(WantedMemory* m, WantedPage* p, unsigned k)
{
   ListBlock* b = take_element(m, &m->lists, sizeof(ListBlock), &m->free_list,
                               0, &p->lists[k / BLOCK_GRANULES]);

   return b == NULL ? NULL : &b->of[k % BLOCK_GRANULES];
}

Nearest* memory_make_nearest(WantedMemory* m, WantedPage* p, unsigned k)
{
   NearestBlock* b = take_element(m, &m->nearest, sizeof(NearestBlock),
                                  &m->free_nearest, 0,
                                  &p->nearest[k / BLOCK_GRANULES]);

   return b == NULL ? NULL : &b->of[k % BLOCK_GRANULES];
}

WantedPage* memory_add_granule(WantedMemory* m, uint64_t granule)
{
   WantedPage* p = memory_page(m, granule / PAGE_GRANULES);
   uint64_t    bit = UINT64_C(1) << granule % 64;
   uint64_t*   wanted;

   if (p == NULL)
      p = make_page(m, granule / PAGE_GRANULES);
   if (p == NULL)
      return NULL;
   wanted   = &p->wanted[granule / 64 % (PAGE_GRANULES / 64)];
   m->n    += (*wanted & bit) == 0;
   *wanted |= bit;
   return p;
}

/* Free block I of P: nothing of it is wanted. */
static void free_block(WantedMemory* m, WantedPage* p, unsigned i)
{
   if (p->lists[i] != 0) {
      ELEM(m->lists, ListBlock, p->lists[i] - 1).of[0] = m->free_list;
      m->free_list = p->lists[i];
      p->lists[i]  = 0;
   }
   if (p->nearest[i] != 0) {
      ELEM(m->nearest, NearestBlock, p->nearest[i] - 1).of[0].of[0]
         = m->free_nearest;
      m->free_nearest = p->nearest[i];
      p->nearest[i]   = 0;
   }
}

void memory_remove(WantedMemory* m, uint64_t granule)
{
   uint64_t    number = granule / PAGE_GRANULES;
   WantedPage* p = memory_page(m, number);
   unsigned    k = granule % PAGE_GRANULES;

   p->wanted[k / 64] &= ~(UINT64_C(1) << k % 64);
   m->n--;
   if ((p->wanted[k / 64] >> k % 64 / BLOCK_GRANULES * BLOCK_GRANULES & 0xFFFF)
       != 0)
      return;
   free_block(m, p, k / BLOCK_GRANULES);
   for (unsigned i = 0; i < PAGE_GRANULES / 64; i++)
      if (p->wanted[i] != 0)
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

/* Append the numbers of those granules of page NUMBER that BITS, its word I,
   has to NUMBERS. */
static bool add_granules(const WantedMemory* m, uint64_t number, unsigned i,
                         uint64_t bits, Array* numbers)
{
   for (; bits != 0; bits &= bits - 1) {
      uint64_t* to = array_add(m->job, numbers, sizeof(*to));
      if (to == NULL)
         return false;
      *to = number * PAGE_GRANULES + i * 64 + (uint64_t)__builtin_ctzll(bits);
   }
   return true;
}

bool memory_granules(const WantedMemory* m, Array* numbers)
{
   for (size_t i = 0; i < m->pages.room; i++) {
      const WantedPage* p = m->pages.keys[i] == 0 ? NULL
                            : &ELEM(m->all, WantedPage, m->pages.values[i] - 1);
      for (unsigned k = 0; p != NULL && k < PAGE_GRANULES / 64; k++)
         if (!add_granules(m, m->pages.keys[i] - 1, k, p->wanted[k], numbers))
            return false;
   }
   return true;
}

void memory_free(WantedMemory* m)
{
   map_free(m->job, &m->pages);
   array_free(m->job, &m->all, sizeof(WantedPage));
   array_free(m->job, &m->lists, sizeof(ListBlock));
   array_free(m->job, &m->nearest, sizeof(NearestBlock));
}
