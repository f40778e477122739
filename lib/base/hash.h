/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A hash function that a file's author cannot predict. */

#ifndef DCFG_HASH_H
#define DCFG_HASH_H

#include <stddef.h>
#include <stdint.h>

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

#endif /* DCFG_HASH_H */
