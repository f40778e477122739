/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of a wet file. */

#ifndef DCFG_LIB_WET_BYTES_H
#define DCFG_LIB_WET_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes to be read, up to END.  What is not there is read as 0 and
   remembered. */
typedef
   struct {
      const uint8_t* at;
      const uint8_t* end;
      bool           failed;
   }
   Bytes;

/* The 8 bytes at AT, of which the lowest comes first. */
static inline uint64_t get_word(const uint8_t* at)
{
   uint64_t n;

   memcpy(&n, at, sizeof(n));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
   n = __builtin_bswap64(n);
#endif
   return n;
}

static inline uint64_t get_varint(Bytes* b)
{
   uint64_t n = 0;

   for (unsigned shift = 0; b->at < b->end && shift < 64; shift += 7) {
      uint8_t byte = *b->at++;
      n |= (uint64_t)(byte & 127) << shift;
      if (byte < 128)
         return n;
   }
   b->failed = true;
   return 0;
}

/* The next N bytes, which are there, have been read. */
static inline void bytes_skip(Bytes* b, size_t n)
{
   b->at += n;
}

/* The bytes are not what any writer writes. */
static inline void bytes_fail(Bytes* b)
{
   b->failed = true;
}

/* The difference that was written as D. */
static inline uint64_t difference_of(uint64_t d)
{
   return d >> 1 ^ -(d & 1);
}

/* A number that says first how many bytes it has. */
static inline uint64_t get_quick(Bytes* b)
{
   size_t   left = (size_t)(b->end - b->at);
   unsigned size = left > 0 ? (*b->at & 7) + 1u : 0;
   unsigned skip = size == 8;              // nothing else is in the first one
   uint64_t n = 0;

   if (size == 0 || left < size + skip) {
      b->failed = true;
      return 0;
   }
   if (left >= 9) {
      n = get_word(b->at + skip);
      n = size == 8 ? n : n & ((UINT64_C(1) << 8 * size) - 1);
   } else {
      for (unsigned i = 0; i < size; i++)
         n |= (uint64_t)b->at[skip + i] << 8 * i;
   }
   b->at += size + skip;
   return skip ? n : n >> 3;
}

/* A number up to MAX. */
static inline uint32_t get_up_to(Bytes* b, uint64_t max)
{
   uint64_t n = get_varint(b);

   if (n > max) {
      b->failed = true;
      return 0;
   }
   return (uint32_t)n;
}

#endif /* DCFG_LIB_WET_BYTES_H */
