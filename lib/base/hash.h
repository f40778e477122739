/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A hash function that a file's author cannot predict, and maps with it. */

#ifndef DCFG_HASH_H
#define DCFG_HASH_H

#include "lib/base/job.h"

typedef
   struct {
      uint64_t k[2];
   }
   HashKey;

/* Return a new random key. */
HashKey  hash_key(void);

/* Return the hash of LEN bytes.  Output must not depend on it. */
uint64_t hash_bytes(const HashKey* key, const void* data, size_t len);

/* Return the hash of one word, faster: both halves of its product with the
   key. */
static inline uint64_t hash_word(const HashKey* key, uint64_t word)
{
#ifdef __SIZEOF_INT128__
   __extension__ typedef unsigned __int128 Wide;
   Wide h = (Wide)(word ^ key->k[0]) * (key->k[1] | 1);

   return (uint64_t)h ^ (uint64_t)(h >> 64);
#else
   uint64_t h = (word ^ key->k[0]) * (key->k[1] | 1);

   h = (h ^ h >> 32) * (key->k[0] | 1);
   return h ^ h >> 32;
#endif
}

/*--- Maps from keys to numbers                            ---*/

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
void map_remove(NumberMap* map, size_t at);
void map_free(Job* job, NumberMap* map);

/* Double the room, for map_add(). */
bool map_make_room(Job* job, NumberMap* map);

/* Return the place of KEY; .keys is 0 there if KEY is not in the map. */
static inline size_t map_find(const NumberMap* map, uint64_t key)
{
   size_t at = hash_word(&map->hash, key) & (map->room - 1);

   while (map->keys[at] != 0 && map->keys[at] != key)
      at = (at + 1) & (map->room - 1);
   return at;
}

/* Return the value of KEY, which is not 0; the value of a new key is 0.  Return
   NULL without memory. */
static inline uint32_t* map_add(Job* job, NumberMap* map, uint64_t key)
{
   size_t at;

   if (2 * map->n >= map->room && !map_make_room(job, map))
      return NULL;
   at = map_find(map, key);
   if (map->keys[at] == 0) {
      map->keys[at]   = key;
      map->values[at] = 0;
      map->n++;
   }
   return &map->values[at];
}

#endif /* DCFG_HASH_H */
