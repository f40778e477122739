/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Spool: many byte sequences in bounded memory. */

#ifndef DCFG_CMD_SPOOL_H
#define DCFG_CMD_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sequence: bytes that are first written and then read.  All zero: empty. */
typedef
   struct {
      uint8_t*  bytes;          // the last ones, in memory
      uint32_t  used, room;
      uint32_t  n_parts;        // in the file
      uint64_t* parts;          // place and length of each part
   }
   Sequence;

typedef struct Spool Spool;

/* Make a spool of N sequences. */
Spool*    spool_new(size_t n);
void      spool_free(Spool* s);
Sequence* spool_sequence(Spool* s, size_t i);

/* The most bytes that are added at once. */
#define MAX_ADDED 64
void spool_need(Spool* s, Sequence* q);

static inline void spool_varint(Sequence* q, uint64_t n)
{
   while (n >= 0x80) {
      q->bytes[q->used++] = (uint8_t)(n | 0x80);
      n >>= 7;
   }
   q->bytes[q->used++] = (uint8_t)n;
}

static inline void spool_signed(Sequence* q, uint64_t d)
{
   spool_varint(q, d << 1 ^ (0 - (d >> 63)));
}

/* Playback: reads sequence Q from begin to end. */
typedef
   struct {
      Spool*    spool;
      Sequence* q;
      uint32_t  part;           // index of the next one
      const uint8_t* at;
      const uint8_t* end;
   }
   Playback;

void spool_play(Spool* s, Sequence* q, Playback* p);

/* Load the next part.  Return False at the end. */
bool spool_more(Playback* p);

static inline uint64_t play_varint(Playback* p)
{
   uint64_t n = 0;

   for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t byte = *p->at++;
      n |= (uint64_t)(byte & 127) << shift;
      if (byte < 128)
         break;
   }
   return n;
}

static inline uint64_t play_signed(Playback* p)
{
   uint64_t d = play_varint(p);

   return d >> 1 ^ (0 - (d & 1));
}

#endif /* DCFG_CMD_SPOOL_H */
