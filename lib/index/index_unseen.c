/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes that the trace does not have. */

/* Owns: the code of a chunk's unseen writes.  Handed: unseen writes by
   index_image.c, code by wet_index.c.

   The code begins with the number of writes and the size of what follows before
   it is compressed, 4 bytes each, and with the first and the last word, 8 bytes
   each.  A frame of zstd follows, and zeros up to a multiple of 8 bytes.  For
   each write, the frame has four varints.  They are the distance from
   the word before; the time, less that of the write before if both have one word;
   how long before that the bytes were told; and the mask. */

#include "lib/index/index_unseen.h"
#include "lib/base/sort.h"
#include "format/numbers.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL 3
#define HEAD  24u               // bytes of the head
#define MOST_CODE 32u           // bytes of a write, before it is compressed
#define LEAST_CODE 4u

COMPARE(by_word, UnseenWrite, UP(word) ?: UP(time) ?: UP(mask))
COMPARE(by_time, UnseenWrite, UP(time) ?: UP(word) ?: UP(mask))

void unseen_sort_by_time(UnseenWrite* a, size_t n)
{
   if (n > 1)
      qsort(a, n, sizeof(*a), by_time);
}

/* Write the N writes of A to TO.  Return the end. */
static uint8_t* write_all(const UnseenWrite* a, size_t n, uint8_t* to)
{
   uint64_t word = 0, time = 0;

   for (size_t i = 0; i < n; i++) {
      if (a[i].word != word)
         time = 0;
      write_varint(&to, a[i].word - word);
      write_varint(&to, a[i].time - time);
      write_varint(&to, a[i].time - a[i].since);
      write_varint(&to, a[i].mask);
      word  = a[i].word;
      time  = a[i].time;
   }
   return to;
}

/* Put the words of the head to TO: N writes of A have SIZE bytes. */
static void put_head(const UnseenWrite* a, size_t n, size_t size, uint8_t* to)
{
   uint32_t counts[2] = { (uint32_t)n, (uint32_t)size };

   memcpy(to, counts, sizeof(counts));
   memcpy(to + 8, &a[0].word, 8);
   memcpy(to + 16, &a[n - 1].word, 8);
}

bool unseen_put(Job* job, Array* a, Array* to)
{
   size_t   n = a->n, room = n * MOST_CODE, most = ZSTD_COMPRESSBOUND(room);
   size_t   begin = to->n, size;
   uint8_t* raw;
   uint8_t* code;

   if (n == 0)
      return true;
   qsort(a->data, n, sizeof(UnseenWrite), by_word);
   raw  = job_calloc(job, room, 1);
   code = raw == NULL ? NULL : array_add_n(job, to, 1, HEAD + most + 8);
   if (code == NULL) {
      job_free(job, raw, room);
      return false;
   }
   size = (size_t)(write_all(a->data, n, raw) - raw);
   put_head(a->data, n, size, code);
   size = ZSTD_compress(code + HEAD, most, raw, size, LEVEL);
   job_free(job, raw, room);
   if (ZSTD_isError(size))
      return job_fail(job, DCFG_ERROR_MEMORY, "index",
                      "there is no memory for it");
   memset(code + HEAD + size, 0, 8);
   array_cut(to, begin + (HEAD + size + 7) / 8 * 8);
   return true;
}

/* Set A to the N writes that the SIZE bytes at CODE have.  Return false if they
   are wrong. */
static bool read_all(const uint8_t* code, size_t size, UnseenWrite* a, size_t n)
{
   ByteReader b = { code, code + size, false };
   uint64_t word = 0, time = 0;

   for (size_t i = 0; i < n; i++) {
      uint64_t gap = get_varint(&b), told;
      if (gap != 0)
         time = 0;
      word += gap;
      time += get_varint(&b);
      told  = get_varint(&b);
      a[i]  = (UnseenWrite){ .word = word, .since = time - told, .time = time,
                             .mask = (uint8_t)get_up_to(&b, UINT8_MAX) };
      if (b.failed || told > time || word >> 61 != 0)
         return false;
   }
   return b.at == b.end;
}

UnseenWrite* unseen_get(const uint8_t* code, size_t size, size_t* n)
{
   uint32_t     counts[2];
   uint8_t*     raw;
   UnseenWrite* a;
   size_t       frame;

   if (size < HEAD)
      return NULL;
   memcpy(counts, code, sizeof(counts));
   if (counts[0] == 0 || counts[1] / LEAST_CODE < counts[0]
       || counts[1] / MOST_CODE > counts[0])
      return NULL;
   frame = ZSTD_findFrameCompressedSize(code + HEAD, size - HEAD);
   raw   = malloc(counts[1]);
   a     = calloc(counts[0], sizeof(*a));
   if (raw == NULL || a == NULL || ZSTD_isError(frame)
       || ZSTD_decompress(raw, counts[1], code + HEAD, frame) != counts[1]) {
      free(raw);
      free(a);
      return NULL;
   }
   *n = counts[0];
   if (!read_all(raw, counts[1], a, *n)) {
      free(a);
      a = NULL;
   }
   free(raw);
   return a;
}

bool unseen_may_have(const uint8_t* code, size_t size, uint64_t first,
                     uint64_t last)
{
   uint64_t words[2];

   if (size < HEAD)
      return false;
   memcpy(words, code + 8, sizeof(words));
   return words[0] <= last && first <= words[1];
}
