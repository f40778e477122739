/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Packing of bytes. */

/* Owns: the code that docs/dev/rec-file.md calls packed.  Handed: the contents
   of blocks, and blocks of files that anybody may have changed.

   It is Lempel and Ziv's first method (J. Ziv, A. Lempel: A Universal Algorithm
   for Sequential Data Compression, 1977) with whole bytes only.  A table of
   hashes has the last place of each four bytes.  Where nothing is found, the
   steps grow, so bytes that do not repeat cost little. */

#include "format/pack.h"

#define PLACE_BITS   14
#define LEAST_COPY  4u
#define MOST_DISTANCE    65535u
#define IS_LONG     15u

static UInt places[1u << PLACE_BITS];     // 1 more than a place, or 0

static UInt word_at(const UChar* at)
{
   UInt w;

   __builtin_memcpy(&w, at, sizeof(w));
   return w;
}

static UInt* place_of(const UChar* at)
{
   return &places[word_at(at) * 2654435761u >> (32 - PLACE_BITS)];
}

/* Put what N has above IS_LONG.  Return the end. */
static UChar* put_rest(UChar* to, UInt n)
{
   if (n < IS_LONG)
      return to;
   for (n -= IS_LONG; n >= 255; n -= 255)
      *to++ = 255;
   *to++ = n;
   return to;
}

/* Put a step: N_LITERALS bytes at FROM and a copy of N_COPY bytes from DISTANCE;
   no copy if that is 0.  Return the end, or NULL if there is no room. */
static UChar* put_step(UChar* to, const UChar* end, const UChar* from,
                       UInt n_literals, UInt n_copy, UInt distance)
{
   UInt more = distance == 0 ? 0 : n_copy - LEAST_COPY;

   if ((SizeT)(end - to) < n_literals + n_literals / 255 + more / 255 + 6)
      return NULL;
   *to++ = (n_literals < IS_LONG ? n_literals : IS_LONG) << 4
           | (more < IS_LONG ? more : IS_LONG);
   to = put_rest(to, n_literals);
   dcfg_memcpy(to, from, n_literals);
   to += n_literals;
   if (distance == 0)
      return to;
   *to++ = distance;
   *to++ = distance >> 8;
   return put_rest(to, more);
}

UInt DCFG_(pack)(const UChar* from, UInt n, UChar* to)
{
   const UChar* begin = to;
   const UChar* end   = to + n;
   UInt         done  = 0, at = 0;

   dcfg_memset(places, 0, sizeof(places));
   while (to != NULL && at + 8 < n) {
      UInt* place = place_of(from + at);
      UInt  last  = *place, k = LEAST_COPY;
      *place = at + 1;
      if (last == 0 || at + 1 - last > MOST_DISTANCE
          || word_at(from + last - 1) != word_at(from + at)) {
         at += 1 + (at - done) / 64;
         continue;
      }
      while (at + k < n && from[last - 1 + k] == from[at + k])
         k++;
      to    = put_step(to, end, from + done, at - done, k, at + 1 - last);
      at   += k;
      done  = at;
   }
   if (to != NULL)
      to = put_step(to, end, from + done, n - done, 0, 0);
   return to == NULL || to >= end ? n : (UInt)(to - begin);
}

/* Add to *N the bytes at *FROM that follow if it is IS_LONG.  Return False at
   END, or if it becomes more than ROOM. */
static Bool get_rest(const UChar** from, const UChar* end, UInt* n, UInt room)
{
   UChar c = 255;

   if (*n < IS_LONG)
      return *n <= room;
   while (c == 255) {
      if (*from == end || *n > room)
         return False;
      c   = *(*from)++;
      *n += c;
   }
   return *n <= room;
}

Bool DCFG_(unpack)(const UChar* from, UInt n, UChar* to, UInt room)
{
   const UChar* end = from + n;
   UInt         at  = 0;

   while (from < end) {
      UInt literals = *from >> 4, copy = *from & 15, distance;
      from++;
      if (!get_rest(&from, end, &literals, room - at)
          || literals > (SizeT)(end - from))
         return False;
      dcfg_memcpy(to + at, from, literals);
      at   += literals;
      from += literals;
      if (from == end)
         break;
      if (end - from < 2)
         return False;
      distance = from[0] | from[1] << 8;
      from += 2;
      if (!get_rest(&from, end, &copy, room - at) || distance == 0
          || distance > at || copy + LEAST_COPY > room - at)
         return False;
      for (copy += LEAST_COPY; copy > 0; copy--, at++)
         to[at] = to[at - distance];
   }
   return at == room;
}
