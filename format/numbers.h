/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers in files: little-endian ones, and those with 7 bits in a byte. */

#ifndef __DCFG_NUMBERS_H
#define __DCFG_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ByteReader: data to be read, up to END.  A read beyond END gives 0 and sets
   .failed. */
typedef
   struct {
      const uint8_t* at;
      const uint8_t* end;
      bool           failed;
   }
   ByteReader;

/* Return the little-endian number of 4 bytes at AT; the word of 8 bytes. */
static inline uint32_t number_at(const uint8_t* at)
{
   return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
          | (uint32_t)at[3] << 24;
}

static inline uint64_t get_word(const uint8_t* at)
{
   uint64_t n;

   memcpy(&n, at, sizeof(n));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
   n = __builtin_bswap64(n);
#endif
   return n;
}

/* Write the word N at AT. */
static inline void put_word(uint8_t* at, uint64_t n)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
   n = __builtin_bswap64(n);
#endif
   memcpy(at, &n, sizeof(n));
}

static inline uint64_t get_varint(ByteReader* b)
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

/* Write N at *AT, which becomes the end of it: at most 10 bytes. */
static inline void write_varint(uint8_t** at, uint64_t n)
{
   for (; n >= 128; n >>= 7)
      *(*at)++ = (uint8_t)(n | 128);
   *(*at)++ = (uint8_t)n;
}

/* Skip N bytes, which are there. */
static inline void bytes_skip(ByteReader* b, size_t n)
{
   b->at += n;
}

/* Fail: no writer writes such bytes. */
static inline void bytes_fail(ByteReader* b)
{
   b->failed = true;
}

/* Return the signed difference that is written as D (zigzag). */
static inline uint64_t difference_of(uint64_t d)
{
   return d >> 1 ^ -(d & 1);
}

/* Return how the signed difference D is written. */
static inline uint64_t difference_code(uint64_t d)
{
   return d << 1 ^ (uint64_t)((int64_t)d >> 63);
}

/* Read a number whose first byte has its length. */
static inline uint64_t get_quick(ByteReader* b)
{
   size_t   left = (size_t)(b->end - b->at);
   unsigned size = left > 0 ? (*b->at & 7) + 1u : 0;
   unsigned skip = size == 8;              // the first byte has only the length
   uint64_t n = 0;

   /* The begin of the next number depends on the first byte alone, since this
      chain limits the speed of reading. */
   if (left >= 9 && !skip) {
      n = get_word(b->at) & ((UINT64_C(1) << 8 * size) - 1);
      b->at += size;
      return n >> 3;
   }
   if (size == 0 || left < size + skip) {
      b->failed = true;
      return 0;
   }
   for (unsigned i = 0; i < size; i++)
      n |= (uint64_t)b->at[skip + i] << 8 * i;
   b->at += size + skip;
   return skip ? n : n >> 3;
}

/* Read a number; fail if it is above MAX. */
static inline uint32_t get_up_to(ByteReader* b, uint64_t max)
{
   uint64_t n = get_varint(b);

   if (n > max) {
      b->failed = true;
      return 0;
   }
   return (uint32_t)n;
}

#endif /* __DCFG_NUMBERS_H */
