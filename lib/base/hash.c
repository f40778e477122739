/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How keys that come from a file are found. */

/* Owns: hashing of a file's contents, and maps from such keys to numbers.
   Handed: bytes and keys.

   The author of a file must not be able to choose strings with equal hashes:
   each lookup would take time proportional to their number.  So the hash has
   a random key.  It is SipHash, made for this purpose, with one round for
   each word and three at the end (J. Aumasson, D. Bernstein, "SipHash: a
   fast short-input PRF", INDOCRYPT 2012). */

#include "lib/base/hash.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

HashKey hash_key(void)
{
   HashKey     key = { { 0, 0 } };
   const void* start;

   if (getrandom(&key, sizeof(key), GRND_NONBLOCK) == sizeof(key))
      return key;
   /* getrandom() is forbidden, or it is too early: use the kernel's random
      bytes for the process. */
   start = (const void*)getauxval(AT_RANDOM);
   if (start != NULL)
      memcpy(&key, start, sizeof(key));
   return key;
}

static uint64_t rotate(uint64_t x, unsigned n)
{
   return x << n | x >> (64 - n);
}

static void stir(uint64_t* v)
{
   v[0] += v[1];
   v[2] += v[3];
   v[1] = rotate(v[1], 13) ^ v[0];
   v[3] = rotate(v[3], 16) ^ v[2];
   v[0] = rotate(v[0], 32);
   v[2] += v[1];
   v[0] += v[3];
   v[1] = rotate(v[1], 17) ^ v[2];
   v[3] = rotate(v[3], 21) ^ v[0];
   v[2] = rotate(v[2], 32);
}

static void take(uint64_t* v, uint64_t word)
{
   v[3] ^= word;
   stir(v);
   v[0] ^= word;
}

uint64_t hash_bytes(const HashKey* key, const void* data, size_t len)
{
   const unsigned char* at = data;
   uint64_t             word;
   uint64_t             v[4] = { key->k[0] ^ 0x736f6d6570736575,
                                 key->k[1] ^ 0x646f72616e646f6d,
                                 key->k[0] ^ 0x6c7967656e657261,
                                 key->k[1] ^ 0x7465646279746573 };

   for (size_t left = len; left >= 8; left -= 8, at += 8) {
      memcpy(&word, at, 8);
      take(v, word);
   }
   word = (uint64_t)len << 56;
   for (size_t i = 0; i < len % 8; i++)
      word |= (uint64_t)at[i] << 8 * i;
   take(v, word);
   v[2] ^= 0xff;
   for (int i = 0; i < 3; i++)
      stir(v);
   return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/*--- Maps from keys to numbers                            ---*/

bool map_make_room(Job* job, NumberMap* map)
{
   NumberMap more = { .room = map->room == 0 ? 1024 : 2 * map->room,
                      .n = map->n, .hash = map->room == 0
                           ? hash_key() : map->hash };

   more.keys   = job_calloc(job, more.room, sizeof(*more.keys));
   more.values = job_calloc(job, more.room, sizeof(*more.values));
   if (more.keys == NULL || more.values == NULL) {
      map_free(job, &more);
      return false;
   }
   for (size_t i = 0; i < map->room; i++)
      if (map->keys[i] != 0) {
         size_t at = map_find(&more, map->keys[i]);
         more.keys[at]   = map->keys[i];
         more.values[at] = map->values[i];
      }
   map_free(job, map);
   *map = more;
   return true;
}

/* Move keys that a free place would hide to that place. */
void map_remove(NumberMap* map, size_t at)
{
   size_t mask = map->room - 1;

   for (size_t i = (at + 1) & mask; map->keys[i] != 0; i = (i + 1) & mask)
      if (((i - hash_word(&map->hash, map->keys[i])) & mask)
          >= ((i - at) & mask)) {
         map->keys[at]   = map->keys[i];
         map->values[at] = map->values[i];
         at = i;
      }
   map->keys[at] = 0;
   map->n--;
}

void map_free(Job* job, NumberMap* map)
{
   job_free(job, map->keys, map->room * sizeof(*map->keys));
   job_free(job, map->values, map->room * sizeof(*map->values));
   *map = (NumberMap){ 0 };
}
