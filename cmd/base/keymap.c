/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the numbers of keys; names, each once.  Handed: keys, names.

   A table with open addressing, at most half full.  Its hash has a key that no
   file can foresee: each word is multiplied by half of it, and both halves of
   the product count.  The number of a name is that of its hash.  If two names
   have one hash, the second has the next hash that is free. */

#include "cmd/base/keymap.h"

#include <sys/random.h>

struct KeyMap {
   uint64_t* keys;              // by number
   size_t    n, room;
   uint32_t* buckets;           // number + 1; 0: free
   size_t    n_buckets;         // a power of 2
   uint64_t  secret[2];
};

static uint64_t mix(const KeyMap* m, uint64_t word)
{
#ifdef __SIZEOF_INT128__
   __extension__ typedef unsigned __int128 Wide;
   Wide product = (Wide)(word ^ m->secret[0]) * (m->secret[1] | 1);

   return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
   uint64_t h = (word ^ m->secret[0]) * (m->secret[1] | 1);

   return (h ^ h >> 32) * (m->secret[1] ^ word >> 32 | 1);
#endif
}

KeyMap* keymap_new(void)
{
   KeyMap* m = zalloc(1, sizeof(*m));

   if (getrandom(m->secret, sizeof(m->secret), GRND_NONBLOCK) < 0)
      m->secret[0] = (uintptr_t)m;
   m->n_buckets = 16;
   m->buckets = zalloc(m->n_buckets, sizeof(*m->buckets));
   return m;
}

void keymap_free(KeyMap* m)
{
   if (m != NULL) {
      FREE_ALL(m->keys, m->buckets);
   }
   free(m);
}

/* Return the bucket that has KEY, or the free one for it. */
static uint32_t* bucket_of(const KeyMap* m, uint64_t key)
{
   size_t i = mix(m, key) & (m->n_buckets - 1);

   while (m->buckets[i] != 0 && m->keys[m->buckets[i] - 1] != key)
      i = (i + 1) & (m->n_buckets - 1);
   return &m->buckets[i];
}

uint32_t keymap_number(KeyMap* m, uint64_t key)
{
   uint32_t* bucket = bucket_of(m, key);

   if (*bucket != 0)
      return *bucket - 1;
   if (m->n == UINT32_MAX - 1)
      die("too many different things");
   if (2 * m->n >= m->n_buckets) {
      free(m->buckets);
      m->n_buckets *= 4;
      m->buckets = zalloc(m->n_buckets, sizeof(*m->buckets));
      for (size_t i = 0; i < m->n; i++)
         *bucket_of(m, m->keys[i]) = (uint32_t)i + 1;
      bucket = bucket_of(m, key);
   }
   GROW(m->keys, m->n, m->room);
   m->keys[m->n++] = key;
   *bucket = (uint32_t)m->n;
   return *bucket - 1;
}

uint32_t keymap_find(const KeyMap* m, uint64_t key)
{
   return *bucket_of(m, key) - 1;
}

uint32_t keymap_size(const KeyMap* m)
{
   return (uint32_t)m->n;
}

uint64_t keymap_key(const KeyMap* m, uint32_t number)
{
   return m->keys[number];
}

/*--- Names                                                ---*/

struct Interned {
   KeyMap* hashes;
   char**  names;               // by number of their hash
   size_t  n, room;
};

Interned* interned_new(void)
{
   Interned* names = zalloc(1, sizeof(*names));

   names->hashes = keymap_new();
   return names;
}

void interned_free(Interned* names)
{
   for (size_t i = 0; i < names->n; i++)
      free(names->names[i]);
   free(names->names);
   keymap_free(names->hashes);
   free(names);
}

const char* intern_part(Interned* names, const char* text, size_t n)
{
   uint64_t hash = n;

   for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
      uint64_t word = 0;
      memcpy(&word, text + i, n - i < sizeof(word) ? n - i : sizeof(word));
      hash = mix(names->hashes, hash ^ word);
   }
   for (;; hash++) {
      uint32_t i = keymap_number(names->hashes, hash);
      if (i == names->n) {
         GROW(names->names, names->n, names->room);
         names->names[names->n++] = memcpy(zalloc(n + 1, 1), text, n);
      }
      if (strncmp(names->names[i], text, n) == 0 && names->names[i][n] == 0)
         return names->names[i];
   }
}

const char* intern(Interned* names, const char* name)
{
   return intern_part(names, name, strlen(name));
}
