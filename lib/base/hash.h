/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A hash that a file cannot foresee. */

#ifndef DCFG_HASH_H
#define DCFG_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef
   struct {
      uint64_t k[2];
   }
   HashKey;

/* Another key each time. */
HashKey  hash_key(void);

/* Nothing that is written may depend on it. */
uint64_t hash_bytes(const HashKey* key, const void* data, size_t len);

#endif /* DCFG_HASH_H */
