/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Hash map from keys to numbers. */

#ifndef DCFG_NUMBER_MAP_H
#define DCFG_NUMBER_MAP_H

#include "lib/base/hash.h"
#include "lib/base/job.h"

/* NumberMap: open addressing, with a hash that a file's author cannot predict.
   The order of keys differs in each run: output must not depend on it.  All
   zero is an empty map, for which only map_add() may be called. */
typedef
   struct {
      uint64_t* keys;           // 0: free
      uint32_t* values;
      size_t    room, n;        // .room is a power of two
      HashKey   hash;
   }
   NumberMap;

/* Remove the key at place AT; free the map. */
void map_remove(NumberMap* m, size_t at);
void map_free(Job* job, NumberMap* m);

/* Double the room, for map_add(). */
bool map_make_room(Job* job, NumberMap* m);

/* Return the place of KEY; .keys is 0 there if KEY is not in the map. */
static inline size_t map_find(const NumberMap* m, uint64_t key)
{
   size_t at = hash_word(&m->hash, key) & (m->room - 1);

   while (m->keys[at] != 0 && m->keys[at] != key)
      at = (at + 1) & (m->room - 1);
   return at;
}

/* Return the value of KEY, which is not 0; the value of a new key is 0.  Return
   NULL without memory. */
static inline uint32_t* map_add(Job* job, NumberMap* m, uint64_t key)
{
   size_t at;

   if (2 * m->n >= m->room && !map_make_room(job, m))
      return NULL;
   at = map_find(m, key);
   if (m->keys[at] == 0) {
      m->keys[at]   = key;
      m->values[at] = 0;
      m->n++;
   }
   return &m->values[at];
}

#endif /* DCFG_NUMBER_MAP_H */
