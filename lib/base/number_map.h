/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers for keys. */

#ifndef DCFG_NUMBER_MAP_H
#define DCFG_NUMBER_MAP_H

#include "lib/base/hash.h"
#include "lib/base/job.h"

/* Open addressing with a hash that a file cannot foresee.  The order of keys
   is another one in each run: nothing that is written may depend on it.  A map
   that is all zero is empty, and map_add() alone may be asked. */
typedef
   struct {
      uint64_t* keys;           // 0: free
      uint32_t* values;
      size_t    room, n;        // room: a power of two
      HashKey   hash;
   }
   NumberMap;

/* The key at place AT is none any more. */
void map_remove(NumberMap* m, size_t at);
void map_free(Job* job, NumberMap* m);

/* For map_add(): twice the room. */
bool map_make_room(Job* job, NumberMap* m);

/* The place of KEY; if .keys is 0 there, KEY is not in the map. */
static inline size_t map_find(const NumberMap* m, uint64_t key)
{
   size_t at = hash_word(&m->hash, key) & (m->room - 1);

   while (m->keys[at] != 0 && m->keys[at] != key)
      at = (at + 1) & (m->room - 1);
   return at;
}

/* The value of KEY, which is not 0; a new one's is 0.  NULL without memory. */
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
