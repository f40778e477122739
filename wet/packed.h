/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Bytes that become a file's. */

/* Private to wet/. */

#ifndef __DCFG_PACKED_H
#define __DCFG_PACKED_H

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef
   struct {
      UChar* bytes;
      UInt   used, room;
   }
   Bytes;

/* From now on there is room for N more. */
static inline void DCFG_(need_room)(Bytes* b, UInt n)
{
   if (b->used + n <= b->room)
      return;
   b->room = b->used + n > 2 * b->room ? b->used + n : 2 * b->room;
   b->bytes = VG_(realloc)("dcfg.wet.bytes", b->bytes, b->room);
}

/* N, seven bits a byte, the lowest first; all but the last have bit 7.
   There is room for it.  Returns where it ends. */
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

/* N where it is likely to be small, found without a branch: one to seven
   bytes, the lowest first, whose lowest three bits are how many follow; or
   else 7 and eight bytes more.  There is room for nine. */
#define DCFG_MAX_QUICK 9
static inline UChar* DCFG_(put_quick)(UChar* to, ULong n)
{
   UInt more = (63 - __builtin_clzll(n << 3 | 1)) / 8;

   if (LIKELY(n >> 53 == 0)) {
      *(ULong*)(void*)to = n << 3 | more;
      return to + 1 + more;
   }
   *to = 7;
   *(ULong*)(void*)(to + 1) = n;
   return to + DCFG_MAX_QUICK;
}

/* A difference as a number: the sign is the lowest bit. */
static inline ULong DCFG_(zigzag)(ULong d)
{
   return d << 1 ^ (ULong)((Long)d >> 63);
}

/* With room for it. */
static inline void DCFG_(add_varint)(Bytes* b, ULong n)
{
   DCFG_(need_room)(b, DCFG_MAX_VARINT);
   b->used = DCFG_(put_varint)(b->bytes + b->used, n) - b->bytes;
}

static inline void DCFG_(add_bytes)(Bytes* b, const void* bytes, UInt n)
{
   DCFG_(need_room)(b, n);
   VG_(memcpy)(b->bytes + b->used, bytes, n);
   b->used += n;
}

#endif /* __DCFG_PACKED_H */
