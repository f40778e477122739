/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: which bytes of an instance's value stand in which memory, and which
   load its value may be of.  Handed: records by wet/. */

#include "lib/index/index_stores.h"

/* Return whether the store A, whose slot has ADDR, was made. */
static bool is_made(const WetAccess* a, uint64_t addr)
{
   return addr != 0 || !(a->what & AccessGuarded);
}

bool stores_of(const WetAccess* accesses, const uint64_t* slots,
               uint32_t n_slots, const InstrPlan* at, MemoryStores* to)
{
   uint32_t end = (uint32_t)at->slot + at->n_slots, n = 0, n_made = 0;
   uint64_t last = 0;                   // address of the store before
   bool     downward = true;

   *to = (MemoryStores){ .accesses = accesses, .slots = slots,
                         .first = at->slot,
                         .end = end < n_slots ? end : n_slots };
   for (uint32_t j = to->first; j < to->end; j++)
      if (accesses[j].what & AccessStore) {
         n++;
         to->size += accesses[j].size;
         if (!is_made(&accesses[j], slots[j]))
            continue;
         downward &= n_made++ == 0 || slots[j] + accesses[j].size == last;
         last      = slots[j];
      }
   to->downward = downward && n_made > 1;
   return n > 0;
}

/* The lowest address has the lowest bytes of the value, even if the accesses are
   listed downward. */
bool next_store(const MemoryStores* s, StoreAt* at, bool back,
                MemoryStore* to)
{
   while (s->first + at->n < s->end) {
      uint32_t         j = back ? s->end - 1 - at->n : s->first + at->n;
      const WetAccess* a = &s->accesses[j];
      at->n++;
      if (!(a->what & AccessStore))
         continue;
      *to = (MemoryStore){ s->slots[j], a->size,
                           back == s->downward ? at->size
                           : s->size - at->size - a->size,
                           is_made(a, s->slots[j]) };
      at->size += a->size;
      return true;
   }
   return false;
}

uint32_t load_of(const WetAccess* accesses, const uint64_t* slots,
                 uint32_t n_slots, const InstrPlan* at)
{
   uint32_t end = (uint32_t)at->slot + at->n_slots, found = UINT32_MAX;

   for (uint32_t j = at->slot; j < end && j < n_slots; j++) {
      if (!(accesses[j].what & AccessLoad)
          || (slots[j] == 0 && (accesses[j].what & AccessGuarded)))
         continue;
      if (found != UINT32_MAX || (accesses[j].what & AccessStore))
         return UINT32_MAX;
      found = j;
   }
   return found;
}

uint32_t value_of(const WetAccess* accesses, const uint64_t* slots,
                  uint32_t n_slots, const InstrPlan* at, uint8_t* to)
{
   uint32_t first = wet_value_slot(at), size = 0;

   if (at->n_values == 0 || n_slots < first + at->n_values)
      return 0;
   for (uint32_t i = first; i < first + at->n_values; i++)
      for (unsigned k = 0; k < accesses[i].size && k < 8 && size < MOST_VALUE;
           k++)
         to[size++] = (uint8_t)(slots[i] >> 8 * k);
   return size;
}
