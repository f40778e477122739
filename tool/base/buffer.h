/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Bytes in memory for a file. */

#ifndef __DCFG_BUFFER_H
#define __DCFG_BUFFER_H

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "format/port.h"

typedef
   struct {
      UChar* bytes;
      UInt   used, room;
   }
   Bytes;

/* Make room for N more bytes. */
static inline void DCFG_(need_room)(Bytes* b, UInt n)
{
   if (b->used + n <= b->room)
      return;
   b->room = b->used + n > 2 * b->room ? b->used + n : 2 * b->room;
   b->bytes = VG_(realloc)("dcfg.wet.bytes", b->bytes, b->room);
}

/* Append N bytes, and return where they are. */
static inline UChar* DCFG_(add_room)(Bytes* b, UInt n)
{
   DCFG_(need_room)(b, n);
   b->used += n;
   return b->bytes + b->used - n;
}

static inline void DCFG_(empty_bytes)(Bytes* b)
{
   b->used = 0;
}

/* Put N with seven bits in a byte, the lowest first; all bytes but the last
   have bit 7.  There is room.  Return the end. */
#define DCFG_MAX_VARINT 10
static inline UChar* DCFG_(put_varint)(UChar* to, ULong n)
{
   while (n >= 0x80) {
      *to++ = n | 0x80;
      n >>= 7;
   }
   *to++ = n;
   return to;
}

/* Return a signed difference as a number with the sign in the lowest bit. */
static inline ULong DCFG_(zigzag)(ULong d)
{
   return d << 1 ^ (ULong)((Long)d >> 63);
}

/* Append N, and make room for it. */
static inline void DCFG_(add_varint)(Bytes* b, ULong n)
{
   DCFG_(need_room)(b, DCFG_MAX_VARINT);
   b->used = DCFG_(put_varint)(b->bytes + b->used, n) - b->bytes;
}

static inline void DCFG_(add_bytes)(Bytes* b, const void* bytes, UInt n)
{
   VG_(memcpy)(DCFG_(add_room)(b, n), bytes, n);
}

#endif /* __DCFG_BUFFER_H */
