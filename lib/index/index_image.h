/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: the program's memory while an index is made. */

#ifndef DCFG_LIB_INDEX_IMAGE_H
#define DCFG_LIB_INDEX_IMAGE_H

#include "lib/base/hash.h"

/* ByteIs: how much is known of a byte of memory at the end of a chunk. */
typedef
   enum {
      BYTE_LOOK,                // this chunk did not write it
      BYTE_KNOWN,               // its value
      BYTE_UNKNOWN,             // written, but the trace lacks the value
      BYTE_FRESH,               // the memory is new
      BYTE_ASK,                 // only the chunk itself tells
      BYTE_NEVER,               // nobody in the trace has written it
      N_BYTE_IS
   }
   ByteIs;

#define IMAGE_PAGE 4096u
#define N_RECENT_IMAGES 256u

/* ImagePage: 4 KB of memory. */
typedef
   struct {
      uint64_t number;
      uint8_t  masks[IMAGE_PAGE / 64];  // by line: words that this chunk wrote
      uint8_t  is[IMAGE_PAGE];          // ByteIs
      uint8_t  bytes[IMAGE_PAGE];
      bool     touched;         // the page is in .touched of the image
      bool     asks;            // some byte is BYTE_ASK
   }
   ImagePage;

/* ImageRange: memory that the kernel changed. */
typedef
   struct {
      uint64_t first, last;     // pages
      uint32_t chunk;
   }
   ImageRange;

/* MemoryImage: bytes that the program wrote, chunk after chunk.  Written by
   index_image.c alone. */
typedef
   struct {
      Job*       job;
      NumberMap  places;        // keys: page + 1; values: index in .pages, + 1
      Array      pages;         // ImagePage*
      Array      touched;       // ImagePage*: changed by this chunk
      Array      ranges;        // ImageRange
      uint32_t   chunk;         // the present one's number
      bool       dropped;       // earlier bytes were dropped
      bool       full;          // there is no room for this chunk's bytes
      ImagePage* recent[N_RECENT_IMAGES];
   }
   MemoryImage;

void image_free(MemoryImage* m);

/* Note that the SIZE bytes at ADDR are IS; BYTES has their values if they are
   BYTE_KNOWN. */
bool image_write_any(MemoryImage* m, uint64_t addr, uint64_t size, ByteIs is,
                     const uint8_t* bytes);

/* Store the lowest SIZE bytes of VALUE, at most 8, at ADDR. */
static inline bool image_store(MemoryImage* m, uint64_t addr, uint32_t size,
                               uint64_t value)
{
   ImagePage* p = m->recent[addr / IMAGE_PAGE % N_RECENT_IMAGES];
   uint32_t   at = (uint32_t)(addr % IMAGE_PAGE);
   uint32_t   first = at >> 3, last = (at + size - 1) >> 3;

   if (p == NULL || p->number != addr / IMAGE_PAGE || !p->touched
       || at + size > IMAGE_PAGE)
      return image_write_any(m, addr, size, BYTE_KNOWN, (uint8_t*)&value);
   for (uint32_t i = 0; i < size; i++) {
      p->bytes[at + i] = (uint8_t)(value >> 8 * i);
      p->is[at + i]    = BYTE_KNOWN;
   }
   p->masks[first >> 3] |= (uint8_t)(1u << (first & 7));
   p->masks[last >> 3]  |= (uint8_t)(1u << (last & 7));
   return true;
}

/* Note that the kernel changed the SIZE bytes at ADDR, which may be all memory,
   in a manner that only the chunk itself tells. */
bool image_change(MemoryImage* m, uint64_t addr, uint64_t size);

/* End the present chunk. */
void image_end_chunk(MemoryImage* m);

#endif /* DCFG_LIB_INDEX_IMAGE_H */
